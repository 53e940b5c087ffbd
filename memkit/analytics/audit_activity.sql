-- audit_activity
-- How often memory was asked or read on each day in UTC, and how often nothing was found; days without use are left out.
-- reads:  usage
-- params: $since TIMESTAMPTZ
-- grain:  one row per project_key and used_on
select
    project_key,
    occurred_at::date as used_on,
    count(*) as n_times,
    count(*) filter (where result_count = 0) as n_empty,
    count(distinct actor) as n_actors
from usage
where $since::timestamptz is null or occurred_at >= $since::timestamptz
group by project_key, occurred_at::date
order by used_on, project_key
