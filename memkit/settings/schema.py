"""What can be set: one frozen model per table, with its defaults and bounds. Unknown keys are refused everywhere."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, cast

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, PlainValidator, model_validator

from memkit.settings.environment import Environment

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)
_PATTERN_NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?", re.ASCII)


def _tuple_of_list(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _spoken_name(text: str) -> str:
    if not text.strip() or len(text) > 64 or not text.isprintable():
        raise ValueError("a name has 1 to 64 printable characters")
    return text


def _storage_path(text: str) -> str:
    if "\0" in text:
        raise ValueError("a path has no NUL character")
    if text == "~" or text.startswith("~/") or os.path.isabs(text):  # noqa: PTH117 - a text, kept as it is written
        return text
    raise ValueError("the path starts with / or ~/")


def _facts_path(text: str) -> str:
    return _storage_path(text) if text else text


def _model_name(text: str) -> str:
    if text and (len(text) > 200 or not text.isprintable() or text != text.strip()):
        raise ValueError("a model's name has at most 200 printable characters")
    return text


def _project_key(text: str) -> str:
    if not os.path.isabs(text):  # noqa: PTH117
        raise ValueError("a project is named by its absolute path")
    return text


def _pattern_name(text: str) -> str:
    if not _PATTERN_NAME.fullmatch(text):
        raise ValueError("the name of a pattern is 1 to 64 of a-z, 0-9 and -, with no - at its ends")
    return text


def _pattern(text: str) -> str:
    import regex

    try:
        empty = regex.compile(text).search("")
    except (regex.error, OverflowError, RecursionError) as error:
        raise ValueError(f"not a regular expression: {error}") from error
    if empty:
        raise ValueError("a pattern that matches the empty text would mask everything")
    return text


MOST = 10_000_000
Limit = int | Literal["none"]


def _limit(value: Any) -> Limit:
    if isinstance(value, str) and value.isascii() and value.isdigit():  # a variable is text
        value = int(value)
    if value == "none" or (isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST):
        return cast("Limit", value)
    raise ValueError('a limit is a whole number from 0, or "none"')


Names = Annotated[tuple[Annotated[str, AfterValidator(_spoken_name)], ...], BeforeValidator(_tuple_of_list)]
StoragePath = Annotated[str, AfterValidator(_storage_path)]
FactsPath = Annotated[str, AfterValidator(_facts_path)]
ProjectKey = Annotated[str, AfterValidator(_project_key)]
PatternName = Annotated[str, AfterValidator(_pattern_name)]
Pattern = Annotated[str, AfterValidator(_pattern)]
LimitValue = Annotated[Limit, PlainValidator(_limit)]
OwnName = Annotated[str, AfterValidator(_spoken_name)]
ModelName = Annotated[str, AfterValidator(_model_name)]
Weight = Annotated[float, Field(ge=0, le=1000)]


class Table(BaseModel):
    """Base of every table: frozen, closed, finite numbers."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class MemorySettings(Table):
    """Whether memory is on, where it lies, how far it looks. Personal: a project's file cannot set it."""

    enabled: bool = Field(
        default=False, description="Whether memory is on; `memkit enable` says so for one project at a time."
    )
    storage_path: StoragePath = Field(
        default="~/.consensus/memory", description="The folder that holds one folder per project."
    )
    across_projects: bool = Field(
        default=False, description="Whether recall also searches your other enabled projects unless told otherwise."
    )


class FieldWeights(Table):
    """How much a match in each field counts."""

    question: Weight = Field(default=2.0, description="Weight of the question.")
    conclusion: Weight = Field(default=2.0, description="Weight of the conclusion.")
    synthesis: Weight = Field(default=1.0, description="Weight of the prose.")
    tags: Weight = Field(default=1.5, description="Weight of the tags.")

    @model_validator(mode="after")
    def _some_weight(self) -> FieldWeights:
        if not any((self.question, self.conclusion, self.synthesis, self.tags)):
            raise ValueError("at least one field has a weight above 0")
        return self


Stemming = Literal[
    "none", "arabic", "armenian", "basque", "catalan", "danish", "dutch", "english", "finnish", "french", "german",
    "greek", "hindi", "hungarian", "indonesian", "irish", "italian", "lithuanian", "nepali", "norwegian", "porter",
    "portuguese", "romanian", "russian", "serbian", "spanish", "swedish", "tamil", "turkish", "yiddish",
]  # fmt: skip
"""Languages whose words can be cut down to stems, by Snowball's names."""


class RecallSettings(Table):
    """How recall ranks."""

    limit: int = Field(default=20, ge=1, le=1000, description="Hits returned unless a call says otherwise.")
    k1: float = Field(default=1.2, ge=0, le=100, description="How slowly repeated words saturate (BM25F).")
    b: float = Field(default=0.75, ge=0, le=1, description="How strongly long fields are discounted (BM25F).")
    stemming: Stemming = Field(
        default="none", description="Language whose forms of a word count as that word (extra `stemming`)."
    )
    weights: FieldWeights = Field(default=FieldWeights(), description="Weight of each field.")


class ScrubSettings(Table):
    """What is masked before anything is written. It is no security boundary."""

    enabled: bool = Field(
        default=True, description="Whether secrets are masked. Personal: a project's file cannot set it."
    )
    extra: Mapping[PatternName, Pattern] = Field(
        default={}, description="Further patterns by name, as regular expressions; layers add up."
    )
    exclude: Names = Field(default=(), description="Kinds of secrets to leave alone, by name.")


