-- memory_begins
-- How far back this memory reaches, and how much of it cannot be read.
-- reads:  decision_lives, decisions, quarantine
-- params: $moment TIMESTAMPTZ
-- grain:  one row
select
    (select min(coalesce(decided_on::timestamptz, stored_at)) from decisions) as begins_at,
    (select count(*) from decision_lives where begins_at <= $moment::timestamptz) as n_begun,
    (select count(distinct entry_id) from quarantine) as n_unreadable
