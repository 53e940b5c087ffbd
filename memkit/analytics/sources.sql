-- sources
-- The newest live entry of each imported document, and the bytes it was read from.
-- reads:  entries
-- params: $kind VARCHAR, $project_key VARCHAR
-- grain:  one row per source_path
select
    source_path,
    max_by(entry_id, (stored_at, entry_id)) as entry_id,
    max_by(source_sha256, (stored_at, entry_id)) as source_sha256
from entries
where
    source_kind = $kind::varchar
    and project_key = $project_key::varchar
    and is_live
    and source_path is not null
group by source_path
order by source_path
