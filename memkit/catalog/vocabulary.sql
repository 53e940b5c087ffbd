-- vocabulary
-- The different words, as `base.vocabulary` has them.
-- reads:  base.vocabulary
-- params: none
-- grain:  one row per term
select term
from base.vocabulary
order by term
