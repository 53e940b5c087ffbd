-- postings
-- Which words stand in which live entry, how often in each field, and how long each field is in words.
-- reads:  base.posting_rows, base.entry_rows
-- params: none
-- grain:  one row per term and entry_id
select
    p.term,
    e.entry_id,
    e.project_key,
    p.tf_question::integer as tf_question,
    p.tf_conclusion::integer as tf_conclusion,
    p.tf_synthesis::integer as tf_synthesis,
    p.tf_tags::integer as tf_tags,
    p.len_question::integer as len_question,
    p.len_conclusion::integer as len_conclusion,
    p.len_synthesis::integer as len_synthesis,
    p.len_tags::integer as len_tags
from base.posting_rows as p
inner join base.entry_rows as e on p.doc = e.doc
