-- audit_runs
-- Runs of memory workers, newest first, as far as they are asked for.
-- reads:  audit_runs
-- params: $worker VARCHAR, $status VARCHAR[], $since TIMESTAMPTZ, $limit BIGINT
-- grain:  one row per project_key and run_id
select
    run_id,
    project_key,
    worker,
    trigger,
    status,
    reason,
    message,
    started_at,
    ended_at,
    duration_seconds,
    is_lost,
    actor,
    model,
    session_id,
    n_staged,
    n_consumed,
    n_written,
    n_edited,
    n_deleted,
    n_dropped,
    n_merged,
    n_trimmed,
    n_restaged,
    n_dead_lettered,
    n_calls,
    n_input_tokens,
    n_output_tokens
from audit_runs
where
    ($worker::varchar is null or worker = $worker::varchar)
    and ($status::varchar[] is null or list_contains($status::varchar[], status))
    and ($since::timestamptz is null or coalesce(started_at, ended_at) >= $since::timestamptz)
order by coalesce(started_at, ended_at) desc, project_key, run_id
limit coalesce($limit::bigint, 9223372036854775807)
