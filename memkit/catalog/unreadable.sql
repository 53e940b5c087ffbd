-- unreadable
-- Entries of which only the index line can be read, and why.
-- reads:  base.entry_rows
-- params: none
-- grain:  one row per entry_id and doc
select
    doc,
    entry_id,
    project_key,
    problem,
    problem_detail,
    question,
    tags
from base.entry_rows
where problem is not null
order by entry_id, doc
