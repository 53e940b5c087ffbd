-- views
-- The columns of each view, for completion.
-- reads:  information_schema.columns
-- params: none
-- grain:  one row per name
select table_name as name, list(column_name order by ordinal_position) as columns
from information_schema.columns
where table_catalog = 'memory' and table_schema = 'main'
group by table_name
order by name
