"""The reliability ladder: is a call that returned on disk, and is damage said and never hidden?

Each tier is a module of tests that is deselected by default (`make test` stays fast) and a make target:

    make reliability                    every tier in its size for each change, then the table of promises
    make reliability-faults             one tier
    make reliability-release            every tier in its size for a release

or `python -m tests.reliability [--release] [TIER ...]`. A tier may also be run as any other tests:
`pytest -m reliability tests/reliability/test_faults.py`.

How it is made. `operations` lists every public operation that changes a store, each with the state it has work in; the
tiers are loops over that list. `seam` stands in for the operating system inside `memkit.store.durable` and `look`;
`crash_states` records what passes there and makes up the states a power cut may leave; `worker` is the program that is
killed; `mounts` makes small file systems of its own. Whatever was done to a store, `stores.violations` looks at it from
outside, with a ledger of what was acknowledged that is kept outside the store. `plants` breaks memkit on purpose, one
defect at a time: a ladder that does not notice is no ladder.

Tests say which promise they prove (`@pytest.mark.promise("P4")`) and how many cases they ran; `account` adds them up.
"""
