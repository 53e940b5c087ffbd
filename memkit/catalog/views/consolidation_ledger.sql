-- consolidation_ledger
-- What became of each candidate that was ever seen; one that no run has looked at yet has no fate.
-- reads:  base.ledger_rows
-- params: none
-- grain:  one row per project_key and candidate_key
select
    candidate_key,
    project_key,
    session_id,
    category,
    first_turn,
    last_turn,
    fate,
    reason,
    record,
    adjudicator,
    run_id,
    decided_at,
    attempts
from base.ledger_rows
