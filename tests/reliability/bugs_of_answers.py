"""Cases of other projects about what is asked and answered: recall, SQL, imports, secrets; each under its report's id."""

from __future__ import annotations

import datetime as dt
import json
import time

import pytest

from memkit.clock import UTC, parse_instant
from memkit.errors import InvalidInputError
from memkit.importers.adr import document as adr
from tests.reliability.bug_kit import Kit, bug
from tests.reliability.stores import quietly


def n_rows(mem, view: str = "entries") -> int:
    """Rows of a view."""
    return mem.sql(f"select count(*) as n from {view}").to_arrow()["n"].to_pylist()[0]


@bug("MK-035")
def a_key_that_only_the_last_line_has(kit: Kit) -> None:
    with kit.memory() as mem:
        mem.store_many([{"question": f"Which queue {i}?", "result": {"conclusion": "x"}} for i in range(40)])
        index = mem.paths.index
        lines = index.read_bytes().split(b"\n")[:-1]
        last = json.loads(lines[-1]) | {"unseen": {"nested": [1, {"a": None}]}}
        index.write_bytes(b"\n".join([*lines[:-1], json.dumps(last).encode(), b""]))
        entry = mem.paths.entry_file(last["id"])
        entry.write_bytes(json.dumps(json.loads(entry.read_bytes()) | {"unseen": {"k": 1}}).encode())
    with kit.memory() as mem:
        assert n_rows(mem) == 40
        assert len(mem.recall("queue", limit=50)) == 40
        assert mem.get(last["id"]).extra == {"unseen": {"k": 1}}


@bug("MK-037", "MK-069")
def dates_in_every_spelling(kit: Kit) -> None:
    spelt = ["2031-03-04T05:06:07.5+00:00", "2031-03-04T05:06:07", "2031-03-04T05:06:07Z", "2031-03-04T05:06:07+05:30"]
    assert [parse_instant(text).tzinfo for text in spelt] == [UTC] * 4
    assert parse_instant(spelt[3]) < parse_instant(spelt[1]) < parse_instant(spelt[0])
    odd = ["2031-05-04T10:00:00Z", "2031-05-04T10:00:00.5+09:00", "2031-05-04", "2031-05-04 10:00", "", None, "soon", 7]
    with kit.memory() as mem:
        for i, text in enumerate(odd):
            document = {"title": f"Keep queue {i}", "status": "accepted"} | (
                {} if text is None else {"decidedOn": text}
            )
            mem.store(
                question=f"Keep queue {i}", result={"document": document, "conclusion": "Keep it."}, panel_id="adr"
            )
        assert n_rows(mem, "decisions") == len(odd)
        assert len(mem.recall("queue", recency_half_life_days=30)) == len(odd)
        with pytest.raises(InvalidInputError, match="time zone"):
            mem.store(question="q", result={"a": 1}, stored_at=dt.datetime(2031, 3, 4))
        for text in spelt:
            mem.store(question=f"stored {text}", result={"a": 1}, stored_at=parse_instant(text))
        assert len(mem.recall("stored", recency_half_life_days=30)) == 4


@bug("MK-071")
def a_date_in_the_future(kit: Kit) -> None:
    with kit.memory() as mem:
        now = mem.store(question="Which queue shall stay?", result={"conclusion": "same"})
        ahead = mem.store(question="Which queue shall stay?", result={"conclusion": "same"})
        path = mem.paths.entry_file(ahead.id)
        later = json.loads(path.read_bytes())
        later["storedAt"] += 30 * 86_400_000
        path.write_bytes(json.dumps(later).encode() + b"\n")
        mem.paths.index.unlink()
    with kit.memory() as mem:
        hits = mem.recall("queue", recency_half_life_days=10)
        scores = {hit.id: hit.score for hit in hits}
        assert scores[ahead.id] <= scores[now.id] * (1 + 1e-9)


@bug("MK-091")
def what_was_removed_takes_no_place(kit: Kit) -> None:
    from memkit.snapshot.absorbing import absorb

    with kit.memory() as mem:
        receipts = mem.store_many([{"question": f"quince ledger {i}", "result": {"conclusion": "x"}} for i in range(6)])
        absorb(mem._store, minimum=1)
        mem.refresh()
        mem.paths.entry_file(receipts[0].id).unlink()  # behind a snapshot that still has it
        with quietly():
            assert len(mem.recall("quince", limit=5)) == 5
        mem.wipe(confirm=mem.paths.key)
        assert len(mem.recall("quince")) == 0
        assert n_rows(mem) == 0
    assert b"quince ledger" not in kit.bytes_on_disk()
    with kit.memory() as mem:
        assert len(mem.recall("quince")) == 0


