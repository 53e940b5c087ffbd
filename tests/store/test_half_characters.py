"""An escape that spells half a character is valid JSON; in a store it costs one entry at most."""

import json

import pytest

from memkit.errors import DamagedError
from memkit.store.verify import verify
from tests.store.conftest import new


def foreign(store, entry_id, **change):
    """An entry as another tool may have written it, without a line."""
    (receipt,) = store.store_many([new()])
    envelope = json.loads(store.paths.entry_file(receipt.id).read_bytes())
    file = store.paths.entry_file(entry_id)
    file.write_text(json.dumps({**envelope, "id": entry_id, **change}))
    file.chmod(0o600)
    return receipt.id


@pytest.mark.parametrize(
    "change",
    [{"question": "which \ud83d"}, {"tags": ["\udc9d"]}, {"result": {"a": ["\ud800"]}}, {"result": {"\ud800": 1}}],
    ids=["question", "tag", "result", "key"],
)
def test_the_entry_is_damaged_and_the_others_are_not(make_store, change):
    store = make_store(sound=False)
    good = foreign(store, "abcdef123456", **change)
    store.paths.index.unlink()
    assert [line.id for line in store.read_index().lines] == [good]
    with pytest.raises(DamagedError, match="unpaired surrogate"):
        store.read_entry("abcdef123456")
    assert {problem.entry_id for problem in verify(store) if problem.code == "damaged-entry"} == {"abcdef123456"}


def test_a_whole_character_in_two_escapes_is_no_damage(make_store):
    store = make_store(sound=False)
    foreign(store, "abcdef123456", question="which \U0001f642")
    assert b"\\ud83d\\ude42" in store.paths.entry_file("abcdef123456").read_bytes()
    assert store.read_entry("abcdef123456").question == "which \U0001f642"
