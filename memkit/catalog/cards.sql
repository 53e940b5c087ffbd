-- cards
-- What is needed to find an entry's file, and to see whether it still is the one that was indexed; of all entries if
-- none are named.
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
where $docs::integer[] is null or doc in (select unnest($docs::integer[]))
order by doc
