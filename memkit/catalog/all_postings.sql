-- all_postings
-- How often each word stands in each field of each live entry.
-- reads:  base.posting_rows
-- params: none
-- grain:  one row per word and doc
select
    word,
    doc,
    tf_question,
    tf_conclusion,
    tf_synthesis,
    tf_tags
from base.posting_rows
order by word, doc
