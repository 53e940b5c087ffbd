"""Session readers: what was said on the current branch, everything else counted, nothing guessed."""

import json
import os
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memkit.errors import ImportSourceError
from memkit.importers.sessions.finding import find_session
from memkit.importers.sessions.lines import MAX_LINE_BYTES
from memkit.importers.sessions.reading import read_session
from memkit.model.session import SKIPPED
from tests.importers.made_sessions import FORMATS, NOISE, claude_code, codex, encoded, messages, pi, write

TURNS = [
    ("user", "Which queue?"),
    ("assistant", "PostgreSQL can do it.\n\nDecision: keep it."),
    ("user", "Ja, 日本語 äöü 🙂"),
    ("assistant", "Done."),
]


def said(session):
    return [(turn.role, turn.text) for turn in session.turns]


@pytest.mark.parametrize("noise", [True, False], ids=["with noise", "bare"])
@pytest.mark.parametrize("name", FORMATS)
def test_each_format_gives_what_was_said_and_nothing_else(tmp_path, name, noise):
    path = write(tmp_path / "s.jsonl", name, TURNS, noise=noise)
    session = read_session(path)
    assert session.format == name
    assert said(session) == TURNS
    assert [turn.number for turn in session.turns] == [1, 2, 3, 4]
    assert session.n_bytes == path.stat().st_size
    assert set(session.skipped) <= set(SKIPPED)
    if noise:
        assert session.skipped["tool-output"] >= 4
    lines = path.read_bytes().split(b"\n")
    for turn in session.turns:
        assert turn.text.split("\n")[0] in json.dumps(json.loads(lines[turn.first_line - 1]), ensure_ascii=False)
        assert path.read_bytes()[turn.offset :].startswith(lines[turn.first_line - 1])


TEXTS = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0<#"), min_size=1, max_size=60).filter(
    lambda text: text.strip() and ";base64," not in text
)


@pytest.mark.parametrize("name", FORMATS)
@settings(max_examples=25, deadline=None)
@given(turns=st.lists(st.tuples(st.sampled_from(("user", "assistant")), TEXTS), min_size=1, max_size=6))
def test_whatever_was_said_comes_back(tmp_path_factory, name, turns):
    path = write(tmp_path_factory.mktemp("any") / "s.jsonl", name, turns)
    assert said(read_session(path)) == turns


@pytest.mark.parametrize("name", FORMATS)
def test_a_session_cut_at_any_byte_of_its_last_line_gives_all_before_it(tmp_path, name):
    path = write(tmp_path / "s.jsonl", name, TURNS, noise=False)
    data = path.read_bytes()
    start = data.rstrip(b"\n").rfind(b"\n") + 1
    whole = read_session(path)
    for end in range(start, len(data) + 1):
        path.write_bytes(data[:end])
        session = read_session(path)
        complete = end >= len(data) - 1
        assert said(session) == TURNS[: 4 if complete else 3]
        assert session.skipped.get("torn-line", 0) == (0 if complete or end == start else 1)
        assert session.n_bytes == (end if complete else start)
    assert read_session(path).sha256 == whole.sha256


@pytest.mark.parametrize("name", FORMATS)
def test_damaged_lines_in_the_middle_cost_themselves(tmp_path, name):
    path = write(tmp_path / "s.jsonl", name, TURNS, noise=False)
    lines = path.read_bytes().split(b"\n")
    junk = [b"{junk", b"[1, 2]", b"\xff\xfe\x00", b"", b'{"a": ' + b"[" * 5000 + b"]" * 5000 + b"}"]
    path.write_bytes(b"\r\n".join([*lines[:-2], *junk, *lines[-2:]]))
    session = read_session(path)
    assert said(session) == TURNS
    assert session.skipped["damaged-line"] == 4


def test_a_line_that_is_too_long_is_passed_over(tmp_path):
    path = tmp_path / "s.jsonl"
    long = json.dumps({"role": "tool", "content": "x" * MAX_LINE_BYTES}).encode()
    path.write_bytes(encoded(messages(TURNS[:2])) + long + b"\n" + encoded(messages(TURNS[2:])))
    session = read_session(path)
    assert said(session) == TURNS
    assert session.skipped["long-line"] == 1
    assert session.n_bytes == path.stat().st_size


