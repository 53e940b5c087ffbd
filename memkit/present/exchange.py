"""What is seen of files that come from other tools or go to them: what a path holds, what was written out."""

from __future__ import annotations

from memkit.exporting.report import ExportReceipt
from memkit.importers.detect import Detection
from memkit.present.blocks import Block, Bullets, Column, Grid, Line, Para, Section, Sheet
from memkit.present.render import MAX_ROWS
from memkit.present.safe import say
from memkit.present.wording import count, ids, kinds, size


def detection_sheet(detection: Detection, rows: int = MAX_ROWS) -> Sheet:
    """The likeliest kind with its evidence and the command that reads it, then the others."""
    looked = f"{count(detection.n_files, 'file')} looked at" + (", there are more" if detection.is_cut else "")
    where: Line = (say(detection.path, 240, "code"), f": {looked}.")
    body: list[Block] = []
    if detection.candidates:
        title: Line = ("Looks like ", say(detection.candidates[0].kind, 40))
        command = f"memkit import {detection.candidates[0].kind} {detection.path} --dry-run"
        body.append(Para(("To see what would be imported: ", say(command, 300, "code"))))
        columns = (
            Column("Kind", least=12),
            Column("Files", right=True),
            Column("Signs", least=30),
            Column("In", least=20),
        )
        cells: tuple[tuple[Line, ...], ...] = tuple(
            ((say(each.kind, 40),), (f"{each.n_files:,}",), (say(each.signs, 200),), (say(each.example, 160),))
            for each in detection.candidates[:rows]
        )
        body.append(Grid(("The likeliest first",), columns, cells, head=True))
    else:
        title = ("No kind memkit reads",)
        body.append(Para(("No file has the signs of any kind; `memkit import --help` lists them.",)))
    if detection.problems:
        shown = tuple((say(each, 240),) for each in detection.problems[:rows])
        body.append(Section((f"Not read ({len(detection.problems)})",), (Bullets(shown),)))
    return Sheet(title, (where,), tuple(body))


def export_sheet(receipt: ExportReceipt, rows: int = MAX_ROWS) -> Sheet:
    """How much was written where, what was left out and why, what was masked, and the files."""
    title: Line = (f"Exported {count(receipt.n_entries, 'entry', 'entries')} as ", say(receipt.format, 20))
    total = sum(file.size for file in receipt.files)
    lead: list[Line] = [
        ("In ", say(receipt.path, 240, "code"), f": {count(len(receipt.files), 'file')}, {size(total)}.")
    ]
    if receipt.filters:
        asked = ", ".join(f"{name} {value}" for name, value in receipt.filters.items())
        lead.append(("Only: ", say(asked, 240)))
    if receipt.scrubbed:
        lead.append(("Secrets masked: ", *kinds(receipt.scrubbed.items())))
    body: list[Block] = []
    if receipt.left_out:
        items = tuple(
            (*(ids((each.entry_id,)) if each.entry_id else ()), " ", say(each.reason, 200))
            for each in receipt.left_out[:rows]
        )
        body.append(Section((f"Left out ({len(receipt.left_out)})",), (Bullets(items),)))
    if receipt.files:
        columns = (Column("File", least=24), Column("Entries", right=True), Column("Size", right=True))
        cells: tuple[tuple[Line, ...], ...] = tuple(
            ((say(file.name, 160),), (f"{file.rows:,}",), (size(file.size),)) for file in receipt.files[:rows]
        )
        left = len(receipt.files) - rows
        note: Line = (f"and {left:,} more",) if left > 0 else ()
        body.append(Grid(("_manifest.json has their SHA-256",), columns, cells, note=note, head=True))
    return Sheet(title, tuple(lead), tuple(body))
