-- facts
-- Readings in order, without repeats, each with how long it speaks: until the next one, or one and a half times as long as
-- readings usually are apart there (the median of the last eleven distances). A longer silence, or a row without a number,
-- is a gap. Two different numbers of one moment both stay, marked.
-- reads:  none
-- frames: facts
-- params: none
-- grain:  one row per metric and seq
with marked as (
    select
        metric,
        read_at,
        value,
        lag(read_at) over moments as earlier_at,
        lag(value) over moments as earlier_value
    from facts
    window moments as (partition by metric order by read_at, value nulls last)
),

moments as (
    select
        metric,
        read_at,
        value,
        coalesce(earlier_at = read_at, false) as is_contradicted
    from marked
    where not coalesce(earlier_at = read_at, false) or value <> earlier_value
),

numbers as (
    select
        *,
        lag(value is null) over in_time as is_after_void,
        lead(case when value is null then read_at end) over in_time as void_at
    from moments
    window in_time as (partition by metric order by read_at, value)
),

spaced as (
    select
        metric,
        read_at,
        value,
        is_contradicted,
        coalesce(is_after_void, false) as is_after_void,
        void_at,
        row_number() over in_time as seq,
        epoch_us(read_at) - epoch_us(lag(read_at) over in_time) as distance_us
    from numbers
    where value is not null
    window in_time as (partition by metric order by read_at, value)
),

paced as (
    select
        *,
        median(distance_us) over (
            partition by metric
            order by seq
            rows between 10 preceding and current row
        ) as usual_us
    from spaced
)

select
    metric,
    seq::integer as seq,
    read_at,
    value,
    usual_us::double as usual_us,
    void_at,
    is_contradicted,
    is_after_void or coalesce(distance_us > 1.5::double * lag(usual_us) over in_order, false) as is_after_gap
from paced
window in_order as (partition by metric order by seq)
