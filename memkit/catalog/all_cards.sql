-- all_cards
-- The cards of all entries at once, in no order: sorting a million of them takes more memory than they do.
-- reads:  base.entry_rows
-- params: none
-- grain:  one row per doc
select
    doc,
    entry_id,
    question_crc,
    panel_id,
    tags,
    epoch_ms(stored_at) as stored_ms
from base.entry_rows
