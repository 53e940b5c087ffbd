-- recall_pooled
-- In how many live entries a word or any of its spellings stands.
-- reads:  base.posting_rows
-- params: $asked VARCHAR[], $words BIGINT[]
-- grain:  one row per asked
select
    a.asked,
    count(distinct p.doc) as n_entries
from base.posting_rows as p
inner join (
    select
        unnest($asked::varchar[]) as asked,
        unnest($words::bigint[]) as word
) as a on p.word = a.word
group by a.asked
order by a.asked
