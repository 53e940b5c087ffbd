-- lost_and_found
-- Entries that hold words of the question and are not shown for a reason: a filter, the threshold, a newer edition.
-- reads:  base.posting_rows, base.replaced_postings, base.places, base.entry_rows
-- params: $asked BIGINT[], $words BIGINT[], $idf DOUBLE[], $k1 DOUBLE, $base_question DOUBLE, $slope_question DOUBLE,
--         $base_conclusion DOUBLE, $slope_conclusion DOUBLE, $base_synthesis DOUBLE, $slope_synthesis DOUBLE,
--         $base_tags DOUBLE, $slope_tags DOUBLE, $panel VARCHAR, $any_tag VARCHAR[], $all_tags VARCHAR[],
--         $since_ms BIGINT, $include_superseded BOOLEAN, $min_score DOUBLE, $half_life_ms DOUBLE, $as_of_ms BIGINT,
--         $most INTEGER
-- grain:  one row per cause and entry_id
with

asked as (
    select
        unnest($asked::bigint[]) as asked,
        unnest($words::bigint[]) as word,
        unnest($idf::double[]) as idf
),

words as (
    select
        p.doc,
        a.asked,
        any_value(a.idf) as idf,
        sum(
            p.tf_question / ($base_question + $slope_question * p.len_question)
            + p.tf_conclusion / ($base_conclusion + $slope_conclusion * p.len_conclusion)
            + p.tf_synthesis / ($base_synthesis + $slope_synthesis * p.len_synthesis)
            + p.tf_tags / ($base_tags + $slope_tags * p.len_tags)
        ) as weight
    from base.posting_rows as p
    inner join asked as a on p.word = a.word
    group by p.doc, a.asked
),

scored as (
    select
        doc,
        sum((idf * weight / ($k1 + weight) * 1e12::double)::bigint) / 1e12::double as score
    from words
    where weight > 0
    group by doc
),

judged as (
    select
        head.entry_id,
        s.score * coalesce(
            pow(0.5::double, greatest($as_of_ms::bigint - p.stored_ms, 0) / $half_life_ms::double), 1
        ) as score,
        (
            ($panel::varchar is null or head.panel_id = $panel)
            and ($any_tag::varchar[] is null or list_has_any(head.tags, $any_tag))
            and ($all_tags::varchar[] is null or list_has_all(head.tags, $all_tags))
            and ($since_ms::bigint is null or p.head_stored_ms >= $since_ms)
        ) or (
            $include_superseded
            and ($panel::varchar is null or own.panel_id = $panel)
            and ($any_tag::varchar[] is null or list_has_any(own.tags, $any_tag))
            and ($all_tags::varchar[] is null or list_has_all(own.tags, $all_tags))
            and ($since_ms::bigint is null or p.stored_ms >= $since_ms)
        ) as is_wanted
    from scored as s
    inner join base.places as p on s.doc = p.doc
    inner join base.entry_rows as own on p.doc = own.doc
    inner join base.entry_rows as head on p.head = head.doc
),

causes as (
    select
        case when bool_or(is_wanted) then 'below-threshold' else 'filtered-out' end as cause,
        entry_id,
        max(score) as score
    from judged
    group by entry_id
    having not coalesce(bool_or(is_wanted and score >= $min_score), false)
    union all
    select
        'replaced' as cause,
        e.entry_id,
        sum(a.idf) as score
    from base.replaced_postings as p
    inner join asked as a on p.word = a.word
    inner join base.entry_rows as e on p.doc = e.doc
    group by e.entry_id
),

placed as (
    select
        cause,
        entry_id,
        count(*) over (partition by cause) as n_entries,
        row_number() over (partition by cause order by score desc, entry_id) as place
    from causes
)

select
    cause,
    entry_id,
    n_entries
from placed
where place <= $most
order by cause, place, entry_id
