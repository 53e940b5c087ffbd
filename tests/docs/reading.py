"""What a page holds: its fenced blocks, its links, the anchors of its headings, its tables."""

import pathlib
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

ROOT = pathlib.Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]
# The page that starts from an empty home; all others are read in the sample project.
FROM_NOTHING = ROOT / "docs" / "tutorial" / "first-hour.md"
_FENCE = re.compile(r"^ {0,3}(`{3,})(\w*)\s*$")
_NOT_RUN = re.compile(r"<!-- not run: (.+) -->")
_LINK = re.compile(r"(?<!!)\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^()\s]+)\)")


@dataclass(frozen=True)
class Block:
    """One fenced block.

    Attributes:
        page: The file.
        line: Line of its opening fence, counted from 1.
        language: What stands behind the fence.
        text: What is inside, with a newline at the end.
        not_run: The reason given in a comment above it, or None.
        output: What is inside the `text` block directly below it, or None.
        output_line: Line of that block's opening fence.
    """

    page: pathlib.Path
    line: int
    language: str
    text: str
    not_run: str | None = None
    output: str | None = None
    output_line: int = 0

    @property
    def place(self) -> str:
        return f"{name_of(self.page)}:{self.line}"


def name_of(page: pathlib.Path) -> str:
    return page.relative_to(ROOT).as_posix()


def blocks(page: pathlib.Path) -> list[Block]:
    """The blocks of a page in order; a `text` block right below another one is that one's output."""
    found: list[Block] = []
    fence, above, bare = None, "", False
    for number, line in enumerate(page.read_text("utf-8").split("\n"), 1):
        match = _FENCE.match(line)
        if fence is None and match:
            fence, language, start, inside = match.group(1), match.group(2), number, []
        elif fence is not None and match and match.group(1) == fence and not match.group(2):
            text = "".join(f"{each}\n" for each in inside)
            if language == "text" and bare and found[-1].output is None:
                found[-1] = replace(found[-1], output=text, output_line=start)
            else:
                reason = _NOT_RUN.fullmatch(above.strip())
                found.append(Block(page, start, language, text, reason and reason.group(1)))
            fence, above, bare = None, "", True
        elif fence is not None:
            inside.append(line)
        elif line.strip():
            above, bare = line, False
    assert fence is None, f"{name_of(page)}: a block is not closed"
    return found


def prose(page: pathlib.Path) -> str:
    """The text of a page without its blocks and without code in backticks."""
    kept, fence = [], None
    for line in page.read_text("utf-8").split("\n"):
        match = _FENCE.match(line)
        if match and (fence is None or match.group(1) == fence):
            fence = match.group(1) if fence is None else None
        elif fence is None:
            kept.append(re.sub(r"`[^`]*`", "", line) if not line.startswith("#") else line)
    return "\n".join(kept)


def links(page: pathlib.Path) -> list[str]:
    """Every relative target of a page, as written."""
    return [target for target in _LINK.findall(prose(page)) if not re.match(r"[a-z]+:", target)]


def anchors(page: pathlib.Path) -> set[str]:
    """What `#...` may follow the page's name: its headings, as code hosts spell them."""
    seen: Counter[str] = Counter()
    found = set()
    for line in prose(page).split("\n"):
        match = re.match(r"#{1,6} (.+)", line)
        if match:
            slug = re.sub(r"[^\w\- ]", "", match.group(1).strip().lower()).replace(" ", "-")
            found.add(f"{slug}-{seen[slug]}" if seen[slug] else slug)
            seen[slug] += 1
    return found


def section(page: pathlib.Path, heading: str) -> str:
    """The text below one heading, up to the next of its level or above."""
    level = len(heading) - len(heading.lstrip("#"))
    text = page.read_text("utf-8").split(f"\n{heading}\n", 1)
    assert len(text) == 2, f"{name_of(page)} has no heading {heading!r}"
    return re.split(rf"^#{{1,{level}}} ", text[1], maxsplit=1, flags=re.MULTILINE)[0]


def rows(text: str) -> Iterator[list[str]]:
    """The rows of the tables in a text as cells, without their head."""
    for table in re.findall(r"(?:^\|.*\|$\n?)+", text, re.MULTILINE):
        for line in table.strip().split("\n")[2:]:
            yield [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line.strip("|"))]
