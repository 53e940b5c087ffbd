"""What a SQL question answers: a materialised table that any frame library can take."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memkit.display import Displayable, count
from memkit.errors import MissingExtraError

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa


@dataclass(frozen=True, slots=True, eq=False)
class Table(Displayable):
    """Rows and columns, complete and in memory.

    Anything that reads the Arrow stream interface takes it as it is: `polars.DataFrame(t)`, `pyarrow.table(t)`, a frame
    of `mem.sql`.

    Attributes:
        data: The Arrow table.
        sql: The query that gave it.
        gaps: What cannot be read and may be missing here, in sentences.
        n_matched: How many rows there were before somebody kept only some of them.
    """

    data: pa.Table
    sql: str = ""
    gaps: tuple[str, ...] = ()
    n_matched: int = 0

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The Arrow stream of its rows."""
        stream: object = self.data.__arrow_c_stream__(requested_schema)  # type: ignore[no-untyped-call]
        return stream

    def __len__(self) -> int:
        return int(self.data.num_rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.rows)

    def __repr__(self) -> str:
        return f"<Table {count(len(self), 'row')}: {', '.join(self.columns)}>"

    @property
    def columns(self) -> tuple[str, ...]:
        """Column names in order."""
        return tuple(self.data.column_names)

    @property
    def rows(self) -> list[dict[str, Any]]:
        """One dict per row, in order."""
        rows: list[dict[str, Any]] = self.data.to_pylist()
        return rows

    def to_arrow(self) -> pa.Table:
        """The Arrow table."""
        return self.data

    def to_pandas(self) -> pd.DataFrame:
        """A pandas data frame."""
        frame: pd.DataFrame = self.data.to_pandas()
        return frame

    def to_polars(self) -> pl.DataFrame:
        """A polars data frame.

        Raises:
            MissingExtraError: polars is not installed.
        """
        try:
            import polars as pl
        except ImportError as error:
            raise MissingExtraError(
                "polars is not installed", remedy="Install it with: pip install 'memkit[polars]'"
            ) from error
        return pl.DataFrame(self.data)
