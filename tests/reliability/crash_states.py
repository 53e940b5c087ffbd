"""What a power cut may leave: a model of files that remembers what was flushed and what was not.

`Recorder` is a hook for `seam`: the real calls are done, and the model follows. Each file has the bytes that would
survive (those at its last fsync) and the bytes a reader sees now; each folder has the names that would survive (those
at its last fsync) and the changes since. A crash may keep any part of what was not flushed, in any order that respects
the flushes: nothing, everything, any prefix, everything but one change, one change alone; of a file's new bytes none,
all, a part, or as many NULs. That is more than any one file system does, and what all of them are allowed to do.

Lock files hold no data and are kept as they are; process ids in temporary names are replaced by one of a process that
does not run, for the writer is dead.
"""

from __future__ import annotations

import hashlib
import os
import pathlib
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

CUTS = (0, 1, 512, 4096)
DEAD = f".{2**22 + 1}-"
_PID = re.compile(r"\.[0-9]+-(?=[0-9a-f]{16}\.tmp$)")

# A tree: path below the top, and a folder (None), a file's bytes, a link's target, or the path of the file it is a
# second name of.
Tree = dict[str, Any]


@dataclass
class File:
    now: bytes = b""
    kept: bytes = b""

    def variants(self) -> list[bytes]:
        """What may be left of it, the flushed bytes first and the present ones second."""
        found = [self.kept]
        if self.now != self.kept:
            found.append(self.now)
            if self.now.startswith(self.kept):
                new = self.now[len(self.kept) :]
                found += [self.kept + new[:n] for n in (*CUTS[1:], len(new) - 1) if 0 < n < len(new)]
                found.append(self.kept + b"\0" * len(new))
        return list(dict.fromkeys(found))


@dataclass
class Link:
    target: str


@dataclass
class Change:
    """One change of names in a folder: these go, these come."""

    gone: tuple[str, ...] = ()
    come: tuple[tuple[str, Any], ...] = ()

    def apply(self, names: dict[str, Any]) -> None:
        for name in self.gone:
            names.pop(name, None)
        names.update(self.come)


@dataclass
class Folder:
    now: dict[str, Any] = field(default_factory=dict)
    kept: dict[str, Any] = field(default_factory=dict)
    pending: list[Change] = field(default_factory=list)

    def change(self, change: Change) -> None:
        change.apply(self.now)
        self.pending.append(change)

    def flush(self) -> None:
        self.kept = dict(self.now)
        self.pending.clear()

    def variants(self) -> list[dict[str, Any]]:
        """What names may be left, the flushed ones first and the present ones second."""
        n = len(self.pending)
        choices = [(), tuple(range(n))]
        choices += [tuple(range(k)) for k in range(1, n)]
        choices += [tuple(i for i in range(n) if i != k) for k in range(n)]
        choices += [(k,) for k in range(n)]
        found = []
        for choice in dict.fromkeys(choices):
            names = dict(self.kept)
            for i in choice:
                self.pending[i].apply(names)
            found.append(names)
        return found


