"""What is seen of an erasure and of a scan."""

from __future__ import annotations

from collections.abc import Sequence

from memkit.model.scan import Scan
from memkit.present.blocks import Block, Bullets, Chip, Column, Grid, Line, Para, Section, Sheet
from memkit.present.render import MAX_ROWS
from memkit.present.safe import say
from memkit.present.wording import count, ids, moment, size
from memkit.retention.erase import EraseReceipt
from memkit.store.erasers import Removed

_SOUGHT = {"text": "the text", "secrets": "secrets", "traces": "what only it said"}


def erase_sheet(receipt: EraseReceipt, rows: int = MAX_ROWS) -> Sheet:
    """What left which file, what the look into every byte found, what stays and points to it."""
    did = "Erase (dry run): " if receipt.dry_run else "Erased "
    lead: list[Line] = [("Nothing was changed.",)] if receipt.dry_run else []
    body: list[Block] = []
    if receipt.scan is not None:
        lead.append(scan_verdict(receipt.scan))
        lead.append((f"{count(receipt.n_fragments, 'fragment')} that no other entry holds looked for.",))
        body += findings(receipt.scan, rows, "Left")
    if receipt.removed:
        body.append(file_by_file(receipt.removed, rows, "What goes" if receipt.dry_run else "What went"))
    elif not receipt.dry_run:
        body.append(Para(("No file held it any more.",)))
    if receipt.cited_by:
        lines: list[Line] = [
            (say(each.kind, 10), " ", say(each.name, 80, "code"), " ", say(each.how, 30), ": ", say(each.file, 160))
            for each in receipt.cited_by[:rows]
        ]
        left = len(receipt.cited_by) - rows
        lines += [(f"and {left:,} more",)] if left > 0 else []
        heading = f"Stays, and is yours to decide about ({len(receipt.cited_by)})"
        body.append(Section((heading,), (Bullets(tuple(lines)),)))
    body.append(Para((say(receipt.elsewhere, 400),), "dim"))
    return Sheet((did, *ids((receipt.id,))), tuple(lead), tuple(body))


def file_by_file(removed: Sequence[Removed], rows: int, what: str) -> Grid:
    """What left, or would leave, which file."""
    cells = tuple(((say(item.file, 120),), (_amount(item),)) for item in removed[:rows])
    more: Line = (f"and {len(removed) - rows:,} more",) if len(removed) > rows else ()
    return Grid(("File by file",), (Column("File", least=24), Column(what, least=12)), cells, note=more, head=True)


def _amount(item: Removed) -> str:
    whole = item.what == "file" and item.n == 1
    return "the file" if whole else count(item.n, say(item.what, 20).text.removesuffix("s"))


def scan_sheet(scan: Scan, rows: int = MAX_ROWS) -> Sheet:
    """How much was looked at, and every spot, masked."""
    looked = f"{count(scan.n_files, 'file')}, {size(scan.n_bytes)}, {count(scan.n_rows, 'row')} of Parquet decoded"
    title = f"Scan for {_SOUGHT[scan.what]}: {count(scan.n_found, 'spot')}"
    return Sheet((title,), ((f"{looked}; {moment(scan.as_of)}.",),), findings(scan, rows, "Found"))


def scan_verdict(scan: Scan) -> Line:
    """Whether anything was found, and how much was looked at."""
    looked = f" in {count(scan.n_files, 'file')}, {size(scan.n_bytes)}, {count(scan.n_rows, 'row')} of Parquet decoded"
    if scan.is_clean:
        return (Chip("nothing of it found", "✓", "good"), looked)
    return (Chip(f"{count(scan.n_found, 'spot')} left", "▲", "bad"), looked)


def findings(scan: Scan, rows: int, heading: str) -> tuple[Block, ...]:
    """Every spot, masked, and what could not be looked into."""
    body: list[Block] = []
    if scan.found:
        columns = (Column("File", least=24), Column("Where", least=12), Column("Masked", least=12), Column("Kind"))
        cells = tuple(
            ((say(f.file, 120),), (say(f.where, 120),), (say(f.masked, 60),), (say(f.kind, 40),))
            for f in scan.found[:rows]
        )
        more: Line = (f"and {scan.n_found - len(cells):,} more",) if scan.n_found > len(cells) else ()
        body.append(Grid((heading,), columns, cells, note=more, head=True))
    if scan.unreadable:
        items = Bullets(tuple((say(each, 160),) for each in scan.unreadable[:rows]))
        body.append(Section((f"Could not be looked into ({len(scan.unreadable)})",), (items,)))
    return tuple(body)
