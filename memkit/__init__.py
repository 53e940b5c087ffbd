"""memkit keeps the decisions that people and their AI panels reach, and lets them question that memory.

    import memkit

    with memkit.open(".") as mem:
        mem.recall("connection pool")

Everything here is loaded when it is first used: `import memkit` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memkit.analytics.recall_result import RecallHit, RecallResult
    from memkit.catalog.table import Table
    from memkit.errors import MemkitError, MemkitWarning
    from memkit.importers.report import ImportReport
    from memkit.memory import Memory
    from memkit.model.entry import StoredEntry
    from memkit.model.problem import Problem
    from memkit.opening import disable, enable
    from memkit.opening import open_memory as open
    from memkit.store.receipt import StoreReceipt

__version__ = "0.1.0"
__all__ = [
    "ImportReport",
    "MemkitError",
    "MemkitWarning",
    "Memory",
    "Problem",
    "RecallHit",
    "RecallResult",
    "StoreReceipt",
    "StoredEntry",
    "Table",
    "disable",
    "enable",
    "open",
]

_HOMES = {
    "ImportReport": "memkit.importers.report",
    "Memory": "memkit.memory",
    "MemkitError": "memkit.errors",
    "MemkitWarning": "memkit.errors",
    "Problem": "memkit.model.problem",
    "RecallHit": "memkit.analytics.recall_result",
    "RecallResult": "memkit.analytics.recall_result",
    "StoreReceipt": "memkit.store.receipt",
    "StoredEntry": "memkit.model.entry",
    "Table": "memkit.catalog.table",
    "disable": "memkit.opening",
    "enable": "memkit.opening",
    "open": "memkit.opening:open_memory",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'memkit' has no attribute {name!r}")
    module, _, attribute = _HOMES[name].partition(":")
    value = getattr(import_module(module), attribute or name)
    globals()[name] = value
    return value


def load_ipython_extension(shell: Any) -> None:
    """Called by `%load_ext memkit`; docs/how-to/notebook-magics.md."""
    import_module("memkit.entrances.magics").load_ipython_extension(shell)


def unload_ipython_extension(shell: Any) -> None:
    """Called by `%unload_ext memkit`."""
    import_module("memkit.entrances.magics").unload_ipython_extension(shell)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
