"""One call of the command line: its global options, and the one door to Memory."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memkit.memory import Memory

ACTOR = "cli"


@dataclass(slots=True)
class Call:
    """The global options, wherever on the line they stood.

    Attributes:
        project: The project's folder.
        root: The store's root, or None for the one in the settings.
        json: Whether the answer is a JSON document.
        verbose: How many times `-v` was given.
        quiet: Whether notes and warnings are left out.
    """

    project: str = "."
    root: str | None = None
    json: bool = False
    verbose: int = 0
    quiet: bool = False

    def memory(self, *, while_disabled: bool = False) -> Memory:
        """Open the project's memory.

        Args:
            while_disabled: Whether the verb also works before consent, because it stores nothing new.

        Raises:
            NotEnabledError: memory is off for this project and the verb needs it.
        """
        return open_memory(self, while_disabled=while_disabled)


def open_memory(call: Call, *, while_disabled: bool) -> Memory:
    """The one place where the command line opens a Memory; tests put a stand-in here."""
    from memkit import opening
    from memkit.entrances.cli import output  # it builds on this module

    with ExitStack() as shown:
        bars: list[Callable[[int], None] | None] = []

        def taken(n: int) -> None:
            if not bars:  # few calls take so many entries that there is something to show
                bars.append(shown.enter_context(output.progress(call, "snapshot")))
            if bars[0] is not None:
                bars[0](n)

        return opening.open_memory(
            call.project, root=call.root, actor=ACTOR, even_if_off=while_disabled, progress=taken
        )
