"""What is seen of particular results, as small pictures in plain text checked by hand."""

import datetime as dt
import textwrap

import pyarrow as pa
import pytest

from memkit.analytics.recall_result import Contribution, Fragment, Missed
from memkit.model.tripwire import Tripwire
from memkit.present import render
from memkit.present.table import cell, sql_type
from memkit.store.listing import EntryList
from tests.present import samples


def _is(value, expected):
    assert render.text(value) == textwrap.dedent(expected).strip("\n")


def test_a_recall_reads_like_this():
    rows = (samples.hit(supersedes=(), source_path=None, tripwires=()),)
    _is(samples.recall(rows=rows, missed=(), warnings=(), options={}), """
        Recall: “retry payment”
        =======================
        1 hit in 42 entries. Best first, ages counted to 2026-11-30 12:00 UTC.

        1. How should the payment worker retry a failed capture?
           ✓ accepted · Stored 76 days ago (2026-09-15) · Decided 80 days ago (2026-09-11)
           Conclusion  Retry with exponential backoff and full jitter, at most six attempts, then park the
                       capture.
           Matched in  - question: How should the [payment] worker [retry] a failed capture?
                       - conclusion: [Retry] with exponential backoff and full jitter, at most six attempts,
                         then park the capture.
           Score       ██████████ 6.43 = retry 3.47 + payment 2.96; 100 % of the question found
                       Points of the score by word and field
                       word     question  conclusion  synthesis  tags   sum
                       -------  --------  ----------  ---------  ----  ----
                       retry        1.32        2.15          –     –  3.47
                       payment      2.05           –          –  0.91  2.96
           id 019a0147ee217c5599f0c1d97e3b8a41 · panel architecture, panel score 84 of 100, judge confidence
           78.5 of 100 · tags payments, reliability
    """)  # fmt: skip


def test_a_miss_says_why_and_what_to_do():
    _is(samples.miss(), """
        Nothing recalled for “kubernetes autoscaling”
        =============================================
        42 entries searched, as of 2026-11-30 12:00 UTC. No entry answers it; what is known of why follows.

        Why
           Word in no entry          No entry holds the word “kubernetes”.
                                     No entry holds the word “autoscaling”.
                                     Ask with another word, or with the option fuzzy.
           Left out by a filter (3)  3 entries kept out by the filters.
                                     Entries: 0198b7d11a2c7f60b3e2c1d97e3b8a03 and 2 more
                                     Asking without the filter shows them.
    """)  # fmt: skip


def test_an_empty_memory_says_so():
    value = samples.recall(rows=(), missed=(), warnings=(), options={}, n_entries=0)
    assert "The memory asked holds no entry" in render.text(value)


def test_a_question_without_words_says_so():
    value = samples.recall(rows=(), missed=(), warnings=(), options={}, query="?!", terms=())
    assert "holds no word that could be searched" in render.text(value)


def test_a_cause_nobody_knows_is_shown_under_its_own_name():
    value = samples.recall(rows=(), missed=(Missed("moon-phase", "The moon was full."),))
    assert "Moon phase  The moon was full." in render.text(value)


def test_a_tripped_tripwire_is_seen_at_the_top_and_comes_first():
    out = render.text(samples.hit())
    assert "✓ accepted  ▲ 1 of 3 tripwires tripped · Stored 76 days ago" in out
    assert out.index("▲ tripped: Duplicate") < out.index("● armed: The provider") < out.index("○ unknown: Revisit")
    assert 'class="mk-card mk-edge-bad"' in render.html(samples.hit())


def test_a_reason_all_tripwires_share_is_said_once():
    out = render.text(samples.hit(tripwires=(Tripwire("a"), Tripwire("b"), Tripwire("c"))))
    assert out.count("not checked against facts") == 1
    assert "All: not checked against facts." in out


def test_many_tripwires_are_counted():
    out = render.text(samples.hit(tripwires=tuple(Tripwire(f"wire {i}") for i in range(11))))
    assert "wire 7" in out
    assert "wire 8" not in out
    assert "and 3 more tripwires" in out


def test_a_chain_names_both_ends_and_where_they_are_seen():
    out = render.text(samples.recall())
    assert f"Supersedes  {samples.OLD_ID} (hit 2)" in out
    assert f"Superseded by  {samples.NEW_ID} (hit 1)" in out


def test_a_hit_found_through_its_elder_says_so():
    out = render.text(samples.hit(matched_through=samples.OLD_ID))
    assert f"Found through  {samples.OLD_ID}, an older decision of the same chain" in out


