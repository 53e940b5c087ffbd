"""What comes back: made again from the entries, found by its own words, in stores of other versions, without secrets."""

import contextlib
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys

import pytest

from memkit.errors import MemkitError
from memkit.model.upgrades import UPGRADES
from memkit.store import look
from memkit.store.repair import repair
from memkit.store.verify import verify
from tests.reliability.account import pick
from tests.reliability.bug_kit import Kit
from tests.reliability.mounts import ROOT
from tests.reliability.operations import Bench
from tests.reliability.program import main
from tests.reliability.stores import imported, new, open_store, quietly
from tests.store.scrub_disguises import DISGUISES
from tests.store.scrub_samples import samples

GOLDEN = pathlib.Path(__file__).parent / "golden"
WORDS = "queue ledger cutover replica shard quorum token cache schema index retry backlog tenant region budget".split()


def answers(store, queries) -> list:
    """What a catalog over the store lists and recalls."""
    import tempfile

    from memkit.analytics.recall import RecallOptions, recall
    from memkit.catalog.catalog import Catalog

    with tempfile.TemporaryDirectory() as folder, quietly():
        catalog = Catalog([store], temp_directory=pathlib.Path(folder))
        try:
            now = store.clock.now()
            found = [
                [(hit.id, round(hit.score, 9)) for hit in recall(catalog, query, RecallOptions(limit=50), as_of=now)]
                for query in queries
            ]
        finally:
            catalog.close()
    return [sorted(line.id for line in store.read_index().lines), *found]


@pytest.mark.promise("P10")
def test_index_and_snapshot_made_again_are_the_same(scratch, cases):
    """Random stores: without the index, without the snapshot, without both, the same is listed, ranked and scored."""
    from memkit.snapshot.absorbing import absorb

    for seed in range(pick(50, 500)):
        rng = random.Random(seed)
        bench = Bench(scratch / "bench")
        store = bench.store
        older = None
        for _ in range(rng.randrange(1, 6)):
            texts = [" ".join(rng.choices(WORDS, k=rng.randrange(2, 9))) for _ in range(rng.randrange(1, 5))]
            requests = [new(f"{i} {text}", tags=(rng.choice(WORDS),)) for i, text in enumerate(texts)]
            if older and rng.random() < 0.4:
                requests.append(imported(f"newer {rng.choice(WORDS)}", replaces=older))
            older = store.store_many(requests)[-1].id
            if rng.random() < 0.4:
                absorb(store, minimum=1)
        queries = rng.sample(WORDS, 3)
        expected = answers(store, queries)
        for what in ("index", "snapshot", "both", "both, then repaired"):
            if what != "snapshot":
                store.paths.index.unlink(missing_ok=True)
            if what != "index":
                shutil.rmtree(store.paths.snapshots, ignore_errors=True)
            if what.endswith("repaired"):
                repair(store, dry_run=False)
            found = [] if answers(store, queries) == expected else ["something else is listed or ranked"]
            if what.endswith("repaired"):
                found += [f"verify says {problem.code}" for problem in verify(store)]
            cases.add(found, name=f"seed {seed}, without {what}")
        shutil.rmtree(bench.root)


@pytest.mark.promise("P17")
def test_what_was_stored_is_found_by_its_title_and_what_was_wiped_is_not(scratch, cases):
    n = pick(1000, 20_000)
    rng = random.Random(3)
    syllables = ["ka", "ro", "ti", "mel", "su", "dan", "vo", "pri", "lec", "ne", "ja", "gor"]
    names = ["".join(rng.choices(syllables, k=3)) for _ in range(3000)]
    kit = Kit(scratch)
    with kit.memory() as mem:
        titles = [" ".join(rng.choices(names, k=4)) for _ in range(n)]
        for i in range(0, n, 250):
            mem.store_many(
                [
                    {"question": title, "result": {"conclusion": " ".join(rng.choices(names, k=30))}}
                    for title in titles[i : i + 250]
                ]
            )
        for title in rng.sample(titles, min(n, pick(300, 3000))):
            top = [hit.question for hit in mem.recall(title, limit=5)]
            cases.add([] if title in top else ["not among the first five"], name=title)
        mem.wipe(confirm=mem.paths.key)
        for title in titles[:100]:
            cases.add(["a wiped entry was found"] if len(mem.recall(title)) else [], name=title)