class Recorder:
    """A hook for `seam.installed` that keeps the model in step and tells `at_each` after every change."""

    def __init__(self, top: pathlib.Path, at_each: Callable[[], None]) -> None:
        self.top = os.fspath(top)
        self.at_each = at_each
        self.root = Folder()
        self._open: dict[int, tuple[Any, int]] = {}
        self.adopt()

    # -- keeping step ---------------------------------------------------------------------------------------------

    def adopt(self) -> None:
        """Take what is on disk now as flushed, where the model knows of something else."""
        self._adopt(self.root, self.top)

    def _adopt(self, folder: Folder, path: str) -> None:
        there = set(os.listdir(path)) if os.path.isdir(path) else set()
        for name in [name for name in folder.now if name not in there]:
            self._fix(folder, name, None)
        for name in sorted(there):
            full = f"{path}/{name}"
            node = folder.now.get(name)
            if os.path.islink(full):
                if not isinstance(node, Link):
                    self._fix(folder, name, Link(os.readlink(full)))
            elif os.path.isdir(full):
                if not isinstance(node, Folder):
                    node = self._fix(folder, name, Folder())
                self._adopt(node, full)
            else:
                data = pathlib.Path(full).read_bytes()
                if not isinstance(node, File):
                    node = self._fix(folder, name, File())
                if node.now != data:
                    node.now = node.kept = data

    def _fix(self, folder: Folder, name: str, node: Any) -> Any:
        for names in (folder.now, folder.kept):
            names.pop(name, None)
            if node is not None:
                names[name] = node
        folder.pending = [c for c in folder.pending if name not in c.gone and name not in dict(c.come)]
        return node

    def _place(self, path: Any) -> tuple[Folder, str] | None:
        text = os.fspath(path)
        if not text.startswith(self.top + "/"):
            return None
        *parents, name = text[len(self.top) + 1 :].split("/")
        folder = self.root
        for parent in parents:
            folder = folder.now[parent]
        return folder, name

    def _node(self, path: Any) -> Any:
        if os.fspath(path) == self.top:
            return self.root
        place = self._place(path)
        return None if place is None else place[0].now.get(place[1])

    def __call__(self, name: str, real: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        result = real(*args, **kwargs)
        follow = getattr(self, f"_on_{name}", None)
        if follow is not None and follow(result, *args):
            self.at_each()
        return result

    def _on_open(self, descriptor: int, path: Any, flags: int, *_: Any) -> bool:
        place = self._place(path)
        if place is None:
            if os.fspath(path) == self.top:
                self._open[descriptor] = (self.root, 0)
            return False
        folder, name = place
        made = name not in folder.now
        if made:
            folder.change(Change(come=((name, File()),)))
        node = folder.now[name]
        at = len(node.now) if isinstance(node, File) and flags & os.O_APPEND else 0
        self._open[descriptor] = (node, at)
        return made

    def _on_close(self, _result: None, descriptor: int) -> bool:
        self._open.pop(descriptor, None)
        return False

    def _on_write(self, n: int, descriptor: int, data: Any) -> bool:
        if descriptor not in self._open:
            return False
        node, at = self._open[descriptor]
        node.now = node.now[:at] + bytes(data)[:n] + node.now[at + n :]
        self._open[descriptor] = (node, at + n)
        return True

    def _on_pwrite(self, n: int, descriptor: int, data: bytes, at: int) -> bool:
        if descriptor in self._open:
            node, _ = self._open[descriptor]
            node.now = node.now[:at].ljust(at, b"\0") + data[:n] + node.now[at + n :]
        return False  # only notes in lock files are written so

    def _on_ftruncate(self, _result: None, descriptor: int, size: int) -> bool:
        node, at = self._open[descriptor]
        node.now = node.now[:size]
        self._open[descriptor] = (node, min(at, size))
        return True

    def _on_fsync(self, _result: None, descriptor: int) -> bool:
        if descriptor not in self._open:
            return False
        node, _ = self._open[descriptor]
        if isinstance(node, Folder):
            node.flush()
        else:
            node.kept = node.now
        return True

    def _on_rename(self, _result: None, source: Any, target: Any) -> bool:
        folder, name = self._place(source)
        other, new = self._place(target)
        node = folder.now[name]
        if folder is other:
            folder.change(Change((name,), ((new, node),)))
        else:
            folder.change(Change((name,)))
            other.change(Change(come=((new, node),)))
        return True

    def _on_unlink(self, _result: None, path: Any) -> bool:
        folder, name = self._place(path)
        folder.change(Change((name,)))
        return True

    _on_rmdir = _on_unlink

    def _on_mkdir(self, _result: None, path: Any, *_: Any) -> bool:
        place = self._place(path)
        if place is None:
            return False
        folder, name = place
        folder.change(Change(come=((name, Folder()),)))
        return True

    def _on_link(self, _result: None, source: Any, target: Any) -> bool:
        folder, name = self._place(target)
        folder.change(Change(come=((name, self._node(source)),)))
        return True

    def _on_symlink(self, _result: None, target: str, path: Any) -> bool:
        folder, name = self._place(path)
        folder.change(Change(come=((name, Link(target)),)))
        return True

    # -- making up crashes ----------------------------------------------------------------------------------------

    def states(self, rng: random.Random, extra: int = 4) -> Iterator[Tree]:
        """Trees a crash may leave now: the two extremes, every single deviation from the fullest, and some at random."""
        folders, files = self._changeable()
        if not folders and not files:
            yield self._tree({}, {})
            return
        names = {id(folder): folder.variants() for folder in folders}
        data = {id(file): file.variants() for file in files}
        full_names = {key: each[1] for key, each in names.items()}
        full_data = {key: each[1] for key, each in data.items()}
        kept_data = {key: each[0] for key, each in data.items()}
        yield self._tree({key: each[0] for key, each in names.items()}, kept_data)
        yield self._tree(full_names, full_data)
        yield self._tree(full_names, kept_data)
        for key, each in data.items():
            for one in each:
                yield self._tree(full_names, {**full_data, key: one})
                yield self._tree(full_names, {**kept_data, key: one})
        for key, each in names.items():
            for one in each:
                yield self._tree({**full_names, key: one}, full_data)
                yield self._tree({**full_names, key: one}, kept_data)
        for _ in range(extra):
            yield self._tree(
                {key: rng.choice(each) for key, each in names.items()},
                {key: rng.choice(each) for key, each in data.items()},
            )

    def _changeable(self) -> tuple[list[Folder], list[File]]:
        folders: dict[int, Folder] = {}
        files: dict[int, File] = {}

        def visit(folder: Folder) -> None:
            if folder.pending:
                folders[id(folder)] = folder
            for names in (folder.now, folder.kept):
                for name, node in names.items():
                    if isinstance(node, Folder) and id(node) not in seen:
                        seen.add(id(node))
                        visit(node)
                    elif isinstance(node, File) and node.now != node.kept and not name.endswith(".lock"):
                        files[id(node)] = node

        seen: set[int] = set()
        visit(self.root)
        return list(folders.values()), list(files.values())

    def _tree(self, names: dict[int, dict[str, Any]], data: dict[int, bytes]) -> Tree:
        tree: Tree = {}

        def visit(folder: Folder, path: str) -> None:
            for name, node in sorted(names.get(id(folder), folder.now).items()):
                full = f"{path}/{_PID.sub(DEAD, name)}" if path else _PID.sub(DEAD, name)
                if isinstance(node, Folder):
                    tree[full] = None
                    visit(node, full)
                elif isinstance(node, Link):
                    tree[full] = node
                else:
                    tree[full] = data.get(id(node), node.now)

        visit(self.root, "")
        return tree


def tree_key(tree: Tree) -> bytes:
    """A hash that tells trees apart."""
    total = hashlib.sha256()
    for path, node in tree.items():
        total.update(path.encode() + b"\0")
        total.update(node.target.encode() if isinstance(node, Link) else b"/" if node is None else node)
        total.update(b"\0")
    return total.digest()


def write_tree(tree: Tree, top: pathlib.Path) -> None:
    """Put a tree on disk, as memkit would have made it: 0700 and 0600."""
    os.mkdir(top, 0o700)
    for path, node in tree.items():
        full = f"{top}/{path}"
        if node is None:
            os.mkdir(full, 0o700)
        elif isinstance(node, Link):
            os.symlink(node.target, full)
        else:
            descriptor = os.open(full, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            os.write(descriptor, node)
            os.close(descriptor)
