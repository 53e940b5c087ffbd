-- audit_events
-- Events of the audit log, newest first, as far as they are asked for.
-- reads:  audit_events
-- params: $event VARCHAR, $op VARCHAR, $since TIMESTAMPTZ, $until TIMESTAMPTZ, $limit BIGINT
-- grain:  one row per project_key and event_id
select
    event_id,
    project_key,
    seq,
    occurred_at,
    event,
    op,
    status,
    actor,
    reason,
    query,
    message,
    result_count,
    entry_id,
    entry_ids,
    n_entries,
    tripwire_id,
    codes,
    days,
    kind,
    slug,
    path,
    worker,
    run_id,
    count(*) over () as n_matched
from audit_events
where
    ($event::varchar is null or event = $event::varchar)
    and ($op::varchar is null or op = $op::varchar)
    and ($since::timestamptz is null or occurred_at >= $since::timestamptz)
    and ($until::timestamptz is null or occurred_at <= $until::timestamptz)
order by occurred_at desc, seq desc, project_key, event_id
limit coalesce($limit::bigint, 9223372036854775807)
