-- explore
-- What is stored and live, entries and records, newest first, by panel, tag, age and status; a null or empty filter lets
-- everything pass. A record's panel is its kind, as recall names it.
-- reads:  entries, records
-- params: $panel VARCHAR, $tags VARCHAR[], $since_days DOUBLE, $status VARCHAR, $superseded BOOLEAN, $limit BIGINT
-- grain:  one row per entry_id and project_key
with
stored as (
    select
        entry_id,
        project_key,
        coalesce(nullif(title, ''), question) as title,
        coalesce(summary, '') as summary,
        panel_id,
        tags,
        status,
        stored_at,
        age_days,
        decided_on
    from entries
    where is_live
    union all
    select
        path as entry_id,
        project_key,
        title,
        body[:1200] as summary,
        'record:' || kind as panel_id,
        tags,
        if(status = 'active', 'accepted', status) as status,
        created_at as stored_at,
        age_days,
        null as decided_on
    from records
)
select
    entry_id,
    project_key,
    title,
    summary,
    panel_id,
    tags,
    status,
    stored_at,
    age_days,
    decided_on,
    count(*) over () as n_matched
from stored
where ($panel is null or panel_id = $panel)
  and (len($tags::varchar[]) = 0 or list_has_any(tags, $tags::varchar[]))
  and ($since_days is null or age_days <= $since_days)
  and ($status is null or status = $status)
  and ($superseded or status <> 'superseded')
order by stored_at desc, entry_id desc, project_key
limit $limit
