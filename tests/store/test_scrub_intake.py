"""No secret reaches a byte of the store, whatever field it came in by."""

import os
import pathlib

from memkit.store.new_entry import NewEntry
from memkit.store.scrub_views import views
from tests.store.scrub_samples import samples

FRAGMENT = 12  # shorter ones are words of other secrets' names: `secret`, `github`


def written_under(folder) -> dict[str, str]:
    found = {}
    for base, _, names in os.walk(folder):
        for name in names:
            path = pathlib.Path(base, name)
            if path.is_file():
                found[str(path)] = path.read_bytes().decode("utf-8")
    return found


def test_a_secret_of_every_kind_in_every_field_reaches_no_file(store, root):
    kinds = samples()
    new = [
        NewEntry(
            question=f"Why does {sample.text} fail?",
            result={
                "synthesis": {"content": f"401 for {sample.text}\nand again"},
                f"note {sample.text}": [{"deep": [sample.text]}],
                "error": f"RuntimeError('401 for {sample.text}')",
            },
        )
        for kind in kinds.values()
        for sample in kind
    ]
    receipts = store.store_many(new)
    files = written_under(root)
    assert sum("results" in path for path in files) == len(new)
    readings = [view.text for view in views("\n".join(files.values()))]
    for kind, own in kinds.items():
        for sample in own:
            starts = range(max(1, len(sample.secret) - FRAGMENT + 1))
            fragments = {sample.secret[i : i + FRAGMENT] for i in starts}
            assert not [part for part in fragments if any(part in reading for reading in readings)], kind
    assert all(sum(receipt.scrubbed.values()) >= 4 for receipt in receipts)


def test_a_secret_in_a_tag_or_the_name_of_a_panel_reaches_no_file(store, root):
    token = "AK" + "IA" + "ABCDEFGH12345678"
    store.store_many(
        [NewEntry(question="q", result={"a": "b"}, panel_id=f"panel {token}", tags=("fine", f"key {token}"))]
    )
    assert not [path for path, text in written_under(root).items() if token in text]
