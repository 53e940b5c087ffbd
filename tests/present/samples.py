"""Values to show: an everyday one of each kind, and the same kinds full of text that means harm."""

import dataclasses
import datetime as dt
import decimal

import pyarrow as pa

from memkit.analytics.recall_result import Contribution, Fragment, Missed, RecallHit, RecallResult
from memkit.clock import UTC
from memkit.display import Displayable
from memkit.importers.report import FieldAccount, FileAccount, ImportReport
from memkit.model.entry import Source, StoredEntry
from memkit.model.index_line import IndexLine
from memkit.model.problem import Problem
from memkit.model.status import Status
from memkit.model.tripwire import Tripwire
from memkit.present import decisions, register, reports, table
from memkit.retention.erase import Citation, EraseReceipt
from memkit.retention.scanning import Finding, Scan
from memkit.store.erasers import Removed
from memkit.store.listing import EntryList
from memkit.store.receipt import StoreReceipt
from memkit.store.repair import RepairAction, RepairReport
from memkit.store.wipe import WipeReceipt
from tests.present import deciding_samples, exchange_samples, staging_samples

NOW = dt.datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
STORED = dt.datetime(2026, 9, 15, 8, 30, tzinfo=UTC)
NEW_ID = "019a0147ee217c5599f0c1d97e3b8a41"
OLD_ID = "0198b7d11a2c7f60b3e2c1d97e3b8a03"
LONG_WORD = "W" * 10_240
HOSTILE = {
    "markup": "<script>alert(1)</script><img src=x onerror=alert(2)></td></table></div>",
    "attribute": "\" onmouseover='alert(3)' style=position:fixed x=\"",
    "ansi": "\x1b[31mred\x1b[0m, a bell \x07, a return \rover, \x9b31m",
    "direction": "safe \u202egnp.exe\u202c and \u2066isolated",
    "long-word": LONG_WORD,
    "wide": "日本語の長い文章が続きます。ここで折り返します。" * 4,
    "emoji": "👩‍👩‍👧‍👦 🏴‍☠️ ☎️",
    "formula": r"costs $5 and $10, \(x^2\), \begin{equation}y\end{equation}, $$\frac{1}{2}$$",
    "markdown": "**bold** [a](javascript:alert(1)) `code` | pipe |\n# heading\n\n    code",
    "right-to-left": "مرحبا بالعالم שלום",
    "marks": "Z" + "\u0321\u0322\u0334\u0335" * 20 + "algo",
    "template": "{{ 7 * 7 }} {% for x in y %} <%= z %>",
    "invisible": "zero\u200bwidth\u00adsoft\U000e0041tag\ufeff\x00",
    "entities": "&lt;b&gt; &amp;amp; &#x202e;",
}


SPOT = Finding("memory/a-lesson.md", "line 4", "ze… (7 characters)", "fragment")


def scan(spot=SPOT):
    return Scan("traces", 12, 1_234_567, 3, (spot,), 1, ("snapshots/broken.parquet",), NOW)


def erase_receipt():
    removed = (Removed("index.jsonl", "index line", "lines"), Removed(f"results/{OLD_ID}.json", "entry file", "file"))
    cited_by = (Citation("record", "a-lesson", "memory/a-lesson.md", "cites"),)
    return EraseReceipt(OLD_ID, NOW, False, removed, cited_by, 5, scan())


@dataclasses.dataclass(frozen=True)
class DecisionRow:
    """The columns of the view `decisions`."""

    entry_id: str
    source_path: str | None
    title: str
    question: str
    conclusion: str | None
    status: str
    raw_status: str | None
    decided_on: dt.date | None
    stored_at: dt.datetime
    age_days: float
    supersedes: tuple[str, ...] = ()
    superseded_by: tuple[str, ...] = ()
    amends: tuple[str, ...] = ()
    read_when: str | None = None
    tripwires: tuple[str, ...] = ()
    panel_id: str = "adr"
    final_score: float | None = None
    judge_confidence: float | None = None
    judged: tuple[Tripwire, ...] = ()


@dataclasses.dataclass(frozen=True)
class DecisionRows(Displayable):
    """Rows and the moment they are of."""

    rows: tuple[DecisionRow, ...]
    as_of: dt.datetime
    gaps: tuple[str, ...] = ()
    asked: dict = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True)
class ArrowTable(Displayable):
    """Anything with `to_arrow`."""

    arrow: pa.Table

    def to_arrow(self):
        return self.arrow


