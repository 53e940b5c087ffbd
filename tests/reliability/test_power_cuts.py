"""Real power cuts on real file systems: ext4 and XFS in a file, shut down while writers are stopped in mid-flight."""

import pytest

from tests.reliability import power_cuts
from tests.reliability.account import pick
from tests.reliability.mounts import run_apart, why_not
from tests.reliability.program import main

CUTS = [("ext4", pick(100, 1000)), ("xfs", pick(30, 300))]


@pytest.mark.promise("P3")
@pytest.mark.parametrize(("kind", "n"), CUTS, ids=[kind for kind, _ in CUTS])
def test_a_power_cut_loses_nothing_that_was_acknowledged(cases, kind, n):
    reason = why_not(f"mkfs.{kind}")
    if reason:
        pytest.skip(f"{kind}: {reason}")
    found = run_apart("tests.reliability.power_cuts", kind, str(n), timeout=pick(900, 4200))
    done = found["cuts"]
    cases.passed += done - min(done, found["n_problems"])
    if done < n:
        cases.skip(f"cut after {power_cuts.SECONDS / 60:.1f} minutes: {n - done} of {n} power cuts on {kind}", n - done)
    cases.failures += found["problems"]
    cases.figure(
        f"{kind}: {found['cuts']} power cuts, {found['acknowledged']:,} acknowledged, {found['n_problems']} problems,"
        f" {found['unacknowledged']} unacknowledged entries found whole, {found['wipes']} wipes, {found['seconds']:.0f} s"
    )


if __name__ == "__main__":
    main(__file__)
