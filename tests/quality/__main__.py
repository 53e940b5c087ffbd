"""`python -m tests.quality [--data DIR]` prints how well recall finds, beside its rivals."""

from __future__ import annotations

import argparse
import pathlib
import sys

from memkit.testing import temp_memory_root
from tests.quality import conversations, labelled
from tests.quality.measures import Asked, by_kind, mean, score
from tests.quality.systems import systems

MEASURES = ("recall@5", "recall@10", "MRR", "nDCG@10")


def on_samples() -> dict[str, dict[str, dict[str, float]]]:
    """By system and kind of question, the means over the labelled questions."""
    with temp_memory_root() as memory:
        collection = labelled.fill(memory)
        asked = labelled.questions(collection)
        return {name: by_kind(search, asked) for name, search in systems(collection).items()}


def on_conversations(folder: pathlib.Path) -> dict[str, dict[str, dict[str, float]]]:
    """The same over conversation files; each conversation is a memory of its own."""
    scored: dict[str, list[tuple[Asked, dict[str, float]]]] = {}
    for conversation in conversations.read(folder):
        with temp_memory_root() as memory:
            for name, search in systems(conversations.fill(memory, conversation)).items():
                rows = scored.setdefault(name, [])
                rows += [(each, score(search(each.question), each.relevant)) for each in conversation.asked]
    return {
        name: {"all": mean(row for _, row in rows)}
        | {kind: mean(row for each, row in rows if each.kind == kind) for kind in sorted({e.kind for e, _ in rows})}
        for name, rows in scored.items()
    }


def show(found: dict[str, dict[str, dict[str, float]]]) -> None:
    """Print the table."""
    kinds = list(next(iter(found.values())))[1:]
    print(f"{'':<26}" + "".join(f"{name:>11}" for name in MEASURES) + "".join(f"{'@10 ' + k:>17}" for k in kinds))
    for name, rows in found.items():
        cells = "".join(f"{rows['all'][measure]:>11.3f}" for measure in MEASURES)
        print(f"{name:<26}{cells}" + "".join(f"{rows[kind]['recall@10']:>17.3f}" for kind in kinds))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=pathlib.Path, help="a folder of conversation files in the shape of LoCoMo")
    options = parser.parse_args()
    print("150 labelled questions over the samples\n")
    show(on_samples())
    if options.data is not None:
        found = on_conversations(options.data)
        if not found:
            print(f"\nno conversation files in {options.data}")
            return 1
        print(f"\nconversations in {options.data}\n")
        show(found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
