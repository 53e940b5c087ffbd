-- any_links
-- Whether a live entry has a link to another one: asked first, because reading the names of all entries costs more.
-- reads:  base.entry_rows, base.replaced
-- params: none
-- grain:  one row
select
    count(*) > 0 as has_links
from base.entry_rows
where
    len(supersedes) + len(superseded_by) + len(amends) > 0
    and problem is null
    and doc not in (select doc from base.replaced)
