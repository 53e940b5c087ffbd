-- tripwires_first
-- The first time each tripwire tripped since its decision was made; a day to come back on, when it came. What had begun
-- before and still held then counts from the decision.
-- reads:  none
-- frames: watched, firings
-- params: none
-- grain:  one row per entry_id, detail and project_key
select
    case when w.revisit_at is not null then w.revisit_at else min(greatest(f.fired_at, w.decided_at)) end as happened_at,
    case when w.revisit_at is not null then 'revisit-due' else 'tripped' end as kind,
    w.entry_id,
    w.project_key,
    w.title,
    w.detail
from watched as w
left join firings as f on w.condition = f.condition and (f.ended_at is null or f.ended_at > w.decided_at)
group by w.entry_id, w.project_key, w.title, w.detail, w.revisit_at
having w.revisit_at is not null or count(f.fired_at) > 0
