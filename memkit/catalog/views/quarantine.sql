-- quarantine
-- Damage found while reading: index lines that are none, entries whose file is missing or cannot be read. Bytes count
-- from the start of the file; -1 where no range is known.
-- reads:  base.damage, base.entry_rows
-- params: none
-- grain:  one row per file and start_byte
select
    project_key,
    code,
    file,
    start_byte,
    end_byte,
    detail,
    entry_id
from base.damage
union all
select
    project_key,
    problem as code,
    'results/' || entry_id || '.json' as file,
    -1 as start_byte,
    -1 as end_byte,
    problem_detail as detail,
    entry_id
from base.entry_rows
where problem <> 'newer-schema'
