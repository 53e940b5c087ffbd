-- in_force
-- What was in force at one moment, newest first; a decision whose end is not known may have been over by then.
-- reads:  decision_lives
-- params: $moment TIMESTAMPTZ
-- grain:  one row per entry_id and project_key
select
    entry_id,
    project_key,
    title,
    decided_on,
    begins_at,
    ends_at,
    ended_by,
    is_end_known as is_certain,
    panel_id
from decision_lives
where
    begins_at <= $moment::timestamptz
    and (ends_at is null or ends_at > $moment::timestamptz)
order by begins_at desc, project_key, entry_id
