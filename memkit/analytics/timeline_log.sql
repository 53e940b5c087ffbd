-- timeline_log
-- What the audit log knows of entries and records: stored, pruned, restored, erased, acknowledged, records changed.
-- reads:  audit_events, base.entry_rows
-- params: $since TIMESTAMPTZ, $until TIMESTAMPTZ
-- grain:  one row per happened_at, kind, entry_id, event_id and project_key
with operations as (
    select
        occurred_at,
        case op
            when 'prune' then 'pruned'
            when 'restore' then 'restored'
            when 'erase' then 'erased'
            when 'acknowledge' then 'acknowledged'
            else 'stored'
        end as kind,
        unnest(entry_ids) as entry_id,
        project_key,
        coalesce(reason, '') as detail,
        event_id
    from audit_events
    where
        event = 'entry_operation'
        and status = 'done'
        and op in ('store', 'import', 'prune', 'restore', 'erase', 'acknowledge')
    union all
    select
        occurred_at,
        'record' as kind,
        slug as entry_id,
        project_key,
        op || coalesce(': ' || reason, '') as detail,
        event_id
    from audit_events
    where event = 'record_operation' and status = 'done'
)

select
    o.occurred_at as happened_at,
    o.kind,
    o.entry_id,
    coalesce(e.title, o.entry_id) as title,
    o.detail,
    o.project_key
from operations as o
left join base.entry_rows as e on o.entry_id = e.entry_id and o.project_key = e.project_key
where
    ($since::timestamptz is null or o.occurred_at >= $since::timestamptz)
    and o.occurred_at <= $until::timestamptz
order by o.occurred_at, o.kind, o.entry_id, o.event_id, o.project_key
