import datetime as dt
import json
import re
import threading

import anyio
import pytest

pytest.importorskip("mcp", reason="needs the package mcp: pip install 'memkit[mcp]'")

import memkit
from memkit.clock import UTC
from memkit.entrances.mcp_server import answers, arguments
from memkit.entrances.mcp_server.tools import TOOLS
from tests.entrances.mcp_calls import call, names, place_in, with_client

TOOL_NAMES = ["consensus_recall", "consensus_project_summary", "consensus_what_we_decided", "consensus_record_result"]
DECISION = {
    "conclusion": "Keep PostgreSQL LISTEN/NOTIFY as the queue.",
    "finalScore": 81,
    "tripwires": ["p99 latency exceeds 200ms for 1h", "revisit by 2026-01-01"],
}


@pytest.fixture
def place(tmp_path):
    return place_in(tmp_path)


@pytest.fixture
def on(place):
    place.enable()
    return place


@pytest.fixture
def full(on):
    with on.open() as memory:
        memory.store(
            question="Which queue do we use?",
            result=DECISION,
            tags=["queue"],
            stored_at=dt.datetime.now(UTC) - dt.timedelta(days=76),
        )
        memory.store(question="Which cache?", result={"conclusion": "Redis, in front of the queue."})
    return on


# -- consent -----------------------------------------------------------------------------------------------------


def test_no_tool_is_listed_while_memory_is_off_and_the_instructions_say_how_to_switch_it_on(place):
    async def talk(client):
        return client.instructions, (await client.list_tools()).tools

    instructions, listed = with_client(place, talk)
    assert listed == []
    assert "memkit enable" in instructions
    assert "memory is off" in call(place, "consensus_recall", query="queue")
    assert not (place.home / ".consensus").exists()


def test_the_four_tools_are_listed_once_memory_is_on_and_none_that_looks_after_the_store(on):
    assert names(on) == TOOL_NAMES


def test_consent_is_asked_at_every_call(on):
    async def talk(client):
        before = [tool.name for tool in (await client.list_tools()).tools]
        memkit.disable(on.project, environment=on.environment)
        answer = await client.call_tool("consensus_recall", {"query": "queue"})
        after = (await client.list_tools(cache_mode="bypass")).tools
        memkit.enable(on.project, environment=on.environment)
        again = await client.call_tool("consensus_recall", {"query": "queue"})
        return before, answer.is_error, after, again.is_error

    assert with_client(on, talk) == (TOOL_NAMES, True, [], False)


def test_broken_settings_are_told_and_the_server_lives_on(on):
    good = on.environment.config_file.read_text()

    async def talk(client):
        on.environment.config_file.write_text("[recall]\nlimit = 0\n")
        broken = await client.call_tool("consensus_recall", {"query": "queue"})
        on.environment.config_file.write_text(good)
        mended = await client.call_tool("consensus_recall", {"query": "queue"})
        return broken, mended

    broken, mended = with_client(on, talk)
    assert broken.is_error
    assert "recall.limit" in broken.content[0].text
    assert not mended.is_error


# -- what is said of an empty and a full store -------------------------------------------------------------------


def test_an_empty_store_is_honest_in_descriptions_and_answers(on):
    async def talk(client):
        return {tool.name: tool.description for tool in (await client.list_tools()).tools}

    described = with_client(on, talk)
    said = "no stored results yet: runs are stored when invoked with consensus_store: true"
    assert [name for name, words in described.items() if said in words] == TOOL_NAMES[:3]
    assert call(on, "consensus_recall", query="queue")["note"] == said
    assert call(on, "consensus_what_we_decided", topic="queue")["note"] == said


def test_recall_gives_metadata_with_age_fragments_and_the_verdict_of_each_tripwire(full):
    answer = call(full, "consensus_recall", query="which queue do we use")
    assert answer["disclaimer"].startswith("Historical context, not current truth")
    first = answer["hits"][0]
    assert first["age"] == "Stored 76 days ago"
    assert first["summary"] == DECISION["conclusion"]
    assert [wire["verdict"] for wire in first["tripwires"]] == ["unknown", "tripped"]
    assert {
        "field": "question",
        "text": "Which queue do we use?",
        "words": ["Which", "queue", "do", "we", "use"],
    } in first["fragments"]
    assert answer["note"] is None


