-- audit_runs
-- One row per run of a memory worker, from its start and its end. A run without an end is running only while its process
-- is seen alive on this machine, for a day at most; else it is lost.
-- reads:  base.audit_run_rows, base.audit_alive
-- params: none
-- grain:  one row per project_key and run_id
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
from base.audit_run_rows as r
left join base.audit_alive as a on r.project_key = a.project_key and r.run_id = a.run_id
