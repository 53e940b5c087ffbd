"""Making bad inputs, and the parsers that are given them.

A `Target` is a parser with seeds (what it reads in real life) and a check of its own: what it may raise, and what must
hold of what it returns. Inputs come from the seeds by flipping, cutting, doubling, splicing, inserting nasty tokens, and,
for JSON, by putting a value of the wrong kind in the place of a right one.
"""

from __future__ import annotations

import contextlib
import copy
import json
import os
import pathlib
import random
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from memkit.errors import MemkitError
from memkit.model import jsontext, tokens
from memkit.model.decision import read_decision, recall_fields
from memkit.model.index_line import MAX_LINE_BYTES, line_for
from memkit.model.problem import Problem
from memkit.store import audit_log, entries, index, jsonl, quarantine
from memkit.store.index_lines import MAX_SPOTS_IN_A_LINE
from memkit.store.lock import Lock
from memkit.store.paths import path_text, project_key
from tests.importers.imports import drafts_of
from tests.reliability.stores import new, open_store, paths_of, quietly

NASTY = (
    b"", b"\0", b"\xff", b"\xfe\xff", b"\xef\xbb\xbf", b"\r\n", b"\n", b"\x0b", b"\x0c", b"\x1c", b"\xc2\x85", b"\xe2\x80\xa8",
    b"\xe2\x80\xa9", b"\\ud800", b"\\udc9d", b"\xed\xa0\x80", b"\\u0000", b"}{", b"{}", b"[]", b'""', b'"', b"\\", b"{", b"}", b"[", b"]",
    b",", b":", b"null", b"true", b"NaN", b"Infinity", b"-Infinity", b"1e400", b"-1", b"0", b"1.5", b"1e-400", b"9" * 400, b"9" * 5000,
    b"9007199254740993", b"-0", b"1970-01-01", b"2031-05-05T10:00:00+25:00", b"[" * 70, b'{"a":' * 70, b"../", b"/etc/x", b"%00",
    b"x" * 5000, "猫箱".encode(), "é".encode(), "e\u0301".encode(), "\u202e".encode(), "\U0001f9ea".encode(), b"---\n", b"# ", b"- [ ] ",
    b"|", b"'", b"'; drop table entries; --", b"*", b"(", b"^", b"~", b"%_", b"NEAR/2", b" AND ", b"$", b"{{", b"<script>",
)  # fmt: skip
VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2**31, 2**53 + 1, 2**64, 10**400, -(10**400), 0.5, 1e308, "", " ", "x", "x" * 5000, "\0", "\ud800",
    "\u2028", "\u202e", "猫", "../x", "a" * 128, "A", "0", "null", "1e400", [], {}, [[]], [{}], {"": ""}, [None], ["x"] * 100, {"a": 1},
    [1, "x", None, {}], {"text": ["x"]}, "2031-05-05", "99999-99-99",
)  # fmt: skip


def nested(depth: int) -> Any:
    """Lists in lists."""
    value: Any = "deep"
    for _ in range(depth):
        value = [value]
    return value


DEEPEST = 70  # a place below is not looked for: a parser that goes so far down has long refused


def places(value: Any) -> list[tuple[Any, ...]]:
    """The path of every value inside a JSON value, down to `DEEPEST` levels."""
    found: list[tuple[Any, ...]] = []
    waiting: list[tuple[tuple[Any, ...], Any]] = [((), value)]
    while waiting:
        path, held = waiting.pop()
        found.append(path)
        if len(path) == DEEPEST:
            continue
        if isinstance(held, dict):
            waiting += [((*path, key), item) for key, item in held.items()]
        elif isinstance(held, list):
            waiting += [((*path, i), item) for i, item in enumerate(held[:20])]
    return found


def put(value: Any, path: tuple[Any, ...], new_value: Any) -> Any:
    """`value` with another value at a place, which is changed where it stands; the new one may be changed later."""
    if not path:
        return new_value
    holder = value
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = new_value
    return value


