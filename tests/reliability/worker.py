"""The program that is traced, killed, or cut off: it does one operation of the table, or writes for ever.

    python -S -E -B worker.py once OPERATION FOLDER LEDGER    print "go", do it, print the acknowledged ids, print "done"

It starts without site packages (a crash point is a process of its own, so its start is most of the cost) and is given
the folders it needs in `MEMKIT_WORKER_PATH`.
"""

import json
import os
import sys

if __name__ == "__main__":
    sys.path[:0] = os.environ["MEMKIT_WORKER_PATH"].split(os.pathsep)
    import pathlib

    from tests.reliability.operations import OPERATIONS, Bench
    from tests.reliability.stores import Ledger, quietly

    name, folder, raw = sys.argv[2:5]
    operation = next(operation for operation in OPERATIONS if operation.name == name)
    state = json.loads(raw)
    bench = Bench(pathlib.Path(folder), Ledger(must=state["must"], trashed=state["trashed"]), made=state["made"])
    before = set(bench.ledger.must)
    bench.store.clock.now()
    os.write(1, b"go\n")
    with quietly():
        operation.run(bench)
    for entry_id, marker in bench.ledger.must.items():
        if entry_id not in before:
            os.write(1, f"{entry_id} {marker}\n".encode())
    os.write(1, b"done\n")
