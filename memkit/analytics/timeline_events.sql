-- timeline_events
-- What happened to decisions and when: decided, superseded, a tripwire tripped for the first time since the decision was
-- made, a day to come back on came, moved to the trash.
-- reads:  decision_lives
-- frames: marks
-- params: $since TIMESTAMPTZ, $until TIMESTAMPTZ
-- grain:  one row per happened_at, kind, entry_id, detail and project_key
with lives as materialized (
    select
        begins_at,
        ends_at,
        ended_by,
        entry_id,
        project_key,
        title
    from decision_lives
),

happened as (
    select
        begins_at as happened_at,
        'decided' as kind,
        entry_id,
        project_key,
        title,
        '' as detail
    from lives
    union all
    select
        ends_at as happened_at,
        'superseded' as kind,
        entry_id,
        project_key,
        title,
        ended_by as detail
    from lives
    where ends_at is not null
    union all
    select
        m.happened_at,
        m.kind,
        m.entry_id,
        m.project_key,
        m.title,
        m.detail
    from marks as m
)

select
    happened_at,
    kind,
    entry_id,
    title,
    detail,
    project_key
from happened
where
    ($since::timestamptz is null or happened_at >= $since::timestamptz)
    and happened_at <= $until::timestamptz
order by happened_at, kind, entry_id, detail, project_key