@dataclasses.dataclass(frozen=True)
class Consent(Displayable):
    """What was written about consent."""

    project_path: str
    enabled: bool
    changed: bool
    config_file: str


for _kind, _sheet in (
    (DecisionRow, decisions.row_sheet),
    (DecisionRows, decisions.decisions_sheet),
    (ArrowTable, table.table_sheet),
    (Consent, reports.consent_sheet),
):
    register.register(_kind, _sheet)


def fragment(field, text, *words):
    """A fragment in which each of `words` is matched where it first stands."""
    places = [(text.lower().index(word), text.lower().index(word) + len(word)) for word in words]
    return Fragment(field, 0, len(text), text, tuple(sorted(places)))


def hit(**changes):
    question = "How should the payment worker retry a failed capture?"
    summary = "Retry with exponential backoff and full jitter, at most six attempts, then park the capture."
    values = {
        "id": NEW_ID,
        "project_key": "3f9ac2017be4",
        "question": question,
        "summary": summary,
        "score": 6.43,
        "coverage": 1.0,
        "contributions": (
            Contribution("retry", "question", 1.32),
            Contribution("retry", "conclusion", 2.15),
            Contribution("payment", "question", 2.05),
            Contribution("payment", "tags", 0.91),
        ),
        "fragments": (fragment("question", question, "payment", "retry"), fragment("conclusion", summary, "retry")),
        "stored_at": STORED,
        "age_days": 76.1,
        "age_label": "Stored 76 days ago",
        "decided_on": dt.date(2026, 9, 11),
        "decided_label": "Decided 80 days ago",
        "tripwires": (
            Tripwire("The provider offers idempotent captures", "armed", "provider_idempotency = 0"),
            Tripwire("Duplicate captures above 0.1 % in a week", "tripped", "measured 0.34 % on 2026-11-09"),
            Tripwire("Revisit by 2027-03-01"),
        ),
        "panel_id": "architecture",
        "tags": ("payments", "reliability"),
        "final_score": 84.0,
        "judge_confidence": 78.5,
        "status": "accepted",
        "supersedes": (OLD_ID,),
        "rank": 1,
        "lexical_rank": 1,
        "rank_score": 6.43,
        "source_path": "docs/adr/0007-retry.md",
    }
    return RecallHit(**{**values, **changes})


def old_hit():
    text = "Retry policy of the payment worker"
    return hit(
        id=OLD_ID, question=text, summary="Retry three times, one minute apart.", score=2.95, rank=2, lexical_rank=2,
        contributions=(Contribution("retry", "question", 1.5), Contribution("payment", "question", 1.45)),
        fragments=(fragment("question", text, "payment", "retry"),), status="superseded", superseded_by=(NEW_ID,),
        supersedes=(), tripwires=(), age_label="Stored 401 days ago", stored_at=dt.datetime(2025, 10, 25, tzinfo=UTC),
        decided_on=None, decided_label=None, tags=(), final_score=None, judge_confidence=None, source_path=None,
    )  # fmt: skip


def recall(**changes):
    values = {
        "query": "retry payment",
        "terms": ("retry", "payment"),
        "rows": (hit(), old_hit()),
        "missed": (Missed("below-threshold", "7 entries matched below 2.", ("019a0147ee21", "019a0147ee22"), 7),),
        "as_of": NOW,
        "warnings": ("Skipped 0197c0ffee: its file is gone.",),
        "options": {"min_score": 2.0},
        "n_entries": 42,
    }
    return RecallResult(**{**values, **changes})


def miss():
    return RecallResult(
        query="kubernetes autoscaling", terms=("kubernetes", "autoscaling"), rows=(), as_of=NOW, n_entries=42,
        missed=(
            Missed("token-not-in-corpus", "No entry holds the word “kubernetes”."),
            Missed("token-not-in-corpus", "No entry holds the word “autoscaling”."),
            Missed("filtered-out", "3 entries kept out by the filters.", (OLD_ID,), 3),
        ),
    )  # fmt: skip


