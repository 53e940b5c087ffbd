-- low_signal_records
-- Active records, written at least 30 days ago, that nothing has confirmed since, or nothing but being recalled:
-- candidates for a second look.
-- reads:  records, base.use_rows
-- params: none
-- grain:  one row per path and project_key
select
    r.slug,
    r.project_key,
    r.kind,
    r.path,
    r.title,
    r.created_at,
    r.age_days,
    r.last_seen_at,
    len(r.sources) as n_sources,
    len(r.triggers) as n_triggers,
    r.reinforcement_count,
    coalesce(u.n_recalled, 0) as n_recalled,
    r.reinforcement_count > 0 as only_recalled
from records as r
left join base.use_rows as u on r.path = u.id and r.project_key = u.project_key
where
    r.status = 'active'
    and r.reinforcement_count <= coalesce(u.n_recalled, 0)
    and r.age_days >= 30
