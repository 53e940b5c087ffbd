-- calibration_panels
-- Decisions that a panel scored: the ones whose participants are worth reading.
-- reads:  decisions
-- params: none
-- grain:  one row per project_key and entry_id
select
    project_key,
    entry_id
from decisions
where final_score is not null or judge_confidence is not null
order by project_key, entry_id
