-- lengths
-- How many words each field of each entry has, in no order.
-- reads:  base.entry_rows
-- params: none
-- grain:  one row per doc
select
    doc,
    len_question,
    len_conclusion,
    len_synthesis,
    len_tags
from base.entry_rows