def test_a_miss_comes_with_its_cause(full):
    assert [miss["cause"] for miss in call(full, "consensus_recall", query="zeppelin")["missed"]] == [
        "token-not-in-corpus"
    ]


def test_the_summary_is_the_one_of_python(full):
    with full.open() as memory:
        wanted = memory.project_summary().to_dict()
    answer = call(full, "consensus_project_summary")
    assert {**answer, "as_of": 0} == {**json.loads(json.dumps(wanted)), "as_of": 0}


def test_decisions_come_with_conclusion_age_and_what_replaced_them(full):
    with full.open() as memory:
        old = memory.list()[-1].id
        memory.store(question="Which queue do we use now?", result={"conclusion": "Kafka.", "supersedes": [old]})
    rows = call(full, "consensus_what_we_decided", topic="queue")["decisions"]
    by_id = {row["id"]: row for row in rows}
    assert [each["title"] for each in by_id[old]["superseded_by"]] == ["Which queue do we use now?"]
    assert rows.index(by_id[old]) > 0
    assert by_id[old]["age"].endswith("tored 76 days ago")


def test_what_others_store_meanwhile_is_seen_at_the_next_call(full):
    async def talk(client):
        before = await client.call_tool("consensus_recall", {"query": "zeppelin"})
        with full.open() as memory:
            memory.store(question="Which zeppelin?", result={"conclusion": "None."})
        after = await client.call_tool("consensus_recall", {"query": "zeppelin"})
        return len(before.structured_content["hits"]), len(after.structured_content["hits"])

    assert with_client(full, talk) == (0, 1)


# -- storing -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("said", [{}, {"consensus_store": False}], ids=["silent", "false"])
def test_nothing_is_stored_unless_consensus_store_is_true(on, said):
    answer = call(on, "consensus_record_result", question="Which queue?", result=DECISION, **said)
    assert (answer["stored"], answer["id"]) == (False, None)
    assert "consensus_store was not true" in answer["note"]
    with on.open() as memory:
        assert len(memory.list()) == 0


def test_a_result_is_stored_where_the_call_says_so_and_secrets_are_masked(on):
    token = "ghp_" + "a1B2" * 9
    answer = call(
        on,
        "consensus_record_result",
        question=f"Is {token} safe?",
        result=DECISION,
        tags=["keys"],
        consensus_store=True,
    )
    assert answer["stored"]
    assert sum(answer["masked"].values()) == 1
    with on.open() as memory:
        entry = memory.get(answer["id"])
        assert token not in entry.question
        assert entry.tags == ("keys",)
        assert memory.verify() == []
        assert memory.sql("select count(*) as n from entries").rows == [{"n": 1}]


def test_events_of_the_log_name_the_agent_and_never_come_back(full):
    call(full, "consensus_recall", query="swordfish")
    call(full, "consensus_record_result", question="Which port?", result={"conclusion": "8080"}, consensus_store=True)
    with full.open() as memory:
        log = "".join(file.read_text() for file in sorted(memory.paths.logs.glob("memory-*.log")))
    assert log.count('"mcp"') >= 2
    assert "swordfish" in log
    for tool, said in [
        ("consensus_recall", {"query": "port"}),
        ("consensus_project_summary", {}),
        ("consensus_what_we_decided", {"topic": "port"}),
    ]:
        assert "swordfish" not in json.dumps(call(full, tool, **said))


# -- arguments ---------------------------------------------------------------------------------------------------

