-- entries
-- Every entry the index names and whose file is readable or of a newer schema, live or not.
-- reads:  base.entry_rows, base.replaced, base.links
-- params: none
-- grain:  one row per entry_id and project_key
select
    e.entry_id,
    e.project_key,
    e.stored_at,
    (epoch_ms(getvariable('as_of')::timestamptz) - epoch_ms(e.stored_at)) / 86400000::double as age_days,
    e.panel_id,
    e.question,
    e.title,
    e.conclusion,
    e.summary,
    case when l.is_superseded then 'superseded' else e.status end as status,
    e.decided_on,
    e.tags,
    e.tripwires,
    e.final_score,
    e.judge_confidence,
    e.source_kind,
    e.source_path,
    e.source_sha256,
    e.replaces,
    r.replaced_by,
    coalesce(l.superseded_by, []) as superseded_by,
    e.problem is null and r.doc is null as is_live,
    e.schema_version,
    e.problem
from base.entry_rows as e
left join base.replaced as r on e.doc = r.doc
left join base.links as l on e.doc = l.doc
where
    (e.problem is null or e.problem = 'newer-schema')
    and e.source_kind is distinct from 'record'