def entry(**changes):
    content = (
        "## Summary\nA fixed delay aligns the workers.\n\n## Recommendation\nRetry with backoff.\n\n"
        "## Tripwire conditions\n- Duplicate captures above 0.1 %\n"
    )
    synthesis = {
        "content": content, "judgeConfidence": 78, "minorityPositions": ["A fixed delay is easier."],
        "unresolvedDisputes": ["Who pays for a parked capture?"],
    }  # fmt: skip
    values = {
        "id": NEW_ID,
        "stored_at_ms": 1_789_461_000_000,
        "project_key": "3f9ac2017be4",
        "project_path": "/home/ada/payments",
        "panel_id": "architecture",
        "question": "How should the payment worker retry?",
        "tags": ("payments",),
        "result": {"finalScore": 84, "completedAt": "2026-09-11T10:00:00Z", "synthesis": synthesis},
        "source": Source("consensus", "runs/1.json", "ab" * 32),
    }
    return StoredEntry(**{**values, **changes})


def decision_row(number=1, **changes):
    values = {
        "entry_id": f"019a0147ee217c5599f0c1d97e3b8a{number:02d}",
        "source_path": f"docs/adr/{number:04d}-retry.md",
        "title": f"Retry failed captures, part {number}",
        "question": "How should the payment worker retry?",
        "conclusion": "Retry with backoff.",
        "status": "accepted",
        "raw_status": "Accepted",
        "decided_on": dt.date(2026, 9, 11),
        "stored_at": STORED,
        "age_days": 76.1,
        "tripwires": ("Duplicate captures above 0.1 %",),
        "final_score": 84.0,
    }
    return DecisionRow(**{**values, **changes})


def decision_rows(n=5):
    rows = [decision_row(i) for i in range(1, n + 1)]
    if n > 1:
        rows[0] = decision_row(1, supersedes=(rows[1].entry_id,))
        rows[1] = decision_row(2, status="superseded", superseded_by=(rows[0].entry_id,), raw_status="abgelöst")
    return DecisionRows(tuple(rows), NOW)


def listing(n=3):
    lines = [
        IndexLine(f"{i:032x}", 1_789_461_000_000, "3f9ac2017be4", "adr", f"Question {i}?", ("a", "b"), 84, -1)
        for i in range(n)
    ]
    return EntryList(tuple(lines), NOW, n_damaged=1)


def import_report():
    fields = (FieldAccount("title", "mapped", "heading"), FieldAccount("decided_on", "not understood", "bullet", "May"))
    files = [FileAccount(f"adr/{i}.md", "imported", entry_id=f"{i:032x}", fields=fields) for i in range(3)]
    files += [
        FileAccount("adr/7.md", "updated", "status changed", NEW_ID, OLD_ID),
        FileAccount("adr/README.md", "skipped", "not a decision record"),
        FileAccount("adr/bad.md", "rejected", "not UTF-8 at byte 1204"),
        FileAccount("adr/8.md", "imported", entry_id="0" * 32, notes=("number 8 twice",), scrubbed={"aws-key": 1}),
        FileAccount("adr/9.md", "unchanged"),
    ]
    return ImportReport(
        "adr",
        "docs/adr",
        tuple(files),
        links_ambiguous=("adr/7.md: ADR-8 -> 8.md, 8b.md",),
        links_dangling=("x: ADR-99",),
    )


PROBLEMS = (
    Problem("line-without-file", "index.jsonl", "the entry's file is gone", "memkit repair", OLD_ID, 1204, 1533),
    Problem("wide-mode", "results", "mode 0755", "memkit repair"),
)


def arrow_table():
    return ArrowTable(
        pa.table(
            {
                "title": ["Retry", "NULL", None, ""],
                "n": pa.array([1, -4000, None, 7], pa.int64()),
                "score": [84.0, 61.123456789, None, float("nan")],
                "price": pa.array([decimal.Decimal("1.20"), None, decimal.Decimal("9.99"), None]),
                "stored_at": pa.array([NOW, None, STORED, NOW], pa.timestamp("us", tz="UTC")),
                "tags": [["a", "b"], [], None, ["c"]],
            }
        )
    )


def status(**changes):
    values = {
        "project_path": "/home/ada/payments",
        "project_key": "3f9ac2017be4",
        "enabled": True,
        "enabled_by": "the user's settings file",
        "root": "/home/ada/memory",
        "folder": "/home/ada/memory/3f9ac2017be4",
        "exists": True,
        "as_of": NOW,
        "n_entries": 42,
        "n_damaged": 1,
        "n_bytes": 1_234_567,
        "last_stored_at": dt.datetime(2026, 11, 29, 8, tzinfo=UTC),
        "notes": ("A parent folder has a store.",),
    }
    return Status(**{**values, **changes})


