-- retention
-- What a retention policy says of every entry of one project: which rules apply to it, which of them match, what
-- protects it, and what stands beside it. -1 stands for no limit.
-- reads:  base.entry_rows, base.replaced, base.links, base.panels
-- frames: panel_limits, tag_limits, marked, envelopes, to_store
-- params: $project_key VARCHAR, $as_of_ms BIGINT, $skew_ms BIGINT, $enabled BOOLEAN, $legal_hold BOOLEAN,
--         $max_results BIGINT, $max_age_days BIGINT
-- grain:  one row per entry_id
with stored as (
    select
        e.doc,
        e.entry_id,
        epoch_ms(e.stored_at) as stored_ms,
        e.panel_id,
        e.tags,
        coalesce(e.title, e.question) as title,
        e.problem is not null as is_unreadable,
        coalesce(l.superseded_by, []) as successors,
        r.replaced_by,
        e.replaces,
        case when p.panel_id is null or r.doc is not null then 0 else coalesce(len(e.tripwires), 0) end as n_tripwires
    from base.entry_rows as e
    left join base.links as l on e.doc = l.doc
    left join base.replaced as r on e.doc = r.doc
    left join base.panels as p on e.panel_id = p.panel_id
    where e.project_key = $project_key::varchar and e.source_kind is distinct from 'record'
    union all
    select
        -1 - row_number() over (order by entry_id) as doc,
        entry_id,
        stored_ms,
        panel_id,
        tags,
        title,
        false as is_unreadable,
        [] as successors,
        null as replaced_by,
        null as replaces,
        0 as n_tripwires
    from to_store
),

tagged as (
    select
        s.doc,
        unnest(s.tags) as tag
    from stored as s
    where (select count(*) from tag_limits) > 0
),

own_numbers as (
    select
        t.doc,
        max_by(l.tag, (case when l.max_results < 0 then 9223372036854775807 else l.max_results end, l.tag)) as tag,
        max_by(l.max_results, (case when l.max_results < 0 then 9223372036854775807 else l.max_results end, l.tag))
            as max_results
    from tagged as t
    inner join tag_limits as l on t.tag = l.tag
    where l.max_results is not null
    group by t.doc
),

own_days as (
    select
        t.doc,
        max_by(l.max_age_days, case when l.max_age_days < 0 then 9223372036854775807 else l.max_age_days end)
            as max_age_days
    from tagged as t
    inner join tag_limits as l on t.tag = l.tag
    where l.max_age_days is not null
    group by t.doc
),

limited as (
    select
        s.*,
        case
            when n.doc is not null then 'tag ' || n.tag
            when p.max_results is not null then 'panel ' || p.panel_id
            else 'all others'
        end as group_name,
        coalesce(n.max_results, p.max_results, $max_results::bigint) as max_results,
        coalesce(d.max_age_days, p.max_age_days, $max_age_days::bigint) as max_age_days,
        coalesce(m.is_pinned, false) as is_pinned,
        coalesce(m.is_held, false) or $legal_hold::boolean as is_held,
        coalesce(m.restored_until_ms, 0) > $as_of_ms::bigint as is_restored,
        coalesce(m.pin_reason, '') as pin_reason,
        coalesce(m.hold_reason, '') as hold_reason,
        s.stored_ms > $as_of_ms::bigint + $skew_ms::bigint as is_future,
        coalesce(v.n_bytes, 0) as n_bytes
    from stored as s
    left join own_numbers as n on s.doc = n.doc
    left join own_days as d on s.doc = d.doc
    left join panel_limits as p on s.panel_id = p.panel_id
    left join marked as m on s.entry_id = m.entry_id
    left join envelopes as v on s.entry_id = v.entry_id
),

protected as (
    select
        *,
        is_pinned or is_held or is_restored or is_future or is_unreadable as is_protected,
        case when max_age_days < 0 then null else stored_ms + max_age_days * 86400000 end as due_ms
    from limited
),

-- Windows carry few columns: sorting titles and lists along would cost thirty times as much.
placed as (
    select
        doc,
        row_number() over (partition by group_name order by stored_ms desc, entry_id desc) as place
    from protected
    where not is_protected
),

judged as (
    select
        p.*,
        o.place,
        (select count(*) from limited where is_future) as n_future,
        $enabled::boolean and coalesce($as_of_ms::bigint >= p.due_ms, false) as is_too_old,
        $enabled::boolean and coalesce(p.max_results >= 0 and o.place > p.max_results, false) as is_too_many
    from protected as p
    left join placed as o on p.doc = o.doc
)

select
    entry_id,
    stored_ms,
    panel_id,
    tags,
    title,
    n_bytes,
    case
        when is_held then 'held'
        when is_protected then 'protected'
        when is_too_old or (is_too_many and n_future = 0) then 'due'
        else 'keep'
    end as verdict,
    group_name,
    place,
    max_results,
    max_age_days,
    due_ms,
    is_too_old,
    is_too_many,
    is_too_many and n_future > 0 as is_doubtful,
    is_pinned,
    is_held,
    is_restored,
    is_future,
    is_unreadable,
    pin_reason,
    hold_reason,
    successors,
    replaced_by,
    replaces,
    n_tripwires
from judged
order by stored_ms, entry_id
