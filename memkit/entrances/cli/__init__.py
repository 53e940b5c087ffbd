"""The command line: parse, call Memory, print.

What it holds. One module per kind of verb (`consent`, `keeping`, `asking`, `care`), each function a few lines: options
in, one call of `Memory`, its result out. `grammar` makes the global options work before and after a verb, `call`
carries them, `output` is the only module that writes to the terminal, `stored_input` reads the JSON of `memkit store`.

What it promises. The answer goes to stdout, everything else to stderr. With `--json` the answer is exactly one JSON
document with a `schema_version`, also when memkit refuses. Text from a store cannot steer the terminal. A mistake of
the user ends in a sentence, never in a traceback. Exit codes: 0 fine, 1 found something, 2 the call was written wrong,
3 refused or failed, 130 interrupted. `memkit --help` loads no database, no data frames and no settings library.

How it is checked. Each verb is run against a stand-in for Memory and, in the end-to-end tests, as a process against a
real store; the reference page is compared with what the verbs say about themselves.
"""

from __future__ import annotations

import errno
import os
import sys
import traceback
from collections.abc import Sequence
from typing import NoReturn

OK = 0
FOUND = 1
USAGE = 2
FAILED = 3
INTERRUPTED = 130
_OUTPUT_FAULTS = frozenset({errno.ENOSPC, errno.EBADF, errno.EIO})


def main() -> NoReturn:
    """Run the command line of this process and leave with its exit code."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run one command line; returns the exit code.

    A stream that cannot show a character gets its escape instead of an error. A reader that closed the pipe early has
    seen what it wanted. Anything memkit did not foresee is a defect: it is shown in full and counts as failed, because
    Python's own code for it, 1, is taken.
    """
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        code = _dispatch(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    except KeyboardInterrupt:
        return INTERRUPTED
    except OSError as error:
        if error.errno not in _OUTPUT_FAULTS or error.filename is not None:
            return _defect()
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        _say(f"memkit: error: the answer could not be written ({error.strerror}); what was asked has been done\n")
        return FAILED
    except Exception:  # noqa: BLE001 - shown in full, and the code says so
        return _defect()
    return code


def _defect() -> int:
    traceback.print_exc()
    _say("memkit: this is a defect of memkit, not of your call; please report it with the lines above\n")
    return FAILED


def _say(words: str) -> None:
    if sys.stderr is not None:
        sys.stderr.write(words)


def _dispatch(arguments: Sequence[str]) -> int:
    from memkit.entrances.cli.app import app

    try:
        app(list(arguments), prog_name="memkit")
    except SystemExit as done:
        if isinstance(done.__context__, BrokenPipeError):
            return OK
        return done.code if isinstance(done.code, int) else OK
    return OK
