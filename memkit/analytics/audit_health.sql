-- audit_health
-- How each memory worker does: how its runs ended, when it last did its work, how it last ended and why. A run that
-- failed or was lost counts as a failure; one that was skipped or cancelled is neither.
-- reads:  audit_runs
-- params: $since TIMESTAMPTZ
-- grain:  one row per project_key and worker
select
    worker,
    project_key,
    count(*) as n_runs,
    count(*) filter (where status = 'completed') as n_completed,
    count(*) filter (where status = 'skipped') as n_skipped,
    count(*) filter (where status = 'failed') as n_failed,
    count(*) filter (where status = 'cancelled') as n_cancelled,
    count(*) filter (where status = 'lost') as n_lost,
    count(*) filter (where status = 'running') as n_running,
    count(*) filter (where status in ('failed', 'lost'))::double
    / nullif(count(*) filter (where status in ('completed', 'failed', 'lost')), 0) as failure_rate,
    max(ended_at) filter (where status = 'completed') as last_success_at,
    arg_max(status, (coalesce(started_at, ended_at), run_id)) as last_status,
    arg_max(coalesce(reason, ''), (coalesce(started_at, ended_at), run_id)) as last_reason,
    max(coalesce(started_at, ended_at)) as last_at
from audit_runs
where $since::timestamptz is null or coalesce(started_at, ended_at) >= $since::timestamptz
group by worker, project_key
order by worker, project_key