def test_a_long_session_is_never_in_memory_as_a_whole(tmp_path):
    path = tmp_path / "s.jsonl"
    block = encoded(claude_code([("user", "x" * 20_000)], noise=False))
    with path.open("wb") as file:
        parent = None
        for n in range(1500):
            made = json.loads(block.split(b"\n")[1]) | {"uuid": f"u{n}", "parentUuid": parent}
            parent = f"u{n}"
            file.write(json.dumps(made).encode() + b"\n")
    tracemalloc.start()
    session = read_session(path)
    n = sum(1 for _ in session.turns)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert n == 1500
    assert path.stat().st_size > 30_000_000
    assert peak < 6_000_000


# -- branches ---------------------------------------------------------------------------------------------------------


def _tree(name, links):
    """Lines (ref, parent, text) in a format of trees."""
    for ref, parent, text in links:
        if name == "pi":
            if ref == links[0][0]:
                yield {"type": "session", "version": 3, "id": "s", "cwd": "/x"}
            yield {"type": "message", "id": ref, "parentId": parent, "message": {"role": "user", "content": text}}
        else:
            yield {"type": "user", "uuid": ref, "parentUuid": parent, "sessionId": "s", "isSidechain": False,
                   "message": {"role": "user", "content": text}}  # fmt: skip


FORKED = [
    ("aaaa", None, "one"),
    ("bbbb", "aaaa", "two, taken back"),
    ("cccc", "bbbb", "three, taken back"),
    ("dddd", "aaaa", "two"),
    ("eeee", "dddd", "three"),
]
TREES = ("claude-code", "pi")


@pytest.fixture(params=TREES)
def forked(request, tmp_path):
    path = tmp_path / "s.jsonl"
    path.write_bytes(encoded(_tree(request.param, FORKED)))
    return path


def test_only_the_current_branch_is_read_and_the_other_one_counted(forked):
    session = read_session(forked)
    assert [turn.text for turn in session.turns] == ["one", "two", "three"]
    assert (session.branch, session.branches) == ("eeee", ("cccc", "eeee"))
    assert session.skipped["abandoned-branch"] == 2


@pytest.mark.parametrize(("branch", "texts"), [("cccc", 3), ("bbbb", 2), ("aaaa", 1), ("eeee", 3)])
def test_another_branch_can_be_asked_for(forked, branch, texts):
    session = read_session(forked, branch=branch)
    assert len(list(session.turns)) == texts
    assert session.branch == branch


def test_a_branch_that_does_not_exist_fails_and_says_which_there_are(forked):
    with pytest.raises(ImportSourceError) as caught:
        read_session(forked, branch="nowhere")
    assert caught.value.field == "branch"
    assert "cccc, eeee" in caught.value.remedy


@pytest.mark.parametrize("name", ["messages", "codex"])
def test_a_format_without_branches_says_so(tmp_path, name):
    path = write(tmp_path / "s.jsonl", name, TURNS)
    with pytest.raises(ImportSourceError, match="has no branches"):
        read_session(path, branch="x")


@pytest.mark.parametrize("name", TREES)
def test_links_that_lead_nowhere_or_in_a_circle_do_no_harm(tmp_path, name):
    path = tmp_path / "s.jsonl"
    path.write_bytes(encoded(_tree(name, [("aaaa", "gone", "one"), ("bbbb", "aaaa", "two")])))
    assert [turn.text for turn in read_session(path).turns] == ["one", "two"]
    path.write_bytes(encoded(_tree(name, [("aaaa", "bbbb", "one"), ("bbbb", "aaaa", "two")])))
    assert [turn.text for turn in read_session(path).turns] == ["one", "two"]
    path.write_bytes(encoded(_tree(name, [("bbbb", "aaaa", "two"), ("aaaa", None, "one"), ("cccc", "bbbb", "three")])))
    assert [turn.text for turn in read_session(path).turns] == ["one", "two", "three"]


