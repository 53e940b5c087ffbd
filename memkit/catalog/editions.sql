-- editions
-- Replaced editions and what replaced each.
-- reads:  base.entry_rows, base.replaced
-- params: none
-- grain:  one row per doc
select
    r.doc,
    e.project_key,
    e.entry_id,
    r.replaced_by
from base.replaced as r
inner join base.entry_rows as e on r.doc = e.doc
order by r.doc
