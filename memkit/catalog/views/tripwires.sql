-- tripwires
-- The conditions that would invalidate a decision, as they were written. The verdict is unknown until facts are asked.
-- reads:  decisions
-- params: none
-- grain:  one row per entry_id and ordinal
select
    entry_id,
    project_key,
    generate_subscripts(tripwires, 1)::integer as ordinal,
    unnest(tripwires) as text,
    'unknown' as verdict,
    'not checked against facts' as reason,
    title,
    source_path,
    status,
    decided_on,
    stored_at,
    panel_id
from decisions
