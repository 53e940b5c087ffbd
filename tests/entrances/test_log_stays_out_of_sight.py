"""No text of the audit log enters an answer to an agent or a prompt to a model; and what an agent asks is in the log."""

import json

import pytest

pytest.importorskip("mcp", reason="needs the package mcp: pip install 'memkit[mcp]'")

from memkit.consolidate.adjudicate import Verdict
from memkit.consolidate.consolidating import consolidate
from memkit.entrances.mcp_server.tools import TOOLS
from memkit.errors import MemkitError
from memkit.model.event import Event
from tests.entrances.mcp_calls import call, place_in, with_client

WORD = "zanzibar"  # stands in the log and nowhere else
DECISION = {"conclusion": "Keep LISTEN/NOTIFY.", "tripwires": ["p99 latency exceeds 200ms for 1h"]}


@pytest.fixture
def place(tmp_path):
    made = place_in(tmp_path)
    made.enable()
    return made


@pytest.fixture
def planted(place):
    """A store whose log says the word wherever a log can say one."""
    with place.open() as mem:
        mem.store(question="Which queue do we use?", result=DECISION, tags=["queue"])
        mem.records.write("lesson", "retry", body="Retry six times with jitter.", sources=["a review"])
        mem.recall(WORD)
        mem.what_we_decided(WORD)
        mem.records.query(WORD)
        mem.records.edit("lesson", "retry", body="Retry five times with jitter.", reason=f"Because of {WORD}.")
        with pytest.raises(MemkitError):
            mem.records.delete("lesson", WORD, reason=WORD)
        with mem.audit.run(worker="memory_consolidation") as run:
            run.fail("model_error", f"{WORD} is down", note=WORD)
        log = mem._store.audit
        log.record(Event("entry_operation", "prune", detail={"reason": f"{WORD} was full", "note": WORD}))
        logs = "".join(path.read_text("utf-8") for path in mem.paths.logs.glob("memory-*.log"))
        assert logs.count(WORD) >= 8
        rest = [path for path in mem.paths.folder.rglob("*") if path.is_file() and path.parent != mem.paths.logs]
        assert rest
        assert not any(WORD in path.read_bytes().decode("utf-8", "replace") for path in rest)
    return place


def events(place, *, after=0):
    with place.open() as mem:
        return [event for event in mem.audit.latest(500) if event["actor"] == "mcp"][after:]


def test_no_answer_to_an_agent_holds_text_of_the_log(planted):
    asked = {
        "consensus_recall": {"query": "queue retry jitter", "include_superseded": True, "fuzzy": True},
        "consensus_project_summary": {},
        "consensus_what_we_decided": {"topic": "queue"},
        "consensus_record_result": {
            "question": "Which cache?", "result": {"conclusion": "None."}, "panel_id": "p", "consensus_store": True,
        },
    }  # fmt: skip
    assert set(asked) == {tool.name for tool in TOOLS}

    async def talk(client):
        said = [client.instructions, (await client.list_tools()).model_dump_json()]
        for name, arguments in asked.items():
            answer = await client.call_tool(name, arguments)
            assert not answer.is_error, answer
            said.append(answer.model_dump_json())
            said.append((await client.call_tool(name, {"nothing": "of the kind"})).model_dump_json())
        return said

    said = with_client(planted, talk)
    assert any("LISTEN/NOTIFY" in each for each in said)
    assert [each for each in said if WORD in each.lower()] == []


def test_no_prompt_and_no_question_to_an_adjudicator_holds_text_of_the_log(planted, tmp_path):
    pytest.importorskip("pydantic_ai", reason="needs pydantic-ai: pip install 'memkit[llm]'")
    from pydantic_ai.messages import ModelResponse, ToolCallPart
    from pydantic_ai.models.function import FunctionModel

    from memkit.consolidate.model_extractor import ModelExtractor

    prompts, questions = [], []
    said = "we learned to retry five times with jitter and never without"

    def answer(messages, info):
        prompts.append(repr(messages) + repr(info))
        found = {"category": "lessons", "title": "Retry", "body": said, "turn": 1, "excerpt": "retry five times"}
        return ModelResponse(parts=[ToolCallPart(info.output_tools[0].name, {"candidates": [found]})])

    class Asked:
        name, asks = "model:recording", "model"

        def ready(self, question):
            return ""

        def decide(self, question):
            questions.append(repr(question))
            return Verdict("distinct", reason="another thing")

    session = tmp_path / "session.jsonl"
    turns = [{"role": "user", "content": said}, {"role": "assistant", "content": "Noted, five times."}]
    session.write_text("".join(json.dumps(turn) + "\n" for turn in turns))
    with planted.open() as mem:
        assert len(mem.staging.extract(session, extractor=ModelExtractor(FunctionModel(answer))).candidates) == 1
        consolidate(mem._store, [Asked()])
    assert any("five times" in each for each in prompts)
    assert any("jitter" in each for each in questions)
    assert [each for each in [*prompts, *questions] if WORD in each.lower()] == []


@pytest.mark.parametrize(
    ("tool", "arguments", "wanted"),
    [
        ("consensus_recall", {"query": "queue"}, ("recall", "done", None)),
        ("consensus_what_we_decided", {"topic": "queue"}, ("decided", "done", None)),
        ("consensus_project_summary", {}, ("summary", "done", None)),
        ("consensus_recall", {"query": "x", "across_projects": True}, ("recall", "refused", "invalid-input")),
        ("consensus_recall", {"quest": "x"}, ("recall", "refused", "invalid-input")),
        ("consensus_record_result", {"question": "?", "result": {}, "panel_id": "p"}, ("store", "refused", "not_asked_for")),
        ("memkit_wipe", {}, ("call", "refused", "unknown_tool")),
    ],
    ids=["recall", "decided", "summary", "another project", "no such argument", "not asked to store", "no such tool"],
)  # fmt: skip
def test_each_call_of_an_agent_leaves_one_event(planted, tool, arguments, wanted):
    call(planted, tool, **arguments)
    (event,) = events(planted)
    assert (event["event"], event["op"], event["status"], event.get("reason")) == ("record_usage", *wanted)
    with planted.open() as mem:
        assert mem.audit.verify().is_whole


def test_an_agent_s_store_leaves_the_event_of_a_store(planted):
    call(planted, "consensus_record_result", question="Which cache?", result={"conclusion": "None."}, panel_id="p",
         consensus_store=True)  # fmt: skip
    assert [(event["event"], event["op"]) for event in events(planted)] == [("entry_operation", "store")]


def test_while_memory_is_off_an_agent_leaves_nothing(tmp_path):
    off = place_in(tmp_path / "off")
    call(off, "consensus_recall", query="queue")
    call(off, "memkit_wipe")
    assert not (off.home / ".consensus").exists()
