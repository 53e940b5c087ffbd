-- recall
-- Rank live entries for the words of a question by BM25F, and take the scores of the best ones apart.
--
-- In a field, a word weighs w * tf / (1 - b + b * len / avg); divided through by w this is tf / (base + slope * len),
-- with base = (1 - b) / w and slope = b / (w * avg). In an entry it weighs the sum over the fields. The score is the sum
-- over the words of idf * weight / (k1 + weight): each field has its share of that, and all shares add up to the score.
-- An entry that was superseded stands for the heads of its chain. Filters and other options: recall_filtered.
-- reads:  base.posting_rows, base.places
-- params: $words BIGINT[], $idf DOUBLE[], $k1 DOUBLE, $base_question DOUBLE, $slope_question DOUBLE,
--         $base_conclusion DOUBLE, $slope_conclusion DOUBLE, $base_synthesis DOUBLE, $slope_synthesis DOUBLE,
--         $base_tags DOUBLE, $slope_tags DOUBLE, $limit INTEGER
-- grain:  one row per doc, head and found
with

asked as (
    select
        unnest($words::bigint[]) as word,
        unnest($idf::double[]) as idf
),

weights as (
    select
        doc,
        word,
        tf_question / ($base_question + $slope_question * len_question) as question,
        tf_conclusion / ($base_conclusion + $slope_conclusion * len_conclusion) as conclusion,
        tf_synthesis / ($base_synthesis + $slope_synthesis * len_synthesis) as synthesis,
        tf_tags / ($base_tags + $slope_tags * len_tags) as tags
    from base.posting_rows
),

parts as (
    select
        w.doc,
        w.word,
        w.question,
        w.conclusion,
        w.synthesis,
        w.tags,
        a.idf / ($k1 + w.question + w.conclusion + w.synthesis + w.tags) as unit
    from weights as w
    inner join asked as a on w.word = a.word
    where w.question + w.conclusion + w.synthesis + w.tags > 0
),

-- Summed in whole 1e-12ths: a sum of floating-point numbers depends on their order, and ties would break by chance.
scored as (
    select
        doc,
        sum((unit * (question + conclusion + synthesis + tags) * 1e12::double)::bigint) as pico
    from parts
    group by doc
),

ranked as (
    select
        s.doc,
        p.head,
        p.place,
        s.pico
    from scored as s
    inner join base.places as p on s.doc = p.doc
    order by s.pico desc, p.place
    limit $limit
)

select
    r.doc,
    r.head,
    r.place,
    r.pico / 1e12::double as score,
    1::double as recency,
    1::double as reinforcement,
    0::integer as n_uses,
    p.word as asked,
    p.word as found,
    p.unit * p.question as question,
    p.unit * p.conclusion as conclusion,
    p.unit * p.synthesis as synthesis,
    p.unit * p.tags as tags
from ranked as r
inner join parts as p on r.doc = p.doc
