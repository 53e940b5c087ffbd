-- calibration_dissent
-- Who dissented, and how often the decision was later superseded or tripped, by model and persona; beside it, how often
-- that happened to all decisions they took part in. Intervals are Wilson's, at 95 %.
-- reads:  decisions
-- frames: marks, voices
-- params: none
-- grain:  one row per kind and name
with tripped as (
    select distinct
        entry_id,
        project_key
    from marks
    where kind = 'tripped'
),

turned as (
    select
        d.entry_id,
        d.project_key,
        d.status = 'superseded' or t.entry_id is not null as has_turned
    from decisions as d
    left join tripped as t on d.entry_id = t.entry_id and d.project_key = t.project_key
    where d.status in ('accepted', 'unknown', 'superseded')
),

spoken as (
    select
        'model' as kind,
        v.model as name,
        v.entry_id,
        bool_or(v.dissented) as dissented,
        bool_or(o.has_turned) as has_turned
    from voices as v
    inner join turned as o on v.entry_id = o.entry_id and v.project_key = o.project_key
    where v.model <> ''
    group by v.model, v.entry_id
    union all
    select
        'persona' as kind,
        v.persona as name,
        v.entry_id,
        bool_or(v.dissented) as dissented,
        bool_or(o.has_turned) as has_turned
    from voices as v
    inner join turned as o on v.entry_id = o.entry_id and v.project_key = o.project_key
    where v.persona <> ''
    group by v.persona, v.entry_id
),

counted as (
    select
        kind,
        name,
        count(*) as n_panels,
        count(*) filter (where has_turned) as n_turned,
        count(*) filter (where dissented) as n_dissents,
        count(*) filter (where dissented and has_turned) as n_right,
        1.959964::double as z
    from spoken
    group by kind, name
),

shares as (
    select
        *,
        case when n_dissents > 0 then n_right / n_dissents::double end as share
    from counted
)

select
    kind,
    name,
    n_panels::integer as n_panels,
    n_turned::integer as n_turned,
    n_dissents::integer as n_dissents,
    n_right::integer as n_right,
    share as right_share,
    case
        when share is not null
            then greatest(
                0::double,
                (
                    share + z * z / (2 * n_dissents)
                    - z * sqrt(share * (1 - share) / n_dissents + z * z / (4 * n_dissents * n_dissents))
                ) / (1 + z * z / n_dissents)
            )
    end as least_share,
    case
        when share is not null
            then least(
                1::double,
                (
                    share + z * z / (2 * n_dissents)
                    + z * sqrt(share * (1 - share) / n_dissents + z * z / (4 * n_dissents * n_dissents))
                ) / (1 + z * z / n_dissents)
            )
    end as most_share
from shares
order by kind, n_dissents desc, name