def test_superseding_without_the_status_is_still_a_chip():
    assert "✓ accepted  ↷ superseded" in render.text(samples.hit(superseded_by=("x",), tripwires=()))


def test_the_project_is_named_when_there_are_several():
    rows = (samples.hit(), samples.hit(project_key="ffff00000000", rank=2))
    assert "project ffff00000000" in render.text(samples.recall(rows=rows))
    assert "project 3f9a" not in render.text(samples.recall())


def test_recency_and_rerank_are_said():
    out = " ".join(render.text(samples.hit(recency=0.5, lexical_rank=3)).split())
    assert "recency factor 0.50 included; rank 3 by words alone" in out


def test_the_words_of_the_question_that_a_hit_lacks_are_named():
    rows = (samples.hit(coverage=0.54, contributions=(Contribution("retry~retries", "question", 6.43),)),)
    out = " ".join(render.text(samples.recall(rows=rows, terms=("retry", "payment", "queue"))).split())
    assert "6.43 = retry~retries 6.43; 54 % of the question found, not payment, queue" in out


def test_the_matched_words_are_marked_in_html():
    place = Fragment("synthesis", 7, 30, "a retry <b> of the retry", ((2, 7), (19, 24)))
    source = render.html(samples.hit(fragments=(place,)))
    assert "<bdi>a <mark>retry</mark> &lt;b&gt; of the <mark>retry</mark></bdi>" in source


def test_the_score_is_a_meter_with_its_number_beside_it():
    source = render.html(samples.recall())
    assert '<meter min="0" max="6.43" value="2.95" title="score 2.95, the best here is 6.43"></meter> 2.95 = ' in source


def test_a_table_reads_like_this():
    # Written as a list, because the last column of a line may end in nothing.
    lines = render.text(samples.arrow_table()).split("\n")
    assert lines == [
        "4 rows",
        "title         n    score         price  stored_at             tags",
        "VARCHAR  BIGINT   DOUBLE  DECIMAL(3,2)  TIMESTAMPTZ           VARCHAR[]",
        "-------  ------  -------  ------------  --------------------  ---------",
        "Retry         1     84.0          1.20  2026-11-30 12:00:00Z  [a, b]",
        '"NULL"    -4000  61.1235          NULL  NULL                  []',
        "NULL       NULL     NULL          9.99  2026-09-15 08:30:00Z  NULL",
        '""            7      NaN          NULL  2026-11-30 12:00:00Z  [c]',
    ]


def test_a_table_in_html_is_a_table_with_a_caption_and_headings():
    value = samples.ArrowTable(pa.table({"n": [1], "who": ["<b>"]}))
    source = render.fragment(value)
    right = 'align="right" style="text-align:right;vertical-align:top;white-space:nowrap"'
    left = 'align="left" style="text-align:left;vertical-align:top"'
    assert source.split("\n") == [
        '<div class="memkit tex2jax_ignore mathjax_ignore">',
        '<div class="mk-scroll" style="overflow-x:auto" tabindex="0" role="group" aria-label="table">',
        '<table class="mk-grid" style="margin-left:0">',
        '<caption style="text-align:left">1 row</caption>',
        "<thead>",
        '<tr class="mk-row" valign="top">',
        f'<th scope="col" {right}><bdi>n</bdi><br><small class="mk-dim">BIGINT</small></th>',
        f'<th scope="col" {left}><bdi>who</bdi><br><small class="mk-dim">VARCHAR</small></th>',
        "</tr>",
        "</thead>",
        "<tbody>",
        '<tr class="mk-row" valign="top">',
        f"<td {right}><bdi>1</bdi></td>",
        f"<td {left}><bdi>&lt;b&gt;</bdi></td>",
        "</tr>",
        "</tbody>",
        "</table>",
        "</div>",
        "</div>",
    ]


def test_a_long_and_wide_table_says_how_much_is_not_shown():
    columns = {f"c{i}": list(range(1234)) for i in range(31)}
    out = render.text(samples.ArrowTable(pa.table(columns)))
    assert out.startswith("20 of 1,234 rows, 8 of 31 columns\n")
    assert "Not shown: c8 BIGINT, c9 BIGINT" in out
    assert "and 3 more" in out
    assert out.count("\n") < 30


def test_columns_of_one_name_keep_their_own_values():
    twins = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["x", "x"])
    assert render.text(samples.ArrowTable(twins)).split("\n")[-1] == "     1       2"