def test_a_compaction_does_not_cut_a_branch(tmp_path):
    lines = list(_tree("claude-code", [("aaaa", None, "one"), ("bbbb", "aaaa", "two")]))
    lines.append({"type": "system", "subtype": "compact_boundary", "uuid": "cccc", "parentUuid": None,
                  "logicalParentUuid": "bbbb", "isSidechain": False, "content": NOISE})  # fmt: skip
    lines.append({"type": "user", "uuid": "dddd", "parentUuid": "cccc", "isCompactSummary": True, "isSidechain": False,
                  "message": {"role": "user", "content": NOISE}})  # fmt: skip
    lines += _tree("claude-code", [("eeee", "dddd", "three")])
    path = tmp_path / "s.jsonl"
    for logical in ("bbbb", None):
        lines[2]["logicalParentUuid"] = logical
        path.write_bytes(encoded(lines))
        session = read_session(path)
        assert [turn.text for turn in session.turns] == ["one", "two", "three"]
        assert session.skipped["summary"] == 1


def test_pi_sessions_without_ids_are_read_in_order(tmp_path):
    path = tmp_path / "s.jsonl"
    lines = [
        {k: v for k, v in line.items() if k not in {"id", "parentId"} or line["type"] == "session"}
        for line in pi(TURNS)
    ]
    path.write_bytes(encoded(lines))
    assert said(read_session(path)) == TURNS


def test_codex_takes_turns_back_and_counts_events_only_where_there_are_no_items(tmp_path):
    path = tmp_path / "s.jsonl"
    lines = list(codex(TURNS))
    back = {"type": "event_msg", "payload": {"type": "thread_rolled_back", "num_turns": 1}}
    path.write_bytes(encoded([*lines, back, *list(codex([("user", "Instead")]))[3:]]))
    session = read_session(path)
    assert said(session) == [*TURNS[:2], ("user", "Instead")]
    assert session.skipped["abandoned-branch"] >= 2
    path.write_bytes(encoded(line for line in lines if line["type"] != "response_item"))
    assert said(read_session(path)) == TURNS


def test_a_first_rollout_is_read(tmp_path):
    path = tmp_path / "s.jsonl"
    items = [
        {"type": "message", "role": role, "content": [{"type": "input_text", "text": text}]} for role, text in TURNS
    ]
    path.write_bytes(encoded([{"id": "old", "timestamp": "2026-01-01T00:00:00Z", "instructions": None}, *items]))
    session = read_session(path)
    assert (session.id, said(session)) == ("old", TURNS)


def test_how_much_was_read_before_follows_the_branch(tmp_path):
    path = tmp_path / "s.jsonl"
    path.write_bytes(encoded(_tree("pi", FORKED)))
    session = read_session(path)
    assert session.turns.shared_with(["cccc"], 0) == 1
    assert session.turns.shared_with(["dddd"], 0) == 2
    assert session.turns.shared_with(["cccc", "eeee"], 0) == 3
    assert session.turns.shared_with(["gone"], 10**9) == 0
    path = write(tmp_path / "m.jsonl", "messages", TURNS)
    session = read_session(path)
    third = [turn.offset for turn in session.turns][2]
    assert session.turns.shared_with([], third) == 2


# -- what tools put into messages -------------------------------------------------------------------------------------

INJECTED = {
    "a reminder": ("<system-reminder>Decision: no</system-reminder>\nKeep it.", "Keep it."),
    "only injected": ("<environment_context>\n<cwd>/x</cwd>\n</environment_context>", None),
    "an agents file": ("# AGENTS.md instructions for /x\n\nDecision: no", None),
    "a command's output": ("<local-command-stdout>Decision: no</local-command-stdout>", None),
    "never closed": ("Keep it.\n<bash-stdout>Decision: no", "Keep it."),
    "an image in the text": ("Look: data:image/png;base64," + "A" * 100 + " nice", "Look:  nice"),
    "NUL": ("Decision: \0 no", None),
    "other tags stay": ("Use <b>bold</b>.", "Use <b>bold</b>."),
    "a heading stays": ("# Notes\n\nKeep it.", "# Notes\n\nKeep it."),
}