@bug("MK-093")
def a_correction_in_other_words(kit: Kit) -> None:
    docs = kit.scratch / "project" / "docs"
    with kit.memory() as mem:
        docs.mkdir()
        record = docs / "0001-queue.md"
        record.write_text("# Queue\n\n## Status\n\nAccepted\n\n## Decision\n\n" + "queue " * 6 + "\n")
        mem.import_adr(docs)
        record.write_text("# Queue\n\n## Status\n\nAccepted\n\n## Decision\n\nA stream of messages.\n")
        mem.import_adr(docs)
        hits = mem.recall("queue")
        assert len(hits) == 1
        assert "stream" in hits[0].summary


@bug("MK-094")
def scripts_without_spaces(kit: Kit) -> None:
    texts = {
        "報表": "每週五先匯出報表再關機",
        "火曜": "夜間ジョブは火曜に止める",
        "점검": "내일점검예정",
        "ปิด": "วันนี้ปิดระบบ",
    }
    with kit.memory() as mem:
        for text in texts.values():
            mem.store(question=text, result={"conclusion": "x"})
        for word, text in texts.items():
            assert text in [hit.question for hit in mem.recall(word)], word
        assert texts["報表"] in [hit.question for hit in mem.recall("匯出 報表")]


@bug("MK-096")
def signs_of_query_languages_are_words(kit: Kit) -> None:
    asked = [
        'don\'t "x', "roll-back", "k:v", "(y", "foo AND", "*", "^", "~", "NEAR/2", "%_", "\\", "MB/s", "'OR 1=1", "-- ", "?", "$1", "{}",
    ]  # fmt: skip
    with kit.memory() as mem:
        mem.store(question="A roll-back at 5 MB/s, don't", result={"conclusion": "foo and bar"})
        for text in asked:
            mem.recall(text)
            mem.recall(text, fuzzy=True)
        assert len(mem.recall("roll-back")) == 1
        assert len(mem.recall("%")) == 0
        assert len(mem.recall("_")) == 0


@bug("MK-097")
def a_question_as_long_as_a_book(kit: Kit) -> None:
    questions = [
        "word " * 120,
        "word " * 5_000,
        "x" * 580_000,
        " ".join(f"w{i}" for i in range(5_000)),
        "",
        "   ",
        "?!",
    ]
    with kit.memory() as mem:
        for stage in ("empty", "one"):
            for question in questions:
                began = time.process_time()
                mem.recall(question)
                assert time.process_time() - began < 1, f"{stage}: {question[:20]!r}"
            mem.store(question="a word", result={"conclusion": "x"})


@bug("MK-103")
def a_number_that_two_records_have(kit: Kit) -> None:
    docs = kit.scratch / "project" / "docs"
    with kit.memory() as mem:
        for folder, name, supersedes in (
            ("a", "0014-one.md", ""), ("b", "0014-two.md", ""), ("a", "0020-x.md", "Supersedes 0014"),
            ("a", "0021-y.md", "Supersedes 0999"), ("a", "0022-z.md", "Supersedes 0022"),
        ):  # fmt: skip
            (docs / folder).mkdir(parents=True, exist_ok=True)
            (docs / folder / name).write_text(
                f"# {name[:-3]}\n\n## Status\n\nAccepted\n\n{supersedes}\n\n## Decision\n\nKeep {name}.\n"
            )
        mem.import_adr(docs)
        rows = mem.sql("select source_path, supersedes from decisions order by source_path").to_arrow().to_pylist()
        assert len(rows) == 5
        linked = {row["source_path"].rpartition("/")[2]: row["supersedes"] for row in rows}
        assert not linked["0021-y.md"]
        assert not linked["0022-z.md"]
        assert len(linked["0020-x.md"] or []) <= 1  # the one beside it, or none: never both
        assert len(mem.recall("keep", include_superseded=True)) == 5


FRONT = b"""---
status: accepted
created: 2031-05-05
updated: 2031-05-05 10:00:00
tags: [2031-05-05, 1.10, 0o17, 12:30:45, yes, no, null, ~]
description: PR #812 moves the cutover, see issue #9
title: "a --- b"
notes: |
  one
  --- x
last: kept
---
# Heading

Before

---

```
---
status: rejected
---
```

---

## Decision

Keep it.
"""


def draft_of(data: bytes):
    """The one draft of a record."""
    (item,) = adr.read("docs/0001-x.md", data)
    return adr.draft(item) if hasattr(item, "open_days") else item


@bug("MK-082")
def values_stay_as_they_were_written(kit: Kit) -> None:
    draft = draft_of(FRONT)
    assert list(draft.tags) == ["2031-05-05", "1.10", "0o17", "12:30:45", "yes", "no", "null", "~"]
    front = draft.result["document"]["frontMatter"]
    assert (front["created"], front["updated"]) == ("2031-05-05", "2031-05-05 10:00:00")
    json.dumps(draft.result)


