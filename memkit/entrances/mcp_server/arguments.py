"""What an agent may say to each tool. Unknown names are errors, and a text that looks like a number is none."""

from __future__ import annotations

from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from memkit.errors import InvalidInputError

MAX_QUERY = 10_000  # characters; 64 distinct terms of them count
MAX_LIMIT = 200
MAX_OFFSET = 799  # with the limit and one more, what one question can rank

Query = Annotated[str, Field(min_length=1, max_length=MAX_QUERY)]
Limit = Annotated[int, Field(ge=1, le=MAX_LIMIT, description=f"How many at most, 1 to {MAX_LIMIT}.")]
Days = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Tag = Annotated[str, Field(min_length=1, max_length=64)]
T = TypeVar("T", bound="Arguments")


class Arguments(BaseModel):
    """Arguments of a tool."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Recall(Arguments):
    """Arguments of `consensus_recall`."""

    query: Annotated[
        Query,
        Field(description=f"Words of the question, at most {MAX_QUERY:,} characters; whole words match, in any order."),
    ]
    limit: Limit = 20
    offset: Annotated[
        int,
        Field(
            ge=0, le=MAX_OFFSET, description=f"Skip so many hits, at most {MAX_OFFSET}: the `next_offset` of before."
        ),
    ] = 0
    min_score: Annotated[float, Field(ge=0, allow_inf_nan=False, description="Leave out hits below this score.")] = 0.0
    panel: Annotated[str | None, Field(max_length=1000, description="Only results of this panel.")] = None
    any_tag: Annotated[list[Tag], Field(max_length=32, description="Only results with one of these tags.")] = []
    all_tags: Annotated[list[Tag], Field(max_length=32, description="Only results with all of these tags.")] = []
    since_days: Annotated[Days | None, Field(description="Only results stored in the last so many days.")] = None
    include_superseded: Annotated[bool, Field(description="Also what was replaced, behind what replaced it.")] = False
    fuzzy: Annotated[bool, Field(description="Also words that begin alike or differ by one letter.")] = False
    across_projects: Annotated[
        bool, Field(description="Also the user's other projects; refused unless the user's settings allow it.")
    ] = False


class Summary(Arguments):
    """Arguments of `consensus_project_summary`: none."""


class Decided(Arguments):
    """Arguments of `consensus_what_we_decided`."""

    topic: Annotated[Query, Field(description=f"Words of the topic, at most {MAX_QUERY:,} characters.")]
    since_days: Annotated[Days | None, Field(description="Only decisions made in the last so many days.")] = None
    limit: Limit = 10


class Record(Arguments):
    """Arguments of `consensus_record_result`."""

    question: Annotated[str, Field(min_length=1, max_length=100_000, description="What was asked.")]
    result: Annotated[
        dict[str, Any],
        Field(
            description="The panel's result: any JSON object. Read where present: conclusion, synthesis, decidedOn, "
            "tripwireConditions, finalScore, minorityPositions."
        ),
    ]
    panel_id: Annotated[str, Field(min_length=1, max_length=1000, description="The panel that produced it.")] = (
        "consensus"
    )
    tags: Annotated[list[Tag], Field(max_length=32, description="At most 32 of at most 64 characters.")] = []
    consensus_store: Annotated[
        bool, Field(description="Must be true for anything to be stored; set it only where the user asked for that.")
    ] = False


def parse(kind: type[T], raw: dict[str, Any] | None) -> T:
    """`raw` as arguments of this kind.

    Raises:
        InvalidInputError: names each argument that is unknown, missing or wrong, without repeating its value.
    """
    try:
        return kind.model_validate(raw or {})
    except ValidationError as error:
        found = [(".".join(str(part) for part in item["loc"]), item) for item in error.errors(include_input=False)]
        (field, first), *others = found[:8]
        also = "".join(f"; {name or 'arguments'}: {_said(item['type'], item['msg'])}" for name, item in others)
        raise InvalidInputError(
            f"{_said(first['type'], first['msg'])}{also}",
            field=field or "arguments",
            remedy=f"Arguments: {', '.join(kind.model_fields) or 'none'}.",
        ) from None


def _said(kind: str, message: str) -> str:
    return {"extra_forbidden": "no such argument", "missing": "is missing"}.get(kind, message[:1].lower() + message[1:])
