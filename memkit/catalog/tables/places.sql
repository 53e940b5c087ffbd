-- places
-- Where each live entry is shown: at itself, or at each head of the chain that replaced it. Live is what could be read
-- and has no newer edition.
-- reads:  base.entry_rows, base.replaced, base.chains
-- params: none
-- grain:  one row per doc and head
with live as (
    select
        doc,
        entry_id,
        panel_id,
        tags,
        question_crc,
        epoch_ms(stored_at) as stored_ms
    from base.entry_rows
    where
        problem is null
        and doc not in (select doc from base.replaced)
)

select
    own.doc,
    head.doc as head,
    own.entry_id,
    head.entry_id as head_id,
    own.stored_ms,
    head.stored_ms as head_stored_ms,
    own.panel_id,
    head.panel_id as head_panel_id,
    own.tags,
    head.tags as head_tags,
    own.question_crc,
    head.question_crc as head_question_crc
from live as own
left join base.chains as chain on own.doc = chain.doc
inner join live as head on coalesce(chain.head, own.doc) = head.doc
