-- replaced
-- Older editions: entries of which a newer edition is stored, with that edition's id.
-- reads:  base.entry_rows
-- params: none
-- grain:  one row per doc that was replaced
select
    older.doc,
    max_by(newer.entry_id, (newer.stored_at, newer.entry_id)) as replaced_by
from base.entry_rows as older
inner join base.entry_rows as newer
    on older.project_key = newer.project_key and older.entry_id = newer.replaces
where
    newer.problem is null
    and newer.doc <> older.doc
group by older.doc
