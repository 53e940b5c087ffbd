-- decisions
-- What was decided: live entries of the panels whose results are decisions, and decision records. A decision that another one in force
-- replaced has the status superseded, whatever its own text says.
-- reads:  base.entry_rows, base.replaced, base.links, base.panels
-- params: none
-- grain:  one row per entry_id and project_key
select
    e.entry_id,
    e.project_key,
    e.source_path,
    e.title,
    e.question,
    e.conclusion,
    case when l.is_superseded then 'superseded' else e.status end as status,
    e.raw_status,
    e.decided_on,
    e.stored_at,
    (epoch_ms(getvariable('as_of')::timestamptz) - epoch_ms(e.stored_at)) / 86400000::double as age_days,
    coalesce(l.supersedes, []) as supersedes,
    coalesce(l.superseded_by, []) as superseded_by,
    coalesce(l.amends, []) as amends,
    e.read_when,
    e.tripwires,
    e.panel_id,
    e.tags,
    e.final_score,
    e.judge_confidence
from base.entry_rows as e
inner join base.panels as p on e.panel_id = p.panel_id
left join base.replaced as r on e.doc = r.doc
left join base.links as l on e.doc = l.doc
where
    e.problem is null
    and r.doc is null
