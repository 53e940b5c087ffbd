-- records
-- The canonical memory: every record that can be read, as it is now.
-- reads:  base.record_rows
-- params: none
-- grain:  one row per path and project_key
select
    slug,
    project_key,
    kind,
    path,
    title,
    status,
    created_at,
    updated_at,
    (epoch_ms(getvariable('as_of')::timestamptz) - epoch_ms(created_at)) / 86400000::double as age_days,
    sources,
    supersedes,
    superseded_by,
    reinforcement_count,
    last_seen_at,
    triggers,
    tags,
    body,
    sha256
from base.record_rows
