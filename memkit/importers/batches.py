"""An import of any size: items are read, compared and stored batch by batch, so that only one batch is in memory.

Every item has exactly one fate (`compare`). What is kept of each afterwards is its account; beyond some ten thousand,
items with nothing odd about them are counted instead of listed. A batch is stored with one append to the index. A fault
in a later batch leaves the earlier ones stored; the same import again finds them unchanged and goes on.
"""

from __future__ import annotations

import hashlib
import posixpath
from collections import Counter, defaultdict
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Final

from memkit.display import count
from memkit.errors import MemkitError
from memkit.importers.compare import Erased, Known, Previous, compare, gone_from
from memkit.importers.draft import Draft
from memkit.importers.identify import account_of_links
from memkit.importers.intake import Intake
from memkit.importers.report import FATES, FileAccount, ImportReport
from memkit.model.links import Identity
from memkit.store.new_entry import NewEntry
from memkit.store.paths import path_text
from memkit.store.receipt import StoreReceipt

BATCH_ENTRIES: Final = 1000
BATCH_BYTES: Final = 16 * 1024 * 1024
MAX_LISTED: Final = 20_000
# For links only the names of a document are kept, and of so many documents at most.
MAX_LINKED: Final = 20_000
MAX_TITLE: Final = 200
_CUT: Final = "…"
_NAMES: Final = ("id", "slug", "number", "title", "supersedes", "supersededBy", "amends", "partly")

Keep = Callable[[Sequence[NewEntry]], Sequence[StoreReceipt]]
Progress = Callable[[int], None]
Drafts = Callable[[Intake], Generator[Draft, None, None]]


@dataclass(frozen=True, slots=True)
class Against:
    """What an import is compared with.

    Attributes:
        known: `source.path` -> (entry id, sha256) of the newest entry of each document imported before.
        previous: The result of an entry.
        identities: The decisions stored so far, for links.
        scrub: What masks secrets: in a path as the store will, so that it is found again, and in the account.
        stored: Of an entry from an export: `new`, `same` where the store has it, or why it cannot be taken back.
        erased: Of a document, and whether the place alone tells it: why it is left out, or "".
    """

    known: Known
    previous: Previous | None = None
    identities: Iterable[Identity] = ()
    scrub: Callable[[str], str] = str
    stored: Callable[[NewEntry], str] = lambda _: "new"
    erased: Erased | None = None


@dataclass(slots=True)
class _Tally:
    """Accounts as they come in, with secrets masked: a report is read and copied where the source is not."""

    scrub: Callable[[str], str]
    listed: list[FileAccount] = field(default_factory=list)
    n_odd: int = 0
    unlisted: Counter[str] = field(default_factory=Counter)
    fields: dict[str, Counter[str]] = field(default_factory=dict)

    def add(self, account: FileAccount) -> None:
        account = _masked(account, self.scrub)
        odd = bool(account.reason or account.notes or account.scrubbed) and self.n_odd < MAX_LISTED
        if odd or len(self.listed) - self.n_odd < MAX_LISTED:
            self.listed.append(account)
            self.n_odd += odd
            return
        self.unlisted[account.fate] += 1
        for item in account.fields:
            self.fields.setdefault(item.name, Counter())[item.outcome] += 1


def import_batches(
    kind: str,
    drafts: Drafts,
    intake: Intake,
    against: Against,
    *,
    keep: Keep | None,
    limit: int | None = None,
    progress: Progress | None = None,
    has_links: bool = True,
) -> ImportReport:
    """Read everything an importer finds, and store it through `keep`; without it, say what would be stored.

    Args:
        kind: The importer's name.
        drafts: The importer.
        intake: What it reads.
        against: What the store holds.
        keep: Stores a batch.
        limit: Store at most so many entries, then stop reading.
        progress: Called with the number of items seen since the last call.
        has_links: Whether links between items are settled for the report; their names are kept in memory for it.

    Raises:
        ImportSourceError: the path cannot be read at all.
        StoreError: from `keep`; a note says how many entries of earlier batches are stored.
    """
    tally = _Tally(against.scrub)
    names: list[Draft] = []
    seen: set[str] = set()
    returned: set[str | None] = set()
    moves: dict[str, tuple[str, tuple[str, str]]] = {}
    finder = _MoveFinder(against.known, intake)
    held: list[tuple[FileAccount, NewEntry | None]] = []
    n_new = n_bytes = n_stored = 0
    is_cut = False
    once = _Once()

    def store_held() -> None:
        nonlocal n_bytes, n_stored
        new = [entry for _, entry in held if entry is not None]
        receipts = iter(_kept(keep, new, n_stored) if keep and new else ())
        for account, entry in held:
            if entry is None or keep is None:
                tally.add(account)
            else:
                receipt = next(receipts)
                tally.add(replace(account, entry_id=receipt.id, scrubbed=dict(receipt.scrubbed)))
        if progress and held:
            progress(len(held))
        n_stored += len(new)
        n_bytes = 0
        held.clear()

    with closing(drafts(intake)) as found:
        for each in found:
            draft = once.named(replace(each, path=against.scrub(each.path)))
            if draft.stored is not None and draft.fate == "ready":
                account, entry = _returned(draft, against, returned)
            else:
                finder.look(draft, moves)
                account, entry = compare(kind, draft, against.known, moves, against.previous, erased=against.erased)
            if draft.path in against.known:
                seen.add(draft.path)
            if has_links and draft.fate == "ready" and len(names) < MAX_LINKED:
                names.append(_named(draft))
            if entry is not None:
                if limit is not None and n_new >= limit:
                    is_cut = True
                    break
                n_new += 1
                n_bytes += draft.size
            held.append((account, entry))
            if len(held) >= BATCH_ENTRIES or n_bytes >= BATCH_BYTES:
                store_held()
    store_held()
    others = [i for i in against.identities if i.source_path not in {old for old, _ in moves.values()}]
    links = account_of_links(names, others)
    return ImportReport(
        kind=kind,
        path=path_text(intake.path),
        files=tuple(tally.listed),
        dry_run=keep is None,
        links_ambiguous=tuple(map(against.scrub, links.ambiguous)),
        links_dangling=tuple(map(against.scrub, links.dangling)),
        links_resolved=links.resolved,
        links_own=tuple(map(against.scrub, links.own)),
        gone=() if is_cut else gone_from(intake.path, against.known, seen, moves, intake.place),
        unlisted={fate: tally.unlisted[fate] for fate in FATES if tally.unlisted[fate]},
        unlisted_fields={name: dict(found) for name, found in tally.fields.items()},
        is_cut=is_cut,
    )


