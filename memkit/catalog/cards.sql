-- cards
-- What is needed to find some entries' files, and to see whether they still are the ones that were indexed.
-- reads:  base.entry_rows
-- params: $docs INTEGER[]
-- grain:  one row per doc
select
    doc,
    entry_id,
    question_crc,
    panel_id,
    tags,
    epoch_ms(stored_at) as stored_ms
from base.entry_rows
where doc in (select unnest($docs::integer[]))
order by doc
