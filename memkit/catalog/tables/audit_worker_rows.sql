-- audit_worker_rows
-- Events of memory workers, held in memory for the questions about runs.
-- reads:  base.audit_rows
-- params: none
-- grain:  one row per project_key and id
select
    project_key,
    id,
    seq,
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
    counts,
    usage
from base.audit_rows
where event = 'worker_lifecycle'
