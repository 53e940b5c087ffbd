-- tripwires_listed
-- Every condition of every decision, with what is needed to name it and to say whether its decision is in force.
-- reads:  tripwires
-- params: none
-- grain:  one row per entry_id, ordinal and project_key
select
    entry_id,
    project_key,
    ordinal,
    text,
    source_path,
    title,
    status,
    decided_on,
    stored_at,
    panel_id
from tripwires
order by project_key, entry_id, ordinal
