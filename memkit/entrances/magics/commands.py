"""The magics themselves: each parses its line, calls Memory, and returns the result."""

from __future__ import annotations

import keyword
import re
import shlex
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from IPython.core.error import UsageError
from IPython.core.magic import Magics, line_cell_magic, line_magic, magics_class
from IPython.core.magic_arguments import argument, magic_arguments

from memkit.consolidate.remind import MODES
from memkit.entrances.magics.completion import Completer
from memkit.entrances.magics.session import Session
from memkit.errors import MemkitError, MemkitWarning
from memkit.memory import Memory

if TYPE_CHECKING:
    from memkit.analytics.decided import Decided
    from memkit.analytics.recall_result import RecallResult
    from memkit.catalog.table import Table
    from memkit.consolidate.remind import Reminder
    from memkit.model.status import Status

_MARK = "MemkitMagics"
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@contextmanager
def plainly() -> Iterator[None]:
    """What memkit refuses is one line in the notebook, not a traceback."""
    try:
        yield
    except MemkitError as error:
        raise UsageError(str(error)) from None


@magics_class
class MemkitMagics(Magics):
    """`%memkit`, `%memkit_mode`, `%recall`, `%decided`, `%%memsql`."""

    def __init__(self, shell: Any) -> None:
        super().__init__(shell)
        self.session = Session(shell.user_ns)
        self.completer = Completer(self.session)
        self.hidden: dict[str, dict[str, Any]] = {}
        self.mode = ""

    @magic_arguments()
    @argument("project", nargs="?", default=None, help="the project's folder; without it, the one that is open")
    @argument("--root", default=None, help="folder of all stores")
    @argument("-n", "--name", default=None, help="what the notebook calls the memory (default: mem)")
    @line_magic
    def memkit(self, line: str) -> Status:
        """Open a project's memory and show its status."""
        asked = _parsed(self.memkit, line)
        wanted = None if asked.name is None else _name(asked.name, "-n", "mem")
        with plainly():
            memory = self.session.memory
            if asked.project is not None or asked.root is not None or memory is None or memory.is_closed:
                name = wanted or "mem"
                self._require_free(name, "-n")
                memory = self.session.open(_unquoted(asked.project or "."), root=asked.root, name=name)
            elif wanted is not None and wanted != self.session.name:
                self._require_free(wanted, "-n")
                self.session.rename(wanted)
            return memory.status()

    def _require_free(self, name: str, option: str) -> None:
        """Refuse a name by which the notebook calls something that is no memory: nothing of it is overwritten."""
        held = self.session.names.get(name)
        if held is not None and not isinstance(held, Memory):
            raise UsageError(f"{name} is yours here ({type(held).__name__}); choose another name with {option}")

    @magic_arguments()
    @argument("mode", help="how you go on: discuss, plan, build, or another word")
    @line_magic
    def memkit_mode(self, line: str) -> Reminder | None:
        """Say how you go on; once, on leaving discuss, plan or build, you are told what waits to become a record."""
        asked = _parsed(self.memkit_mode, line)
        mode = asked.mode.casefold()
        near = get_close_matches(mode, MODES, 1, 0.7)
        if near and mode not in MODES:
            raise UsageError(f"{asked.mode!r} is no way of going on that memkit knows; did you mean {near[0]}?")
        with plainly():
            found = self.session.current().mode_changed(self.mode, mode)
        before, self.mode = self.mode, mode
        if not MODES & {before, mode}:
            said = f"memkit knows {', '.join(sorted(MODES))}; of going on with {mode} it says nothing"
            warnings.warn(said, MemkitWarning, stacklevel=2)
        return found

    @magic_arguments()
    @argument("words", nargs="+", help="what you want to know")
    @argument("--limit", type=int, default=None, help="hits at most")
    @argument("--panel", default=None, help="only entries of this panel")
    @argument("--tag", action="append", default=[], help="only entries with one of these tags; repeatable")
    @argument("--since-days", type=float, default=None, help="only entries stored in the last days")
    @argument("--include-superseded", action="store_true", help="also what was replaced")
    @argument("--fuzzy", action="store_true", help="also words that begin alike or differ by a letter")
    @line_magic
    def recall(self, line: str) -> RecallResult:
        """Recall what was decided, with reasons and ages."""
        asked = _parsed(self.recall, line)
        with plainly():
            return self.session.current().recall(
                _unquoted(" ".join(asked.words)),
                limit=asked.limit,
                panel=asked.panel,
                any_tag=asked.tag,
                since_days=asked.since_days,
                include_superseded=asked.include_superseded,
                fuzzy=asked.fuzzy,
            )

    @magic_arguments()
    @argument("topic", nargs="+", help="words of the topic")
    @argument("--since-days", type=float, default=None, help="only decisions made in the last days")
    @argument("--limit", type=int, default=10, help="decisions at most")
    @line_magic
    def decided(self, line: str) -> Decided:
        """What was decided about a topic, and whether it still holds."""
        asked = _parsed(self.decided, line)
        with plainly():
            return self.session.current().what_we_decided(
                _unquoted(" ".join(asked.topic)), since_days=asked.since_days, limit=asked.limit
            )

    @magic_arguments()
    @argument("-o", "--out", default=None, help="also keep the result under this name")
    @argument("-l", "--limit", type=int, default=None, help="keep at most so many rows")
    @argument("query", nargs="*", help="the query, where it stands on the line itself")
    @line_cell_magic
    def memsql(self, line: str, cell: str | None = None) -> Table:
        """One SELECT over the views of the memory and the notebook's data frames."""
        options, inline = _split_options(line)
        asked = _parsed(self.memsql, options)
        query = "\n".join(part for part in (inline, cell or "") if part.strip())
        if not query.strip():
            raise UsageError("no query: write it below %%memsql, or after %memsql")
        if asked.out is not None:
            self._require_not_memory(_name(asked.out, "-o", "rows"))
        if asked.limit is not None and asked.limit < 1:
            raise UsageError("--limit takes a number of rows, 1 or more")
        with plainly():
            found = self.session.current().sql(query, None, **self._frames_in(query))
        if asked.limit is not None and len(found) > asked.limit:
            found = replace(found, data=found.data.slice(0, asked.limit), n_matched=len(found))
        if asked.out:
            self.session.names[asked.out] = found
        return found

    def _require_not_memory(self, name: str) -> None:
        """Refuse to put an answer where the notebook keeps a memory."""
        if isinstance(self.session.names.get(name), Memory):
            raise UsageError(f"{name} is your memory; choose another name, such as -o rows")

    def _frames_in(self, query: str) -> dict[str, Any]:
        """The notebook's frames whose names the query has; a view of memkit comes before a frame of its name."""
        words = set(_NAME.findall(query))
        frames = {name: frame for name, frame in self.session.frames().items() if name in words}
        if not frames:
            return {}
        views = {view.casefold() for view in self.session.views()}
        for name in [name for name in frames if name.casefold() in views]:
            del frames[name]
            warnings.warn(
                f"{name} is the view of memkit here, not your data frame of that name", MemkitWarning, stacklevel=2
            )
        return frames


