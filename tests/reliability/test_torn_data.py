"""Bytes that are not what was written: cut, emptied, filled with NUL, one bit flipped, replaced by junk.

Damage costs at most the record it is in. All others are read and listed as before, `verify` names the damage, nothing
is written over it, the next append is readable, and after a repair the store is sound with every damaged byte kept.
"""

import random
import shutil
from dataclasses import replace

import pytest

from memkit.errors import DamagedError, ForeignStoreError, MemkitError, NewerFormatError
from memkit.store import quarantine
from memkit.store.repair import repair
from memkit.store.verify import verify
from tests.reliability.account import pick
from tests.reliability.operations import Bench
from tests.reliability.program import main
from tests.reliability.stores import AFTER_A_CRASH, new, quietly, violations

N = 5
LINE_DAMAGE = AFTER_A_CRASH | {"line-without-file", "hash-mismatch", "line-differs", "repeated-line", "glued-line"}
ENTRY_DAMAGE = LINE_DAMAGE | {"damaged-entry", "newer-entry", "foreign-entry"}
JUNK = (
    b"", b"\0", b"\0" * 4096, b"\n", b"{", b"[]", b"null", b'""', b"garbage{", b"\xff\xfe\x00", b"\xef\xbb\xbf",
    b"[" * 100_000, b'{"a":' * 5_000, b"9" * 10_000, b'{"id":NaN}', b"\xed\xb2\x9d", b"\r\n\r\n", b"}{" * 1000,
)  # fmt: skip


@pytest.fixture
def template(scratch):
    return Bench(scratch / "template").fill(N)


def look_at(cases, bench, allowed, name, *, must_be_named=True, extra=""):
    """The store with its damage: everything else is there, the damage is named, life goes on."""
    found = []
    if must_be_named:
        try:
            problems = verify(bench.store)
        except Exception as error:
            problems = [error]
            found.append(f"verify raised {type(error).__name__}: {error}")
        found += [] if problems else [f"verify says nothing{extra}"]
    found += violations(bench.root / "root", bench.ledger, allowed=allowed)
    cases.add(found, name=name)
    shutil.rmtree(bench.root)


@pytest.mark.promise("P5")
def test_the_index_cut_at_every_byte_of_its_last_line_costs_at_most_that_line(template, scratch, cases):
    data = template.store.paths.index.read_bytes()
    begin = data[:-1].rindex(b"\n") + 1
    last = list(template.ledger.must)[-1]
    for cut in range(begin, len(data)):
        bench = template.copy(scratch / "case")
        bench.store.paths.index.write_bytes(data[:cut])
        bench.ledger.unlisted.add(last)
        look_at(cases, bench, AFTER_A_CRASH, f"cut at byte {cut} of {len(data)}")


