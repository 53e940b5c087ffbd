-- timeline
-- Events by stretch of time, and what was in force at the end of each. Stretches without events are there as well.
-- reads:  decision_lives
-- frames: marks
-- params: $since TIMESTAMPTZ, $until TIMESTAMPTZ, $step_months INTEGER, $step_days INTEGER
-- grain:  one row per begins_at
-- Lives are worked out once: three counts read them.
with lives as materialized (
    select
        begins_at,
        ends_at,
        is_end_known
    from decision_lives
),

steps as (
    select
        to_months($step_months::integer) + to_days($step_days::integer) as step,
        case
            when $step_days::integer = 1 then 'day'
            when $step_days::integer = 7 then 'week'
            when $step_months::integer = 1 then 'month'
            when $step_months::integer = 3 then 'quarter'
            else 'year'
        end as unit
),

bounds as (
    select
        date_trunc(any_value(s.unit), coalesce($since::timestamptz, min(l.begins_at), $until::timestamptz)) as first_at,
        $until::timestamptz as until_at,
        any_value(s.step) as step
    from steps as s
    left join lives as l on true
),

stretches as (
    select
        unnest(generate_series(first_at, until_at, step)) as begins_at,
        step,
        until_at
    from bounds
),

spans as (
    select
        begins_at,
        least(begins_at + step, until_at + to_microseconds(1)) as ends_at
    from stretches
),

happened as (
    select
        begins_at as happened_at,
        'decided' as kind
    from lives
    union all
    select
        ends_at as happened_at,
        'superseded' as kind
    from lives
    where ends_at is not null
    union all
    select
        happened_at,
        kind
    from marks
),

counted as (
    select
        date_trunc(s.unit, h.happened_at) as begins_at,
        count(*) filter (where kind = 'decided') as decided,
        count(*) filter (where kind = 'superseded') as superseded,
        count(*) filter (where kind = 'tripped') as tripped,
        count(*) filter (where kind = 'revisit-due') as revisit_due,
        count(*) filter (where kind = 'pruned') as pruned
    from happened as h
    cross join steps as s
    where
        h.happened_at <= $until::timestamptz
        and ($since::timestamptz is null or h.happened_at >= $since::timestamptz)
    group by all
),

-- what holds without a known end is counted apart
changes as (
    select
        begins_at as changed_at,
        case when is_end_known then 1 else 0 end as certain,
        case when is_end_known then 0 else 1 end as uncertain
    from lives
    union all
    select
        ends_at as changed_at,
        -1 as certain,
        0 as uncertain
    from lives
    where ends_at is not null
),

standing as (
    select
        changed_at,
        sum(certain) over (order by changed_at) as in_force,
        sum(uncertain) over (order by changed_at) as uncertain
    from changes
),

last_changes as (
    select
        changed_at,
        max(in_force) as in_force,
        max(uncertain) as uncertain
    from standing
    group by changed_at
)

select
    s.begins_at,
    coalesce(c.decided, 0) as decided,
    coalesce(c.superseded, 0) as superseded,
    coalesce(c.tripped, 0) as tripped,
    coalesce(c.revisit_due, 0) as revisit_due,
    coalesce(l.in_force, 0)::bigint as in_force,
    coalesce(l.uncertain, 0)::bigint as uncertain,
    coalesce(c.pruned, 0) as pruned
from spans as s
left join counted as c on s.begins_at = c.begins_at
asof left join last_changes as l on s.ends_at > l.changed_at
order by s.begins_at