@pytest.mark.parametrize(
    ("table", "said"),
    [
        pytest.param(pa.table({"a": pa.array([], pa.string())}), "No row answers the query.", id="no-rows"),
        pytest.param(pa.table({}), "A table without columns.", id="no-columns"),
    ],
)
def test_an_empty_table_is_a_designed_state(table, said):
    assert said in render.text(samples.ArrowTable(table))


def test_missing_is_not_the_text_null():
    assert (cell(None).text, cell(None).role) == ("NULL", "null")
    assert (cell("NULL").text, cell("NULL").role) == ('"NULL"', "dim")
    assert cell("").text == '""'


@pytest.mark.parametrize(
    ("value", "text"),
    [
        pytest.param(True, "true", id="bool"),
        pytest.param(1234567, "1234567", id="int"),
        pytest.param(0.1 + 0.2, "0.3", id="float"),
        pytest.param(1e22, "1e+22", id="big-float"),
        pytest.param(float("-inf"), "-Infinity", id="infinity"),
        pytest.param(dt.date(2026, 1, 2), "2026-01-02", id="day"),
        pytest.param(dt.datetime(2026, 1, 2, 3, 4, 5, 600000), "2026-01-02 03:04:05.6", id="local-time"),
        pytest.param(b"ab" * 20, "61626162616261626162616261626162… (40 bytes)", id="bytes"),
        pytest.param({"a": [1, None]}, "{a: [1, NULL]}", id="nested"),
        pytest.param(list(range(100)), "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19…]", id="long-list"),
        pytest.param("x" * 100, "x" * 79 + "…", id="long-text"),
        pytest.param("a\nb\x1b", "a\\nb\\x1b", id="control"),
    ],
)  # fmt: skip
def test_a_cell_is_written_in_one_line(value, text):
    assert cell(value).text == text


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (pa.list_(pa.list_(pa.int64())), "BIGINT[][]"),
        (pa.timestamp("ms"), "TIMESTAMP"),
        (pa.dictionary(pa.int8(), pa.string()), "VARCHAR"),
        (pa.struct({"a": pa.int8()}), "STRUCT"),
        (pa.decimal128(18, 3), "DECIMAL(18,3)"),
        (pa.duration("s"), "duration[s]"),
    ],
    ids=str,
)
def test_types_have_their_sql_names(kind, name):
    assert sql_type(kind) == name


def test_decisions_read_like_this():
    lines = render.text(samples.decision_rows()).split("\n")
    assert lines[:10] == [
        "5 decisions",
        "===========",
        "",
        "Ages counted to 2026-11-30 12:00 UTC.",
        "No  Decision                       Status        Decided     Stored       Tripwires  Chain",
        "--  -----------------------------  ------------  ----------  -----------  ---------  -------------",
        " 1  Retry failed captures, part 1  ✓ accepted    2026-09-11  76 days ago          1  replaces 2",
        "    Retry with backoff.",
        " 2  Retry failed captures, part 2  ↷ superseded  2026-09-11  76 days ago          1  replaced by 1",
        "    Retry with backoff.",
    ]


def test_three_decisions_or_fewer_are_cards():
    assert render.html(samples.decision_rows(3)).count('<section class="mk-card') == 3
    assert "<table" not in render.html(samples.decision_rows(3))
    assert "<table" in render.html(samples.decision_rows(4))


def test_the_authors_own_word_for_a_status_is_kept():
    out = render.text(samples.decision_row(status="unknown", raw_status="halb akzeptiert"))
    assert "○ status unknown written as “halb akzeptiert”" in out


def test_an_entry_with_a_strange_result_is_still_shown():
    value = samples.entry(result={"synthesis": 7, "finalScore": "high", "x": None})
    assert "Result holds  synthesis, finalScore, x" in render.text(value)


def test_an_import_where_nothing_is_odd_says_so():
    report = samples.import_report()
    whole = type(report)("adr", "docs", report.files[:3], dry_run=True)
    out = render.text(whole)
    assert out.startswith("Import (dry run): adr from docs")
    assert "Nothing was stored." in out
    assert "Nothing odd" in out


def test_what_an_import_refused_comes_first():
    out = render.text(samples.import_report())
    assert out.index("adr/bad.md") < out.index("adr/README.md") < out.index("adr/7.md") < out.index("adr/8.md")


def test_a_memory_that_is_off_and_empty_says_so():
    out = render.text(samples.status(enabled=False, exists=False, enabled_by="default", notes=(), last_stored_at=None))
    assert "○ off (default)" in out
    assert "nothing; the folder is made with the first entry" in out


def test_an_empty_list_says_so():
    assert "Nothing is stored yet." in render.text(EntryList((), samples.NOW))
