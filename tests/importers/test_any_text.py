"""Whatever a file holds, it becomes a draft with a fate; nothing raises, and everything ready can be stored."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memkit.importers.adr import document as adr
from memkit.importers.draft import Draft
from memkit.model import jsontext
from memkit.model.entry import require_question, require_tags
from memkit.model.links import Identity, Link, resolve
from tests.importers.imports import drafts_of

PIECES = st.sampled_from(
    [
        "---\n", "# ", "## Status\n", "## Decision\n", "Status: ", "Date: ", "**Status:** ", "Accepted", "Superseded by ", "Supersedes ",
        "[ADR 3](0003-a.md)", "ADR-0004", "2024-03-05", "05/02/2018", "|", "\n| Status | Accepted |\n|---|---|\n", "```\n", "<!--", "-->",
        "\n\n", "\r\n", "- ", "> ", "{", "}", "[", "]", "(", ")", "None", "決定", "状态", "~~", "\ufeff", "...", "===\n", "tags: [a]\n",
        "title: |\n  x\n", "## ADR-1: x\n", "## ADR-2: y\n", "\u2028", "\x0b", "é", "😀",
    ]
)  # fmt: skip
TEXTS = st.lists(PIECES | st.text(max_size=8), max_size=40).map("".join)
COMMON = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def check(drafts):
    assert drafts
    for draft in drafts:
        assert draft.fate in ("ready", "skipped", "rejected")
        if draft.fate == "ready":
            require_question(draft.question)
            require_tags(draft.tags)
            jsontext.dumps(jsontext.require_json(dict(draft.result), "result"))
        else:
            assert draft.reason


@COMMON
@given(TEXTS)
def test_any_text_becomes_drafts(text):
    items = adr.read("docs/adr/0001-x.md", text.encode("utf-8", "surrogatepass"))
    check([item if isinstance(item, Draft) else adr.draft(item) for item in items])


@COMMON
@given(st.binary(max_size=200))
def test_any_bytes_become_drafts(data):
    items = adr.read("docs/adr/0001-x.md", data)
    check([item if isinstance(item, Draft) else adr.draft(item) for item in items])


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["question", "rounds", "synthesis", "responses", "id", "result", "content", "confidence", "tags", "panelId"]) | st.text(max_size=4), inner, max_size=5),
    max_leaves=20,
)  # fmt: skip


@COMMON
@given(st.lists(VALUES, max_size=4), st.sampled_from(["a.json", "a.jsonl"]))
def test_any_json_becomes_drafts(values, path):
    import json

    if path == "a.json":
        data = json.dumps(values[0] if values else {}).encode()
        if data == b"[]":
            return
    else:
        data = "\n".join(json.dumps(value) for value in values).encode()
    check(drafts_of("consensus", path, data))


@COMMON
@given(st.lists(st.tuples(st.sampled_from("abc"), TEXTS), max_size=5), st.lists(TEXTS, min_size=3, max_size=3))
def test_every_link_ends_up_in_exactly_one_place(links, names):
    rows = [
        Identity(entry, f"docs/{name[:20]}.md", name[:9], name[:5], name[:3], name)
        for entry, name in zip("abc", names, strict=True)
    ]
    found = resolve([Link(entry, "supersedes", text) for entry, text in links], rows)
    unsettled = len(found.ambiguous) + len(found.dangling) + len(found.own)
    assert unsettled <= len(links)
    assert len(found.edges) <= len(links) - unsettled
    assert bool(found.edges) == (unsettled < len(links))
