-- places
-- Where each live entry is shown: at itself, or at each head of the chain that replaced it. Live is what could be read
-- and has no newer edition. `place` breaks ties of a ranking: the newest head first, then by id.
-- reads:  base.entry_rows, base.replaced, base.chains
-- params: none
-- grain:  one row per place
with live as (
    select
        doc,
        entry_id,
        epoch_ms(stored_at) as stored_ms
    from base.entry_rows
    where
        problem is null
        and doc not in (select doc from base.replaced)
)

select
    own.doc,
    head.doc as head,
    own.stored_ms,
    head.stored_ms as head_stored_ms,
    row_number() over (order by head.stored_ms desc, head.entry_id, head.doc, own.doc)::integer as place
from live as own
left join base.chains as chain on own.doc = chain.doc
inner join live as head on coalesce(chain.head, own.doc) = head.doc
order by place
