-- decision_chains
-- Which decisions belong to one chain, in which order, and what each leads to: the head is what holds now. A decision
-- without links is a chain of its own. Where a chain forks there is a row for each head; in a circle each is its own head.
-- reads:  base.entry_rows, base.replaced, base.panels, base.chain_members, base.chain_heads
-- params: none
-- grain:  one row per entry_id, head and project_key
select
    e.entry_id,
    e.project_key,
    coalesce(m.chain_id, e.entry_id) as chain_id,
    coalesce(m.position, 1) as position,
    coalesce(h.head_id, e.entry_id) as head,
    coalesce(h.head_id, e.entry_id) = e.entry_id as is_head,
    coalesce(m.n_members, 1) as n_members,
    coalesce(m.is_circular, false) as is_circular
from base.entry_rows as e
inner join base.panels as p on e.panel_id = p.panel_id
left join base.replaced as r on e.doc = r.doc
left join base.chain_members as m on e.doc = m.doc
left join base.chain_heads as h on e.doc = h.doc
where
    e.problem is null
    and r.doc is null