@pytest.mark.parametrize(("text", "left"), INJECTED.values(), ids=INJECTED.keys())
def test_what_a_tool_put_into_a_message_is_taken_out(tmp_path, text, left):
    path = write(tmp_path / "s.jsonl", "messages", [("user", "First."), ("user", text)], noise=False)
    assert [turn.text.strip() for turn in read_session(path).turns][1:] == ([left] if left else [])


def test_half_a_character_becomes_a_whole_one(tmp_path):
    path = tmp_path / "s.jsonl"
    path.write_bytes(b'{"role": "user", "content": "cut \\ud83d here"}\n')
    assert said(read_session(path)) == [("user", "cut \ufffd here")]


def test_content_of_strange_shapes_is_counted_not_guessed(tmp_path):
    contents = [
        None,
        5,
        {},
        [],
        [None, 3],
        [{"type": "novelty", "text": "x"}],
        {"type": "text", "text": 7},
        [[[[[["deep"]]]]]],
    ]
    path = tmp_path / "s.jsonl"
    path.write_bytes(
        encoded([{"role": "user", "content": each} for each in contents] + [{"role": "poet", "content": "x"}])
    )
    session = read_session(path)
    assert said(session) == []
    assert sum(session.skipped.values()) >= len(contents)


# -- notes ------------------------------------------------------------------------------------------------------------


def test_a_note_is_a_turn_for_each_section_and_a_fence_is_no_heading(tmp_path):
    path = tmp_path / "notes.md"
    path.write_text("---\ntitle: x\n---\nBefore.\n\n# One\ntext\n```sh\n# no heading\n```\n\n## Two\n- a\n- b", "utf-8")
    session = read_session(path)
    assert session.format == "notes"
    assert [turn.text.strip() for turn in session.turns] == [
        "Before.", "# One\ntext\n```sh\n# no heading\n```", "## Two\n- a\n- b",
    ]  # fmt: skip
    assert [(turn.first_line, turn.last_line) for turn in session.turns] == [(4, 4), (6, 10), (12, 14)]
    assert {turn.role for turn in session.turns} == {"note"}
    assert session.n_bytes == path.stat().st_size


def test_a_long_section_is_cut_at_an_empty_line(tmp_path):
    path = tmp_path / "notes.md"
    path.write_text("# Long\n" + "word " * 40_000 + "\n\nMore.\n", "utf-8")
    assert [len(turn.text) > 100 for turn in read_session(path).turns] == [True, False]


def test_notes_of_the_same_name_are_different_sessions(tmp_path):
    ids = set()
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        path = tmp_path / folder / "notes.md"
        path.write_text("# x\n", "utf-8")
        ids.add(read_session(path).id)
    assert len(ids) == 2


# -- what is no session -----------------------------------------------------------------------------------------------

UNKNOWN = {
    "other JSON lines": (b'{"id": 1, "value": 2}\n' * 3, "known shape"),
    "a list": (b"[1, 2, 3]\n", "known shape"),
    "text": (b"just words\nand more\n", "known shape"),
    "binary": (bytes(range(256)) * 10, "known shape"),
    "only damage": (b"{junk\n" * 60, "known shape"),
    "blank": (b"\n\n  \n", "known shape"),
    "empty": (b"", "empty"),
}


@pytest.mark.parametrize(("data", "words"), UNKNOWN.values(), ids=UNKNOWN.keys())
def test_a_file_of_an_unknown_shape_is_an_error_that_names_the_known_ones(tmp_path, data, words):
    path = tmp_path / "s.jsonl"
    path.write_bytes(data)
    with pytest.raises(ImportSourceError, match=words) as caught:
        read_session(path)
    assert caught.value.file == str(path)
    if words == "known shape":
        assert all(
            word in caught.value.remedy
            for word in ("Claude Code", "pi sessions", "Codex", "role and content", "Markdown")
        )


def test_binary_in_a_file_of_notes_is_no_note(tmp_path):
    path = tmp_path / "notes.md"
    path.write_bytes(b"\x00\x01\x02\n")
    with pytest.raises(ImportSourceError, match="known shape"):
        read_session(path)


