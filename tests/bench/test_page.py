"""The page about speed has a place for every table, and each is written from what was measured."""

import json

from tests.bench import page
from tests.bench.bench_sizes import MEMKIT, MIXES
from tests.bench.rivals import Fts5Filled, Scan


def measured(size):
    def system(ms):
        asked = {mix: {"cpu": {"median": ms / 1e3}} for mix in MIXES}
        return {"recall": asked, "disk_mb": 7.0, "memory": {"peak_mb": 99.0}}

    ours = system(10) | {"fill": {"cpu": 5.0, "peak_mb": 300.0}, "more": {}, "cold": {"cpu": {"median": 0.5}}}
    systems = {MEMKIT: ours, Fts5Filled.name: system(5), Scan.name: system(500), "slow": {"stopped": "filling"}}
    spent = {"cpu": 0.01}
    steps = ("absorb 100", "refresh after that", "recall after it")
    one = {MEMKIT: {"median": 0.02}, "bare system calls": {"median": 0.01}, Fts5Filled.name: {"median": 0.01}}
    store = {"one by one": one, "batch, each": 0.002} | dict.fromkeys(steps, spent)
    return {"size": size, "words": 150, "systems": systems, "store": store, "snapshot_share": 0.6}


def test_tables_are_put_between_their_marks_and_nowhere_else(tmp_path, monkeypatch):
    text = page.PAGE.read_text("utf-8")
    copied = tmp_path / "performance.md"
    copied.write_text(text, "utf-8")
    monkeypatch.setattr(page, "PAGE", copied)
    file = tmp_path / "found.json"
    file.write_text(json.dumps({"sizes": [measured(1_000), measured(10_000)]}))
    assert page.main([str(file)]) == 0
    written = copied.read_text("utf-8")
    assert "| 10,000 | 50.0 to 50.0 | 2.0 to 2.0 |" in written
    assert "Stopped, because filling them took more than 60 s by the clock: slow." in written
    assert "| durable store of one entry, times the bare system calls, by the clock | 2.0 | 2.0 |" in written
    outside = [part.split("<!-- end -->")[-1] for part in written.split("<!-- measured: ")]
    assert outside == [part.split("<!-- end -->")[-1] for part in text.split("<!-- measured: ")]
