-- audit_runs
-- Runs of memory workers, newest first, as far as they are asked for.
-- reads:  audit_runs
-- params: $worker VARCHAR, $status VARCHAR[], $since TIMESTAMPTZ, $limit BIGINT
-- grain:  one row per project_key and run_id
-- What a run skipped for want of candidates lived on is the newest extraction that ended before it and after the
-- consolidation before it; one that found candidates explains nothing.
with
ended as (
    select
        project_key,
        run_id,
        worker,
        reason,
        last_value(case when worker = 'memory_extract' then {'at': ended_at, 'reason': reason} end ignore nulls)
            over (
                partition by project_key
                order by ended_at, worker desc, run_id
                rows between unbounded preceding and current row
            ) as extraction,
        max(case when worker = 'memory_consolidation' then ended_at end)
            over (
                partition by project_key
                order by ended_at, worker desc, run_id
                rows between unbounded preceding and 1 preceding
            ) as consolidated_at
    from audit_runs
    where ended_at is not null and reason is distinct from 'lock_held'
),
explained as (
    select
        project_key,
        run_id,
        case
            when extraction is null or extraction.at <= consolidated_at then 'nothing_extracted'
            when extraction.reason <> 'candidates_found' then extraction.reason
        end as because
    from ended
    where worker = 'memory_consolidation' and reason = 'no_staging'
)
select
    r.run_id,
    r.project_key,
    r.worker,
    r.trigger,
    r.status,
    r.reason,
    e.because,
    r.message,
    r.started_at,
    r.ended_at,
    r.duration_seconds,
    r.is_lost,
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
    r.n_output_tokens,
    (
        select count(*)
        from audit_runs
        where
            ($worker::varchar is null or worker = $worker::varchar)
            and ($status::varchar[] is null or list_contains($status::varchar[], status))
            and ($since::timestamptz is null or coalesce(started_at, ended_at) >= $since::timestamptz)
    ) as n_matched
from audit_runs as r
left join explained as e on r.project_key = e.project_key and r.run_id = e.run_id
where
    ($worker::varchar is null or r.worker = $worker::varchar)
    and ($status::varchar[] is null or list_contains($status::varchar[], r.status))
    and ($since::timestamptz is null or coalesce(r.started_at, r.ended_at) >= $since::timestamptz)
order by coalesce(r.started_at, r.ended_at) desc, r.project_key, r.run_id
limit coalesce($limit::bigint, 9223372036854775807)
