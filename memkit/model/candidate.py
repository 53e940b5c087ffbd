"""A candidate: a proposed memory, extracted from a session, waiting in `staging/` to become a record.

Reading is tolerant: files of this shape written elsewhere are accepted, fields memkit does not know are kept, and a
missing title or summary is no damage. What cannot be understood at all is `Malformed`: kept as it is, with a named
reason. Writing is strict: `faults` names what is still wrong with a candidate, `repaired` mends what needs no person.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, get_args

from memkit.display import Displayable
from memkit.model import tokens
from memkit.model.entry import MAX_TAG_CHARS, MAX_TAGS
from memkit.model.frozen import FrozenMapping
from memkit.model.plain_words import IN_ANY_TEXT

Category = Literal["lessons", "preferences", "decisions", "domain"]
CATEGORIES: Final[tuple[Category, ...]] = get_args(Category)
KIND_OF: Final[Mapping[Category, str]] = FrozenMapping(
    {"lessons": "lesson", "preferences": "preference", "decisions": "decision", "domain": "domain"}
)
MAX_TITLE_CHARS: Final = 120
MAX_SUMMARY_CHARS: Final = 400
MAX_BODY_CHARS: Final = 20_000
MAX_EXCERPT_CHARS: Final = 600
MAX_TRIGGERS: Final = 16
MAX_TRIGGER_CHARS: Final = 80
MAX_ATTEMPTS: Final = 1_000_000
DERIVED_TRIGGERS: Final = 5
_SENTENCE = re.compile(r"(.+?[.!?。！？])(?:\s|$|(?<=[。！？]))", re.DOTALL)
_MIN_TRIGGER_CHARS: Final = 4


class CandidateDamage(ValueError):  # noqa: N818 - a finding about data, carried as data
    """This is no candidate; `reason` names why, in one of the words of `REASONS`."""

    def __init__(self, reason: str, detail: str) -> None:
        self.reason = reason
        super().__init__(detail)


REASONS: Final = ("not-an-object", "no-text", "wrong-type", "bad-attempts", "half-character")


@dataclass(frozen=True, slots=True)
class Evidence:
    """Where in a session a candidate was said.

    Attributes:
        first_turn: The first turn concerned, counted from 1.
        last_turn: The last one.
        excerpt: What was said, cut at 600 characters.
        first_line: The first line of the session's file; 0 where not known.
        last_line: The last one.
        extra: Fields memkit does not know.
    """

    first_turn: int
    last_turn: int
    excerpt: str
    first_line: int = 0
    last_line: int = 0
    extra: Mapping[str, Any] = field(default_factory=lambda: FrozenMapping({}))

    def to_dict(self) -> dict[str, Any]:
        """The JSON object in a candidate."""
        said: dict[str, Any] = {"turns": [self.first_turn, self.last_turn], "excerpt": self.excerpt}
        if self.first_line:
            said["lines"] = [self.first_line, self.last_line]
        return {**said, **{k: v for k, v in self.extra.items() if k not in said}}


@dataclass(frozen=True, slots=True)
class Candidate(Displayable):
    """One proposed memory.

    Attributes:
        category: The list it stands in: `lessons`, `preferences`, `decisions`, `domain`.
        title: One line, at most 120 characters.
        summary: A sentence or two, at most 400 characters.
        body: The whole, Markdown.
        triggers: Words that should bring it to mind.
        tags: As of entries.
        tripwires: Conditions that would make a decision wrong, as they were written.
        evidence: Where it was said.
        reconcile_attempts: How often a model or a person was asked about it without an answer.
        supersedes: What it says it replaces: slugs or titles of records.
        scope: `project`; other scopes are kept and left to whoever wrote them.
        extra: Fields memkit does not know.
    """

    category: Category
    title: str
    summary: str = ""
    body: str = ""
    triggers: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    tripwires: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    reconcile_attempts: int = 0
    supersedes: tuple[str, ...] = ()
    scope: str = "project"
    extra: Mapping[str, Any] = field(default_factory=lambda: FrozenMapping({}))

    def __repr__(self) -> str:
        return f"<Candidate {self.kind} {self.title[:60]!r}, attempts {self.reconcile_attempts}>"

    @property
    def kind(self) -> str:
        """The kind of record it would become."""
        return KIND_OF[self.category]

    @property
    def text(self) -> str:
        """What it says: its body, or the summary, or the title of one that has no more."""
        return self.body or self.summary or self.title

    @property
    def digest(self) -> str:
        """16 hexadecimal digits that are the same for the same category and words, whatever marks stand around them."""
        return said_digest(self.category, self.text)

    def key(self, session_id: str) -> str:
        """Names it for ever: 16 hexadecimal digits of its session, category and words; attempts do not change it."""
        return key_of(session_id, self.digest)

    def to_dict(self) -> dict[str, Any]:
        """The JSON object in a staging file or a dead letter."""
        known: dict[str, Any] = {
            "title": self.title,
            "summary": self.summary,
            "body": self.body,
            "triggers": list(self.triggers),
            "tags": list(self.tags),
            "evidence": [each.to_dict() for each in self.evidence],
            "reconcile_attempts": self.reconcile_attempts,
            "scope": self.scope,
        }
        if self.tripwires:
            known["tripwires"] = list(self.tripwires)
        if self.supersedes:
            known["supersedes"] = list(self.supersedes)
        return {**known, **{k: v for k, v in self.extra.items() if k not in known}}


@dataclass(frozen=True, slots=True)
class Malformed:
    """What stands in the place of a candidate and is none.

    Attributes:
        category: The list it stands in.
        reason: One of `REASONS`.
        detail: What is wrong, in words.
        raw: The JSON value, as it is.
    """

    category: Category
    reason: str
    detail: str
    raw: Any


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a candidate may not be staged or become a record as it is.

    Attributes:
        reason: A stable name: `no-title`, `long-body`, `no-triggers`, ...
        field: The field concerned.
        detail: In words.
    """

    reason: str
    field: str
    detail: str