def mutate(rng: random.Random, seeds: list[bytes]) -> bytes:
    """One bad input."""
    data = bytearray(rng.choice(seeds))
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        at = rng.randrange(len(data) + 1)
        to = min(len(data), at + rng.choice((1, 2, 8, 64, 512)))
        kind = rng.randrange(9)
        if kind == 0 and at < len(data):
            data[at] ^= 1 << rng.randrange(8)
        elif kind == 1:
            del data[at:]
        elif kind == 2:
            del data[at:to]
        elif kind == 3:
            data[at:at] = data[at:to]
        elif kind == 4:
            other = rng.choice(seeds)
            data[at:] = other[rng.randrange(len(other) + 1) :]
        elif kind == 5:
            data = data.replace(
                *rng.choice(((b"\n", b"\r\n"), (b"\n", b""), (b"\n", b"\xe2\x80\xa8"), (b'"', b"'"), (b":", b"=")))
            )
        elif kind == 6 and at < to:
            data[at:to] = bytes(rng.randrange(256) for _ in range(min(to - at, 16)))
        else:
            data[at:at] = rng.choice(NASTY)
        if len(data) > 60_000:
            del data[60_000:]
    return bytes(data)


def mutate_json(rng: random.Random, seeds: list[bytes]) -> bytes:
    """One bad input that is still JSON, most of the time."""
    if rng.random() < 0.4:
        return mutate(rng, seeds)
    try:
        return _mutated_json(rng, seeds)
    except RecursionError:
        return mutate(rng, seeds)


def _mutated_json(rng: random.Random, seeds: list[bytes]) -> bytes:
    line = rng.choice([line for seed in seeds for line in seed.split(b"\n") if line.strip()])
    try:
        value = json.loads(line)
    except ValueError:
        return mutate(rng, seeds)
    for _ in range(rng.choice((1, 1, 2, 4))):
        path = rng.choice(places(value))
        kind = rng.random()
        if kind < 0.75:
            value = put(value, path, copy.deepcopy(rng.choice(VALUES)))
        elif kind < 0.82:
            value = put(value, path, nested(rng.choice((60, 64, 65, 200, 2000))))
        elif path and isinstance(path[-1], str):
            holder = value
            for step in path[:-1]:
                holder = holder[step]
            held = holder.pop(path[-1])
            if kind < 0.9:
                holder[rng.choice((path[-1].upper(), path[-1] + "\0", "", "x" * 200, "__class__"))] = held
    text = json.dumps(value, ensure_ascii=rng.random() < 0.5)
    return text.encode("utf-8", "surrogatepass") + b"\n" * rng.randrange(2)


# -- targets ------------------------------------------------------------------------------------------------------------


@dataclass
class Target:
    """A parser and how it is looked at.

    Attributes:
        name: Of the kind of input.
        seeds: What it reads in real life.
        check: Parses one input; returns problems, raises nothing but a `MemkitError`.
        make: Makes an input from the seeds.
    """

    name: str
    seeds: list[bytes]
    check: Callable[[bytes], Any]
    make: Callable[[random.Random, list[bytes]], bytes] = mutate


