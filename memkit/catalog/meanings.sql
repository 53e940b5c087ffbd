-- meanings
-- What an embedder reads of each live entry: its question and its conclusion, else its summary. The name tells one text
-- from another: an entry's id, and for a record also what it says, since a record may be edited.
-- reads:  base.entry_rows, base.replaced
-- params: none
-- grain:  one row per doc
select
    doc,
    case when source_kind = 'record' then concat(entry_id, ':', md5(concat(question, conclusion, summary))) else entry_id end as name,
    concat_ws(chr(10), question, coalesce(conclusion, summary)) as text
from base.entry_rows
where
    problem is null
    and doc not in (select doc from base.replaced)
order by doc
