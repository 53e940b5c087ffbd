-- trash
-- Entries in the trash: what moved them there, when and why. Their text is not read; `memkit trash list` shows it.
-- reads:  base.trashed
-- params: none
-- grain:  one row per entry_id and project_key
select
    entry_id,
    project_key,
    stored_at,
    pruned_at,
    rules,
    cause,
    actor,
    plan_id,
    n_bytes
from base.trashed
