-- known_docs
-- The document numbers of some ids, and which older edition each of them replaces.
-- reads:  base.entry_rows
-- params: $ids VARCHAR[], $project_key VARCHAR
-- grain:  one row per doc
select
    doc,
    replaces
from base.entry_rows
where
    project_key = $project_key::varchar
    and entry_id in (select unnest($ids::varchar[]))
order by doc
