-- identities
-- By which names a live entry can be meant in a link.
-- reads:  base.entry_rows, base.replaced
-- params: $project_key VARCHAR
-- grain:  one row per entry_id
select
    e.entry_id,
    e.source_path,
    e.slug,
    e.document_id,
    e.number,
    e.title
from base.entry_rows as e
left join base.replaced as r on e.doc = r.doc
where
    e.project_key = $project_key::varchar
    and e.problem is null
    and e.source_kind is distinct from 'record'
    and r.doc is null
order by e.entry_id