def _masked(account: FileAccount, scrub: Callable[[str], str]) -> FileAccount:
    """The account with secrets masked in all that was read; a word that was cut is left out, as it may be one."""
    if any(each.value.endswith(_CUT) for each in account.fields):
        whole = tuple(replace(each, value=_whole_words(each.value)) for each in account.fields)
        account = replace(account, fields=whole)
    read = "\n".join([account.reason, *account.notes, *(f"{f.name}\n{f.origin}\n{f.value}" for f in account.fields)])
    if scrub(read) == read:
        return account
    return replace(
        account,
        reason=scrub(account.reason),
        notes=tuple(scrub(note) for note in account.notes),
        fields=tuple(
            replace(each, name=scrub(each.name), origin=scrub(each.origin), value=scrub(each.value))
            for each in account.fields
        ),
    )


def _whole_words(value: str) -> str:
    return f"{value[:-1].rpartition(' ')[0]} {_CUT}".lstrip() if value.endswith(_CUT) else value


def _kept(keep: Keep, new: Sequence[NewEntry], n_before: int) -> Sequence[StoreReceipt]:
    try:
        return keep(new)
    except MemkitError as error:
        if n_before:
            kept = count(n_before, "entry of this import is", "entries of this import are")
            error.add_note(f"{kept} stored; the same import again goes on from there")
        raise


def _named(draft: Draft) -> Draft:
    """A draft without its texts: the names it can be meant by, and its links."""
    document = draft.result.get("document")
    held = document if isinstance(document, dict) else {}
    names = {key: held[key] for key in _NAMES if key in held}
    if isinstance(names.get("title"), str):
        names["title"] = names["title"][:MAX_TITLE]
    return Draft(draft.path, question=draft.question[:MAX_TITLE], result={"document": names})


def _returned(draft: Draft, against: Against, ids: set[str | None]) -> tuple[FileAccount, NewEntry | None]:
    """What becomes of an entry that was exported from a store: it keeps its id, so it is there or it is not."""
    assert draft.stored is not None
    if draft.stored.id in ids:
        return FileAccount(draft.path, "rejected", "another entry of its id stands before it"), None
    ids.add(draft.stored.id)
    account = FileAccount(draft.path, "imported", fields=draft.fields, notes=draft.notes)
    said = against.stored(draft.stored)
    if said == "same":
        return replace(account, fate="unchanged", entry_id=draft.stored.id), None
    if said != "new":
        return replace(account, fate="rejected", reason=said), None
    return account, draft.stored


class _Once:
    """Gives each item of an import a path of its own; the same item again is skipped.

    The first of several items with one name keeps the name; others get a digest behind it, so that the same file
    gives the same paths each time.
    """

    def __init__(self) -> None:
        self._seen: dict[bytes, bytes] = {}

    def named(self, draft: Draft) -> Draft:
        """`draft`, perhaps under another path, or the account of a repetition."""
        if draft.fate != "ready":
            return draft
        said = draft.sha256.encode()[:16]
        path = draft.path
        if self._seen.get(_short(path), said) != said:
            path = f"{path}~{draft.sha256[:12]}"
            draft = replace(draft, path=path, notes=(*draft.notes, "another item before it has the same name"))
        if _short(path) in self._seen:
            return replace(draft, fate="skipped", reason="the same as an item before it")
        self._seen[_short(path)] = said
        return draft


def _short(path: str) -> bytes:
    return hashlib.blake2b(path.encode("utf-8", "surrogatepass"), digest_size=12).digest()


class _MoveFinder:
    """Finds documents that are known under a path that is gone."""

    def __init__(self, known: Known, intake: Intake) -> None:
        self._known = known
        self._intake = intake
        self._by_bytes: dict[str, list[str]] = defaultdict(list)
        for old, (_, sha256) in known.items():
            self._by_bytes[sha256].append(old)
        self._taken: set[str] = set()

    def look(self, draft: Draft, moves: dict[str, tuple[str, tuple[str, str]]]) -> None:
        """Add to `moves` where `draft` came from, if it moved."""
        if draft.fate != "ready" or draft.path in self._known:
            return
        place = self._intake.place
        gone = [o for o in self._by_bytes.get(draft.sha256, ()) if o not in self._taken and not place.exists(o)]
        if gone:
            same_name = [o for o in gone if posixpath.basename(o) == posixpath.basename(draft.path)]
            old = min(same_name or gone)
            self._taken.add(old)
            moves[draft.path] = (old, self._known[old])
