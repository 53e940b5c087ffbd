-- recall_spellings
-- Words of the corpus that a word of the question may have meant: those it begins, and those one edit away (a letter
-- more, less, other, or two swapped). The nearest come first, then the commonest.
-- reads:  base.vocabulary
-- params: $prefixes VARCHAR[], $near VARCHAR[], $most INTEGER
-- grain:  one row per asked and found
with

candidates as (
    select
        a.asked,
        v.term as found,
        v.n_entries,
        damerau_levenshtein(a.asked, v.term) as distance
    from (select unnest($prefixes::varchar[]) as asked) as a
    inner join base.vocabulary as v on starts_with(v.term, a.asked)
    union
    select
        a.asked,
        v.term as found,
        v.n_entries,
        damerau_levenshtein(a.asked, v.term) as distance
    from (select unnest($near::varchar[]) as asked) as a
    inner join base.vocabulary as v on abs(len(v.term) - len(a.asked)) <= 1
    where
        -- One edit leaves the beginning or the end as it was: cheaper to see than the distance.
        (
            starts_with(v.term, left(a.asked, len(a.asked)::bigint // 2 - 1))
            or ends_with(v.term, right(a.asked, len(a.asked)::bigint // 2 - 1))
        )
        and damerau_levenshtein(a.asked, v.term) <= 1
),

placed as (
    select
        asked,
        found,
        distance,
        row_number() over (partition by asked order by distance, n_entries desc, found) as place
    from candidates
)

select
    asked,
    found,
    distance
from placed
where place <= $most
order by asked, place, found
