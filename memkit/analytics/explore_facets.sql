-- explore_facets
-- What can be chosen among live entries and records: panels, statuses, and the tags most used.
-- reads:  entries, records
-- params: none
-- grain:  one row per kind and name
with
stored as (
    select panel_id, status, tags from entries where is_live
    union all
    select 'record:' || kind as panel_id, if(status = 'active', 'accepted', status) as status, tags from records
)
select 'panel' as kind, panel_id as name, count(*) as n from stored group by panel_id
union all
select 'status' as kind, status as name, count(*) as n from stored group by status
union all
select 'tag' as kind, tag as name, count(*) as n
from (select unnest(tags) as tag from stored)
group by tag
order by kind, n desc, name