def targets(scratch: pathlib.Path) -> list[Target]:
    """Every parser of the package, with a store to work on in `scratch`."""
    store = open_store(scratch / "root")
    receipts = store.store_many([new(f"seed-{i}", padding=i * 40, tags=("a", "b")) for i in range(4)])
    paths = store.paths
    entry_id = receipts[0].id
    spot = quarantine.put(paths, b"bytes", file="index.jsonl", start=3, reason="r", moved_at=store.clock.now())
    with store.index_lock.held("seed"):
        pass
    lines = paths.index.read_bytes()
    envelopes = [paths.entry_file(receipt.id).read_bytes() for receipt in receipts] + [_consensus(paths, entry_id)]
    log = next(paths.logs.glob("memory-*.log")).read_bytes()

    def index_lines(data: bytes) -> list[str]:
        read = index.parse(paths, data, start=0, generation=0)
        raw_lines = list(jsonl.lines(data))
        pieces = [piece for raw in raw_lines for piece in jsonl.glued_objects(raw.data)]
        known = len(read.lines) + len(read.repeated) + len(read.damaged)
        few = len(pieces) < MAX_SPOTS_IN_A_LINE  # beyond that, damage is told together
        found = [f"{len(pieces)} pieces, {known} accounted for"] if few and known != len(pieces) else []
        covered = sum(problem.end - problem.start for problem in read.damaged)
        found += [f"{len(raw_lines)} lines, nothing is said"] if raw_lines and not known and not covered else []
        for line in read.lines:
            jsontext.dumps(line.to_dict())
        end = read.end + read.pending
        return found + ([] if end == len(data) else [f"{len(data)} bytes, {end} accounted for"])

    def envelope(data: bytes) -> list[str]:
        entry = entries.decode(paths, entry_id, data)
        again = entries.decode(paths, entry_id, entry.to_bytes())
        found = [] if again == entry else ["it changes when written and read"]
        line = line_for(entry, n_bytes=1, sha256="0" * 64)
        found += [] if len(line) <= MAX_LINE_BYTES else [f"its line has {len(line)} bytes"]
        decision = read_decision(entry)
        for text in recall_fields(entry, decision).values():
            tokens.terms(text)
        return found

    def store_json(data: bytes) -> None:
        paths.store_json.write_bytes(data)
        open_store(scratch / "root").info()

    def log_lines(data: bytes) -> list[str]:
        file = paths.logs / "memory-2031-05-05.log"
        file.write_bytes(data)
        items = list(audit_log.day_events(paths, "2031-05-05"))
        n_events = sum(1 for item in items if not isinstance(item, Problem))
        spots = [(item.start, item.end) for item in items if isinstance(item, Problem)]
        lines = [(line.start, line.end) for line in jsonl.lines(data)]
        left = [line for line in lines if not any(start <= line[0] and line[1] <= end for start, end in spots)]
        audit_log.chain(paths)
        return [] if n_events == len(left) else [f"{len(left)} lines that are no damage, {n_events} events"]

    def note(data: bytes) -> list[str]:
        (paths.quarantine / f"{spot.name}.json").write_bytes(data)
        found = quarantine.spots(paths)
        return [] if len(found) == 1 and found[0].to_dict() else [f"{len(found)} spots"]

    def generation(data: bytes) -> list[str]:
        paths.generation.write_bytes(data)
        return [] if isinstance(store.generation(), int) else ["not a number"]

    def lock_note(data: bytes) -> list[str]:
        (scratch / "note.lock").write_bytes(data)
        return [] if isinstance(Lock(scratch / "note.lock").holder(), dict) else ["not a note"]

    def request(data: bytes) -> None:
        from memkit.store.new_entry import check_new_entry

        try:
            values = json.loads(data)
        except (ValueError, RecursionError):
            return
        if isinstance(values, dict):
            checked = check_new_entry(values, store.clock.now())
            entries.decode(paths, entry_id, _entry_of(paths, entry_id, checked).to_bytes())

    requests = [
        json.dumps(
            {
                "question": "Which queue?",
                "result": {"synthesis": {"content": "Keep it."}, "finalScore": 80},
                "tags": ["a"],
                "panel_id": "p",
            }
        ).encode(),
        json.dumps(
            {"question": "q", "result": {"rounds": [{"n": 1, "scores": [1, 2.5]}], "tripwires": ["x > 5"]}}
        ).encode(),
    ]

    def path(data: bytes) -> list[str]:
        text = os.fsdecode(b"/" + data.replace(b"\0", b""))
        shown = path_text(text)
        shown.encode("utf-8")
        key = project_key(text)
        return (
            [] if re.fullmatch(r"[0-9a-f]{12}", key) and paths_of(scratch / "root", text).folder.name == key else [key]
        )

    def query(data: bytes) -> list[str]:
        text = data.decode("utf-8", "surrogateescape" if len(data) % 2 else "replace")
        asked, left_out = tokens.query_terms(text, 64)
        found = [] if len(asked) <= 64 and left_out >= 0 else [f"{len(asked)} terms"]
        for token in tokens.tokenize(text[:2000]):
            if not (0 <= token.start < token.end <= len(text[:2000])):
                found.append(f"a token at {token.start}..{token.end}")
                break
        return found

    queries = [
        b"don't \"x roll-back k:v (y foo AND * ^ ~ NEAR/2 %_ \\\\ MB/s 'OR 1=1 --", b"auth_token RetryPolicy re-index",
        "每週五先匯出報表再關機 夜間ジョブ 내일점검예정 วันนี้ปิดระบบ".encode(), b"which queue should we keep", b"a" * 3000, "ﬁne Ⅷ ①".encode(),
    ]  # fmt: skip

    found = [
        Target("index line", [lines, lines[: len(lines) // 2], lines.replace(b"\n", b"")], index_lines, mutate_json),
        Target("envelope", envelopes, envelope, mutate_json),
        Target("store.json", [paths.store_json.read_bytes()], store_json, mutate_json),
        Target("log line", [log], log_lines, mutate_json),
        Target("quarantine note", [(paths.quarantine / f"{spot.name}.json").read_bytes()], note, mutate_json),
        Target("generation", [b"0\n", b"14\n"], generation),
        Target("lock note", [paths.index_lock.read_bytes()], lock_note, mutate_json),
        Target("request", requests, request, mutate_json),
        Target("project path", [b"home/ana/project", "w/猫箱".encode(), b"w/a b/\xff\xfe"], path),
        Target("question", queries, query),
    ]
    return [*found, *_of_other_rooms(scratch, paths)]


def _consensus(paths, entry_id: str) -> bytes:
    """An envelope with the shapes a panel writes."""
    result = {
        "rounds": [{"round": 1, "responses": [{"participant": "a", "content": "x", "confidence": 70}]}],
        "finalScore": 81.4, "stopReason": "converged",
        "synthesis": {
            "content": "## Recommendation\n\nKeep it.\n\n## Tripwire conditions\n\n- queue depth > 50k for 10 min\n- revisit by 2031-05-05",
            "judgeConfidence": 70, "minorityPositions": [{"position": "No"}], "tripwires": ["p95 > 200 ms"],
        },
        "document": {"title": "Keep it", "status": "accepted", "date": "2031-05-05", "supersedes": ["0001"]},
    }  # fmt: skip
    return jsontext.dumps(
        {
            "schemaVersion": 1, "id": entry_id, "storedAt": 1_900_000_000_000, "projectKey": paths.key,
            "projectPath": paths.project_path, "panelId": "adr", "question": "Which queue?", "tags": ["a"], "result": result,
            "replaces": "0a1b2c3d4e5f", "source": {"kind": "adr", "path": "docs/1.md", "sha256": "0" * 64},
        }
    )  # fmt: skip


def _entry_of(paths, entry_id, checked):
    from memkit.model.entry import StoredEntry

    return StoredEntry(
        id=entry_id, stored_at_ms=1_900_000_000_000, project_key=paths.key, project_path=paths.project_path,
        panel_id=checked.panel_id, question=checked.question, tags=checked.tags, result=checked.result,
    )  # fmt: skip


def _of_other_rooms(scratch: pathlib.Path, paths) -> list[Target]:
    from memkit.importers.adr import document as adr
    from memkit.settings import Environment, load
    from memkit.settings.consent_text import read_consent, write_consent
    from memkit.snapshot.manifest import ManifestDamage, parse_manifest

    config = scratch / "config.toml"
    environment = Environment(home=scratch, config_file=config)

    def settings(data: bytes) -> None:
        config.write_bytes(data)
        load(environment)

    def consent(data: bytes) -> list[str]:
        text = data.decode("utf-8", "replace")
        read_consent(text, "/w/x")
        changed = write_consent(text, "/w/x", enabled=True)
        return [] if read_consent(changed, "/w/x") is True else ["consent was written and cannot be read"]

    def manifest(data: bytes) -> None:
        try:
            parsed = parse_manifest(data, paths.key)
        except ManifestDamage:
            return
        parse_manifest(parsed.to_bytes(), paths.key)

    def document(data: bytes) -> list[str]:
        found = []
        for item in adr.read("docs/0001-x.md", data):
            draft = item if not hasattr(item, "open_days") else adr.draft(item)
            found += [] if draft.fate == "rejected" or draft.reason or draft.question else ["no fate and no question"]
        return found

    def panel(data: bytes) -> list[str]:
        drafts = drafts_of("consensus", "x.json", data) + drafts_of("consensus", "x.jsonl", data)
        return [f"{draft.fate} without a reason" for draft in drafts if draft.fate == "rejected" and not draft.reason]

    toml = b'# mine\n[memory]\nacross_projects = false\n\n[projects."/w/x"]\nenabled = true\n\n[recall]\nlimit = 20\n[scrub]\nenabled = true\n'
    file = {"name": "entries-0123456789abcdef.parquet", "rows": 2, "bytes": 10, "sha256": "0" * 64}
    made = json.dumps(
        {
            "format": 1, "rows": 1, "tokens": tokens.TOKENS_VERSION, "project_key": paths.key, "generation": 0, "covered": 100,
            "fingerprint": "x", "live": 2, "damaged": [],
            "segments": [{"first_doc": 0, "end_doc": 2, "first_id": "a", "last_id": "b", "entries": file,
                          "postings": {**file, "name": "postings-0123456789abcdef.parquet"}}],
        }
    ).encode()  # fmt: skip
    markdown = [
        b"# 1. Keep the queue\n\nDate: 2031-05-05\n\n## Status\n\nAccepted. Supersedes [2](0002-x.md)\n\n## Context\n\nx\n\n## Decision\n\nKeep it.\n",
        b"---\nstatus: accepted\ndate: 2031-05-05\nsupersedes: [1, 2]\n---\n# Title\n\n## Decision Outcome\n\nChosen option: x\n",
        "# タイトル\n\n* ステータス: 承認済み\n* 日付: 2031年5月5日\n\n| Status | x |\n|---|---|\n| Date | 5/6/2031 |\n".encode(),
    ]
    panels = [
        json.dumps(
            {
                "question": "q",
                "rounds": [],
                "finalScore": 50,
                "synthesis": {"content": "x"},
                "participants": [{"name": "a"}],
            }
        ).encode(),
        b'{"question":"q","synthesis":{"content":"x","judgeConfidence":50}}\n{"question":"r","rounds":[{"round":1}]}\n',
    ]
    return [
        *_of_memory(paths),
        Target("settings file", [toml], settings),
        Target("consent in a settings file", [toml], consent),
        Target("manifest", [made], manifest, mutate_json),
        Target("decision record", markdown, document),
        Target("panel result", panels, panel, mutate_json),
    ]


def _of_memory(paths) -> list[Target]:
    """Records, candidates in staging, dead letters, session files."""
    from memkit.importers.sessions.reading import read_session
    from memkit.model.candidate import Candidate
    from memkit.model.record import RecordDamage, read_record, write_record
    from memkit.store import deadletters, staging
    from memkit.store.deadletters import DeadLetter

    for folder in (paths.staging, paths.deadletter):
        folder.mkdir(mode=0o700, exist_ok=True)
    session = paths.root / "session.jsonl"
    session_id = "0123456789abcdef0123456789abcdef"

    def record(data: bytes) -> list[str]:
        try:
            read = read_record("memory", "use-utc", data)
        except RecordDamage:
            return []
        again = read_record("memory", "use-utc", write_record(read))
        settled = read_record("memory", "use-utc", write_record(again))  # times come back in milliseconds
        same = again == settled and (again.body, again.kind, again.tags) == (read.body, read.kind, read.tags)
        return [] if same else ["it changes when written and read"]

    def staged(data: bytes) -> list[str]:
        (paths.staging / f"{session_id}.json").write_bytes(data)
        files, problems = staging.read_all(paths)
        return [] if files or problems else ["neither read nor named"]

    def letter(data: bytes) -> list[str]:
        (paths.deadletter / f"{session_id}.json").write_bytes(data)
        letters, problems = deadletters.read_letters(paths)
        return [] if letters or problems else ["neither read nor named"]

    def transcript(data: bytes) -> None:
        session.write_bytes(data)
        for turn in read_session(session).turns:
            repr(turn)

    page = (
        b"---\nkind: lesson\nstatus: active\ncreated_at: 2031-05-05T10:00:00.000Z\nupdated_at: 2031-05-05T10:00:00.000Z\n"
        b'sources:\n  - "Mara"\ntags: [a, "b: c"]\nreinforcement_count: 3\nown: yes\n---\n\n# Use UTC\n\nStore instants.\n'
    )
    kept = Candidate("lessons", title="Use UTC.", summary="Store instants.", body="Store instants.", triggers=("utc",))
    letter_seed = DeadLetter(session_id, "2031-05-05T10:00:00.000Z", 3, "no verdict", "lessons", kept)
    sheet = {
        "schemaVersion": 1, "session_id": session_id, "produced_at": "2031-05-05T10:00:00.000Z", "project_root": paths.project_path,
        "candidates": {"lessons": [kept.to_dict()], "preferences": [], "decisions": [kept.to_dict()], "domain": []},
    }  # fmt: skip
    turns = [
        {"type": "user", "uuid": "a", "parentUuid": None, "sessionId": session_id, "timestamp": "2031-05-05T10:00:00Z",
         "cwd": paths.project_path, "message": {"role": "user", "content": "Always use UTC."}},
        {"type": "assistant", "uuid": "b", "parentUuid": "a", "sessionId": session_id, "timestamp": "2031-05-05T10:00:01Z",
         "message": {"role": "assistant", "content": [{"type": "text", "text": "Noted."}, {"type": "tool_use", "input": {}}]}},
    ]  # fmt: skip
    lines = b"\n".join(json.dumps(turn).encode() for turn in turns) + b"\n"
    return [
        Target("record", [page, page.replace(b"\n", b"\r\n")], record),
        Target("staging file", [json.dumps(sheet).encode()], staged, mutate_json),
        Target("dead letter", [json.dumps(letter_seed.to_dict()).encode()], letter, mutate_json),
        Target(
            "session file",
            [lines, b"# Notes\n\n## User\n\nAlways use UTC.\n\n## Assistant\n\nNoted.\n"],
            transcript,
            mutate_json,
        ),
    ]


# -- running ------------------------------------------------------------------------------------------------------------


def memory(name: str) -> int:
    """A figure of /proc/self/status in MB."""
    text = pathlib.Path("/proc/self/status").read_text()
    match = re.search(rf"^{name}:\s+(\d+) kB", text, re.MULTILINE)
    return int(match[1]) // 1024 if match else 0


def run(target: Target, n: int, seed: int, *, seconds: float) -> dict[str, Any]:
    """Give `target` up to `n` inputs; what went wrong, the slowest input, and how much memory it took."""
    rng = random.Random(f"{target.name}-{seed}")
    problems: list[str] = []
    slowest, slow_input = 0.0, b""
    with contextlib.suppress(OSError):
        pathlib.Path("/proc/self/clear_refs").write_text("5")  # the peak is counted from here
    before = memory("VmRSS")
    end = time.process_time() + seconds  # of processor: a busy machine tries as many inputs as a quiet one
    done = 0
    with quietly():
        while done < n:
            done += 1
            data = target.make(rng, target.seeds)
            began = time.process_time()
            try:
                wrong = target.check(data) or []
            except MemkitError:
                wrong = []
            except Exception as error:
                wrong = [f"{type(error).__name__}: {error}"]
            took = time.process_time() - began
            if took > slowest:
                slowest, slow_input = took, data
            problems += [f"{problem[:200]} for {data[:160]!r} ({len(data)} bytes)" for problem in wrong]
            if len(problems) > 10 or time.process_time() > end:
                break
    if slowest > 1:
        problems.append(f"{slowest:.1f} s for {slow_input[:100]!r} ({len(slow_input)} bytes)")
    grown = memory("VmHWM") - before
    if grown > 300:
        problems.append(f"{grown} MB more than before")
    return {"target": target.name, "inputs": done, "problems": problems[:10], "slowest": slowest, "grown": grown}
