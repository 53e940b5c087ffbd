-- dead_letters
-- Candidates that could not be reconciled, with the reason; the class of a reason is what stands before its colon.
-- reads:  base.candidate_rows
-- params: none
-- grain:  one row per project_key and file
select
    candidate_key,
    project_key,
    session_id,
    category,
    kind,
    title,
    body,
    attempts,
    reason,
    nullif(trim(split_part(reason, ':', 1)), '') as reason_class,
    produced_at,
    (epoch_ms(getvariable('as_of')::timestamptz) - epoch_ms(produced_at)) / 86400000::double as age_days,
    file,
    problem
from base.candidate_rows
where is_dead
