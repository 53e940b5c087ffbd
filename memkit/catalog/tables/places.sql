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
),

-- Most entries stand in no chain; joining all of them with themselves would take memory for nothing.
shown as (
    select
        doc,
        stored_ms,
        doc as head,
        entry_id as head_id,
        stored_ms as head_stored_ms
    from live
    where doc not in (select doc from base.chains)
    union all
    select
        own.doc,
        own.stored_ms,
        head.doc as head,
        head.entry_id as head_id,
        head.stored_ms as head_stored_ms
    from live as own
    inner join base.chains as chain on own.doc = chain.doc
    inner join live as head on chain.head = head.doc
)

select
    doc,
    head,
    stored_ms,
    head_stored_ms,
    row_number() over (order by head_stored_ms desc, head_id, head, doc)::integer as place
from shown
