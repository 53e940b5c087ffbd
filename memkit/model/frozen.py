"""A mapping that nobody changes: what frozen results and models hold in the place of a dict.

`types.MappingProxyType` would do but for one thing: it can be neither pickled nor copied deeply, and a result goes into
a cache on disk or to another process as any other value of a notebook does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeVar

K = TypeVar("K")
V_co = TypeVar("V_co", covariant=True)


class FrozenMapping(Mapping[K, V_co]):
    """A view of a mapping without a way to change it; equal to any mapping with the same items.

    Args:
        held: What is shown. It is not copied: hand over one that nobody else keeps.
    """

    __slots__ = ("_held",)

    def __init__(self, held: Mapping[K, V_co]) -> None:
        self._held = held

    def __getitem__(self, key: K) -> V_co:
        return self._held[key]

    def __iter__(self) -> Iterator[K]:
        return iter(self._held)

    def __len__(self) -> int:
        return len(self._held)

    def __repr__(self) -> str:
        return repr(self._held)
