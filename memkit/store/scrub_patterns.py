"""The table of shapes: `scrub_patterns.toml` read into frozen kinds.

The table ships with memkit and is data: a kind is added there, not in code. `shipped_patterns()` reads it; what the
fields mean is written at its top and in docs/reference/scrubbing.md.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Literal

Family = Literal["password", "secret"]
DEFAULT_TAIL = "A-Za-z0-9_.-"


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of secret.

    Attributes:
        name: What stands in the mark `[scrubbed:name]`.
        what: The secret, in words.
        pattern: Regular expression of it, starting at a literal; a group `secret` narrows what is masked.
        literals: Exact spellings at which the pattern is tried.
        keywords: The same, whatever the case.
        gates: Words of which one has to be in a text before its keywords are looked for; empty for the keywords.
        reads: `shape` for a pattern alone, `value` for a name and the value after it, `block` for two edges, `body` for
            the base64 that follows.
        family: For `value`: how easily the value counts as secret.
        glued: Whether a letter or digit may stand directly before the literal.
        short: Whether a match may have fewer than 16 characters or hold a space.
        lead: Regular expression of what stands right before the literal.
        after: Words of which one has to stand right before a name; empty where none has to.
        tail: Character class of what else belongs to the value; empty for none.
        check: Name of the test the match has to pass; empty for none.
    """

    name: str
    what: str
    pattern: str
    literals: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    gates: tuple[str, ...] = ()
    reads: Literal["shape", "value", "block", "body"] = "shape"
    family: Family = "secret"
    glued: bool = False
    short: bool = False
    lead: str = ""
    after: tuple[str, ...] = ()
    tail: str = DEFAULT_TAIL
    check: str = ""


@dataclass(frozen=True, slots=True)
class Patterns:
    """The whole table.

    Attributes:
        kinds: In order of precedence.
        separator: Regular expression of what ties a name to its value.
        placeholders: Values that are no secret.
        sentence_words: Words that make several words in quotes a sentence rather than a passphrase.
        benign_names: Last parts of names whose values are no secret.
        asking_names: First parts of names that ask or count.
        listing_names: What may stand before the token of a listing.
    """

    kinds: tuple[Kind, ...]
    separator: str
    placeholders: frozenset[str]
    sentence_words: frozenset[str]
    benign_names: frozenset[str]
    asking_names: frozenset[str]
    listing_names: frozenset[str]


def shipped_patterns() -> Patterns:
    """The table that ships with memkit."""
    raw = tomllib.loads(files("memkit.store").joinpath("scrub_patterns.toml").read_text(encoding="utf-8"))
    return Patterns(
        kinds=tuple(_kind(item) for item in raw["kind"]),
        separator=raw["separator"],
        placeholders=_words(raw["placeholders"]),
        sentence_words=_words(raw["sentence_words"]),
        benign_names=_words(raw["benign_names"]),
        asking_names=_words(raw["asking_names"]),
        listing_names=_words(raw["listing_names"]),
    )


def _kind(item: dict[str, Any]) -> Kind:
    fields: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in item.items()}
    return Kind(**fields)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.lower().split())