@pytest.mark.promise("P19")
@pytest.mark.parametrize("name", sorted(path.name for path in GOLDEN.iterdir() if path.is_dir()))
def test_a_store_of_another_version_opens_recalls_and_is_written(scratch, cases, name):
    """`golden/NAME` holds a store as that version wrote it, for the project /projects/golden."""
    root = scratch / "root"
    shutil.copytree(GOLDEN / name, root)
    for path, info in look.tree(root):
        os.chmod(path, 0o700 if path.is_dir() else 0o600)
        assert info
    store = open_store(root, "/projects/golden")
    before = {path.name: path.read_bytes() for path in store.paths.results.iterdir()}
    read = store.read_index()
    cases.add([] if len(read.lines) == len(before) and not read.damaged else [f"{len(read.lines)} lines"])
    for entry_id in (line.id for line in read.lines):
        entry = store.read_entry(entry_id)
        raw = json.loads(before[f"{entry_id}.json"])
        kept = {key: value for key, value in raw.items() if key.startswith("x")}
        cases.add([] if dict(entry.extra) == kept else [f"{entry.extra} instead of {kept}"], name=entry_id)
        again = json.loads(entry.to_bytes())
        lost = [key for key, value in raw.items() if again.get(key) != value]
        cases.add([f"{key} is lost in a rewrite" for key in lost], name=entry_id)
    with quietly():
        (receipt,) = store.store_many([new("written today")])
        cases.add([f"verify says {problem.code}" for problem in verify(store)], name="verify")
        repair(store, dry_run=False)
    after = {path.name: path.read_bytes() for path in store.paths.results.iterdir()}
    cases.add([] if {k: v for k, v in after.items() if k in before} == before else ["an old entry was changed"])
    listed, found = answers(store, ["golden"])
    cases.add([] if len(listed) == len(before) + 1 and receipt.id in listed else ["listed otherwise"])
    cases.add([] if len(found) == len(before) else [f"{len(found)} of {len(before)} recalled"], name="recall")


@pytest.mark.promise("P19")
def test_each_upgrade_has_a_golden_store():
    versions = {json.loads(path.read_bytes()).get("schemaVersion", 0) for path in GOLDEN.rglob("results/*.json")}
    assert versions >= set(range(len(UPGRADES) + 1))


@pytest.mark.promise("P13")
def test_no_secret_of_any_kind_reaches_any_file_or_stream(scratch, cases):
    """Every kind, in some disguises each, in every field of an intake, in a question, an id, a path, an error."""
    rng = random.Random(8)
    plain = [
        name
        for name in DISGUISES
        if name in {"as it is", "in a sentence", "in JSON", "after an equals sign", "in the query of a URL"}
    ]
    others = [name for name in DISGUISES if name not in plain]
    kit = Kit(scratch)
    table = samples()
    secrets = []
    with kit.memory() as mem:
        for kind, each in sorted(table.items()):
            for sample in each[: pick(1, 3)]:
                secrets.append((kind, sample))
                requests = []
                for name in [*plain, *rng.sample(others, pick(2, len(others)))]:
                    written = DISGUISES[name](sample)
                    tags = [f"t {written}"] if len(written) < 62 and written.strip() == written else []
                    result = {"conclusion": written, "rounds": [{written: [written, {"log": written}]}]}
                    requests.append({"question": f"Why {written}?", "tags": tags, "result": result})
                mem.store_many(requests)
                mem.recall(f"what about {sample.text}")
                with contextlib.suppress(MemkitError):
                    mem.get(sample.secret)
                with contextlib.suppress(MemkitError):
                    mem.store(question="", result={"x": sample.text})
    data = kit.bytes_on_disk()
    for kind, sample in secrets:
        window = min(12, len(sample.secret))
        pieces = {sample.secret[i : i + window] for i in range(0, len(sample.secret) - window + 1, 3)}
        shown = [piece for piece in pieces if piece.encode() in data]
        cases.add([f"{len(shown)} pieces are on disk"] if shown else [], name=kind)
    cases.figure(f"{len(secrets)} secrets of {len(table)} kinds, {len(data):,} bytes of store searched")


@pytest.mark.promise("P13")
def test_no_secret_reaches_the_terminal_of_a_failed_command(scratch, cases):
    secret = "ghp" + "_" + "Fa7kQ2" * 6
    (scratch / "project").mkdir()
    (scratch / "result.json").write_text(json.dumps({"question": "", "result": {"note": secret}}))
    environment = {
        "PATH": os.environ["PATH"], "HOME": str(scratch), "PYTHONPATH": str(ROOT),
    }  # fmt: skip
    base = [sys.executable, "-m", "memkit", "--root", str(scratch / "root"), "--project", str(scratch / "project")]
    for words in (
        ["enable"],
        ["store", str(scratch / "result.json")],
        ["recall", f"about {secret}"],
        ["-vv", "store", str(scratch / "result.json")],
    ):
        done = subprocess.run([*base, *words], cwd=ROOT, env=environment, capture_output=True, check=False, input=b"")
        shown = (
            secret.encode() in done.stdout + done.stderr and words[0] != "recall"
        )  # a question may be repeated to its asker
        cases.add(["the secret is shown"] if shown else [], name=" ".join(words[:2])[:30])
    store_files = [path for path in (scratch / "root").rglob("*") if path.is_file()]
    cases.add([f"it is in {path.name}" for path in store_files if secret.encode() in path.read_bytes()])


if __name__ == "__main__":
    main(__file__)
