"""A result goes into a cache on disk, or to another process, as any other value of a notebook does."""

import copy
import pathlib
import pickle

import pytest

import memkit
from memkit.model.frozen import FrozenMapping

WHERRY = pathlib.Path(__file__).parents[1] / "data-samples" / "wherry"

ANSWERS = {
    "receipt": lambda mem: mem.store(question="Which queue?", result={"conclusion": "K.", "tripwires": ["x > 5"]}),
    "receipts": lambda mem: mem.store_many([{"question": "Which?", "result": {"conclusion": "K."}}]),
    "recall": lambda mem: mem.recall("database"),
    "decided": lambda mem: mem.what_we_decided("database"),
    "decisions": lambda mem: mem.decisions(),
    "list": lambda mem: mem.list(),
    "entry": lambda mem: mem.get(next(iter(mem.list())).id),
    "verify": lambda mem: mem.verify(),
    "status": lambda mem: mem.status(),
    "table": lambda mem: mem.sql("select 1 as x"),
    "runs": lambda mem: mem.audit.runs(),
    "events": lambda mem: mem.audit.events(),
    "health": lambda mem: mem.audit.health(),
    "usage": lambda mem: mem.audit.usage(),
    "history": lambda mem: mem.audit.history(),
    "trash": lambda mem: mem.trash.list(),
    "timeline": lambda mem: mem.timeline(),
    "summary": lambda mem: mem.project_summary(),
    "tripwires": lambda mem: mem.tripwires.check(),
    "lint": lambda mem: mem.records.lint(),
    "record receipt": lambda mem: mem.records.write(
        "lesson", "use-utc", body="UTC.", sources=["M"], extra={"own": [1]}
    ),
    "records": lambda mem: mem.records.list(),
    "records deleted": lambda mem: mem.records.deleted(),
    "staged": lambda mem: mem.staging.list(),
    "balance": lambda mem: mem.staging.balance(),
    "consolidation": lambda mem: mem.consolidate(),
    "import": lambda mem: mem.import_adr(WHERRY / "docs" / "decisions", dry_run=True),
}


@pytest.fixture(scope="module")
def mem(tmp_path_factory):
    folder = tmp_path_factory.mktemp("copies")
    with memkit.open(folder, root=folder / "root", enabled=True) as memory:
        memory.import_adr(WHERRY / "docs" / "decisions")
        yield memory


@pytest.mark.parametrize("name", ANSWERS)
def test_a_result_can_be_pickled_and_copied(mem, name):
    answer = ANSWERS[name](mem)
    for other in (pickle.loads(pickle.dumps(answer)), copy.deepcopy(answer)):
        assert type(other) is type(answer)
        assert repr(other) == repr(answer)
        if hasattr(answer, "to_text"):
            assert other.to_text() == answer.to_text()


def test_a_frozen_mapping_is_read_as_a_dict_and_refuses_changes():
    held = FrozenMapping({"a": 1, "b": [2]})
    assert held == {"a": 1, "b": [2]}
    assert {**held} == dict(held)
    assert (held["a"], held.get("c"), "b" in held, list(held), len(held)) == (1, None, True, ["a", "b"], 2)
    assert repr(held) == "{'a': 1, 'b': [2]}"
    with pytest.raises(TypeError):
        held["a"] = 2
    with pytest.raises(TypeError):
        del held["a"]
