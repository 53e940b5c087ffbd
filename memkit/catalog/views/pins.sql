-- pins
-- Entries that are kept whatever the policy says: pins and legal holds in force, with their reasons.
-- reads:  base.entry_marks
-- params: none
-- grain:  one row per kind, entry_id and project_key
select
    entry_id,
    project_key,
    kind,
    marked_at,
    reason,
    actor
from base.entry_marks
