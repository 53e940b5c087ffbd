-- calibration
-- What became of decisions, by how sure their panel was: bins of the final score and of the judge's confidence. The
-- interval around the share that still holds is Wilson's, at 95 %.
-- reads:  decisions
-- frames: marks
-- params: $width DOUBLE
-- grain:  one row per measure and low
with tripped as (
    select distinct
        entry_id,
        project_key
    from marks
    where kind = 'tripped'
),

outcomes as (
    select
        d.entry_id,
        d.final_score,
        d.judge_confidence,
        d.status = 'superseded' as is_superseded,
        d.status <> 'superseded' and t.entry_id is not null as is_tripped
    from decisions as d
    left join tripped as t on d.entry_id = t.entry_id and d.project_key = t.project_key
    where d.status in ('accepted', 'unknown', 'superseded')
),

measured as (
    select
        'final score' as measure,
        final_score as value,
        is_superseded,
        is_tripped
    from outcomes
    where final_score between 0 and 100
    union all
    select
        'judge confidence' as measure,
        judge_confidence as value,
        is_superseded,
        is_tripped
    from outcomes
    where judge_confidence between 0 and 100
),

binned as (
    select
        measure,
        least(floor(value / $width::double), ceil(100 / $width::double) - 1) * $width::double as low,
        count(*) as n,
        count(*) filter (where is_superseded) as superseded,
        count(*) filter (where is_tripped) as tripped,
        avg(value) as mean_value
    from measured
    group by all
),

shares as (
    select
        *,
        (n - superseded - tripped) as held,
        (n - superseded - tripped) / n::double as share,
        1.959964::double as z
    from binned
)

select
    measure,
    low,
    least(low + $width::double, 100)::double as high,
    n::integer as n,
    held::integer as held,
    tripped::integer as tripped,
    superseded::integer as superseded,
    mean_value::double as mean_value,
    share as held_share,
    greatest(
        0::double,
        (share + z * z / (2 * n) - z * sqrt(share * (1 - share) / n + z * z / (4 * n * n))) / (1 + z * z / n)
    ) as least_share,
    least(
        1::double,
        (share + z * z / (2 * n) + z * sqrt(share * (1 - share) / n + z * z / (4 * n * n))) / (1 + z * z / n)
    ) as most_share
from shares
order by measure, low
