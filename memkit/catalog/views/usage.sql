-- usage
-- Who asked or read what, and how much was found. A query that was erased is NULL.
-- reads:  base.audit_rows
-- params: none
-- grain:  one row per project_key and event_id
select
    id as event_id,
    project_key,
    seq,
    occurred_at,
    op,
    status,
    actor,
    kind,
    slug,
    entry_id,
    coalesce(query, text.query) as query,
    result_count
from base.audit_rows
where event = 'record_usage'
