-- frequencies
-- In how many live entries each of some words stands, in whatever field.
-- reads:  base.posting_rows
-- params: $terms VARCHAR[]
-- grain:  one row per term
select
    term,
    count(*) as n_entries
from base.posting_rows
where term in (select unnest($terms::varchar[]))
group by term
order by term
