"""The program: its global options and the list of its verbs."""

from __future__ import annotations

from typing import Annotated

import typer

from memkit import __version__
from memkit.entrances.cli import (
    agents,
    asking,
    auditing,
    care,
    consent,
    deciding,
    doctoring,
    forgetting,
    keeping,
    recording,
    reporting,
    retaining,
    staging,
)
from memkit.entrances.cli.call import Call
from memkit.entrances.cli.grammar import Program, Verb
from memkit.importers.kinds.table import KINDS

EPILOG = """
First steps:
  memkit enable                      say yes to a memory of this project
  memkit import adr docs/decisions   take in what was decided already
  memkit recall retry policy         ask

Exit codes: 0 fine, 1 found something, 2 written wrong, 3 refused or failed, 130 interrupted.
"""


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"memkit {__version__}")
        raise typer.Exit


def _program(  # noqa: PLR0917 - a command line has as many options as it has
    ctx: typer.Context,
    root: Annotated[
        str | None, typer.Option(metavar="FOLDER", help="Folder of all stores, for this call only.", show_default=False)
    ] = None,
    project: Annotated[str, typer.Option(metavar="FOLDER", help="The project.", show_default="here")] = ".",
    json: Annotated[bool, typer.Option("--json", help="Answer with one JSON document.")] = False,
    verbose: Annotated[
        int, typer.Option("--verbose", "-v", count=True, help="Say more on stderr; -vv still more.", show_default=False)
    ] = 0,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Say only the answer and errors.")] = False,
    version: Annotated[  # noqa: ARG001 - handled by its callback
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Say the version and leave.")
    ] = False,
) -> None:
    """Keep the decisions of a project, and ask for them again."""
    ctx.obj = Call(project=project, root=root, json=json, verbose=verbose, quiet=quiet)


