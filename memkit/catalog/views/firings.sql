-- firings
-- Who recalled or read what since the last consolidation, in the order of the file.
-- reads:  base.firing_rows
-- params: none
-- grain:  one row per project_key and position
select
    position,
    project_key,
    fired_at,
    kind,
    id,
    op,
    rank,
    actor,
    call
from base.firing_rows