BAD = {
    "unknown argument": ("consensus_recall", {"query": "x", "sql": "select 1"}, "sql: no such argument"),
    "missing": ("consensus_recall", {}, "query: is missing"),
    "empty": ("consensus_recall", {"query": ""}, "query: "),
    "number for text": ("consensus_recall", {"query": 7}, "query: input should be a valid string"),
    "text for number": ("consensus_recall", {"query": "x", "limit": "3"}, "limit: "),
    "limit too high": ("consensus_recall", {"query": "x", "limit": 201}, "limit: "),
    "limit zero": ("consensus_recall", {"query": "x", "limit": 0}, "limit: "),
    "negative offset": ("consensus_recall", {"query": "x", "offset": -1}, "offset: "),
    "a megabyte": ("consensus_recall", {"query": "q" * 1_000_000}, "query: string should have at most 10000"),
    "a tag that is none": ("consensus_recall", {"query": "x", "any_tag": [1]}, "any_tag.0: "),
    "text for yes": (
        "consensus_record_result",
        {"question": "q", "result": {}, "consensus_store": "true"},
        "consensus_",
    ),
    "result no object": ("consensus_record_result", {"question": "q", "result": [1]}, "result: "),
    "argument of a tool without": ("consensus_project_summary", {"facts": "x"}, "Arguments: none"),
    "topic too long": ("consensus_what_we_decided", {"topic": "q" * 10_001}, "topic: "),
    "no such tool": ("consensus_wipe", {}, "no tool 'consensus_wipe'"),
}


@pytest.mark.parametrize(("tool", "said", "words"), BAD.values(), ids=BAD)
def test_a_wrong_call_is_an_error_that_names_what_is_wrong(full, tool, said, words):
    async def talk(client):
        return await client.call_tool(tool, said), await client.call_tool("consensus_recall", {"query": "queue"})

    refused, after = with_client(full, talk)
    assert refused.is_error
    assert words in refused.content[0].text
    assert len(refused.content[0].text) < 2100
    assert after.structured_content["hits"]


def test_other_projects_are_searched_only_where_the_user_allows_it(full):
    assert "memory.across_projects" in call(full, "consensus_recall", query="queue", across_projects=True)
    full.say("[memory]\nacross_projects = true\n")
    assert call(full, "consensus_recall", query="queue", across_projects=True)["hits"]


# -- bounds ------------------------------------------------------------------------------------------------------


@pytest.fixture
def many(on):
    with on.open() as memory:
        memory.store_many(
            {"question": f"Which queue for team {i}?", "result": {"conclusion": f"Queue number {i}. " + "漢" * 1100}}
            for i in range(60)
        )
    return on


def test_pages_follow_each_other_without_gap_or_repeat(many):
    seen, offset = [], 0
    while offset is not None:
        page = call(many, "consensus_recall", query="queue", limit=25, offset=offset)
        seen += [hit["id"] for hit in page["hits"]]
        offset = page["next_offset"]
    assert len(seen) == len(set(seen)) == 60


def test_a_page_behind_the_last_hit_says_so(many):
    page = call(many, "consensus_recall", query="queue", offset=70)
    assert (page["hits"], page["next_offset"]) == ([], None)
    assert page["note"] == "offset 70 is behind the last hit: there are 60"


def test_hits_that_no_page_reaches_are_told(many, monkeypatch):
    monkeypatch.setattr(arguments, "MAX_OFFSET", 30)
    page = call(many, "consensus_recall", {"max_bytes": 1_000_000}, query="queue", limit=25, offset=10)
    assert page["next_offset"] is None
    assert "more hits than pages reach" in page["note"]


def test_records_are_hits_with_their_kind(full):
    with full.open() as memory:
        memory.records.write("lesson", "queue-depth", body="Watch the depth of the queue.", sources=["Mara"])
    kinds = {hit["kind"] for hit in call(full, "consensus_recall", query="queue")["hits"]}
    assert kinds == {"entry", "lesson"}


def test_an_answer_keeps_to_its_bytes_and_says_what_it_left_out(many):
    page = call(many, "consensus_recall", {"max_bytes": 20_000}, query="queue", limit=50)
    assert answers.size(page) <= 20_000
    assert 0 < len(page["hits"]) < 50
    assert re.match(rf"{50 - len(page['hits'])} of 50 hits were left out", page["cut"])
    after = call(many, "consensus_recall", query="queue", limit=50, offset=page["next_offset"])
    assert after["hits"][0]["rank"] == len(page["hits"]) + 1


def test_the_bound_is_the_users_to_set(many):
    many.say("[mcp]\nmax_bytes = 10000\n")
    assert answers.size(call(many, "consensus_recall", query="queue", limit=50)) <= 10_000


