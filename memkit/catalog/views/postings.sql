-- postings
-- Which words stand in which live entry or record, how often in each field, and how long each field is in words.
-- reads:  base.posting_rows, base.entry_rows
-- params: none
-- grain:  one row per term and entry_id
select
    p.term,
    e.entry_id,
    e.project_key,
    p.tf_question,
    p.tf_conclusion,
    p.tf_synthesis,
    p.tf_tags,
    p.len_question,
    p.len_conclusion,
    p.len_synthesis,
    p.len_tags
from base.posting_rows as p
inner join base.entry_rows as e on p.doc = e.doc
