-- explore_facets
-- What can be chosen among live entries: panels, statuses, and the tags most used.
-- reads:  entries
-- params: none
-- grain:  one row per kind and name
select 'panel' as kind, panel_id as name, count(*) as n from entries where is_live group by panel_id
union all
select 'status' as kind, status as name, count(*) as n from entries where is_live group by status
union all
select 'tag' as kind, tag as name, count(*) as n
from (select unnest(tags) as tag from entries where is_live)
group by tag
order by kind, n desc, name
