-- decided_heads
-- The heads of the chains of some superseded decisions.
-- reads:  decision_chains
-- params: $ids VARCHAR[]
-- grain:  one row per entry_id and project_key
select
    entry_id,
    list(head order by head) as heads,
    project_key
from decision_chains
where entry_id in (select unnest($ids::varchar[]))
group by entry_id, project_key
order by entry_id, project_key
