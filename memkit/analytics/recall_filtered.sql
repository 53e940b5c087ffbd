-- recall_filtered
-- The question of recall with every option: filters, a threshold, recency, other spellings, superseded entries beside
-- their heads, chosen entries only. Without options it gives what recall gives; a test compares the two.
--
-- The spellings found for one word count as that word: their weights in an entry are added before they are saturated.
-- Filters look at what would be shown: the head of a chain, or the entry itself if superseded ones are wanted.
-- Recency halves a score with every $half_life_ms of age; an entry from the future counts as new.
-- Uses raise a score by at most $reinforcement of it: n of them by n / (n + 4) of that. A use is a reading, or of a record
-- also a confirmation by another candidate; having been recalled is none, so that no place feeds on itself.
-- reads:  base.posting_rows, base.places, base.entry_rows, base.record_rows, base.use_rows
-- params: $asked BIGINT[], $words BIGINT[], $idf DOUBLE[], $k1 DOUBLE, $base_question DOUBLE, $slope_question DOUBLE,
--         $base_conclusion DOUBLE, $slope_conclusion DOUBLE, $base_synthesis DOUBLE, $slope_synthesis DOUBLE,
--         $base_tags DOUBLE, $slope_tags DOUBLE, $panel VARCHAR, $any_tag VARCHAR[], $all_tags VARCHAR[],
--         $since_ms BIGINT, $include_superseded BOOLEAN, $min_score DOUBLE, $half_life_ms DOUBLE, $as_of_ms BIGINT,
--         $reinforcement DOUBLE, $only INTEGER[], $limit INTEGER
-- grain:  one row per doc, head, asked and found
with

asked as (
    select
        unnest($asked::bigint[]) as asked,
        unnest($words::bigint[]) as word,
        unnest($idf::double[]) as idf
),

weights as (
    select
        p.doc,
        a.asked,
        a.word,
        a.idf,
        p.tf_question / ($base_question + $slope_question * p.len_question) as question,
        p.tf_conclusion / ($base_conclusion + $slope_conclusion * p.len_conclusion) as conclusion,
        p.tf_synthesis / ($base_synthesis + $slope_synthesis * p.len_synthesis) as synthesis,
        p.tf_tags / ($base_tags + $slope_tags * p.len_tags) as tags
    from base.posting_rows as p
    inner join asked as a on p.word = a.word
    where $only::integer[] is null or list_contains($only, p.doc)
),

words as (
    select
        doc,
        asked,
        any_value(idf) / ($k1 + sum(question + conclusion + synthesis + tags)) as unit,
        sum(question + conclusion + synthesis + tags) as weight
    from weights
    where question + conclusion + synthesis + tags > 0
    group by doc, asked
),

scored as (
    select
        doc,
        sum((unit * weight * 1e12::double)::bigint) as pico
    from words
    group by doc
),

used as (
    select
        e.doc,
        if(
            $reinforcement::double > 0,
            greatest(coalesce(r.reinforcement_count - coalesce(u.n_recalled, 0), u.n_read, 0), 0),
            0
        ) as n_uses
    from base.entry_rows as e
    left join base.record_rows as r on e.entry_id = r.path and e.project_key = r.project_key
    left join base.use_rows as u on e.entry_id = u.id and e.project_key = u.project_key
),

shown as (
    select
        p.doc,
        p.head,
        p.place,
        coalesce(
            pow(0.5::double, greatest($as_of_ms::bigint - p.stored_ms, 0) / $half_life_ms::double), 1
        ) as recency,
        1 + $reinforcement::double * n.n_uses / (n.n_uses + 4) as reinforcement,
        n.n_uses
    from base.places as p
    inner join used as n on p.doc = n.doc
    inner join base.entry_rows as own on p.doc = own.doc
    inner join base.entry_rows as head on p.head = head.doc
    where
        (
            ($panel::varchar is null or head.panel_id = $panel)
            and ($any_tag::varchar[] is null or list_has_any(head.tags, $any_tag))
            and ($all_tags::varchar[] is null or list_has_all(head.tags, $all_tags))
            and ($since_ms::bigint is null or p.head_stored_ms >= $since_ms)
        )
        or (
            $include_superseded
            and ($panel::varchar is null or own.panel_id = $panel)
            and ($any_tag::varchar[] is null or list_has_any(own.tags, $any_tag))
            and ($all_tags::varchar[] is null or list_has_all(own.tags, $all_tags))
            and ($since_ms::bigint is null or p.stored_ms >= $since_ms)
        )
),

ranked as (
    select
        s.doc,
        p.head,
        p.place,
        p.recency,
        p.reinforcement,
        p.n_uses,
        s.pico / 1e12::double * p.recency * p.reinforcement as score
    from scored as s
    inner join shown as p on s.doc = p.doc
    where s.pico / 1e12::double * p.recency * p.reinforcement >= $min_score
    order by score desc, p.place
    limit $limit
)

select
    r.doc,
    r.head,
    r.place,
    r.score,
    r.recency,
    r.reinforcement,
    r.n_uses,
    w.asked,
    w.word as found,
    u.unit * w.question * r.recency * r.reinforcement as question,
    u.unit * w.conclusion * r.recency * r.reinforcement as conclusion,
    u.unit * w.synthesis * r.recency * r.reinforcement as synthesis,
    u.unit * w.tags * r.recency * r.reinforcement as tags
from ranked as r
inner join weights as w on r.doc = w.doc
inner join words as u on r.doc = u.doc and w.asked = u.asked
order by r.score desc, r.place, w.asked, found
