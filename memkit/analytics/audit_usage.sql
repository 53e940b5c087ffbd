-- audit_usage
-- What was asked and read, how often, by how many kinds of actor, and how often nothing was found.
-- reads:  usage
-- params: $since TIMESTAMPTZ, $limit BIGINT
-- grain:  one row per project_key, op, kind, slug, entry_id and query
select
    project_key,
    op,
    kind,
    slug,
    entry_id,
    query,
    count(*) as n_times,
    count(distinct actor) as n_actors,
    count(*) filter (where result_count = 0) as n_empty,
    avg(result_count)::double as mean_results,
    min(occurred_at) as first_at,
    max(occurred_at) as last_at,
    count(*) over () as n_matched
from usage
where $since::timestamptz is null or occurred_at >= $since::timestamptz
group by project_key, op, kind, slug, entry_id, query
order by n_times desc, last_at desc, project_key, op, kind, slug, entry_id, query
limit coalesce($limit::bigint, 9223372036854775807)