_KNOWN = frozenset(
    {"title", "summary", "body", "triggers", "tags", "tripwires", "evidence", "reconcile_attempts", "supersedes"}
    | {"scope"}
)


def read_candidate(category: Category, raw: object) -> Candidate:
    """One element of a list in a staging file, or of a dead letter.

    Raises:
        CandidateDamage: it is no object, says nothing, or a field is of the wrong kind.
    """
    if not isinstance(raw, dict):
        raise CandidateDamage("not-an-object", f"an object was expected, found {type(raw).__name__}")
    title, summary, body = (_text(raw, name) for name in ("title", "summary", "body"))
    if not any(part.strip() for part in (title, summary, body)):
        raise CandidateDamage("no-text", "title, summary and body are missing or empty")
    attempts = raw.get("reconcile_attempts", 0)
    if isinstance(attempts, float) and attempts.is_integer():
        attempts = int(attempts)
    if not isinstance(attempts, int) or isinstance(attempts, bool) or not 0 <= attempts <= MAX_ATTEMPTS:
        raise CandidateDamage("bad-attempts", "reconcile_attempts is not a count")
    return Candidate(
        category=category,
        title=title,
        summary=summary,
        body=body,
        triggers=_texts(raw, "triggers"),
        tags=_texts(raw, "tags"),
        tripwires=_texts(raw, "tripwires"),
        evidence=_evidence(raw.get("evidence")),
        reconcile_attempts=attempts,
        supersedes=_texts(raw, "supersedes"),
        scope=_text(raw, "scope") or "project",
        extra=FrozenMapping({k: v for k, v in raw.items() if k not in _KNOWN}),
    )


def _text(raw: Mapping[str, Any], name: str) -> str:
    value = raw.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise CandidateDamage("wrong-type", f"{name} is no text but {type(value).__name__}")
    return _whole(value, name)


def _whole(value: str, name: str) -> str:
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:
        raise CandidateDamage("half-character", f"{name} holds an unpaired surrogate") from error
    return value


def _texts(raw: Mapping[str, Any], name: str) -> tuple[str, ...]:
    value = raw.get(name)
    if value is None:
        return ()
    if isinstance(value, str):
        value = [value] if value.strip() else []
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise CandidateDamage("wrong-type", f"{name} is no list of texts")
    return tuple(dict.fromkeys(_whole(each, name) for each in value))


def _evidence(value: object) -> tuple[Evidence, ...]:
    if value is None:
        return ()
    items = value if isinstance(value, list) else [value]
    return tuple(_one_evidence(each) for each in items)


def _one_evidence(value: object) -> Evidence:
    if isinstance(value, str):
        return Evidence(0, 0, _whole(value, "evidence"))
    if not isinstance(value, dict):
        raise CandidateDamage("wrong-type", f"evidence is neither text nor object but {type(value).__name__}")
    turns, lines = _pair(value.get("turns")), _pair(value.get("lines"))
    known = {"excerpt"} | ({"turns"} if turns else set()) | ({"lines"} if lines else set())
    return Evidence(
        *(turns or (0, 0)),
        _text(value, "excerpt"),
        *(lines or (0, 0)),
        extra=FrozenMapping({k: v for k, v in value.items() if k not in known}),
    )


def _pair(value: object) -> tuple[int, int] | None:
    """`[first, last]`; anything else is somebody's own and kept as it is."""
    if isinstance(value, list) and len(value) == 2 and all(isinstance(n, int) and n >= 0 for n in value):
        return value[0], value[1]
    return None


def is_category(name: object) -> bool:
    """Whether candidates may stand in a list of this name."""
    return name in CATEGORIES


def as_category(name: str) -> Category:
    """`name` as a category, a kind's name (`lesson`) included.

    Raises:
        CandidateDamage: it is neither.
    """
    for category, kind in KIND_OF.items():
        if name in {category, kind}:
            return category
    raise CandidateDamage("wrong-type", f"{name!r:.40} is none of {', '.join(CATEGORIES)}")


