-- audit_runs
-- One row per run of a memory worker, from its start and its end. A run without an end is running only while its process
-- is seen alive on this machine, for a day at most; else it is lost.
-- reads:  base.audit_worker_rows, base.audit_alive
-- params: none
-- grain:  one row per project_key and run_id
with runs as (
    select
        project_key,
        run_id,
        any_value(worker) as worker,
        any_value(trigger) as trigger,
        any_value(actor) as actor,
        coalesce(any_value(session_id) filter (where status <> 'started'), any_value(session_id)) as session_id,
        coalesce(any_value(model) filter (where status <> 'started'), any_value(model)) as model,
        min(occurred_at) filter (where status = 'started') as started_at,
        max(occurred_at) filter (where status <> 'started') as ended_at,
        arg_max(status, seq) filter (where status <> 'started') as status,
        arg_max(reason, seq) filter (where status <> 'started') as reason,
        arg_max(message, seq) filter (where status <> 'started') as message,
        any_value(duration_ms) filter (where status <> 'started') as duration_ms,
        any_value(n_staged) as n_staged,
        any_value(n_consumed) as n_consumed,
        any_value(n_written) as n_written,
        any_value(n_edited) as n_edited,
        any_value(n_deleted) as n_deleted,
        any_value(n_dropped) as n_dropped,
        any_value(n_merged) as n_merged,
        any_value(n_trimmed) as n_trimmed,
        any_value(n_restaged) as n_restaged,
        any_value(n_dead_lettered) as n_dead_lettered,
        any_value(n_calls) as n_calls,
        any_value(n_input_tokens) as n_input_tokens,
        any_value(n_output_tokens) as n_output_tokens
    from base.audit_worker_rows
    group by project_key, run_id
)

select
    r.run_id,
    r.project_key,
    r.worker,
    r.trigger,
    case
        when r.status is not null then r.status
        when a.run_id is not null and r.started_at > getvariable('as_of')::timestamptz - interval 1 day then 'running'
        else 'lost'
    end as status,
    r.reason,
    r.message,
    r.started_at,
    r.ended_at,
    coalesce(r.duration_ms / 1000::double, (epoch_ms(r.ended_at) - epoch_ms(r.started_at)) / 1000::double)
        as duration_seconds,
    r.status is null
    and (a.run_id is null or r.started_at <= getvariable('as_of')::timestamptz - interval 1 day) as is_lost,
    r.actor,
    r.model,
    r.session_id,
    r.n_staged,
    r.n_consumed,
    r.n_written,
    r.n_edited,
    r.n_deleted,
    r.n_dropped,
    r.n_merged,
    r.n_trimmed,
    r.n_restaged,
    r.n_dead_lettered,
    r.n_calls,
    r.n_input_tokens,
    r.n_output_tokens
from runs as r
left join base.audit_alive as a on r.project_key = a.project_key and r.run_id = a.run_id
