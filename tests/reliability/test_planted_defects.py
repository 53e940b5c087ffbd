"""The ladder is tried itself: memkit with one mistake at a time, and each mistake has to be noticed.

Quick versions of the tiers (`detectors`) run over each plant until one speaks; the table says which. Plants of rooms
that are not built yet are printed as pending, and fail once the room has code.
"""

import time

import pytest

from tests.reliability.account import pick
from tests.reliability.detectors import DETECTORS
from tests.reliability.mounts import run_apart, why_not
from tests.reliability.plants import PENDING, PLANTS, has_code
from tests.reliability.program import main

# Which quick tier is tried first; the others follow.
FIRST = {
    "lines-are-split-at-every-kind-of-line-break": "separators",
    "nothing-is-taken-back-after-a-fault": "faults",
    "a-fault-after-the-line-takes-the-file-back": "faults",
    "a-short-write-is-not-noticed": "faults",
    "a-short-write-of-a-file-is-not-noticed": "faults",
    "an-unreadable-entry-is-left-out-of-a-new-index": "faults",
    "what-cannot-be-looked-at-counts-as-missing": "looking",
    "readers-do-not-look-at-the-generation": "generations",
    "the-generation-goes-back-when-a-project-is-wiped": "generations",
    "a-flipped-snapshot-is-believed": "above",
    "texts-are-scrubbed-but-the-log-is-not": "above",
    "texts-are-scrubbed-but-tags-are-not": "above",
    "a-time-without-a-zone-is-taken-as-it-is": "above",
    "the-key-is-the-path-with-its-signs-replaced": "keys",
    "an-id-may-be-any-text": "keys",
    "modes-are-narrowed-after-the-file-is-made": "modes",
    "each-store-has-a-lock-of-its-own": "locks",
    "the-lock-file-is-removed-when-it-is-let-go": "locks",
    "a-forked-child-keeps-the-lock": "locks",
    "the-lock-is-stolen-after-a-while": "locks",
    "the-other-tools-lock-is-ignored": "locks",
    "a-file-system-without-locks-is-used-without-one": "locks",
    "repair-reads-the-index-before-it-has-the-lock": "concurrency",
    "the-temporary-name-is-always-the-same": "concurrency",
    "the-previous-line-of-the-chain-is-read-before-the-lock-is-taken": "concurrency",
    "a-live-writers-file-is-swept": "sweeping",
    "front-matter-is-closed-by-any-three-dashes": "front_matter",
    "two-threads-share-one-descriptor": "halves",
    "a-removed-entry-has-no-mark-that-outlives-a-restored-index": "forgetting",
    "what-was-erased-is-read-again-when-it-comes-back": "forgetting",
    "retention-goes-by-the-files-time": "forgetting",
    "a-removal-is-not-in-the-audit-log": "forgetting",
    "what-was-pruned-leaves-no-receipt": "forgetting",
    "a-policy-that-cannot-be-read-removes-everything": "forgetting",
    "what-changed-since-the-review-is-pruned-all-the-same": "forgetting",
    "an-entry-is-erased-from-its-file-and-stays-in-the-log": "forgetting",
    "merging-deletes-the-older-record": "consolidating",
    "the-attempts-of-a-candidate-are-counted-in-memory-only": "consolidating",
    "a-record-edited-meanwhile-is-written-over": "consolidating",
    "a-candidate-leaves-staging-before-its-record-is-written": "consolidating",
    "a-record-is-written-where-it-stands": "consolidating",
    "a-record-and-those-it-supersedes-are-written-one-after-another": "consolidating",
}


@pytest.mark.promise("P16")
def test_without_a_plant_every_detector_is_silent(scratch, cases):
    for detector in DETECTORS:
        began = time.monotonic()
        cases.add(detector(scratch), name=detector.__name__)
        cases.figures.append(f"detector {detector.__name__}: {time.monotonic() - began:.1f} s")


@pytest.mark.promise("P16")
@pytest.mark.parametrize("name", PLANTS)
def test_a_planted_defect_is_caught(scratch, cases, name):
    first = FIRST.get(name, "")
    for detector in sorted(DETECTORS, key=lambda each: each.__name__ != first):
        with PLANTS[name]():
            try:
                found = detector(scratch)
            except Exception as error:  # a defect may well make the detector itself stumble
                found = [f"{type(error).__name__}: {error}"]
        if found:
            cases.add()
            cases.figure(f"plant {name}: caught by {detector.__name__}: {found[0][:110]}")
            return
    cases.add(["no tier noticed it"], name=name)


@pytest.mark.promise("P16")
def test_a_plant_of_a_room_to_come_is_written_when_the_room_is_built(cases):
    for pending in PENDING:
        if has_code(pending.room):
            cases.add([f"{pending.room} has code now: plant it and let a tier catch it"], name=pending.defect)
        else:
            cases.skip(f"pending, {pending.room} is not built: {pending.defect}")
    cases.figure(f"plants that wait for a room: {len(PENDING)}")


@pytest.mark.promise("P16")
@pytest.mark.parametrize("name", ["the-temporary-file-is-not-flushed", "the-index-is-not-flushed"])
def test_a_real_power_cut_shows_a_missing_flush(cases, name):
    reason = why_not("mkfs.ext4")
    if reason:
        pytest.skip(f"ext4: {reason}")
    found = run_apart("tests.reliability.power_cuts", "ext4", str(pick(4, 20)), name, timeout=200)
    cases.add([] if found["n_problems"] else [f"{found['cuts']} cuts showed nothing"], name=name)
    cases.figure(f"plant {name}: {found['n_problems']} problems in {found['cuts']} real power cuts")


if __name__ == "__main__":
    main(__file__)
