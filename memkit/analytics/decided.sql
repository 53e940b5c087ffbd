-- decided
-- The titles of some decisions, entries or records.
-- reads:  base.entry_rows
-- params: $ids VARCHAR[]
-- grain:  one row per entry_id and project_key
select
    entry_id,
    title,
    project_key
from base.entry_rows
where entry_id in (select unnest($ids::varchar[]))
order by entry_id, project_key
