-- audit_run_rows
-- Runs of memory workers, held in memory for the questions about them. What an end says goes before what a start says.
-- reads:  base.audit_rows
-- params: none
-- grain:  one row per project_key and run_id
with events as (
    select
        project_key,
        run_id,
        -- An end of before events were numbered counts as later than its start.
        coalesce(seq, -1) + if(status = 'started', 0, 1) as step,
        worker,
        trigger,
        actor,
        session_id,
        model,
        if(status = 'started', pid, null) as pid,
        if(status = 'started', host, null) as host,
        if(status = 'started', occurred_at, null) as started_at,
        if(status = 'started', null, occurred_at) as ended_at,
        if(status = 'started', null, status) as status,
        if(status = 'started', null, coalesce(reason, text.reason)) as reason,
        if(status = 'started', null, text.message) as message,
        if(status = 'started', null, duration_ms) as duration_ms,
        counts,
        usage
    from base.audit_rows
    where event = 'worker_lifecycle'
)

select
    project_key,
    run_id,
    any_value(worker) as worker,
    any_value(trigger) as trigger,
    any_value(actor) as actor,
    any_value(pid) as pid,
    any_value(host) as host,
    arg_max(session_id, step) as session_id,
    arg_max(model, step) as model,
    min(started_at) as started_at,
    max(ended_at) as ended_at,
    arg_max(status, step) as status,
    arg_max(reason, step) as reason,
    arg_max(message, step) as message,
    any_value(duration_ms) as duration_ms,
    any_value(counts.staged) as n_staged,
    any_value(counts.consumed) as n_consumed,
    any_value(counts.write) as n_written,
    any_value(counts.edit) as n_edited,
    any_value(counts.delete) as n_deleted,
    any_value(counts.drop) as n_dropped,
    any_value(counts.merge) as n_merged,
    any_value(counts.trim) as n_trimmed,
    any_value(counts.restaged) as n_restaged,
    any_value(counts.dead_lettered) as n_dead_lettered,
    any_value(usage.calls) as n_calls,
    any_value(usage.input_tokens) as n_input_tokens,
    any_value(usage.output_tokens) as n_output_tokens
from events
group by project_key, run_id
