-- known_ids
-- Which of some ids have a row already.
-- reads:  base.entry_rows
-- params: $ids VARCHAR[], $project_key VARCHAR
-- grain:  one row per entry_id
select entry_id
from base.entry_rows
where
    project_key = $project_key::varchar
    and entry_id in (select unnest($ids::varchar[]))
order by entry_id
