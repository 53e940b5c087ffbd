-- vocabulary
-- In how many live entries each word stands, in whatever field.
-- reads:  base.posting_rows
-- params: none
-- grain:  one row per term
select
    term,
    count(*) as n_entries
from base.posting_rows
group by term
order by term
