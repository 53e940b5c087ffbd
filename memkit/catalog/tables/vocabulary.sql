-- vocabulary
-- The different words of live entries, and in how many of them each stands.
-- reads:  base.posting_rows
-- params: none
-- grain:  one row per term
select
    term,
    count(*)::bigint as n_entries
from base.posting_rows
group by term
