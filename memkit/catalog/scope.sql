-- scope
-- How many entries there are, how many are live, how many of those are records, and how long their fields are on average, in words.
-- reads:  base.entry_rows, base.replaced
-- params: none
-- grain:  one row
select
    count(*) as n_entries,
    count(*) filter (where is_live) as n_live,
    count(*) filter (where is_live and is_record) as n_records,
    coalesce(avg(len_question) filter (where is_live), 0)::double as avg_question,
    coalesce(avg(len_conclusion) filter (where is_live), 0)::double as avg_conclusion,
    coalesce(avg(len_synthesis) filter (where is_live), 0)::double as avg_synthesis,
    coalesce(avg(len_tags) filter (where is_live), 0)::double as avg_tags
from (
    select
        len_question,
        len_conclusion,
        len_synthesis,
        len_tags,
        starts_with(panel_id, 'record:') as is_record,
        problem is null and doc not in (select doc from base.replaced) as is_live
    from base.entry_rows
)
