-- tripwires_backtest
-- When each condition would have fired, and until when it held. A run is a stretch of readings that meet it: for a
-- condition with a window without a gap, else until the next reading that does not. A run fires once, when its window is
-- full.
-- reads:  none
-- frames: readings, wires
-- params: $as_of TIMESTAMPTZ
-- grain:  one row per wire and fired_at
with seen as (
    select
        *,
        lag(value) over in_order as earlier_value,
        lead(read_at) over in_order as next_at,
        lead(value) over in_order as next_value,
        lead(is_after_gap) over in_order as is_before_silence
    from readings
    where
        read_at <= $as_of::timestamptz
        and metric in (select metric from wires)
    window in_order as (partition by metric order by seq)
),

marked as (
    select
        w.*,
        r.seq,
        r.read_at,
        r.value,
        coalesce(w.periods > 0 and r.usual_us between 0.65 * w.period_us and 1.35 * w.period_us, false) as is_counted,
        r.usual_us,
        case when r.void_at <= $as_of::timestamptz then r.void_at end as void_at,
        r.next_at,
        coalesce(
            w.is_sustained and r.is_before_silence and r.next_value > w.over and r.next_value < w.under, false
        ) as is_before_gap,
        coalesce(
            (w.is_sustained and r.is_after_gap) or not (r.earlier_value > w.over and r.earlier_value < w.under), true
        ) as is_first
    from wires as w
    inner join seen as r on w.metric = r.metric
    where r.value > w.over and r.value < w.under
),

-- a run is named by the place of its first reading; its readings follow each other
met as (
    select
        *,
        max(case when is_first then seq end) over so_far as run,
        max(case when is_first then read_at end) over so_far as begin_at
    from marked
    window so_far as (partition by wire order by seq rows unbounded preceding)
),

fulfilled as (
    select
        *,
        seq - run + 1 as nth,
        case when is_sustained then begin_at + to_months(window_months) + to_microseconds(window_us) else read_at end
            as full_at
    from met
),

-- a run that is full at a reading keeps its verdict through a silence of up to another window
speaking as (
    select
        *,
        case
            when not is_sustained then 'infinity'::timestamptz
            when usual_us is null then read_at
            else least(
                read_at + to_microseconds(
                    greatest(
                        case when is_counted then 2.5 else 1.5 end * usual_us,
                        case when (is_counted and nth >= periods) or (not is_counted and full_at <= read_at) then length_us end
                    )::bigint
                ),
                coalesce(void_at - to_microseconds(1), 'infinity'::timestamptz)
            )
        end as silent_at
    from fulfilled
),

holding as (
    select
        *,
        case
            when is_counted then case when nth >= periods then read_at end
            when is_sustained and usual_us > 1.5 * length_us then null
            when greatest(read_at, full_at) <= least(silent_at, $as_of::timestamptz)
                and greatest(read_at, full_at) < coalesce(next_at, 'infinity'::timestamptz)
                then greatest(read_at, full_at)
        end as fires_at
    from speaking
),

-- where the pace of readings changes inside a run, a condition may hold twice in it
spells as (
    select
        *,
        count(*) filter (where fires_at is null) over in_run as spell,
        first(value) over in_run as begin_value,
        min(value) over in_run as lowest,
        max(value) over in_run as highest
    from holding
    window in_run as (partition by wire, run order by seq rows unbounded preceding)
),

firings as (
    select
        wire,
        min(fires_at) as fired_at,
        min(begin_at) as begin_at,
        min(begin_value) as begin_value,
        max(read_at) as last_at,
        arg_max(value, seq) as last_value,
        arg_max(least(silent_at, coalesce(next_at, 'infinity'::timestamptz)), seq) as end_at,
        arg_max(
            case
                when coalesce(next_at > silent_at, true) then 'silence'
                when is_before_gap then 'gap'
                else 'reading'
            end,
            seq
        ) as end_by,
        max(nth) as n_readings,
        min(lowest) as lowest,
        max(highest) as highest
    from spells
    where fires_at is not null
    group by wire, run, spell
),

ended as (
    select
        *,
        end_at < $as_of::timestamptz or (end_by <> 'silence' and end_at <= $as_of::timestamptz) as is_over
    from firings
)

select
    wire,
    fired_at,
    case when is_over then end_at end as ended_at,
    case when is_over then end_by else '' end as ended_by,
    begin_at,
    begin_value,
    last_at,
    last_value,
    n_readings::integer as n_readings,
    lowest,
    highest
from ended
order by wire, fired_at
