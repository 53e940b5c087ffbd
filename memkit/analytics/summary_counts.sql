-- summary_counts
-- How many live entries each panel and tag has, how many decisions each status, and how many active records each kind,
-- most first.
-- reads:  entries, decisions, records
-- params: none
-- grain:  one row per kind and name
with tagged as (
    select unnest(tags) as tag
    from entries
    where is_live
),

counted as (
    select
        'panel' as kind,
        panel_id as name,
        count(*) as n
    from entries
    where is_live
    group by panel_id
    union all
    select
        'tag' as kind,
        tag as name,
        count(*) as n
    from tagged
    group by tag
    union all
    select
        'status' as kind,
        status as name,
        count(*) as n
    from decisions
    group by status
    union all
    select
        'record' as kind,
        kind as name,
        count(*) as n
    from records
    where status = 'active'
    group by records.kind
)

select
    kind,
    name,
    n
from counted
order by kind, n desc, name
