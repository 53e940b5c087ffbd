-- tripwires
-- Where each condition stands at one moment. A reading meets it where over < value < under. What counts is the last one
-- that does not: everything after it meets the condition. It is found among the lows, the readings below (or above) all
-- later ones, of which there are few.
-- reads:  none
-- frames: readings, wires
-- params: $as_of TIMESTAMPTZ
-- grain:  one row per wire
with seen as (
    select *
    from readings
    where
        read_at <= $as_of::timestamptz
        and metric in (select metric from wires)
),

newest as (
    select
        metric,
        max(seq) as last_seq,
        max(read_at) as last_at,
        arg_max(value, seq) as last_value,
        arg_max(usual_us, seq) as usual_us,
        coalesce(max(seq) filter (where is_after_gap), 1) as stretch_seq,
        arg_max(coalesce(void_at <= $as_of::timestamptz, false), seq) as is_void
    from seen
    group by metric
),

bounds as (
    select
        *,
        1 as side,
        over as bound
    from wires
    where over > '-infinity'::double
    union all
    select
        *,
        -1 as side,
        -under as bound
    from wires
    where under < 'infinity'::double
),

sides as (
    select distinct
        metric,
        side
    from bounds
),

lowering as (
    select
        r.metric,
        r.seq,
        r.read_at,
        r.value,
        s.side,
        s.side * r.value as height,
        min(s.side * r.value) over (
            partition by r.metric, s.side
            order by r.seq desc
            rows between unbounded preceding and 1 preceding
        ) as later_low
    from seen as r
    inner join sides as s on r.metric = s.metric
),

lows as (
    select
        *,
        lead(read_at) over upwards as weakest_at,
        lead(value) over upwards as weakest_value
    from lowering
    where later_low is null or height < later_low
    window upwards as (partition by metric, side order by seq)
),

halves as (
    select
        w.*,
        l.seq as unmet_seq,
        l.read_at as unmet_at,
        l.value as unmet_value,
        l.weakest_at,
        l.weakest_value
    from bounds as w
    asof left join lows as l on w.metric = l.metric and w.side = l.side and w.bound >= l.height
),

-- "equal to" is two halves; the later unmet reading of the two decides
unmet as (
    select *
    from halves
    qualify row_number() over (partition by wire order by unmet_seq desc nulls last, side) = 1
),

runs as (
    select
        u.*,
        n.last_seq,
        n.last_at,
        n.last_value,
        n.usual_us,
        n.stretch_seq,
        coalesce(u.unmet_seq, 0) + 1 as start_seq,
        greatest(coalesce(u.unmet_seq, 0) + 1, n.stretch_seq) as begin_seq,
        u.unmet_at + to_months(u.window_months) + to_microseconds(u.window_us) as inside_until,
        coalesce(u.periods > 0 and n.usual_us between 0.65 * u.period_us and 1.35 * u.period_us, false) as is_counted,
        epoch_us($as_of::timestamptz) - epoch_us(n.last_at) as silence_us,
        n.usual_us > 1.5 * u.length_us as is_sparse,
        n.is_void
    from unmet as u
    left join newest as n on u.metric = n.metric
),

placed as (
    select
        r.*,
        start.read_at as start_at,
        start.value as start_value,
        beginning.read_at as begin_at,
        beginning.value as begin_value,
        case
            when r.is_counted then nth.read_at
            else beginning.read_at + to_months(r.window_months) + to_microseconds(r.window_us)
        end as full_at,
        before_gap.read_at as gap_from,
        after_gap.read_at as gap_to,
        not r.is_void
        and coalesce(r.silence_us <= case when r.is_counted then 2.5 else 1.5 end * r.usual_us, false) as is_fresh,
        -- a run that was full at its last reading keeps its verdict through a silence of up to another window
        not r.is_void and r.silence_us <= r.length_us and r.usual_us is not null as is_recent
    from runs as r
    left join seen as start on r.metric = start.metric and r.start_seq = start.seq
    left join seen as beginning on r.metric = beginning.metric and r.begin_seq = beginning.seq
    left join seen as nth on r.is_counted and r.metric = nth.metric and r.begin_seq + r.periods - 1 = nth.seq
    left join seen as before_gap on r.stretch_seq > 1 and r.metric = before_gap.metric and r.stretch_seq - 1 = before_gap.seq
    left join seen as after_gap on r.stretch_seq > 1 and r.metric = after_gap.metric and r.stretch_seq = after_gap.seq
),

judged as (
    select
        *,
        case
            when last_seq is null then 'no-readings'
            when not is_sustained and start_seq <= last_seq then 'met'
            when not is_sustained and is_steady and last_seq >= 8 and silence_us > 3 * usual_us then 'silent'
            when not is_sustained then 'unmet'
            when is_counted and unmet_seq > last_seq - periods then 'unmet-inside'
            when not is_counted and inside_until >= $as_of::timestamptz then 'unmet-inside'
            when unmet_seq = last_seq and is_fresh then 'unmet-inside'
            when full_at <= $as_of::timestamptz and (is_fresh or (is_recent and full_at <= last_at))
                then case when is_sparse then 'too-sparse' else 'met' end
            when not is_counted and full_at > $as_of::timestamptz and unmet_seq >= stretch_seq then 'not-long-enough'
            when is_void then 'void'
            when last_seq = 1 then 'one-reading'
            when not is_fresh then 'silent'
            when stretch_seq > 1 then 'gap'
            else 'too-short'
        end as cause
    from placed
)

select
    wire,
    case
        when cause = 'met' then 'tripped'
        when cause in ('unmet', 'unmet-inside', 'not-long-enough') then 'armed'
        else 'unknown'
    end as verdict,
    cause,
    case
        when cause <> 'met' then null
        when is_sustained then full_at
        else start_at
    end as since,
    is_counted,
    last_at,
    last_value,
    case when is_sustained then begin_at else start_at end as begin_at,
    case when is_sustained then begin_value else start_value end as begin_value,
    (last_seq - case when is_sustained then begin_seq else start_seq end + 1)::integer as n_met,
    unmet_at,
    unmet_value,
    case when stretch_seq <= start_seq or not is_sustained then weakest_at end as weakest_at,
    case when stretch_seq <= start_seq or not is_sustained then weakest_value end as weakest_value,
    usual_us,
    gap_from,
    gap_to
from judged
order by wire
