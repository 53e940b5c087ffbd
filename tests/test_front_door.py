"""The front door: what `import memkit` offers, and that it is the same thing wherever it comes from."""

import pytest

import memkit
from memkit.opening import open_memory


def test_the_front_door_has_under_fifteen_names():
    names = [name for name in dir(memkit) if not name.startswith("_")]
    assert len(names) < 15
    assert {"open", "enable", "disable", "Memory", "MemkitError"} <= set(names)
    for name in memkit.__all__:
        assert getattr(memkit, name) is not None


def test_every_name_is_listed_and_no_other_answers():
    assert set(memkit.__all__) == set(memkit._HOMES)
    assert memkit.open is open_memory
    with pytest.raises(AttributeError, match="no attribute 'opne'"):
        memkit.opne  # noqa: B018


def test_what_the_front_door_shows_works(project, root):
    with memkit.open(project, root=root, enabled=True) as mem:
        receipt = mem.store(question="Which pool?", result={"conclusion": "A connection pool of ten."})
        assert isinstance(receipt, memkit.StoreReceipt)
        result = mem.recall("connection pool")
    assert isinstance(result, memkit.RecallResult)
    assert [hit.id for hit in result] == [receipt.id]
