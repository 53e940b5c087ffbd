-- vocabulary
-- The different words of live entries.
-- reads:  base.posting_rows
-- params: none
-- grain:  one row per term
select distinct term
from base.posting_rows
order by term
