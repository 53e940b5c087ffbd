-- audit_events
-- Every line of the audit log that can be read. Text that was erased is NULL.
-- reads:  base.audit_rows
-- params: none
-- grain:  one row per project_key and event_id
select
    id as event_id,
    project_key,
    seq,
    occurred_at,
    event,
    op,
    status,
    actor,
    coalesce(reason, text.reason) as reason,
    coalesce(query, text.query) as query,
    text.message as message,
    result_count,
    entry_id,
    case
        when entry_id is not null then [entry_id]
        when json_type(coalesce(pruned, restored, erased)) = 'ARRAY'
            then from_json(coalesce(pruned, restored, erased), '["VARCHAR"]')
        else []
    end as entry_ids,
    panel_id,
    replaces,
    coalesce(text.source_path, path) as path,
    kind,
    slug,
    before_hash,
    after_hash,
    findings,
    run_id,
    worker,
    trigger,
    session_id,
    day
from base.audit_rows
where event is not null
