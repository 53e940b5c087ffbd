"""The lines of a session as a table of a few bytes each, and the branch that is current in it."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import Final

from memkit.importers.sessions.shapes import Piece

TALK: Final = 1
SIDE: Final = 2
ECHO: Final = 4
_NONE: Final = -1


class Table:
    """Every line that was understood: where it stands, whether somebody speaks, which line it follows."""

    def __init__(self, *, is_tree: bool) -> None:
        self.is_tree = is_tree
        self.offsets = array("Q")
        self.sizes = array("Q")
        self.numbers = array("Q")
        self._flags = array("B")
        self._parents = array("q")
        self._left_out = array("H")
        self._kinds: dict[tuple[str, ...], int] = {}
        self._refs: dict[str, int] = {}
        self._names: list[str] = []
        self._late: list[tuple[int, str]] = []
        self._user_turns: list[int] = []
        self._taken_back: set[int] = set()
        self.has_items = False

    def add(self, piece: Piece, offset: int, n_bytes: int, number: int) -> None:
        """Take the next line."""
        at = len(self.offsets)
        talks = bool(piece.role and piece.text)
        self.offsets.append(offset)
        self.sizes.append(n_bytes)
        self.numbers.append(number)
        self._flags.append(TALK * talks | SIDE * piece.side | ECHO * piece.echo)
        left_out = piece.left_out if talks or piece.left_out else ("empty",)
        self._left_out.append(self._kinds.setdefault(left_out, len(self._kinds)))
        self.has_items = self.has_items or (talks and not piece.echo)
        if piece.takes_back:
            self._take_back(piece.takes_back)
        elif talks and piece.role == "user":
            self._user_turns.append(at)
        if self.is_tree:
            self._link(piece, at)

    def _link(self, piece: Piece, at: int) -> None:
        self._names.append(piece.ref)
        parent = _NONE
        if piece.joins:
            parent = next((i for i in range(at - 1, -1, -1) if self._names[i] and not self._flags[i] & SIDE), _NONE)
        elif piece.parent is not None:
            parent = self._refs.get(piece.parent, _NONE)
            if parent == _NONE:
                self._late.append((at, piece.parent))
        self._parents.append(parent)
        if piece.ref:
            self._refs[piece.ref] = at

    def _take_back(self, n: int) -> None:
        """Codex: everything from the user's nth turn before here on is taken back; of echoes, only where they count."""
        own = [i for i in self._user_turns if bool(self._flags[i] & ECHO) is not self.has_items]
        if not own:
            return
        first = own[-min(n, len(own))]
        self._taken_back.update(range(first, len(self.offsets)))
        self._user_turns = [i for i in self._user_turns if i < first]

    # -- branches -----------------------------------------------------------------------------------------------------

    def close(self) -> None:
        """All lines are there: a parent that stands below its child is found now."""
        for at, parent in self._late:
            self._parents[at] = self._refs.get(parent, _NONE)
        self._late = []
        # Lines of a tree without names (pi's first version) follow each other.
        self.is_tree = self.is_tree and bool(self._refs)

    def last(self) -> int | None:
        """The line at which the current branch ends: the last one that has a name and is on no side chain."""
        return next((i for i in range(len(self._names) - 1, -1, -1) if self._names[i] and not self._is_side(i)), None)

    def named(self, ref: str) -> int | None:
        """The line of this name; of several, the last."""
        return self._refs.get(ref)

    def starting(self, begin: str) -> list[int]:
        """The lines whose name begins so."""
        return [at for ref, at in self._refs.items() if ref.startswith(begin)]

    def name(self, at: int) -> str:
        """The name of a line."""
        return self._names[at]

    def path(self, leaf: int | None) -> list[int]:
        """The lines from the root to `leaf`; of a session without branches, all that count."""
        if not self.is_tree:
            counts = ECHO if not self.has_items else 0
            return [
                i
                for i in range(len(self.offsets))
                if i not in self._taken_back and (not self._flags[i] & TALK or self._flags[i] & ECHO == counts)
            ]
        found: list[int] = []
        seen: set[int] = set()
        at = _NONE if leaf is None else leaf
        while at != _NONE and at not in seen:  # a circle of parents ends where it closes
            seen.add(at)
            found.append(at)
            at = self._parents[at]
        return found[::-1]

    def leaves(self, current: Sequence[int]) -> list[int]:
        """The last lines of all branches on which somebody said something of their own, in the order of the file."""
        has_child = bytearray(len(self.offsets))
        for parent in self._parents:
            if parent != _NONE:
                has_child[parent] = 1
        covered = bytearray(len(self.offsets))
        for i in current:
            covered[i] = 1
        found = list(current[-1:])
        for leaf in range(len(self.offsets) - 1, -1, -1):
            if has_child[leaf] or covered[leaf] or self._is_side(leaf) or not self._names[leaf]:
                continue
            at, talks = leaf, False
            while at != _NONE and not covered[at]:
                covered[at] = 1
                talks = talks or bool(self._flags[at] & TALK)
                at = self._parents[at]
            if talks:
                found.append(leaf)
        return sorted(found)

    def talk(self, path: Sequence[int]) -> Iterator[int]:
        """The lines of a path on which somebody speaks."""
        return (i for i in path if self._flags[i] & TALK)

    def left_out(self, path: Sequence[int]) -> Counter[str]:
        """What is no turn of this path, by reason."""
        reasons = list(self._kinds)
        on_path = bytearray(len(self.offsets))
        for i in path:
            on_path[i] = 1
        found: Counter[str] = Counter()
        for i, kind in enumerate(self._left_out):
            talks = self._flags[i] & TALK
            if self._is_side(i):
                found["side-chain"] += 1
            elif talks and not on_path[i]:
                echo = self._flags[i] & ECHO and self.has_items
                found["repeated" if echo and i not in self._taken_back else "abandoned-branch"] += 1
            else:
                found.update(reasons[kind])
        return found

    def common(self, path: Sequence[int], refs: Collection[str]) -> int:
        """How many of a path's first lines are on the way to one of these lines as well."""
        known = [i for i in map(self._refs.get, refs) if i is not None]
        at_place = {line: place for place, line in enumerate(path)}
        most = 0
        for leaf in known:
            most = max(most, next((at_place[i] + 1 for i in reversed(self.path(leaf)) if i in at_place), 0))
        return most

    def _is_side(self, at: int) -> bool:
        return bool(self._flags[at] & SIDE)