def test_one_row_that_is_too_long_is_cut_in_its_texts(on):
    wires = [f"漢字 number {i} exceeds " + "字" * 2000 for i in range(40)]
    with on.open() as memory:
        memory.store(question="Which queue?" + "字" * 5000, result={"conclusion": "長" * 5000, "tripwires": wires})
    for tool, said in [("consensus_recall", {"query": "queue"}), ("consensus_what_we_decided", {"topic": "queue"})]:
        answer = call(on, tool, {"max_bytes": 10_000}, **said)
        assert answers.size(answer) <= 10_000
        assert len(answer.get("hits") or answer["decisions"]) == 1


# -- faults ------------------------------------------------------------------------------------------------------


def test_calls_may_come_at_once(full):
    async def talk(client):
        found = []

        async def one(i):
            answer = await client.call_tool("consensus_recall", {"query": "queue"} if i % 2 else {"query": "cache"})
            found.append(len(answer.structured_content["hits"]))

        async with anyio.create_task_group() as group:
            for i in range(40):
                group.start_soon(one, i)
        return sorted(found)

    assert with_client(full, talk) == [1] * 20 + [2] * 20


def test_a_store_that_is_locked_is_an_error_of_that_call(full):
    full.say("[locks]\nwait_seconds = 0.1\n")

    async def talk(client):
        said = {"question": "q", "result": {}, "consensus_store": True}
        with full.open() as memory, memory._store.index_lock.held("a long one"):
            refused = await client.call_tool("consensus_record_result", said)
            recalled = await client.call_tool("consensus_recall", {"query": "queue"})
        stored = await client.call_tool("consensus_record_result", said)
        return refused, recalled, stored

    refused, recalled, stored = with_client(full, talk)
    assert refused.is_error
    assert "a long one" in refused.content[0].text
    assert recalled.structured_content["hits"]
    assert stored.structured_content["stored"]


@pytest.mark.filterwarnings("ignore::memkit.errors.MemkitWarning")
def test_a_damaged_store_answers_with_what_is_whole(full):
    with full.open() as memory:
        (victim, *_rest) = memory.list()
        memory.paths.entry_file(victim.id).write_bytes(b'{"torn')
    answer = call(full, "consensus_recall", query="queue")
    assert len(answer["hits"]) == 1
    assert any("damaged" in line or victim.id in line for line in answer["warnings"])


@pytest.mark.filterwarnings("ignore::memkit.errors.MemkitWarning")
def test_a_store_of_another_project_is_refused_in_words(full):
    with full.open() as memory:
        memory.paths.store_json.write_text('{"formatVersion": 1, "projectKey": "0123456789ab", "projectPath": "/x"}\n')
    assert "belongs to the project" in call(full, "consensus_recall", query="queue")


def test_memories_are_let_go(full):
    before = threading.active_count()
    for _ in range(3):
        call(full, "consensus_recall", query="queue")
    assert threading.active_count() <= before + 1


# -- the tools' own description ----------------------------------------------------------------------------------


def test_every_argument_is_described_and_every_answer_matches_its_schema(full):
    for tool in TOOLS:
        for name, about in tool.takes.model_json_schema().get("properties", {}).items():
            assert about.get("description") or name in {"limit"}, f"{tool.name}.{name}"
    jsonschema = pytest.importorskip("jsonschema", reason="needs jsonschema")
    for tool, said in [("consensus_recall", {"query": "queue"}), ("consensus_what_we_decided", {"topic": "queue"})]:
        (about,) = [each for each in TOOLS if each.name == tool]
        jsonschema.validate(call(full, tool, **said), about.gives.model_json_schema(mode="serialization"))


def test_only_the_tool_that_stores_may_change_anything(full):
    async def talk(client):
        return {tool.name: tool.annotations.read_only_hint for tool in (await client.list_tools()).tools}

    assert with_client(full, talk) == dict(zip(TOOL_NAMES, [True, True, True, False], strict=True))


def test_paging_stays_within_what_recall_ranks():
    from memkit.analytics.recall_options import MAX_LIMIT

    assert arguments.MAX_OFFSET + arguments.MAX_LIMIT + 1 <= MAX_LIMIT
