-- summary
-- How much is stored and since when; dates of decisions are those of live entries of decision panels.
-- reads:  entries, decisions
-- params: none
-- grain:  one row
with stored as (
    select
        count(*) as n_entries,
        count(*) filter (where is_live) as n_live,
        count(*) filter (where problem is not null) as n_unreadable,
        min(stored_at) as first_stored_at,
        max(stored_at) as last_stored_at
    from entries
),

decided as (
    select
        count(*) as n_decisions,
        count(*) filter (where status in ('accepted', 'unknown')) as n_in_force,
        count(*) filter (where decided_on is null) as n_undated,
        min(decided_on) as first_decided_on,
        max(decided_on) as last_decided_on
    from decisions
)

select
    s.n_entries,
    s.n_live,
    s.n_unreadable,
    s.first_stored_at,
    s.last_stored_at,
    d.n_decisions,
    d.n_in_force,
    d.n_undated,
    d.first_decided_on,
    d.last_decided_on
from stored as s
cross join decided as d
