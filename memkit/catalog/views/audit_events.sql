-- audit_events
-- Every line of the audit log that can be read. Text that was erased is NULL.
-- reads:  base.audit_rows
-- params: none
-- grain:  one row per project_key and event_id
with named as (
    select
        *,
        list_concat(
            if(entry_id is null, [], [entry_id]),
            if(json_type(pruned) = 'ARRAY', from_json(pruned, '["VARCHAR"]'), []),
            if(json_type(restored) = 'ARRAY', from_json(restored, '["VARCHAR"]'), []),
            if(json_type(erased) = 'ARRAY', from_json(erased, '["VARCHAR"]'), [])
        ) as entry_ids
    from base.audit_rows
)

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
    entry_ids,
    coalesce(n_entries, len(entry_ids)) as n_entries,
    tripwire_id,
    panel_id,
    replaces,
    coalesce(text.source_path, path) as path,
    kind,
    slug,
    before_hash,
    after_hash,
    findings,
    codes,
    days,
    run_id,
    worker,
    trigger,
    session_id,
    day
from named
where event is not null