def _name(text: str, option: str, such_as: str) -> str:
    """A name that the notebook can use."""
    if not _NAME.fullmatch(text) or keyword.iskeyword(text):
        raise UsageError(f"{text!r} is no name that Python can use; write {option} {such_as}")
    return text


def _parsed(magic: Any, line: str) -> Any:
    """The arguments on a line; an apostrophe in a question is no quote."""
    try:
        words = [_unquoted(word) for word in shlex.split(line, posix=False)]
    except ValueError:
        words = line.split()
    return magic.parser.parse_args(words)


def _unquoted(text: str) -> str:
    """A text without the quotes around all of it: IPython keeps them."""
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"" else text


def _split_options(line: str) -> tuple[str, str]:
    """The options in front, and the rest of the line as it is: SQL has quotes and dashes of its own."""
    parts = re.match(r"((?:\s*(?:-o|--out|-l|--limit)(?:\s+|=)\S+)*)\s*(.*)", line, re.DOTALL)
    return (parts.group(1), parts.group(2)) if parts else ("", line)


def load(shell: Any) -> None:
    """Register the magics and their completion with a shell; once, however often it is asked."""
    if _MARK in shell.magics_manager.registry:
        return
    magics = MemkitMagics(shell)
    known = shell.magics_manager.magics
    magics.hidden = {
        kind: {name: known[kind][name] for name in names if name in known[kind]}
        for kind, names in magics.magics.items()
    }  # IPython has a %recall of its own
    shell.register_magics(magics)
    shell.Completer.custom_matchers.append(magics.completer.match)


def unload(shell: Any) -> None:
    """Take everything away again: magics, completion, the open memory and its name."""
    magics = shell.magics_manager.registry.pop(_MARK, None)
    if magics is None:
        return
    for kind, names in magics.magics.items():
        for name in names:
            shell.magics_manager.magics[kind].pop(name, None)
        shell.magics_manager.magics[kind].update(magics.hidden.get(kind, {}))
    shell.Completer.custom_matchers.remove(magics.completer.match)
    magics.session.close()
