-- low_signal_records
-- Active records that nothing has confirmed since they were written, at least 30 days ago: candidates for a second look.
-- reads:  records
-- params: none
-- grain:  one row per path and project_key
select
    slug,
    project_key,
    kind,
    path,
    title,
    created_at,
    age_days,
    last_seen_at,
    len(sources) as n_sources,
    len(triggers) as n_triggers
from records
where
    status = 'active'
    and reinforcement_count = 0
    and age_days >= 30
