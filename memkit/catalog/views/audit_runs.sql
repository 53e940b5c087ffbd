-- audit_runs
-- One row per run of a memory worker, from its start and its end. A run without an end is running only while its process
-- is seen alive on this machine, for a day at most; else it is lost.
-- reads:  base.audit_worker_rows, base.audit_alive
-- params: none
-- grain:  one row per project_key and run_id
with starts as (
    select
        project_key,
        run_id,
        any_value(worker) as worker,
        any_value(trigger) as trigger,
        any_value(actor) as actor,
        any_value(session_id) as session_id,
        any_value(model) as model,
        min(occurred_at) as started_at
    from base.audit_worker_rows
    where status = 'started'
    group by project_key, run_id
),

ends as (
    select
        project_key,
        run_id,
        any_value(worker) as worker,
        any_value(trigger) as trigger,
        any_value(actor) as actor,
        any_value(session_id) as session_id,
        any_value(model) as model,
        arg_max(status, (occurred_at, seq)) as status,
        arg_max(reason, (occurred_at, seq)) as reason,
        arg_max(message, (occurred_at, seq)) as message,
        max(occurred_at) as ended_at,
        any_value(duration_ms) as duration_ms,
        any_value(counts) as counts,
        any_value(usage) as usage
    from base.audit_worker_rows
    where status <> 'started'
    group by project_key, run_id
),

runs as (
    select
        coalesce(s.project_key, e.project_key) as project_key,
        coalesce(s.run_id, e.run_id) as run_id,
        coalesce(s.worker, e.worker) as worker,
        coalesce(s.trigger, e.trigger) as trigger,
        coalesce(s.actor, e.actor) as actor,
        coalesce(e.session_id, s.session_id) as session_id,
        coalesce(e.model, s.model) as model,
        s.started_at,
        e.ended_at,
        e.status,
        e.reason,
        e.message,
        e.duration_ms,
        e.counts,
        e.usage
    from starts as s
    full join ends as e on s.project_key = e.project_key and s.run_id = e.run_id
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
    r.counts.staged as n_staged,
    r.counts.consumed as n_consumed,
    r.counts.write as n_written,
    r.counts.edit as n_edited,
    r.counts.delete as n_deleted,
    r.counts.drop as n_dropped,
    r.counts.merge as n_merged,
    r.counts.trim as n_trimmed,
    r.counts.restaged as n_restaged,
    r.counts.dead_lettered as n_dead_lettered,
    r.usage.calls as n_calls,
    r.usage.input_tokens as n_input_tokens,
    r.usage.output_tokens as n_output_tokens
from runs as r
left join base.audit_alive as a on r.project_key = a.project_key and r.run_id = a.run_id
