-- candidates
-- What waits in staging to become a record; also what stands there and is no candidate, with its problem.
-- reads:  base.candidate_rows
-- params: none
-- grain:  one row per project_key, file and position
select
    candidate_key,
    project_key,
    session_id,
    category,
    kind,
    title,
    summary,
    body,
    triggers,
    tags,
    tripwires,
    supersedes,
    scope,
    attempts,
    first_turn,
    last_turn,
    excerpt,
    produced_at,
    (epoch_ms(getvariable('as_of')::timestamptz) - epoch_ms(produced_at)) / 86400000::double as age_days,
    file,
    position,
    problem
from base.candidate_rows
where not is_dead
