-- chains
-- Every decision with its place in its chain, oldest first.
-- reads:  decision_chains, decisions
-- params: none
-- grain:  one row per project_key, chain_id, entry_id and head
select
    c.project_key,
    c.chain_id,
    c.position,
    c.entry_id,
    c.head,
    c.is_head,
    c.is_circular,
    c.n_members,
    d.title,
    d.status,
    d.decided_on
from decision_chains as c
inner join decisions as d on c.entry_id = d.entry_id and c.project_key = d.project_key
order by c.project_key, c.chain_id, c.position, c.entry_id, c.head
