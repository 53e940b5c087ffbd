"""Cases that other projects met, each under the id of its report, each for its whole kind.

Those that need a room which is not built yet are listed with the room; they fail once the room has code, so that they
are written then.
"""

import pytest

from tests.reliability import bugs_of_answers, bugs_of_files, bugs_of_forgetting, bugs_of_memory
from tests.reliability.bug_kit import BUGS, Kit
from tests.reliability.plants import has_code
from tests.reliability.program import main

assert bugs_of_files
assert bugs_of_answers
assert bugs_of_forgetting
assert bugs_of_memory

# What waits for a room that is not built: the case, the room, what will have to hold there.
PENDING: tuple[tuple[str, str, str], ...] = ()


@pytest.mark.promise("P15")
@pytest.mark.parametrize("name", sorted(BUGS))
def test_known_bug(scratch, name):
    BUGS[name](Kit(scratch))


@pytest.mark.promise("P15")
def test_known_bugs_of_rooms_to_come(cases):
    for name, room, what in PENDING:
        if has_code(room):
            cases.add([f"{room} has code now: write the case there ({what})"], name=name)
        else:
            cases.skip(f"pending, {room} is not built: {name}, {what}")
    cases.figure(f"known bugs that wait for a room: {len(PENDING)}")


if __name__ == "__main__":
    main(__file__)