def build() -> typer.Typer:
    """The program with all its verbs."""
    program = typer.Typer(
        name="memkit",
        cls=Program,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        epilog=EPILOG,
        context_settings={"help_option_names": ["--help", "-h"]},
    )
    program.callback()(_program)

    def verb(title: str, name: str, function: object, example: str, *, of: typer.Typer = program) -> None:
        epilog = "Example:\n" + "\n".join(f"  {line}" for line in example.splitlines())
        of.command(name, cls=Verb, epilog=epilog, rich_help_panel=title)(function)  # type: ignore[type-var]

    def family(title: str, name: str, words: str) -> typer.Typer:
        members = typer.Typer(cls=Program, no_args_is_help=True, rich_markup_mode=None)
        program.add_typer(members, name=name, help=words, rich_help_panel=title)
        return members

    start, keep, ask, care_title = "Start", "Keep", "Ask", "Care"
    verb(start, "status", consent.status, "memkit status --project ~/code/shop")
    verb(start, "enable", consent.enable, "memkit enable --project ~/code/shop")
    verb(start, "disable", consent.disable, "memkit disable --project ~/code/shop")
    config = family(start, "config", "Settings and where they come from.")
    verb("Verbs", "show", consent.show_settings, "memkit config show --json", of=config)

    verb(keep, "store", keeping.store, STORE_EXAMPLE)
    imports = family(keep, "import", "Take in decisions that exist elsewhere.")
    imports.callback(invoke_without_command=True)(keeping.detect)
    for kind in KINDS:
        verb(
            "Verbs",
            kind.name,
            keeping.importer(kind),
            f"memkit import {kind.name} {kind.example} --dry-run",
            of=imports,
        )
    verb(keep, "export", keeping.export, EXPORT_EXAMPLE)

    verb(keep, "extract", staging.extract, "memkit extract --session latest --dry-run")
    waiting = family(keep, "staging", "Candidates from sessions, waiting to become records.")
    verb("Verbs", "list", staging.list_staged, "memkit staging list --dead", of=waiting)
    verb(keep, "recover", staging.recover, "memkit recover --class model_error --dry-run")
    verb("Verbs", "show", staging.show, "memkit staging show 5f0c2a", of=waiting)
    verb("Verbs", "decide", staging.decide, "memkit staging decide 5f0c2a merge --of retry-policy", of=waiting)
    verb("Verbs", "balance", staging.balance, "memkit staging balance", of=waiting)
    verb(keep, "consolidate", staging.consolidate, "memkit consolidate --session latest --dry-run")
    verb(keep, "reconcile", staging.reconcile, "memkit reconcile --adjudicator model")

    verb(ask, "recall", asking.recall, "memkit recall retry policy for payments --panel adr")
    verb(ask, "decided", deciding.decided, "memkit decided database --facts facts.csv")
    verb(ask, "summary", deciding.summary, "memkit summary")
    verb(ask, "chains", deciding.chains, "memkit chains --json")
    verb(ask, "timeline", deciding.timeline, "memkit timeline --bucket quarter --since 2026-01-01")
    verb(ask, "in-force", deciding.in_force, "memkit in-force --as-of 2026-01-01")
    verb(ask, "calibration", deciding.calibration, "memkit calibration --facts facts.csv")
    wires = family(ask, "tripwires", "Conditions that would make decisions wrong.")
    verb("Verbs", "check", deciding.check, "memkit tripwires check --facts facts.csv --as-of 2027-01-01", of=wires)
    verb("Verbs", "backtest", deciding.backtest, "memkit tripwires backtest --facts facts.csv", of=wires)
    verb("Verbs", "acknowledge", deciding.acknowledge, ACKNOWLEDGE_EXAMPLE, of=wires)
    verb(ask, "list", asking.list_entries, "memkit list --json")
    verb(ask, "show", asking.show, "memkit show 0198f3a2b4c57d10a1b2c3d4e5f60718")
    verb(ask, "sql", asking.sql, "memkit sql 'select title, status, age_days from decisions order by entry_id'")

    mcp = family(ask, "mcp", "Let agents ask, over the Model Context Protocol.")
    verb("Verbs", "serve", agents.serve, "memkit mcp serve --project ~/code/shop", of=mcp)

    audit = family(care_title, "audit", "What happened to this memory, and how the workers do.")
    verb("Verbs", "tail", auditing.tail, "memkit audit tail -f", of=audit)
    verb("Verbs", "path", auditing.path, 'tail -F "$(memkit audit path)"', of=audit)
    verb("Verbs", "runs", auditing.runs, "memkit audit runs --status failed", of=audit)
    verb("Verbs", "events", auditing.events, "memkit audit events --op store --rows 5", of=audit)
    verb("Verbs", "history", auditing.history, "memkit audit history retry-policy", of=audit)
    verb("Verbs", "usage", auditing.usage, "memkit audit usage --since 2026-11-01", of=audit)
    verb("Verbs", "health", auditing.health, "memkit audit health", of=audit)
    verb("Verbs", "verify", auditing.verify, "memkit audit verify", of=audit)
    verb("Verbs", "compact", auditing.compact, "memkit audit compact\nmemkit audit compact --apply", of=audit)

    kept = family(keep, "records", "The canonical memory: lessons, preferences, decisions, knowledge.")
    verb("Verbs", "list", recording.list_records, "memkit records list --kind lesson", of=kept)
    verb("Verbs", "show", recording.show, "memkit records show retry-only-idempotent-calls", of=kept)
    verb("Verbs", "find", recording.find, "memkit records find time zones", of=kept)
    verb("Verbs", "write", recording.write, RECORD_EXAMPLE, of=kept)
    verb("Verbs", "edit", recording.edit, "memkit records edit use-utc --tag time --tag sql", of=kept)
    verb("Verbs", "delete", recording.delete, 'memkit records delete use-utc --reason "It was wrong."', of=kept)
    verb("Verbs", "deleted", recording.deleted, "memkit records deleted", of=kept)
    verb("Verbs", "restore", recording.restore, "memkit records restore use-utc", of=kept)

    verb(care_title, "doctor", doctoring.doctor, "memkit doctor\nmemkit doctor --json")
    verb(care_title, "lint", recording.lint, "memkit lint --strict")
    verb(care_title, "locks", recording.locks, "memkit locks")
    verb(care_title, "verify", care.verify, "memkit verify || memkit repair")
    verb(care_title, "repair", care.repair, "memkit repair\nmemkit repair --apply")
    forget = "Forget"
    policy = family(forget, "retention", "What may be forgotten: shown first, done exactly so.")
    verb("Verbs", "review", retaining.review, "memkit retention review --due-within 30d --out plan.json", of=policy)
    verb("Verbs", "apply", retaining.apply, "memkit retention apply plan.json", of=policy)
    verb("Verbs", "compare", retaining.compare, "memkit retention compare now.json stricter.json", of=policy)
    verb("Verbs", "calendar", retaining.calendar, "memkit retention calendar --until 2027-12-31", of=policy)
    verb("Verbs", "impact", retaining.impact, "memkit retention impact", of=policy)
    trash = family(forget, "trash", "What was forgotten and can be brought back.")
    verb("Verbs", "list", retaining.list_trash, "memkit trash list", of=trash)
    verb(forget, "restore", retaining.restore, "memkit restore 0198f3a2b4c57d10a1b2c3d4e5f60718")
    verb(forget, "pin", retaining.pin, 'memkit pin 0198f3a2 --reason "The contract names it."')
    verb(forget, "unpin", retaining.unpin, 'memkit unpin 0198f3a2 --reason "The contract ended."')
    verb(forget, "hold", retaining.hold, 'memkit hold 0198f3a2 --reason "Case 12/2026"')
    verb(forget, "release", retaining.release, 'memkit release 0198f3a2 --reason "Case 12/2026 is closed"')
    verb(forget, "pins", retaining.pins, "memkit pins --json")
    queries = family(forget, "queries", "Saved queries, asked again to tell what forgetting would change.")
    verb("Verbs", "add", retaining.add_query, "memkit queries add retry policy", of=queries)
    verb("Verbs", "drop", retaining.drop_query, "memkit queries drop retry policy", of=queries)
    verb("Verbs", "list", retaining.list_queries, "memkit queries list", of=queries)
    reports = family(forget, "report", "Pages for people who have never seen memkit.")
    verb("Verbs", "retention", retaining.report, "memkit report retention --out audit.html", of=reports)
    verb("Verbs", "decisions", reporting.decisions, "memkit report decisions --out decisions.html", of=reports)
    verb("Verbs", "audit", reporting.audit, "memkit report audit --out log.html --since 2026-11-01", of=reports)
    verb("Verbs", "consolidation", reporting.consolidation, "memkit report consolidation --out learnt.html", of=reports)

    verb(care_title, "erase", forgetting.erase, ERASE_EXAMPLE)
    verb(care_title, "scan", forgetting.scan, "memkit scan --secrets\nmemkit scan --text 'Ada Lovelace'")
    verb(care_title, "wipe", care.wipe, "memkit wipe\nmemkit wipe --yes --confirm shop")
    return program


STORE_EXAMPLE = """\
echo '{"question": "Which queue?", "result": {"synthesis": {"content": "..."}}}' | memkit store
memkit store run.json --tag payments"""

EXPORT_EXAMPLE = """\
memkit export ~/backup/shop
memkit export shop-parquet --format parquet --across-projects"""

ERASE_EXAMPLE = """\
memkit erase 0198f3a2b4c57d10a1b2c3d4e5f60718
memkit erase 0198f3a2b4c57d10a1b2c3d4e5f60718 --yes --reason "names a person\""""

RECORD_EXAMPLE = """\
memkit records write lesson --title "Use UTC" --body "Store instants." --source Mara --trigger "a time column"
memkit records write domain --file depots.md --source interview"""

ACKNOWLEDGE_EXAMPLE = 'memkit tripwires acknowledge 0f5ed5613a61 --reason "New shards arrive on Monday."'

app = build()
