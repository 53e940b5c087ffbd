-- decision_lives
-- From when until when each decision held: from its own day (else its storage) until what replaced it was decided. What
-- never held (proposed, rejected) is left out. Not known is when one was deprecated, or superseded by nothing known, and
-- which of those holds that replaced each other.
-- reads:  decisions, decision_chains, base.entry_rows
-- params: none
-- grain:  one row per entry_id and project_key
with successions as (
    select
        entry_id,
        project_key,
        unnest(superseded_by) as successor
    from decisions
    where status = 'superseded'
),

ends as (
    select
        s.entry_id,
        s.project_key,
        min(coalesce(o.decided_on::timestamptz, o.stored_at)) as ends_at,
        arg_min(o.entry_id, (coalesce(o.decided_on::timestamptz, o.stored_at), o.entry_id)) as ended_by
    from successions as s
    inner join base.entry_rows as o on s.successor = o.entry_id and s.project_key = o.project_key
    group by s.entry_id, s.project_key
),

circles as (
    select distinct
        entry_id,
        project_key
    from decision_chains
    where is_circular
)

select
    d.entry_id,
    d.project_key,
    d.title,
    d.status,
    coalesce(d.decided_on::timestamptz, d.stored_at) as begins_at,
    d.decided_on is not null as is_dated,
    case when e.ends_at is not null then greatest(e.ends_at, coalesce(d.decided_on::timestamptz, d.stored_at)) end
        as ends_at,
    e.ended_by,
    e.ends_at is not null or (d.status in ('accepted', 'unknown') and c.entry_id is null) as is_end_known,
    d.decided_on,
    d.stored_at,
    d.panel_id
from decisions as d
left join ends as e on d.entry_id = e.entry_id and d.project_key = e.project_key
left join circles as c on d.entry_id = c.entry_id and d.project_key = c.project_key
where d.status in ('accepted', 'unknown', 'superseded', 'deprecated')
