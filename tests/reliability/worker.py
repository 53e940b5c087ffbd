"""The program that is traced, killed, or cut off: it does one operation of the table.

    python -S -E -B worker.py once OPERATION FOLDER LEDGER    print "go", do it, print the acknowledged ids, print "done"
    python -S -E -B worker.py forks GATE                      the same in a child, for each line of JSON on standard input

It starts without site packages and is given the folders it needs in `MEMKIT_WORKER_PATH`. With `forks` everything is
imported once, and a child is forked for each operation: most of a start is imports. A child waits for a byte from the
descriptor GATE, so that whoever wants to trace it is there in time.
"""

import contextlib
import json
import os
import sys


def do(name: str, folder: str, state: dict) -> None:
    """One operation, with what was acknowledged on standard output."""
    import pathlib

    from tests.reliability.operations import OPERATIONS, Bench
    from tests.reliability.stores import Ledger, quietly

    operation = next(operation for operation in OPERATIONS if operation.name == name)
    ledger = Ledger(must=state["must"], trashed=state["trashed"], erasing=state.get("erasing", {}))
    bench = Bench(pathlib.Path(folder), ledger, made=state["made"])
    before = set(bench.ledger.must)
    bench.store.clock.now()
    os.write(1, b"go\n")
    with quietly():
        operation.run(bench)
    for entry_id, marker in bench.ledger.must.items():
        if entry_id not in before:
            os.write(1, f"{entry_id} {marker}\n".encode())
    os.write(1, b"done\n")


def fork(told: dict, gate: int) -> int:
    """A child that does one operation, or imports what one needs; its process id."""
    child = os.fork()
    if child:
        return child
    try:
        out = os.open(told["out"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(out, 1)
        os.close(out)
        allow_tracing()
        os.read(gate, 1)
        do(told["operation"], told["folder"], told["state"])
        if told.get("modules"):
            os.write(1, json.dumps(sorted(sys.modules)).encode() + b"\n")
    except BaseException as error:
        os.write(1, f"failed: {error!r}\n".encode())
    finally:
        os._exit(0)


def allow_tracing() -> None:
    """Where only descendants may be traced, let anybody of this user; elsewhere this changes nothing."""
    import ctypes

    ctypes.CDLL(None).prctl(0x59616D61, ctypes.c_ulong(-1), 0, 0, 0)


def serve(gate: int) -> None:
    """Fork for each line that is read; the child's process id is told, and "ended" when it is gone."""
    for line in sys.stdin:
        told = json.loads(line)
        if "import" in told:
            for name in told["import"]:
                with contextlib.suppress(ImportError):  # made by another module, not by an import
                    __import__(name)
            print("ended", flush=True)
            continue
        child = fork(told, gate)
        print(child, flush=True)
        os.waitpid(child, 0)
        print("ended", flush=True)


if __name__ == "__main__":
    sys.path[:0] = os.environ["MEMKIT_WORKER_PATH"].split(os.pathsep)
    if sys.argv[1] == "once":
        do(sys.argv[2], sys.argv[3], json.loads(sys.argv[4]))
    else:
        __import__("tests.reliability.operations")
        serve(int(sys.argv[2]))
