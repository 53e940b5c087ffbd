"""Write the outputs shown on the pages anew: `python -m tests.docs [PAGE ...]`, or `make docs`. Look at the diff."""

import os
import pathlib
import sys
import tempfile
from unittest import mock

from tests.docs.reading import FROM_NOTHING, PAGES, Block, blocks, name_of
from tests.docs.running import Reader, make_home


def main(names: list[str]) -> int:
    pages = [pathlib.Path(name).resolve() for name in names] or PAGES
    here = pathlib.Path.cwd()
    for page in pages:
        env = {name: value for name, value in os.environ.items() if not name.startswith(("MEMKIT_", "XDG_"))}
        with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, {**env, "HOME": folder}, clear=True):
            make_home(pathlib.Path(folder), with_samples=page != FROM_NOTHING)
            os.chdir(folder if page == FROM_NOTHING else pathlib.Path(folder, "wherry"))
            reader = Reader(pathlib.Path(folder))
            try:
                found = [(block, reader.follow(block)) for block in blocks(page) if block.not_run is None]
            finally:
                reader.close()
                os.chdir(here)
        _write(page, [(old, new) for old, new in found if old != new])
    return 0


def _write(page: pathlib.Path, changes: list[tuple[Block, Block]]) -> None:
    lines = page.read_text("utf-8").split("\n")
    for old, new in reversed(changes):
        if old.output is not None:
            lines[old.output_line : old.output_line + old.output.count("\n")] = new.output.split("\n")[:-1]
        lines[old.line : old.line + old.text.count("\n")] = new.text.split("\n")[:-1]
        print(f"{name_of(page)}:{old.line}")
    if changes:
        page.write_text("\n".join(lines), "utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
