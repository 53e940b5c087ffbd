-- chains
-- Every decision with its place in its chain and when it began and was replaced, oldest first.
-- reads:  decision_chains, decision_lives, decisions
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
    d.decided_on,
    coalesce(d.decided_on::timestamptz, d.stored_at) as begins_at,
    l.ends_at
from decision_chains as c
inner join decisions as d on c.entry_id = d.entry_id and c.project_key = d.project_key
left join decision_lives as l on c.entry_id = l.entry_id and c.project_key = l.project_key
order by c.project_key, c.chain_id, c.position, c.entry_id, c.head
