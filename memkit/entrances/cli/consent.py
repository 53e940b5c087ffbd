"""Verbs that start and stop: status, enable, disable, config show."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memkit.entrances.cli import auditing, output, status_text
from memkit.entrances.cli.call import Call
from memkit.errors import SettingsError

if TYPE_CHECKING:
    from memkit.model.status import Status


def status(
    ctx: typer.Context,
    watch: Annotated[
        bool, typer.Option("--watch", help="Show what the memory workers do, line by line; Ctrl-C ends it.")
    ] = False,
) -> None:
    """Say whether memory is on, where it is, what it holds.

    Works while memory is off; --watch needs it on.
    """
    call: Call = ctx.obj
    if watch:
        with call.memory() as memory:
            auditing.watch(call, memory)
    now = _status(call)
    output.answer(call, now, key="status")


def enable(ctx: typer.Context) -> None:
    """Say yes to a memory of this project.

    Writes it into your own settings file and prints what will be stored and where. A file inside a project can
    never do this for you.
    """
    from memkit import opening

    call: Call = ctx.obj
    receipt = opening.enable(call.project)
    now = _status(call)
    if call.json:
        output.document({"consent": receipt.to_dict(), "status": now.to_dict()})
        return
    output.headline(status_text.enabled(receipt), good=True)
    output.text(status_text.what_is_stored(now))


def disable(ctx: typer.Context) -> None:
    """Stop keeping a memory of this project.

    What is stored stays until `memkit wipe`.
    """
    from memkit import opening

    call: Call = ctx.obj
    receipt = opening.disable(call.project)
    try:
        now = _status(call)
    except SettingsError as error:  # withdrawing consent never depends on a file somebody broke
        output.warn(call, str(error))
        now = None
    if call.json:
        output.document({"consent": receipt.to_dict(), "status": None if now is None else now.to_dict()})
        return
    output.headline(status_text.disabled(receipt), good=False)
    if now is not None:
        output.text(status_text.what_stays(now))


def show_settings(ctx: typer.Context) -> None:
    """Show every setting, its value, and where it comes from."""
    from memkit.settings import Environment, load
    from memkit.store.paths import path_text, resolve_project

    call: Call = ctx.obj
    real = resolve_project(call.project)
    arguments = {"memory.storage_path": None if call.root is None else str(Path(call.root).absolute())}
    loaded = load(Environment.from_process(), project=real, project_path=path_text(real), arguments=arguments)
    if call.json:
        rows = [{"key": key, "value": value, "source": source} for key, value, source in loaded.rows()]
        output.document({"settings": rows, "warnings": list(loaded.warnings)})
        return
    for line in loaded.warnings:
        output.warn(call, line)
    output.text(status_text.settings_table(loaded.rows()))


def _status(call: Call) -> Status:
    with call.memory(while_disabled=True) as memory:
        return memory.status()