def everyday():
    """One of each kind, by name, with words that must be seen of it."""
    return {
        "recall": (recall(), ["retry payment", "42 entries", "6.43", "Stored 76 days ago", "Decided 80 days ago",
            "2026-09-11", "tripped", "armed", "unknown", "measured 0.34 %", "not checked against facts", "100 %",
            "architecture", "payments", "reliability", "84", "78.5", "accepted", "superseded", OLD_ID, NEW_ID,
            "docs/adr/0007-retry.md", "3.47", "2.96", "1.32", "0.91", "7 entries matched below 2.", "019a0147ee22",
            "its file is gone", "min_score", "2026-11-30 12:00 UTC"]),
        "miss": (miss(), ["kubernetes autoscaling", "42 entries searched", "“kubernetes”", "“autoscaling”", "fuzzy",
            "Left out by a filter", "3 entries", OLD_ID]),
        "hit": (hit(), [NEW_ID, "Stored 76 days ago", "tripped", "6.43"]),
        "entry": (entry(), [NEW_ID, "How should the payment worker retry?", "Retry with backoff.", "2026-09-15 08:30 UTC",
            "2026-09-11", "A fixed delay is easier.", "Who pays", "Duplicate captures", "payments", "runs/1.json", "84",
            "78", "/home/ada/payments", "synthesis"]),
        "listing": (listing(), ["3 entries", "Question 2?", f"{2:032x}", "76 days ago", "84", "a, b", "1 index line"]),
        "receipt": (StoreReceipt(entry(), {"jwt": 1, "aws-key": 2}, (OLD_ID,)), [NEW_ID, "3 secrets masked", "aws-key 2",
            "jwt 1", "1 entry", OLD_ID]),
        "plain-receipt": (StoreReceipt(entry()), [NEW_ID, "no secret", "nothing"]),
        "decisions": (decision_rows(), ["5 decisions", "Retry failed captures, part 5", "accepted", "superseded",
            "2026-09-11", "76 days ago", "replaced by 1", "replaces 2", "Retry with backoff.", "abgelöst",
            "Duplicate captures", "docs/adr/0003-retry.md"]),
        "few-decisions": (decision_rows(2), ["2 decisions", "Retry failed captures, part 2", "Duplicate captures"]),
        "no-decisions": (DecisionRows((), NOW), ["No decisions"]),
        "decision": (decision_row(), ["Retry failed captures, part 1", "Decided 80 days ago", "Stored 76 days ago"]),
        "import": (import_report(), ["docs/adr", "imported 4", "unchanged 1", "updated 1", "skipped 1", "rejected 1",
            "8 files", "not UTF-8 at byte 1204", "not a decision record", "number 8 twice", "aws-key 1", "decided_on",
            "May", "8b.md", "ADR-99", OLD_ID]),
        "problems": (reports.problems_table(PROBLEMS), ["2 problems", "line-without-file", "index.jsonl", "1,204",
            "1,533", OLD_ID, "the entry's file is gone", "memkit repair", "wide-mode"]),
        "no-problems": (reports.problems_table([]), ["No problem found"]),
        "repair": (RepairReport(True, (RepairAction("wide-mode", "results", "narrow the mode"),), PROBLEMS[:1], NOW),
            ["dry run", "1 action", "narrow the mode", "Nothing was changed", "line-without-file", OLD_ID]),
        "wipe": (WipeReceipt("3f9ac2017be4", 42, 58, 1_234_567), ["3f9ac2017be4", "42 entries", "58 files", "1.2 MiB"]),
        "wipe-left": (WipeReceipt("3f9ac2017be4", 1, 1, 9, ("odd.txt",)), ["1 file left", "odd.txt"]),
        "erase": (erase_receipt(), [OLD_ID, "1 spot left", "12 files", "1.2 MiB", "3 rows of Parquet", "index.jsonl",
            "1 line", "the file", "memory/a-lesson.md", "ze… (7 characters)", "a-lesson", "cites", "5 fragments",
            "until it refreshes"]),
        "erase-dry": (EraseReceipt(OLD_ID, NOW, True, (), (), 5, None), ["dry run", OLD_ID, "Nothing was changed"]),
        "scan": (scan(), ["Scan for what only it said", "1 spot", "line 4", "fragment", "broken.parquet"]),
        "status": (status(), ["on", "the user's settings file", "42 entries", "1.2 MiB", "1 index line", "yesterday",
            "/home/ada/payments", "3f9ac2017be4", "/home/ada/memory", "A parent folder has a store."]),
        "table": (arrow_table(), ["4 rows", "title", "VARCHAR", "BIGINT", "DOUBLE", "DECIMAL(3,2)", "TIMESTAMPTZ",
            "VARCHAR[]", "Retry", '"NULL"', "NULL", '""', "-4000", "84.0", "61.1235", "NaN", "1.20",
            "2026-11-30 12:00:00Z", "[a, b]", "[]"]),
        "consent": (Consent("/home/ada/payments", True, True, "/home/ada/config.toml"), ["now on", "config.toml"]),
        "text": ("One paragraph.\n\nAnother.", ["One paragraph.", "Another."]),
        "anything": (decimal.Decimal("1.5"), ["Decimal", "1.5"]),
        **deciding_samples.everyday(),
        **exchange_samples.everyday(),
        **staging_samples.everyday(),
    }  # fmt: skip


