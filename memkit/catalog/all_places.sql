-- all_places
-- Where live entries are shown, in no order: `place` counts them from 1, in the order that breaks ties.
-- reads:  base.places
-- params: none
-- grain:  one row per place
select
    doc,
    head,
    place,
    stored_ms
from base.places
