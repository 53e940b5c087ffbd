"""The table of shapes is sound, bounded, and listed in the documentation."""

import importlib
import pathlib
import pkgutil
import re
from re import _constants as op
from re import _parser

import pytest

import memkit.store
from memkit.store.scrub_patterns import shipped_patterns
from memkit.store.scrub_shapes import LONG_WORD
from memkit.store.scrub_values import Judge, checks
from tests.store.scrub_samples import samples

PATTERNS = shipped_patterns()
PAGE = pathlib.Path(__file__).parents[2] / "docs" / "reference" / "scrubbing.md"
REPEATS = (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT)
WHAT_A_RUN_MAY_BE = 10_000


def repeats(pattern: str, flags: int = 0):
    """Each quantifier of an expression: its upper bound, and whether it stands in another one that repeats."""
    found: list[tuple[int, bool]] = []

    def walk(parsed, inside):
        for code, arguments in parsed:
            if code in REPEATS:
                _, most, part = arguments
                if most > 1:
                    found.append((int(most), inside))
                walk(part, inside or most > 1)
            elif code is op.SUBPATTERN:
                walk(arguments[3], inside)
            elif code is op.BRANCH:
                for branch in arguments[1]:
                    walk(branch, inside)
            elif code in (op.ASSERT, op.ASSERT_NOT):
                walk(arguments[1], inside=False)
            elif code is op.ATOMIC_GROUP:
                walk(arguments, inside)

    walk(_parser.parse(pattern, flags), inside=False)
    return found


def test_the_reader_of_expressions_sees_what_it_should():
    assert repeats("a{2,3}(?:b{1,4})?[c]{5}") == [(3, False), (4, False), (5, False)]
    assert repeats("(?:a{1,4}b){2,3}") == [(3, False), (4, True)]
    assert repeats("a+")[0][0] > WHAT_A_RUN_MAY_BE


EXPRESSIONS = [
    *(
        (f"{kind.name}, its {part}", getattr(kind, part))
        for kind in PATTERNS.kinds
        for part in ("pattern", "lead")
        if getattr(kind, part)
    ),
    ("separator", PATTERNS.separator),
]


@pytest.mark.parametrize("pattern", [p for _, p in EXPRESSIONS], ids=[name for name, _ in EXPRESSIONS])
def test_every_quantifier_of_the_table_is_bounded_and_none_is_nested(pattern):
    found = repeats(pattern)
    assert [most for most, _ in found if most > WHAT_A_RUN_MAY_BE] == []
    assert [most for most, nested in found if nested] == []


CODE = [
    (f"{info.name}.{name}", value)
    for info in pkgutil.iter_modules(memkit.store.__path__)
    if info.name.startswith("scrub")
    for name, value in vars(importlib.import_module(f"memkit.store.{info.name}")).items()
    if isinstance(value, re.Pattern)
]


@pytest.mark.parametrize("pattern", [p for _, p in CODE], ids=[name for name, _ in CODE])
def test_no_quantifier_in_the_code_is_nested(pattern):
    assert [most for most, nested in repeats(pattern.pattern, pattern.flags) if nested] == []


def test_names_are_unique_and_fit_a_mark():
    names = [kind.name for kind in PATTERNS.kinds]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[a-z0-9]+(?:-[a-z0-9]+)*", name) for name in names)


@pytest.mark.parametrize("kind", PATTERNS.kinds, ids=lambda kind: kind.name)
def test_a_kind_says_what_it_is_and_where_to_try_it(kind):
    assert kind.what.strip()
    assert not kind.what.endswith(".")
    assert kind.literals or kind.keywords
    assert all(keyword == keyword.lower() for keyword in (*kind.keywords, *kind.gates, *kind.after))
    assert kind.check == "" or kind.check in checks(Judge(frozenset(), frozenset()))
    assert kind.lead == "" or "secret" in re.compile(kind.lead).groupindex
    assert kind.reads in {"shape", "value", "block", "body"}
    assert kind.reads == "value" or not kind.after


@pytest.mark.parametrize("kind", [k for k in PATTERNS.kinds if k.literals and not k.short], ids=lambda kind: kind.name)
def test_a_kind_that_is_only_looked_for_in_long_words_is_one(kind):
    width = _parser.parse(kind.pattern).getwidth()[0]
    width += _parser.parse(kind.lead).getwidth()[0] if kind.lead else 0
    assert width >= LONG_WORD
    assert re.search(r"\\s| (?!\()", kind.pattern) is None


@pytest.mark.parametrize("kind", PATTERNS.kinds, ids=lambda kind: kind.name)
def test_a_secret_of_the_kind_holds_one_of_its_literals(kind):
    for sample in samples()[kind.name]:
        low = sample.text.lower()
        assert any(literal in sample.text for literal in kind.literals) or any(word in low for word in kind.keywords)
        assert not kind.gates or any(gate in low for gate in kind.gates)


def test_the_page_lists_each_kind_in_the_words_of_the_table():
    rows = ["| `{}` | {} |".format(kind.name, kind.what.replace("|", "\\|")) for kind in PATTERNS.kinds]
    page = PAGE.read_text(encoding="utf-8")
    table = [line for line in page.splitlines() if line.startswith("| `")]
    assert table == rows, "write this table into docs/reference/scrubbing.md:\n" + "\n".join(rows)


def test_the_page_says_that_it_is_no_security_boundary():
    assert "no security boundary" in PAGE.read_text(encoding="utf-8")
