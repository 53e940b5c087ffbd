"""How the command line is written: global options anywhere, help in sections, errors as sentences.

Typer knows options of the program (before the verb) and options of a verb (after it). Here a verb accepts the
program's options as well: they are parsed with its own, taken out again, and laid over the call.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from memkit.entrances.cli import INTERRUPTED, OK, output
from memkit.entrances.cli.call import Call
from memkit.errors import MemkitError, MemkitWarning

GLOBAL_NAMES = ("root", "project", "json", "verbose", "quiet")
LOG_LEVELS = (logging.WARNING, logging.INFO, logging.DEBUG)


class _Sections:
    """Help in sections, and the global options after the verb."""

    def get_params(self, ctx: Any) -> list[Any]:
        own: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        if ctx.parent is None:
            return own
        taken = {param.name for param in own}
        return [*own, *(p for p in _program_options(ctx) if p.name not in taken)]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        shared = set(map(id, _program_options(ctx))) if ctx.parent is not None else set()
        sections: dict[str, list[Any]] = {
            "Arguments": [],
            "Options": [],
            "Global options, before or after the verb": [],
        }
        names = list(sections)
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None:
                place = 0 if param.param_type_name == "argument" else 2 if id(param) in shared else 1
                sections[names[place]].append(record)
        for name, records in sections.items():
            if records:
                with formatter.section(name):
                    formatter.write_dl(records)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002
        """The epilogue, line by line as it was written."""
        epilog = getattr(self, "epilog", None)
        if epilog:
            formatter.write("\n")
            for line in epilog.strip("\n").splitlines():
                formatter.write(f"{line}\n" if line else "\n")


class Program(_Sections, TyperGroup):
    """The program, or a verb with sub-verbs such as `memkit import`."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Options, then the verbs."""
        super().format_options(ctx, formatter)
        self.format_commands(ctx, formatter)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """The verbs, by what they are for."""
        groups: dict[str, list[tuple[str, str]]] = {}
        width = formatter.width - 6 - max(len(name) for name in self.list_commands(ctx))
        for name in self.list_commands(ctx):
            verb: Any = self.get_command(ctx, name)
            groups.setdefault(verb.rich_help_panel or "Verbs", []).append((name, verb.get_short_help_str(width)))
        for title, rows in groups.items():
            with formatter.section(title):
                formatter.write_dl(rows)

    def invoke(self, ctx: Any) -> Any:
        """Take in the global options, then go on to the verb."""
        _take_in_global_options(ctx)
        return super().invoke(ctx)


class Verb(_Sections, TyperCommand):
    """One verb: runs its function, turns what memkit refuses into a sentence and an exit code."""

    def invoke(self, ctx: Any) -> Any:
        """Take in the global options, then run."""
        _take_in_global_options(ctx)
        with answering(ctx.obj):
            return super().invoke(ctx)


def _program_options(ctx: Any) -> list[Any]:
    return [param for param in ctx.find_root().command.params if param.name in GLOBAL_NAMES]


def _take_in_global_options(ctx: Any) -> None:
    if ctx.parent is None:
        return
    own = {param.name for param in ctx.command.params}
    for name in GLOBAL_NAMES:
        if name not in own and name in ctx.params:
            value = ctx.params.pop(name)
            source = ctx.get_parameter_source(name)
            if source is not None and source.name == "COMMANDLINE":
                setattr(ctx.obj, name, value)


@contextmanager
def answering(call: Call) -> Iterator[None]:
    """Run a verb: warnings and log lines go to stderr, errors become sentences with an exit code."""
    logger = logging.getLogger("memkit")
    handler = output.LogLines(call)
    level = logging.ERROR if call.quiet else LOG_LEVELS[min(call.verbose, len(LOG_LEVELS) - 1)]
    old_level = logger.level
    logger.addHandler(handler)
    logger.setLevel(level)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always", MemkitWarning)
            warnings.showwarning = output.warning_lines(call, warnings.showwarning)
            yield
    except MemkitError as error:
        output.failure(call, error)
        raise typer.Exit(error.exit_code) from error
    except BrokenPipeError as error:  # the reader has seen enough
        raise typer.Exit(OK) from error
    except KeyboardInterrupt as error:
        output.note(call, "interrupted")
        raise typer.Exit(INTERRUPTED) from error
    finally:
        logger.removeHandler(handler)
        logger.setLevel(old_level)
