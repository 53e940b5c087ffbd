-- decisions
-- What was decided, newest first; entries without a day of their own by the day they were stored.
-- reads:  decisions
-- params: $status VARCHAR[], $panel VARCHAR
-- grain:  one row per entry_id and project_key
select
    entry_id,
    project_key,
    source_path,
    title,
    question,
    conclusion,
    status,
    raw_status,
    decided_on,
    stored_at,
    age_days,
    supersedes,
    superseded_by,
    amends,
    read_when,
    tripwires,
    panel_id,
    tags,
    final_score,
    judge_confidence
from decisions
where
    ($status::varchar[] is null or list_contains($status, status))
    and ($panel::varchar is null or panel_id = $panel)
order by coalesce(decided_on, stored_at::date) desc, stored_at desc, project_key, entry_id
