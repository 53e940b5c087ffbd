-- audit_history
-- What happened to records, oldest first; of one record, or of all.
-- reads:  record_history
-- params: $slug VARCHAR
-- grain:  one row per project_key and event_id
select
    slug,
    project_key,
    kind,
    path,
    position,
    occurred_at,
    op,
    status,
    actor,
    reason,
    findings,
    before_hash,
    after_hash,
    is_break,
    event_id
from record_history
where $slug::varchar is null or slug = $slug::varchar
order by slug, project_key, day, seq nulls first, occurred_at, event_id
