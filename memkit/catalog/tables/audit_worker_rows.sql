-- audit_worker_rows
-- Events of memory workers, held in memory for the questions about runs.
-- reads:  base.audit_rows
-- params: none
-- grain:  one row per project_key and id
select
    project_key,
    id,
    coalesce(seq, -1) as seq,
    occurred_at,
    status,
    run_id,
    worker,
    trigger,
    coalesce(reason, text.reason) as reason,
    text.message as message,
    model,
    session_id,
    actor,
    pid,
    host,
    duration_ms,
    counts.staged as n_staged,
    counts.consumed as n_consumed,
    counts.write as n_written,
    counts.edit as n_edited,
    counts.delete as n_deleted,
    counts.drop as n_dropped,
    counts.merge as n_merged,
    counts.trim as n_trimmed,
    counts.restaged as n_restaged,
    counts.dead_lettered as n_dead_lettered,
    usage.calls as n_calls,
    usage.input_tokens as n_input_tokens,
    usage.output_tokens as n_output_tokens
from base.audit_rows
where event = 'worker_lifecycle'