def faults(candidate: Candidate) -> tuple[Fault, ...]:
    """What has to be mended before this candidate is staged or becomes a record; empty where nothing has to."""
    found: list[Fault] = []
    for name, text, most in (
        ("title", candidate.title, MAX_TITLE_CHARS),
        ("summary", candidate.summary, MAX_SUMMARY_CHARS),
        ("body", candidate.body, MAX_BODY_CHARS),
    ):
        if not text.strip():
            found.append(Fault(f"no-{name}", name, "says nothing"))
        elif len(text) > most:
            found.append(Fault(f"long-{name}", name, f"has {len(text):,} characters, at most {most:,} are kept"))
    if "\n" in candidate.title:
        found.append(Fault("title-of-lines", "title", "has more than one line"))
    if candidate.category == "lessons" and not any(map(str.strip, candidate.triggers)):
        found.append(Fault("no-triggers", "triggers", "nothing would bring this lesson to mind"))
    for name, values, most, longest in (
        ("triggers", candidate.triggers, MAX_TRIGGERS, MAX_TRIGGER_CHARS),
        ("tags", candidate.tags, MAX_TAGS, MAX_TAG_CHARS),
    ):
        if len(values) > most:
            found.append(Fault(f"many-{name}", name, f"{len(values)}, at most {most} are kept"))
        found += [
            Fault(f"bad-{name[:-1]}", name, f"{value!r:.60} has {len(value)} characters, 1 to {longest} are kept")
            for value in values
            if not value.strip() or len(value) > longest
        ]
    return tuple(found)


def repaired(candidate: Candidate) -> Candidate:
    """The same, with what needs no person mended.

    A title and a summary come from its words, a lesson's triggers are derived, empty and overlong triggers and tags are
    left out, overlong lists and titles cut. A body longer than `MAX_BODY_CHARS` is left: cutting it would lose words.
    """
    body = candidate.body.strip() or candidate.summary.strip() or candidate.title.strip()
    title = title_of(candidate.title.strip() or candidate.summary.strip() or body)
    summary = candidate.summary.strip() or summary_of(body)
    triggers = _kept(candidate.triggers, MAX_TRIGGERS, MAX_TRIGGER_CHARS)
    if candidate.category == "lessons" and not triggers:
        triggers = derived_triggers(f"{title}\n{body}") or (title[:MAX_TRIGGER_CHARS].strip(),)
    return replace(
        candidate,
        title=title,
        summary=cut(summary, MAX_SUMMARY_CHARS),
        body=body,
        triggers=triggers,
        tags=_kept(candidate.tags, MAX_TAGS, MAX_TAG_CHARS),
    )


def _kept(values: tuple[str, ...], most: int, longest: int) -> tuple[str, ...]:
    fit = (value.strip() for value in values)
    return tuple(dict.fromkeys(value for value in fit if value and len(value) <= longest))[:most]


def title_of(text: str) -> str:
    """A title from a text: its first sentence, on one line, at most 120 characters."""
    line = " ".join(_plain(text.strip().split("\n\n", 1)[0]).split())
    match = _SENTENCE.match(line)
    first = match.group(1) if match and len(match.group(1)) >= 12 else line
    return cut(first.rstrip(".。 "), MAX_TITLE_CHARS)


def summary_of(text: str) -> str:
    """A summary from a text: its first paragraph on one line, at most 400 characters."""
    return cut(" ".join(_plain(text.strip().split("\n\n", 1)[0]).split()), MAX_SUMMARY_CHARS)


def cut(text: str, most: int) -> str:
    """`text` in at most `most` characters, cut at a space where there is one, with an ellipsis."""
    if len(text) <= most:
        return text
    head = text[: most - 1]
    space = head.rfind(" ")
    return f"{head[:space] if space > most // 2 else head}…"


def _plain(text: str) -> str:
    return text.replace("**", "").replace("__", "").replace("`", "")


def derived_triggers(text: str) -> tuple[str, ...]:
    """Words that should bring a text to mind: its longest distinct ones, in their order; for one that names none.

    Words that stand in any text are left out, where others are long enough.
    """
    told = dict.fromkeys(term for term in tokens.terms(text) if not term.isdigit())
    distinct = [term for term in told if term[:-1] not in told]  # of "worker" and "workers" the first
    telling = [term for term in distinct if term not in IN_ANY_TEXT]
    long = [term for term in telling if len(term) >= _MIN_TRIGGER_CHARS or not term.isascii()]
    chosen = set(sorted(long or distinct, key=lambda term: -len(term))[:DERIVED_TRIGGERS])
    return tuple(term for term in distinct if term in chosen)


def said_digest(category: str, text: str) -> str:
    """16 hexadecimal digits of a category and the words of a text: case, marks and spaces do not count."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    words = " ".join(re.findall(r"\w+", folded))
    return hashlib.sha256(f"{category}\0{words or folded}".encode("utf-8", "surrogatepass")).hexdigest()[:16]


def key_of(session_id: str, digest: str) -> str:
    """The key of a candidate: 16 hexadecimal digits of its session and the digest of its words."""
    return hashlib.sha256(f"{session_id}\0{digest}".encode("utf-8", "surrogatepass")).hexdigest()[:16]
