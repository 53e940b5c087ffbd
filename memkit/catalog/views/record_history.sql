-- record_history
-- What happened to each record, in order. Each change should begin with the bytes the one before it left; where it does
-- not, somebody changed the file and no event says so. In order means as they stand in the log: a clock may jump back.
-- reads:  base.audit_rows
-- params: none
-- grain:  one row per project_key and event_id
with operations as (
    select
        id as event_id,
        project_key,
        day,
        seq,
        occurred_at,
        kind,
        slug,
        path,
        op,
        status,
        actor,
        coalesce(reason, text.reason) as reason,
        findings,
        before_hash,
        after_hash,
        status = 'done' as is_change
    from base.audit_rows
    where event = 'record_operation'
),

changes as (
    select
        event_id,
        project_key,
        row_number() over in_order as position,
        lag(after_hash) over in_order as left_hash
    from operations
    where is_change
    window in_order as (
        partition by project_key, slug
        order by day, seq nulls first, occurred_at, event_id
    )
)

select
    o.slug,
    o.project_key,
    o.kind,
    o.path,
    c.position,
    o.occurred_at,
    o.op,
    o.status,
    o.actor,
    o.reason,
    o.findings,
    o.before_hash,
    o.after_hash,
    coalesce(c.position > 1 and o.before_hash is distinct from c.left_hash, false) as is_break,
    o.event_id,
    o.seq,
    o.day
from operations as o
left join changes as c on o.event_id = c.event_id and o.project_key = c.project_key
