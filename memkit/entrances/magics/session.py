"""The memory a notebook has open, and the name it has there."""

from __future__ import annotations

from collections.abc import MutableMapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memkit import opening
from memkit.errors import MemkitError, NotEnabledError

if TYPE_CHECKING:
    from memkit.memory import Memory

ACTOR = "notebook"


@dataclass(slots=True)
class Session:
    """What the magics of one shell work on.

    Attributes:
        names: The notebook's names.
        memory: The open memory, or None.
        name: What the notebook calls it, or "".
    """

    names: MutableMapping[str, Any]
    memory: Memory | None = None
    name: str = ""

    def open(self, project: str, *, root: str | None, name: str) -> Memory:
        """Open a project's memory in place of the one before; one that is off is opened for looking only.

        Raises:
            MemkitError: it cannot be opened; the one before stays.
        """
        try:
            memory = opening.open_memory(project, root=root, actor=ACTOR)
        except NotEnabledError:
            memory = opening.open_memory(project, root=root, actor=ACTOR, even_if_off=True)
        self.close()
        self.memory, self.name = memory, name
        if name:
            self.names[name] = memory
        return memory

    def rename(self, name: str) -> None:
        """Give the open memory another name in the notebook."""
        if self.name and self.names.get(self.name) is self.memory:
            del self.names[self.name]
        self.name = name
        self.names[name] = self.memory

    def current(self) -> Memory:
        """The open memory; that of the current folder where none is.

        Raises:
            NotEnabledError: memory is off for the current folder.
        """
        if self.memory is None or self.memory.is_closed:
            self.memory, self.name = opening.open_memory(actor=ACTOR), ""
        return self.memory

    def views(self) -> dict[str, list[str]]:
        """Columns by view of the open memory; nothing where none is open or it cannot answer."""
        from memkit.catalog.queries import load

        if self.memory is None or self.memory.is_closed or not self.memory.enabled:
            return {}
        try:
            found = self.memory.sql(load("memkit.entrances.magics", "views").sql)
        except MemkitError:
            return {}  # completion is no place for complaints
        return {row["name"]: row["columns"] for row in found.rows}

    def frames(self) -> dict[str, Any]:
        """The notebook's data frames by name."""
        return {name: value for name, value in self.names.items() if not name.startswith("_") and is_frame(value)}

    def close(self) -> None:
        """Close the memory and take its name out of the notebook, if it still means it."""
        if self.memory is not None:
            self.memory.close()
            if self.name and self.names.get(self.name) is self.memory:
                del self.names[self.name]
        self.memory, self.name = None, ""


def is_frame(value: object) -> bool:
    """Whether a value is a data frame that SQL can read."""
    return hasattr(value, "__arrow_c_stream__") and not isinstance(value, type)