def test_what_is_not_there_or_not_a_file_is_an_error(tmp_path):
    with pytest.raises(ImportSourceError, match="does not exist"):
        read_session(tmp_path / "gone.jsonl")
    os.mkfifo(tmp_path / "pipe.jsonl")
    for path in (tmp_path, tmp_path / "pipe.jsonl"):
        with pytest.raises(ImportSourceError, match="not a regular file"):
            read_session(path)


def test_a_file_that_is_cut_between_looking_and_reading_is_an_error(tmp_path):
    path = write(tmp_path / "s.jsonl", "messages", TURNS)
    session = read_session(path)
    path.write_bytes(b"")
    with pytest.raises(ImportSourceError, match="while it was read"):
        list(session.turns)


# -- finding ----------------------------------------------------------------------------------------------------------

ID = "0199f2c4-7d10-7a52-9e61-3c0b8d5f2a17"


@pytest.fixture
def folders(tmp_path):
    made = [tmp_path / "claude", tmp_path / "codex", tmp_path / "missing"]
    (made[0] / "-home-me-app").mkdir(parents=True)
    (made[1] / "2026" / "11" / "28").mkdir(parents=True)
    write(made[0] / "-home-me-app" / f"{ID}.jsonl", "claude-code", TURNS)
    write(made[0] / "-home-me-app" / "agent-9.jsonl", "claude-code", TURNS)
    write(made[1] / "2026" / "11" / "28" / "rollout-2026-11-28T09-42-07-0199aaaa-1.jsonl", "codex", TURNS)
    write(made[1] / "2026" / "11" / "28" / "rollout-2026-11-28T10-00-00-0199bbbb-2.jsonl", "codex", TURNS, cwd="/other")
    (made[1] / "notes.jsonl").write_bytes(b"{}\n")
    for n, path in enumerate(sorted(made[1].rglob("*.jsonl")) + sorted(made[0].rglob("*.jsonl"))):
        os.utime(path, ns=(n * 10**9, n * 10**9))
    return made


@pytest.mark.parametrize(
    ("wanted", "name"),
    [
        (ID, f"{ID}.jsonl"),
        (ID[:13], f"{ID}.jsonl"),
        ("0199aaaa-1", "rollout-2026-11-28T09-42-07-0199aaaa-1.jsonl"),
        ("0199bbbb", "rollout-2026-11-28T10-00-00-0199bbbb-2.jsonl"),
    ],
    ids=["whole", "beginning", "rollout", "beginning of a rollout's"],
)
def test_a_session_is_found_by_its_id(folders, wanted, name):
    assert find_session(wanted, folders=folders, project_path="/home/me/app").name == name


def test_a_path_is_itself(folders):
    path = next(folders[0].rglob("agent-9.jsonl"))
    assert find_session(str(path), folders=[], project_path="/x") == path


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ("nobody", "no session is called"),
        ("./gone", "does not exist"),
        ("gone.jsonl", "does not exist"),
        ("rollout-2026-11-28", "2 sessions are called"),
        ("a\0b", "no session is called"),
        ("x" * 5000, "longer than the system allows"),
    ],
    ids=["id", "path", "file", "ambiguous", "NUL", "long"],
)
def test_what_is_not_there_fails_clearly(folders, wanted, words):
    with pytest.raises(ImportSourceError, match=words):
        find_session(wanted, folders=folders, project_path="/home/me/app")


def test_a_folder_is_no_session(folders):
    with pytest.raises(ImportSourceError, match="is a folder"):
        find_session(str(folders[0]), folders=folders, project_path="/x")


def test_the_latest_is_the_last_one_of_this_project(folders):
    def latest(project):
        return find_session("latest", folders=folders, project_path=project).name

    assert latest("/home/me/app") == f"{ID}.jsonl"
    assert latest("/home/me") == f"{ID}.jsonl"
    assert latest("/other") == "rollout-2026-11-28T10-00-00-0199bbbb-2.jsonl"
    with pytest.raises(ImportSourceError, match="none of 5 session files is about /elsewhere"):
        latest("/elsewhere")