def hostile(text):
    """Every kind with `text` wherever text from outside can stand."""
    short = text[:64]
    evil_hit = hit(
        question=text, summary=f"{text}\n{text}", id=text[:200], panel_id=short, tags=(short, text), source_path=text,
        fragments=(Fragment(text, 0, len(text), text, ((0, 3), (2, 5), (4, 10**9))),), project_key=text,
        tripwires=(Tripwire(text, "tripped", text), Tripwire(text)), superseded_by=(text,), supersedes=(text,),
        contributions=(Contribution(text, "question", 1.0), Contribution(text + "~", text, 0.2)), status=text,
        matched_through=text,
    )  # fmt: skip
    safe_bytes = text.encode("utf-8", "replace").decode()
    return {
        "recall": recall(
            query=text, rows=(evil_hit, hit(project_key="other")), missed=(Missed(text, text, (text,), 3),),
            warnings=(text,), options={text: text},
        ),
        "miss": RecallResult(text, (text,), (), (Missed(text, text, (text,), 3),), NOW, n_entries=3),
        "hit": evil_hit,
        "entry": entry(
            id=text, question=text, panel_id=text, tags=(text,), project_path=text, source=Source(text, text, text),
            replaces=text,
            result={
                text: 1, "title": text, "status": text, "supersedes": [text], "readWhen": text, "tripwires": [text],
                "synthesis": {"content": text, "minorityPositions": [text], "conclusion": text + "!"},
            },
        ),
        "listing": EntryList((IndexLine(text, 1, text, text, text, (text,)),), NOW),
        "receipt": StoreReceipt(entry(question=text, tags=(text,), panel_id=text), {text: 3}, (text,)),
        "decisions": DecisionRows(
            tuple(
                decision_row(
                    i, entry_id=text, title=text, question=text + "?", conclusion=text, status=text, raw_status=text,
                    source_path=text, read_when=text, tripwires=(text,), supersedes=(text,), superseded_by=("x", text),
                    amends=(text,), panel_id=text,
                )
                for i in range(5)
            ),
            NOW,
        ),
        "decision": decision_row(title=text, question=text, conclusion=text, status=text, raw_status=text),
        "import": ImportReport(
            text, text,
            (FileAccount(text, "rejected", text, text, text, (FieldAccount(text, "not understood", text, text),),
                (text,) * 6, {text: 1}),),
            links_ambiguous=(text,), links_dangling=(text,),
        ),
        "problems": reports.problems_table([Problem(text, text, text, text, text, 1, 2)]),
        "repair": RepairReport(False, (RepairAction(text, text, text, text),), (Problem(text, text, text),), NOW),
        "wipe": WipeReceipt(text, 1, 1, 1),
        "wipe-left": WipeReceipt(text, 1, 1, 1, (text,)),
        "erase": dataclasses.replace(
            erase_receipt(), id=text, removed=(Removed(text, "lines", text, 2),), elsewhere=text,
            cited_by=(Citation("record", text, text, "quotes"),), scan=scan(Finding(text, text, text, text)),
        ),
        "erase-dry": EraseReceipt(text, NOW, True, (), (), 5, None),
        "scan": dataclasses.replace(scan(Finding(text, text, text, text)), unreadable=(text,)),
        "status": status(project_path=text, project_key=text, enabled_by=text, root=text, folder=text, notes=(text,)),
        "table": ArrowTable(pa.table({safe_bytes: [safe_bytes], "n": [[{safe_bytes: safe_bytes}]]})),
        "consent": Consent(text, True, False, text),
        "text": text,
        "anything": {text: text},
        **deciding_samples.hostile(text),
        **exchange_samples.hostile(text),
        **staging_samples.hostile(text),
    }  # fmt: skip
