"""What is seen of a recall: each hit with its reasons, and what was missed with its cause."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memkit.analytics.recall_result import Contribution, Missed, RecallHit, RecallResult
from memkit.present.blocks import (
    Block,
    Bullets,
    Card,
    Chip,
    Column,
    Fact,
    Facts,
    Fold,
    Grid,
    Inline,
    Line,
    Meter,
    Para,
    Section,
    Sheet,
    Tone,
    joined,
)
from memkit.present.render import MAX_ROWS
from memkit.present.safe import marked, say
from memkit.present.wording import (
    count,
    fact,
    first_steps,
    ids,
    moment,
    n_tripped,
    origin,
    points,
    scores,
    share,
    some_of,
    status_chip,
    tripped_chip,
    tripwires,
    unwrapped,
)

FIELDS = ("question", "conclusion", "synthesis", "tags")
MAX_FRAGMENTS = 4
MAX_WORDS = 12
MAX_ABSENT = 4
MAX_MISSED = 12
MAX_OPTIONS = 16
# Causes in plain words, and what one can do. A cause that is not listed here is shown under its own name.
CAUSES: dict[str, tuple[str, str]] = {
    "damaged-index": ("Index damaged", ""),
    "empty-store": ("Nothing stored yet", "Store a result, or import what there is."),
    "empty-query": ("No word in the question", "Ask with a word of letters or digits."),
    "terms-capped": ("Question cut", "Ask with fewer words."),
    "common-words": ("Only common words", "Ask with a rarer word."),
    "token-not-in-corpus": ("Word in no entry", "Ask with another word, or with the option fuzzy."),
    "below-threshold": ("Below the threshold", "A lower minimum score shows them."),
    "superseded": ("Superseded", "The option to include superseded entries shows them."),
    "replaced": ("Replaced by a newer edition", ""),
    "filtered-out": ("Left out by a filter", "Asking without the filter shows them."),
    "other-project": ("In another project", "Searching across projects shows them."),
    "missing-file": ("File gone", "Restore it from a backup."),
    "damaged": ("File damaged", "Restore it from a backup, or repair the store."),
    "foreign": ("Of another project", "Move the file to that project's store."),
    "unreadable": ("Could not be read", "Check owner and mode of the file."),
    "newer-schema": ("Of a newer memkit", "Upgrade memkit to read them."),
    "no-decision": ("Not a decision", "recall shows them."),
    "after-moment": ("Decided after the moment asked about", "A later as_of shows them."),
    "before-since": ("Decided before the days asked about", "More since_days shows them."),
}


def recall_sheet(result: RecallResult, rows: int = MAX_ROWS) -> Sheet:
    """The hits as cards, then what was missed, then warnings."""
    query = say(result.query, 200)
    shown = result.rows[:rows]
    best = max((hit.rank_score or hit.score for hit in result.rows), default=0.0)
    mixed = len({hit.project_key for hit in result.rows}) > 1
    places = {hit.id: f"hit {hit.rank}" for hit in shown if hit.rank}
    lead: list[Line] = []
    if result.rows:
        title: Line = ("Recall: “", query, "”")
        hits = f"{some_of(len(shown), len(result.rows), result.n_matched, 'hit')} in {_searched(result)}"
        lead.append((f"{hits}. Best first, ages counted to {moment(result.as_of)}.",))
    else:
        title = ("Nothing recalled for “", query, "”")
        lead.append(_nothing(result))
        lead += [] if result.n_entries or _is_damaged(result) else first_steps()
    if result.options:
        options = [
            (say(name, 40), " ", say(value, 60, "code")) for name, value in sorted(result.options.items())[:MAX_OPTIONS]
        ]
        lead.append(("Asked with ", *joined(list(options), ", "), "."))
    body: list[Block] = [
        hit_card(hit, best=best, with_project=mixed, places=places, terms=result.terms) for hit in shown
    ]
    if result.missed and result.rows:
        body.append(Section(("Not among the hits",), missed_blocks(result.missed)))
    elif result.missed:
        body.append(Card(("Why",), (), missed_blocks(result.missed)))
    if result.warnings:
        lines = tuple((say(warning, 300),) for warning in result.warnings[:MAX_ROWS])
        more = len(result.warnings) - len(lines)
        body.append(Section(("Warnings",), (Bullets(lines), *_more(more, "warning"))))
    return Sheet(title, tuple(lead), tuple(body))


def hit_sheet(hit: RecallHit, rows: int = MAX_ROWS) -> Sheet:  # noqa: ARG001
    """One hit by itself, with its whole summary."""
    return Sheet(("Recalled entry",), (), (hit_card(hit, best=0.0, with_project=True, summary_chars=1_200),))


def hit_card(
    hit: RecallHit,
    *,
    best: float,
    with_project: bool,
    summary_chars: int = 600,
    places: Mapping[str, str] | None = None,
    terms: Sequence[str] = (),
) -> Card:
    """One hit: question, age, status, chain, conclusion, matched places, tripwires, score, where from."""
    number: Line = (f"{hit.rank}. ",) if hit.rank else ()
    rows: list[Fact] = []
    if hit.superseded_by:
        rows += fact("Superseded by", ids(hit.superseded_by[::-1], places=places))
    if hit.supersedes:
        rows += fact("Supersedes", ids(hit.supersedes, places=places))
    if hit.matched_through:
        through = (
            *ids((hit.matched_through,), places=places),
            ", an older decision of the same chain, which matched better",
        )
        rows += fact("Found through", through)
    if hit.summary:
        rows += fact("Conclusion", (say(unwrapped(hit.summary), summary_chars, breaks="keep"),))
    rows.append(Fact("Matched in", _fragments(hit)))
    if hit.tripwires:
        rows.append(Fact("Tripwires", tripwires(hit.tripwires)))
    rows.append(Fact("Score", _score(hit, best, terms)))
    foot = origin(
        hit.id,
        hit.panel_id,
        numbers=scores(hit.final_score, hit.judge_confidence),
        labels=hit.tags,
        path=None if hit.source_path == hit.id else hit.source_path,
        project=hit.project_key if with_project else None,
    )
    tone: Tone = "bad" if n_tripped(hit.tripwires) else "warn" if hit.superseded_by else "calm"
    return Card((*number, say(hit.question, 300)), _badges(hit), (Facts(tuple(rows)),), foot, tone)


def _badges(hit: RecallHit) -> Line:
    status: list[Line] = [(Chip(hit.kind, "◆", "calm"),)] if hit.kind != "entry" else []
    if hit.kind in {"entry", "decision"} or hit.status == "superseded":
        status.append((status_chip(hit.status),))
    if hit.superseded_by and hit.status != "superseded":
        status.append((status_chip("superseded"),))
    status += tripped_chip(hit.tripwires)
    decided: Line = ()
    if hit.decided_label and hit.decided_on:
        decided = (f"{hit.decided_label} ({hit.decided_on.isoformat()})",)
    return joined([joined(status, "  "), (f"{hit.age_label} ({hit.stored_at:%Y-%m-%d})",), decided])


def _fragments(hit: RecallHit) -> tuple[Block, ...]:
    if not hit.fragments:
        return (Para(("No place of its own.",), "dim"),)
    items: list[Line] = [
        (say(fragment.field, 20, "dim"), ": ", marked(fragment.text, fragment.matches, 320))
        for fragment in hit.fragments[:MAX_FRAGMENTS]
    ]
    return (Bullets(tuple(items)), *_more(len(hit.fragments) - len(items), "place"))


def _score(hit: RecallHit, best: float, terms: Sequence[str]) -> tuple[Block, ...]:
    """The bar and the sum by word; behind them the parts by word and field."""
    by_word = _by_word(hit.contributions)
    sums = {word: sum(part.value for part in parts) for word, parts in by_word.items()}
    line: list[Inline] = []
    if best > 0:
        line += [Meter(hit.score, best, f"score {points(hit.score)}, the best here is {points(best)}"), " "]
    line.append(points(hit.score))
    words = sorted(sums, key=lambda word: (-sums[word], word))
    for position, word in enumerate(words[:4]):
        line += [" = " if position == 0 else " + ", say(word, 40, "strong"), f" {points(sums[word])}"]
    if len(words) > 4:
        rest = sum(sums[word] for word in words[4:])
        line.append(f" + {count(len(words) - 4, 'more word')} {points(rest)}")
    line.append(f"; {share(hit.coverage)} of the question found")
    absent = [term for term in terms if not any(word == term or word.startswith(f"{term}~") for word in by_word)]
    if absent:
        line += [", not ", *joined([(say(term, 40, "strong"),) for term in absent[:MAX_ABSENT]], ", ")]
        line.append(f" and {len(absent) - MAX_ABSENT} more" if len(absent) > MAX_ABSENT else "")
    if hit.recency != 1.0:
        line.append(f"; recency factor {points(hit.recency)} included")
    if hit.reinforcement != 1.0:
        line.append(f"; factor {points(hit.reinforcement)} of {count(hit.n_uses, 'use')} included")
    if hit.unreinforced_rank and hit.unreinforced_rank != hit.lexical_rank:
        line.append(f"; rank {hit.unreinforced_rank} without uses")
    if hit.lexical_rank and hit.lexical_rank != hit.rank:
        line.append(f"; rank {hit.lexical_rank} by words alone")
    if not by_word:
        return (Para(tuple(line)),)
    columns = (Column("word"), *(Column(name, right=True) for name in FIELDS), Column("sum", right=True))
    grid_rows = []
    for word in words[:MAX_WORDS]:
        values = {name: sum(p.value for p in by_word[word] if p.field == name) for name in FIELDS}
        parts: list[Line] = [(points(values[name]) if values[name] else "–",) for name in FIELDS]
        grid_rows.append(((say(word, 40),), *parts, (points(sums[word]),)))
    note: Line = (f"and {count(len(words) - MAX_WORDS, 'more word')}",) if len(words) > MAX_WORDS else ()
    grid = Grid(("Points of the score by word and field",), columns, tuple(grid_rows), note=note, head=True)
    return (Fold(tuple(line), (grid,)),)


def _by_word(contributions: Sequence[Contribution]) -> dict[str, list[Contribution]]:
    found: dict[str, list[Contribution]] = {}
    for part in contributions:
        found.setdefault(part.token, []).append(part)
    return found


def _searched(result: RecallResult) -> str:
    """What was asked: `71 entries and 8 records`."""
    n_entries = result.n_entries - result.n_records
    parts = [count(n_entries, "entry", "entries")] if n_entries or not result.n_records else []
    parts += [count(result.n_records, "record")] if result.n_records else []
    return " and ".join(parts)


def _is_damaged(result: RecallResult) -> bool:
    return any(miss.cause == "damaged-index" for miss in result.missed)


def _nothing(result: RecallResult) -> Line:
    if not result.n_entries and _is_damaged(result):
        return (f"No entry can be found while the index is damaged, as of {moment(result.as_of)}.",)
    if not result.n_entries:
        return (f"The memory asked holds no entry, as of {moment(result.as_of)}.",)
    searched = f"{_searched(result)} searched, as of {moment(result.as_of)}."
    if not result.terms:
        return (f"{searched} The question holds no word that could be searched.",)
    return (f"{searched} No entry answers it; what is known of why follows.",) if result.missed else (searched,)


def missed_blocks(missed: Sequence[Missed]) -> tuple[Block, ...]:
    """What is not among the rows, by cause, with what one can do."""
    by_cause: dict[str, list[Missed]] = {}
    for item in missed[:MAX_MISSED]:
        by_cause.setdefault(item.cause, []).append(item)
    rows = []
    for cause, items in by_cause.items():
        words, remedy = CAUSES.get(cause, (say(cause.replace("-", " "), 60).text.capitalize(), ""))
        body: list[Block] = []
        for item in items:
            body.append(Para((say(item.detail, 300),)))
            if item.ids:
                body.append(Para(("Entries: ", *ids(item.ids, item.count)), "dim"))
        if remedy:
            body.append(Para((remedy,), "dim"))
        n = sum(item.count for item in items)
        rows.append(Fact(f"{words} ({n:,})" if n > 1 else words, tuple(body)))
    return (Facts(tuple(rows)), *_more(len(missed) - MAX_MISSED, "cause"))


def _more(n: int, noun: str) -> tuple[Block, ...]:
    return (Para((f"and {count(n, 'more ' + noun)}",), "dim"),) if n > 0 else ()
