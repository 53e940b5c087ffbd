"""What follows from the rows: which editions are replaced, which decisions superseded, where each entry is shown.

Everything is worked out once when a catalog opens. When entries are added later, only what they can change is worked
out again: replaced editions if one of them replaces something, links if there are any at all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from memkit.catalog import queries
from memkit.catalog.chains import chain_rows, members_of
from memkit.catalog.relations import KINDS, LinkRow, Relations, settle_links
from memkit.catalog.schemas import base_schemas
from memkit.model.links import Identity
from memkit.snapshot.columns import table_of

if TYPE_CHECKING:
    import pyarrow as pa

    from memkit.catalog.database import Database

PACKAGE = "memkit.catalog"


class Derived:
    """See the module.

    Attributes:
        replaced: Document numbers of replaced editions.
        relations: Settled links.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._newest: dict[tuple[str, str], str] = {}
        self._are_places_due = True
        self._link_rows: dict[int, LinkRow] = {}
        self.replaced: frozenset[int] = frozenset()
        self.relations = Relations()

    def work_out(self) -> None:
        """Work out everything."""
        self._replace()
        self._read_links()
        self._settle()
        self._are_places_due = True

    def show_places(self) -> None:
        """Make `base.places` up to date, for queries that read it."""
        if self._are_places_due:
            self._database.derive("places")
            self._are_places_due = False

    def take(self, added: Sequence[pa.Table]) -> bool:
        """Work out what rows of entries, just added, can have changed; False if that is no more than the rows."""
        replacing = any(rows.column("replaces").null_count < rows.num_rows for rows in added)
        if replacing:
            self._replace()
        if replacing or (not self._link_rows and any(map(_has_links, added))):
            self._read_links()
        elif self._link_rows:
            for rows in added:
                fresh = rows.filter(rows.column("problem").is_null()).select(_LINK_COLUMNS).to_pylist()
                self._link_rows |= {row["doc"]: _link_row(tuple(row.values())) for row in fresh}
        self._settle()
        self._are_places_due = True
        return replacing or bool(self.relations.ids)

    def _replace(self) -> None:
        self._database.derive("replaced")
        editions = self._own("editions")
        replaced = frozenset(doc for doc, *_ in editions)
        if replaced - self.replaced:
            self._database.part_replaced()
        self.replaced = replaced
        self._newest = {(key, old): new for _, key, old, new in editions}

    def _read_links(self) -> None:
        ((any_links,),) = self._own("any_links")
        self._link_rows = {row[0]: _link_row(row) for row in self._own("linked")} if any_links else {}

    def _settle(self) -> None:

        if not self._link_rows and not self.relations.ids:
            return
        relations = self.relations = settle_links(self._link_rows.values(), self._newest)
        members = members_of(relations.successors, relations.predecessors)
        superseded = {member.doc for member in members if member.doc not in member.heads}
        links = [_links(relations, doc, is_superseded=doc in superseded) for doc in relations.ids]
        schemas = base_schemas()
        for name, rows in chain_rows(members, relations.ids).items():
            self._database.replace_table(name, table_of(rows, schemas[name]))
        self._database.replace_table("links", table_of(links, schemas["links"]))

    def _own(self, name: str) -> list[tuple[Any, ...]]:
        return self._database.run(queries.load(PACKAGE, name).sql)


_NAME_COLUMNS = ("doc", "project_key", "entry_id", "source_path", "slug", "document_id", "number", "title", "status")
_LINK_COLUMNS = [*_NAME_COLUMNS, *KINDS, "partly"]


def _has_links(rows: pa.Table) -> bool:
    import pyarrow.compute as pc

    return any((pc.sum(pc.list_value_length(rows.column(kind))).as_py() or 0) > 0 for kind in KINDS)


def _link_row(row: tuple[Any, ...]) -> LinkRow:
    doc, key, entry_id, source_path, slug, document_id, number, title, status, *links, partly = row
    identity = Identity(entry_id, source_path, slug, document_id, number, title or "")
    return LinkRow(doc, key, identity, status, dict(zip(KINDS, links, strict=True)), partly)


def _links(relations: Relations, doc: int, *, is_superseded: bool) -> dict[str, Any]:
    def named(step: Mapping[int, tuple[int, ...]]) -> list[str]:
        return [relations.ids[other] for other in step.get(doc, ())]

    return {
        "doc": doc,
        "supersedes": named(relations.predecessors),
        "superseded_by": named(relations.successors),
        "amends": named(relations.amended),
        "is_superseded": is_superseded,
    }