class DecisionSettings(Table):
    """What counts as a decision."""

    panels: Names = Field(
        default=("adr", "consensus", "decision", "llm-council"), description="Panels whose entries are decisions."
    )


class TripwireSettings(Table):
    """What tripwires are judged by unless a call says otherwise."""

    facts: FactsPath = Field(
        default="", description="A CSV or Parquet file of facts. Personal: a project's file cannot set it."
    )
    metrics: Mapping[str, str] = Field(
        default={}, description="Names of metrics in conditions and what the facts call them; layers add up."
    )


class McpSettings(Table):
    """What agents are given over MCP."""

    max_bytes: int = Field(
        default=100_000, ge=10_000, le=10_000_000, description="Bytes of one answer to an agent; what is cut is said."
    )


class LimitSettings(Table):
    """Limits of one panel or tag; what is left out is that of the panel, or the general one."""

    max_results: LimitValue | None = Field(default=None, description="Entries of it that are kept.")
    max_age_days: LimitValue | None = Field(default=None, description="Days an entry of it is kept.")


class RetentionSettings(Table):
    """What may be forgotten, and when."""

    enabled: bool = Field(default=True, description="Whether anything is ever pruned; false keeps everything.")
    max_results: LimitValue = Field(default=1000, description='Entries kept, the newest; `"none"` for any number.')
    max_age_days: LimitValue = Field(
        default=365, description='Days an entry is kept after it was stored; `"none"` for ever.'
    )
    trash_days: int = Field(
        default=30, ge=0, le=MOST, description="Days in the trash before `retention apply` may erase."
    )
    legal_hold: bool = Field(default=False, description="Whether everything must stay, whatever else is said.")
    panels: Mapping[OwnName, LimitSettings] = Field(
        default={}, description="`max_results` and `max_age_days` of single panels; layers add up."
    )
    tags: Mapping[OwnName, LimitSettings] = Field(
        default={}, description="`max_results` and `max_age_days` of single tags; layers add up."
    )


class SessionSettings(Table):
    """Where sessions lie that candidates are extracted from. Personal: a project's file cannot set it."""

    folders: Annotated[tuple[StoragePath, ...], BeforeValidator(_tuple_of_list)] = Field(
        default=("~/.claude/projects", "~/.pi/agent/sessions", "~/.codex/sessions"),
        description="Folders in which a session's id, or `latest`, is looked for.",
    )


class ConsolidationSettings(Table):
    """How sessions become records."""

    model: ModelName = Field(
        default="",
        description="A model that looks for candidates as well, as pydantic-ai names it. Personal: it is sent what was "
        "said; a project's file cannot set it.",
    )
    firings: bool = Field(
        default=True,
        description="Whether it is counted which entries and records are recalled and read; never the words asked.",
    )


class AuditSettings(Table):
    """What becomes of the audit log."""

    keep_days: int = Field(
        default=0, ge=0, le=36_500, description="Days of audit log that `audit compact` keeps; 0 keeps all."
    )


class LockSettings(Table):
    """How patient memkit is with other writers."""

    wait_seconds: float = Field(
        default=10.0, ge=0, le=3600, description="Seconds to wait for another process to let go of a lock."
    )


class ProjectConsent(Table):
    """What the user said about one project."""

    enabled: bool = Field(description="Whether memory is on for this project.")


class Settings(Table):
    """All settings in force."""

    memory: MemorySettings = MemorySettings()
    recall: RecallSettings = RecallSettings()
    scrub: ScrubSettings = ScrubSettings()
    decisions: DecisionSettings = DecisionSettings()
    tripwires: TripwireSettings = TripwireSettings()
    retention: RetentionSettings = RetentionSettings()
    sessions: SessionSettings = SessionSettings()
    consolidation: ConsolidationSettings = ConsolidationSettings()
    audit: AuditSettings = AuditSettings()
    locks: LockSettings = LockSettings()
    mcp: McpSettings = McpSettings()
    projects: Mapping[ProjectKey, ProjectConsent] = Field(
        default={}, description="Consent by project; in the user's own file only, written by `memkit enable`."
    )


def storage_root(settings: Settings, environment: Environment) -> Path:
    """The store's root folder: `memory.storage_path` with `~` put in place."""
    text = settings.memory.storage_path
    return environment.home / text[2:] if text == "~" or text.startswith("~/") else Path(text)


def facts_file(settings: Settings, environment: Environment) -> Path | None:
    """The file of `tripwires.facts` with `~` put in place, or None."""
    text = settings.tripwires.facts
    if not text:
        return None
    return environment.home / text[2:] if text.startswith("~/") else Path(text)


def session_folders(settings: Settings, environment: Environment) -> tuple[Path, ...]:
    """The folders of `sessions.folders` with `~` put in place."""
    return tuple(
        environment.home / text[2:] if text == "~" or text.startswith("~/") else Path(text)
        for text in settings.sessions.folders
    )


def dotted(*parts: str) -> str:
    """A key as TOML writes it, with quotes where a part needs them: `projects."/home/me/app".enabled`."""
    import json

    return ".".join(part if _BARE_KEY.fullmatch(part) else json.dumps(part, ensure_ascii=False) for part in parts)


def leaves(table: BaseModel | Mapping[str, Any], *above: str) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every value as (parts of its key, value). An empty table of free keys is one value, `{}`."""
    items = table.items() if isinstance(table, Mapping) else ((n, getattr(table, n)) for n in type(table).model_fields)
    for name, value in items:
        if isinstance(value, BaseModel) or (isinstance(value, Mapping) and value):
            yield from leaves(value, *above, name)
        else:
            yield (*above, name), value
