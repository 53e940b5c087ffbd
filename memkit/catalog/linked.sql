-- linked
-- The names and links of live entries; none at all while no entry has a link.
-- reads:  base.entry_rows, base.replaced
-- params: none
-- grain:  one row per doc
with live as (
    select
        *,
        len(supersedes) + len(superseded_by) + len(amends) > 0 as has_links
    from base.entry_rows
    where
        problem is null
        and doc not in (select doc from base.replaced)
)

select
    doc,
    project_key,
    entry_id,
    source_path,
    slug,
    document_id,
    number,
    title,
    status,
    supersedes,
    superseded_by,
    amends,
    partly
from live
where project_key in (select project_key from live where has_links)
order by doc