@bug("MK-083")
def what_stands_behind_a_hash_sign_is_found(kit: Kit) -> None:
    docs = kit.scratch / "project" / "docs"
    with kit.memory() as mem:
        docs.mkdir()
        (docs / "0001-x.md").write_bytes(FRONT)
        mem.import_adr(docs)
        (entry,) = mem.list()
        assert "PR #812 moves the cutover" in json.dumps(mem.get(entry.id).result)
        assert [hit.id for hit in mem.recall("cutover")] == [entry.id]


@bug("MK-084")
def dashes_inside_a_value_end_nothing(kit: Kit) -> None:
    front = draft_of(FRONT).result["document"]["frontMatter"]
    assert front["title"] == "a --- b"
    assert front["notes"] == "one\n--- x\n"
    assert front["last"] == "kept"


@bug("MK-085")
def rules_in_the_body_are_the_body(kit: Kit) -> None:
    draft = draft_of(FRONT)
    assert draft.result["synthesis"]["content"].encode() == FRONT
    assert draft.result["document"]["status"] == "accepted"
    without = b"# Title\n\n---\n\none\n\n---\n\n## Decision\n\nKeep it.\n"
    assert "frontMatter" not in draft_of(without).result["document"]
    assert draft_of(without).result["synthesis"]["content"].encode() == without


@bug("MK-088")
def a_key_that_stands_twice(kit: Kit) -> None:
    draft = draft_of(b"---\nid: a\nstatus: accepted\nstatus: rejected\n---\n# Title\n\n## Decision\n\nKeep it.\n")
    told = json.dumps([draft.reason, list(draft.notes), draft.result])
    assert draft.fate != "rejected" or draft.reason
    assert "accepted" in told
    assert "rejected" in told


# -- secrets: written so that no file of this project holds one -----------------------------------------------------------

BODY = "Fa7kQ2" * 6


def no_trace(kit: Kit, secret: str) -> list[str]:
    """Stretches of a secret that are on disk."""
    data = kit.bytes_on_disk()
    return [secret[i : i + 8] for i in range(0, len(secret) - 8, 4) if secret[i : i + 8].encode() in data]


@bug("MK-110")
def a_key_with_a_dot_in_it(kit: Kit) -> None:
    dotted = "sk-" + "sp-Xq7Rz" * 3 + "." + "k9Lm2w" * 6 + "_XYZ"
    bare = "3f" * 10 + "9a" * 10 + "." + "b7c1d2"
    with kit.memory() as mem:
        receipt = mem.store(
            question=f"Why does api_key: {dotted} fail?", result={"conclusion": f"api_key: {bare}"}, tags=["api"]
        )
        assert receipt.scrubbed
        mem.recall(f"api_key: {dotted}")
    assert no_trace(kit, dotted) == []
    assert no_trace(kit, bare) == []


@bug("MK-111")
def credentials_in_a_transcript(kit: Kit) -> None:
    forms = [
        "export DEPLOY_TOKEN={}", "+ export DEPLOY_TOKEN={}", "DB_PASSWORD={}\n", "$env:API_TOKEN = '{}'", '{{"password":"{}"}}',
        "password: {}\n", "https://host.invalid/q?apikey={}",
    ]  # fmt: skip
    for i, form in enumerate(forms):
        secret = f"{chr(97 + i)}{i}" + BODY
        with kit.memory() as mem:
            mem.store(question="What did it say?", result={"synthesis": {"content": "It said: " + form.format(secret)}})
        assert no_trace(kit, secret) == [], form


@bug("MK-062")
def a_secret_behind_another_line_break(kit: Kit) -> None:
    secret = "sk-" + BODY
    with kit.memory() as mem:
        mem.store(question="q", result={"conclusion": f"note\u2028token {secret}\u0085end"})
    assert no_trace(kit, secret) == []


@bug("MK-113", "MK-114")
def secrets_in_logs_and_error_texts(kit: Kit) -> None:
    secret = "ghp" + "_" + BODY
    docs = kit.scratch / "project" / f"docs-{secret}"
    with kit.memory() as mem:
        mem.store(
            question="q",
            result={"error": f"401 bad key {secret}", "line": f"GET https://svc.invalid/q?apikey={'0a' * 16}"},
        )
        docs.mkdir()
        (docs / "0001-x.md").write_text("# X\n\n## Status\n\nAccepted\n\n## Decision\n\nKeep it.\n")
        mem.import_adr(docs)
        mem.recall(f"401 {secret}")
        text = b"".join(path.read_bytes() for path in mem.paths.logs.iterdir())
    assert secret.encode() not in text
    assert no_trace(kit, secret) == []
    assert b"0a" * 16 not in kit.bytes_on_disk()
