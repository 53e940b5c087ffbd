"""The entrance for notebooks: `%load_ext memkit` gives `%memkit`, `%memkit_mode`, `%recall`, `%decided`, `%%memsql`.

Nothing is registered by an import; `%unload_ext memkit` takes everything away again and closes what it opened. A magic
returns its result, so that it can be assigned (`hits = %recall queue`) and shows itself like any other. What memkit
refuses is said in one line instead of a traceback.

`session` holds the open memory, `commands` the magics, `completion` what the Tab key knows of the views.
"""

from __future__ import annotations

from typing import Any


def load_ipython_extension(shell: Any) -> None:
    """Called by `%load_ext memkit`."""
    from memkit.entrances.magics import commands

    commands.load(shell)


def unload_ipython_extension(shell: Any) -> None:
    """Called by `%unload_ext memkit`."""
    from memkit.entrances.magics import commands

    commands.unload(shell)
