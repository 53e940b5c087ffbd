-- similarities
-- The cosine between the vector of a question and that of each entry.
-- reads:  base.vectors
-- params: $vector FLOAT[]
-- grain:  one row per doc
select
    doc,
    coalesce(list_cosine_similarity(vector, $vector::float[]), 0)::double as cosine
from base.vectors
order by doc
