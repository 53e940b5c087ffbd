-- projects
-- The projects this catalog sees, with how much each holds.
-- reads:  base.stores, base.entry_rows, base.replaced
-- params: none
-- grain:  one row per project_key
select
    s.project_key,
    s.project_path,
    s.folder,
    count(e.entry_id) as n_entries,
    count(e.entry_id) filter (where e.problem is null and r.doc is null) as n_live,
    min(e.stored_at) as first_stored_at,
    max(e.stored_at) as last_stored_at
from base.stores as s
left join base.entry_rows as e on s.project_key = e.project_key and e.source_kind is distinct from 'record'
left join base.replaced as r on e.doc = r.doc
group by s.project_key, s.project_path, s.folder