@pytest.mark.promise("P5")
@pytest.mark.parametrize("which", ["first", "middle", "last"])
def test_an_entry_cut_anywhere_costs_only_itself(template, scratch, cases, which):
    ids = list(template.ledger.must)
    victim = {"first": ids[0], "middle": ids[2], "last": ids[-1]}[which]
    data = template.store.paths.entry_file(victim).read_bytes()
    for cut in sorted({len(data) * i // pick(64, 512) for i in range(pick(64, 512))}):
        damage_entry(cases, template, scratch, victim, data[:cut], f"{which} cut at {cut}")


@pytest.mark.promise("P5")
@pytest.mark.parametrize("kind", ["emptied", "nul", "half-nul", "junk"])
def test_an_entry_filled_with_something_else_costs_only_itself(template, scratch, cases, kind):
    victim = list(template.ledger.must)[1]
    data = template.store.paths.entry_file(victim).read_bytes()
    fills = {
        "emptied": [b""],
        "nul": [b"\0" * len(data)],
        "half-nul": [data[:i] + b"\0" * (len(data) - i) for i in range(1, len(data), 7)],
        "junk": JUNK,
    }[kind]
    for i, fill in enumerate(fills):
        damage_entry(cases, template, scratch, victim, fill, f"{kind} {i}")


def damage_entry(cases, template, scratch, victim, data, name):
    bench = template.copy(scratch / "case")
    path = bench.store.paths.entry_file(victim)
    path.write_bytes(data)
    found = []
    try:
        bench.store.read_entry(victim)
        found.append("it was read as if nothing had happened")
    except (DamagedError, NewerFormatError, ForeignStoreError):
        pass
    except MemkitError as error:
        found.append(f"{type(error).__name__} says nothing about damage")
    cases.add(found, name=f"{name}, read")
    bench.ledger.lost.add(victim)
    bench.ledger.may.add(bench.ledger.must.pop(victim))
    copy = bench.copy(scratch / "repaired")
    with quietly():
        repair(copy.store, dry_run=False)
    kept = {
        (copy.store.paths.quarantine / f"{spot.name}.bin").read_bytes() for spot in quarantine.spots(copy.store.paths)
    }
    cases.add([] if data in kept else ["the damaged bytes are not in quarantine"], name=f"{name}, kept")
    shutil.rmtree(copy.root)
    look_at(cases, bench, ENTRY_DAMAGE, name)


@pytest.mark.promise("P5")
def test_a_flipped_bit_in_an_entry_is_named(template, scratch, cases):
    victim = list(template.ledger.must)[2]
    data = template.store.paths.entry_file(victim).read_bytes()
    for position, flipped in flips(data, pick(500, 4000)):
        bench = template.copy(scratch / "case")
        bench.store.paths.entry_file(victim).write_bytes(flipped)
        bench.ledger.lost.add(victim)
        bench.ledger.may.add(bench.ledger.must.pop(victim))
        look_at(cases, bench, ENTRY_DAMAGE, f"bit {position}")


@pytest.mark.promise("P5")
def test_a_flipped_bit_in_the_index_costs_at_most_its_line_and_is_named(template, scratch, cases):
    data = template.store.paths.index.read_bytes()
    ids = list(template.ledger.must)
    starts = [data.index(entry_id.encode()) - 7 for entry_id in ids] + [len(data)]
    for position, flipped in flips(data, pick(600, 8000)):
        bench = template.copy(scratch / "case")
        bench.store.paths.index.write_bytes(flipped)
        n = next(i for i in range(N) if position // 8 < starts[i + 1])
        bench.ledger.unlisted.add(ids[n])
        if position // 8 == starts[n + 1] - 1 and n + 1 < N:  # the newline between two lines: one glued line
            bench.ledger.unlisted.add(ids[n + 1])
        bench.ledger.lost |= {line.id for line in bench.store.read_index().lines} - set(
            ids
        )  # an id that was never given
        copy = bench.copy(scratch / "copy")
        same = told(copy.store) == told(template.store)  # a name of a field that stood for its default, say
        shutil.rmtree(copy.root)
        look_at(
            cases,
            bench,
            LINE_DAMAGE,
            f"bit {position}",
            must_be_named=not same,
            extra=f" of {flipped[position // 8 - 20 : position // 8 + 20]!r}",
        )


def told(store):
    """What the lines say, leaving out fields memkit does not know."""
    return [replace(line, extra={}) for line in store.read_index().lines]


def flips(data: bytes, n: int):
    """`data` with one bit flipped, at `n` positions."""
    rng = random.Random(11)
    total = len(data) * 8
    for position in sorted(rng.sample(range(total), min(n, total))):
        flipped = bytearray(data)
        flipped[position // 8] ^= 1 << position % 8
        yield position, bytes(flipped)


@pytest.mark.promise("P5")
@pytest.mark.parametrize("where", ["the-only-content", "before-the-lines", "between-the-lines", "after-the-lines"])
def test_junk_in_the_index_costs_nothing_but_itself(template, scratch, cases, where):
    data = template.store.paths.index.read_bytes()
    half = data.index(b"\n", len(data) // 2) + 1
    for i, junk in enumerate(JUNK):
        content = {
            "the-only-content": junk,
            "before-the-lines": junk + b"\n" + data,
            "between-the-lines": data[:half] + junk + b"\n" + data[half:],
            "after-the-lines": data + junk,
        }[where]
        bench = template.copy(scratch / "case")
        bench.store.paths.index.write_bytes(content)
        if where == "the-only-content":
            bench.ledger.unlisted.update(bench.ledger.must)
        harmless = not junk.strip(b"\r\n \xef\xbb\xbf") and where != "the-only-content"
        look_at(cases, bench, LINE_DAMAGE, f"junk {i} {where}", must_be_named=not harmless)


@pytest.mark.promise("P5")
@pytest.mark.parametrize("name", ["store.json", "index.generation", "quarantine-note", "log", "lock"])
def test_junk_in_any_other_file_costs_no_entry(template, scratch, cases, name):
    base = template.copy(scratch / "base")
    paths = base.store.paths
    quarantine.put(paths, b"bytes", file="index.jsonl", start=3, reason="for the test", moved_at=base.store.clock.now())
    victims = {
        "store.json": paths.store_json,
        "index.generation": paths.generation,
        "quarantine-note": next(paths.quarantine.glob("*.json")),
        "log": next(paths.logs.glob("memory-*.log")),
        "lock": paths.index_lock,
    }
    if not paths.generation.exists():
        paths.generation.touch(0o600)
        paths.generation.write_bytes(b"4\n")
    before = victims[name].read_bytes()
    contents = [*JUNK, *(before[:i] for i in range(len(before))), *(flipped for _, flipped in flips(before, 120))]
    allowed = AFTER_A_CRASH | {
        "generation-damaged",
        "note-damaged",
        "damaged-log-line",
        "broken-log-chain",
        "store-json-damaged",
        "foreign-store",
        "newer-format",
    }
    for i, content in enumerate(contents):
        if name == "store.json":
            refused = store_json_refused(base, content)
            cases.add([] if refused != "untyped" else ["an untyped error"], name=f"store.json, content {i}")
            if refused in {"foreign", "newer"}:
                continue  # not this project's store, or a newer one: nothing of it is touched
        bench = base.copy(scratch / "case")
        (bench.root / victims[name].relative_to(base.root)).write_bytes(content)
        look_at(cases, bench, allowed, f"{name}, content {i}", must_be_named=False)


def store_json_refused(base, content: bytes) -> str:
    """How a store answers to this store.json."""
    path = base.store.paths.store_json
    before = path.read_bytes()
    path.write_bytes(content)
    try:
        base.store.info()
    except ForeignStoreError:
        return "foreign"
    except NewerFormatError:
        return "newer"
    except DamagedError:
        try:
            base.store.store_many([new("refused")])
        except DamagedError:
            return "damaged"
        return "untyped"
    except Exception:
        return "untyped"
    finally:
        path.write_bytes(before)
    return ""


@pytest.mark.promise("P5", "P19")
def test_a_memory_over_damage_asks_and_answers(scratch, cases):
    """The whole from above: open, recall, list and SQL over damage in each file, each with a typed answer."""
    from memkit.opening import open_memory
    from memkit.settings import Environment
    from memkit.snapshot.absorbing import absorb

    project = scratch / "project"
    project.mkdir()
    environment = Environment(home=scratch, config_file=scratch / "config.toml")

    def opened(root):
        return open_memory(project, root=root, enabled=True, environment=environment)

    with opened(scratch / "root") as mem:
        mem.store_many(
            [{"question": f"Which queue number{i}?", "result": {"conclusion": f"Keep it {i}."}} for i in range(9)]
        )
        paths = mem.paths
        absorb(mem._store, minimum=1)
    files = [path for path in sorted(paths.folder.rglob("*")) if path.is_file() and not path.is_symlink()]
    rng = random.Random(3)
    for path in files:
        data = path.read_bytes()
        entry, relative = path.parent == paths.results, path.relative_to(paths.root)
        for kind in ("cut", "nul", "empty", "junk", *["flip"] * pick(2, 20)):
            changed = {
                "cut": data[: len(data) // 2],
                "nul": b"\0" * len(data),
                "empty": b"",
                "junk": b"junk{" + data,
                "flip": next(flipped for _, flipped in flips(data, 1)) if data else b"",
            }[kind]
            if kind == "flip" and data:
                at = rng.randrange(len(data))
                changed = data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :]
            root = scratch / "case"
            shutil.copytree(paths.root, root, symlinks=True)
            (root / relative).write_bytes(changed)
            cases.add(asked(opened, root, entry, path.name), name=f"{kind} {relative}")
            shutil.rmtree(root)


def asked(opened, root, entry_damaged: bool, name: str) -> list[str]:
    """What is wrong with the answers."""
    found = []
    with quietly():
        try:
            with opened(root) as mem:
                hits = mem.recall("queue", limit=50)
                n = len({hit.id for hit in hits})
                least = 8 if entry_damaged else 0 if name == "index.jsonl" else 9
                if n < least:
                    found.append(f"{n} of 9 recalled")
                mem.sql("select count(*) from entries").to_arrow()
                mem.list()
                mem.status()
                mem.verify()
        except (ForeignStoreError, NewerFormatError) as error:
            found += [] if name == "store.json" else [f"{type(error).__name__}: {error}"]
        except Exception as error:
            found.append(f"{type(error).__name__}: {error}")
    return found


if __name__ == "__main__":
    main(__file__)
