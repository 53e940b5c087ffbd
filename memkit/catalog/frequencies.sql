-- frequencies
-- In how many live entries each of some words stands, in whatever field.
-- reads:  base.posting_rows
-- params: $words BIGINT[]
-- grain:  one row per term
select
    term,
    count(*) as n_entries
from base.posting_rows
where word in (select unnest($words::bigint[]))
group by term
order by term
