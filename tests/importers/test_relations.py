"""Which record replaces or changes which is read from every place people write it, and from nowhere else."""

from __future__ import annotations

import time

import pytest

from tests.importers.shapes import document_of

HEAD = "# ADR-0007: Queues\n\n"
TAIL = "\n## Context\n\nx\n\n## Decision\n\ny\n"


def in_status(text):
    return f"{HEAD}## Status\n\n{text}\n{TAIL}"


SUPERSEDES = {
    "after the state": (in_status("Accepted. Supersedes [3](0003-a.md)"), ["[3](0003-a.md)"]),
    "adr-tools spelling": (in_status("Accepted\n\nSupercedes [3. A](0003-a.md)"), ["[3. A](0003-a.md)"]),
    "front matter": (f"---\nsupersedes: ADR-0003\n---\n{HEAD}{TAIL}", ["ADR-0003"]),
    "front matter list": (f"---\nsupersedes:\n  - ADR-0003\n  - ADR-0004\n---\n{HEAD}{TAIL}", ["ADR-0003", "ADR-0004"]),
    "front matter, one line of several": (f"---\nsupersedes: ADR-0003, ADR-0004\n---\n{HEAD}{TAIL}", ["ADR-0003", "ADR-0004"]),
    "front matter number": (f"---\nsupersedes: 3\n---\n{HEAD}{TAIL}", ["3"]),
    "front matter says none": (f"---\nsupersedes: none\n---\n{HEAD}{TAIL}", []),
    "front matter, other spelling": (f"---\nreplaces: [0003-a.md]\n---\n{HEAD}{TAIL}", ["0003-a.md"]),
    "section": (f"{HEAD}{TAIL}\n## Supersedes\n\n- ADR-0003\n- ADR-0004\n", ["ADR-0003", "ADR-0004"]),
    "section says none": (f"{HEAD}{TAIL}\n## Supersedes\n\n- None\n", []),
    "section says none at length": (f"{HEAD}{TAIL}\n## Supersedes\n\n- None. Compatible with ADR-0001.\n", []),
    "section of links": (f"{HEAD}{TAIL}\n## Supersedes\n\n[a](0003-a.md)\n[b](0004-b.md)\n", ["[a](0003-a.md)", "[b](0004-b.md)"]),
    "labelled line": (f"{HEAD}**Supersedes:** ADR-0003 (no tests)\n{TAIL}", ["ADR-0003"]),
    "labelled line says none": (f"{HEAD}**Supersedes:** —\n**Superseded by:** none\n{TAIL}", []),
    "labelled bullet over two lines": (
        f"{HEAD}- **Supersedes:** ADR-0003 and\n  ADR-0004's other half\n- **Status:** x\n{TAIL}", ["ADR-0003", "ADR-0004"],
    ),
    "table row": (f"{HEAD}| Field | Value |\n|---|---|\n| Supersedes | ADR-0003 |\n| Status | Draft |\n{TAIL}", ["ADR-0003"]),
    "bullet among links": (f"{HEAD}{TAIL}\n## Links\n\n- Supersedes [a](0003-a.md)\n- See ADR-0001\n", ["[a](0003-a.md)"]),
    "title": ("# ADR-0007: Queues (supersedes ADR-0003)\n" + TAIL, ["ADR-0003"]),
    "sentence about this record": (f"{HEAD}## Context\n\nThis ADR supersedes [0003](0003-a.md).\n\n## Decision\ny\n", ["[0003](0003-a.md)"]),
    "we": (f"{HEAD}## Decision\n\n- We supersede [ADR 3](/adr/3) and [ADR 4](/adr/4) with this.\n", ["[ADR 3](/adr/3)", "[ADR 4](/adr/4)"]),
    "own number as subject": (f"{HEAD}## Decision\n\nADR-0007 supersedes ADR-0003.\n", ["ADR-0003"]),
    "another record as subject": (f"{HEAD}## Decision\n\nADR-0004 supersedes ADR-0003.\n", []),
    "negated": (f"{HEAD}## Decision\n\nThis does not supersede ADR-0003.\n", []),
    "possible": (f"{HEAD}## Decision\n\nThis may supersede ADR-0003.\n", []),
    "replaces something else": (f"{HEAD}## Decision\n\nThis replaces usage of the mailer. See ADR-0003.\n", []),
    "replaces a record": (f"{HEAD}## Decision\n\nThis decision replaces ADR-0003.\n", ["ADR-0003"]),
    "no names": (f"{HEAD}## Context\n\nThis supersedes all prior ADRs.\n", []),
    "in favour of is not supersession": (in_status("Rejected in favour of [3](0003-a.md)"), []),
    "a record mentioned beside": (in_status("Rejected (see [3](0003-a.md))"), []),
    "in code": (f"{HEAD}## Decision\n\n```\nSupersedes ADR-0003\n```\n", []),
    "German": (in_status("Akzeptiert. Ersetzt ADR-0003"), ["ADR-0003"]),
    "French": (in_status("Acceptée. Remplace [3](0003-a.md)"), ["[3](0003-a.md)"]),
    "Portuguese": (in_status("Aceito. Substitui ADR-0003"), ["ADR-0003"]),
    "Spanish": (in_status("Aceptado\n\nSustituye a [ADR-003](0003-a.md)."), ["[ADR-003](0003-a.md)"]),
    "Japanese": (in_status("ADR-0003 を置き換える。承認済み"), ["ADR-0003"]),
    "Chinese": (in_status("已接受。取代 ADR-0003"), ["ADR-0003"]),
    "template text": (f"{HEAD}{TAIL}\n## Supersedes\n\n- (ADR-XXXX, if any)\n", []),
    "a link away is no record": (in_status("Accepted. Supersedes [the old way](https://example.org/blog)"), []),
    "a title as link": (f"---\nsupersedes: The mailer decision\n---\n{HEAD}{TAIL}", ["The mailer decision"]),
}  # fmt: skip

SUPERSEDED_BY = {
    "status": (in_status("Superseded by [9. Streams](0009-streams.md)"), ["[9. Streams](0009-streams.md)"]),
    "adr-tools spelling": (in_status("Superceded by\n[9. Streams](0009-streams.md)"), ["[9. Streams](0009-streams.md)"]),
    "two": (in_status("Superseded by [ADR 9](/adr/9) and [ADR 10](/adr/10)"), ["[ADR 9](/adr/9)", "[ADR 10](/adr/10)"]),
    "two lines": (in_status("Superceded by [9](9-a.md)\n\nSuperceded by [10](10-b.md)"), ["[9](9-a.md)", "[10](10-b.md)"]),
    "words between": (in_status("Superseded (never built) by [ADR 9](/adr/9)"), ["[ADR 9](/adr/9)"]),
    "date between": (in_status("Partially superseded — 2026-06-14 by [[ADR streams]]."), ["[[ADR streams]]"]),
    "see": (in_status("Superseded, see ADR-0009"), ["ADR-0009"]),
    "arrow": (in_status("Superseded -> [9](0009-a.md)"), ["[9](0009-a.md)"]),
    "bare number": (in_status("Superseded by 9"), ["9"]),
    "front matter and section agree": (
        f"---\nstatus: Superseded\nsuperseded_by: ADR-0009\n---\n{HEAD}> Superseded by [ADR-0009](ADR-0009-s.md).\n{TAIL}\n## Superseded by\n\n- ADR-0009\n",
        ["[ADR-0009](ADR-0009-s.md)"],
    ),
    "front matter and section differ": (
        f"---\nstatus: Superseded\nsuperseded_by: ADR-0009\n---\n{HEAD}{TAIL}\n## Superseded by\n\n- ADR-0010\n", ["ADR-0009", "ADR-0010"],
    ),
    "MADR 3": (f"---\nstatus: superseded by [ADR-0009](0009-s.md)\n---\n{HEAD}{TAIL}", ["[ADR-0009](0009-s.md)"]),
    "only in the text of a superseded record": (
        f"{HEAD}## Status\n\nPartly superseded\n\n## Context\n\n**These ranges have been superseded by [ADR 9](0009-r.md).**\n", ["[ADR 9](0009-r.md)"],
    ),
    "only in the text of an accepted record": (
        f"{HEAD}## Status\n\nAccepted\n\n## Context\n\nThe ranges have been superseded by [ADR 9](0009-r.md).\n", [],
    ),
    "another record's fate": (
        f"{HEAD}## Status\n\nSuperseded\n\n## Context\n\nADR-0002 was superseded by ADR-0003.\n", [],
    ),
    "title": ("# ADR-0005: Licence (SUPERSEDED by ADR-0009)\n" + TAIL, ["ADR-0009"]),
    "German": (in_status("Abgelöst durch ADR-0009"), ["ADR-0009"]),
    "French": (in_status("Remplacé par ADR-0009"), ["ADR-0009"]),
    "Portuguese": (in_status("Substituído por [9](0009-a.md)"), ["[9](0009-a.md)"]),
    "Spanish": (in_status("Reemplazado por ADR-0009"), ["ADR-0009"]),
    "Japanese": (in_status("ADR-0009 により置き換え"), ["ADR-0009"]),
    "Chinese": (in_status("已被 ADR-0009 取代"), ["ADR-0009"]),
}  # fmt: skip


@pytest.mark.parametrize("case", SUPERSEDES)
def test_what_a_record_supersedes(case):
    text, wanted = SUPERSEDES[case]
    assert document_of(text).get("supersedes", []) == wanted


@pytest.mark.parametrize("case", SUPERSEDED_BY)
def test_what_a_record_is_superseded_by(case):
    text, wanted = SUPERSEDED_BY[case]
    assert document_of(text).get("supersededBy", []) == wanted


def test_amending_and_extending_are_not_superseding():
    text = (
        in_status("Accepted\n\nAmends [3. A](0003-a.md)\n\nAmended by [9. B](0009-b.md)")
        + "\n## Extends\n\n- ADR-0001\n"
    )
    document = document_of(text)
    assert document["amends"] == ["[3. A](0003-a.md)"]
    assert document["amendedBy"] == ["[9. B](0009-b.md)"]
    assert document["extends"] == ["ADR-0001"]
    assert document["status"] == "accepted"
    assert "supersedes" not in document
    assert "supersededBy" not in document


@pytest.mark.parametrize(
    ("text", "partly"),
    [
        pytest.param(in_status("Accepted / Partially supersedes [3](0003-a.md)"), ["[3](0003-a.md)"], id="partially"),
        pytest.param(in_status("Superseded in part by ADR-0009"), ["ADR-0009"], id="in part"),
        pytest.param(
            in_status("Aceptada. Supersede parcial de [ADR-3](0003-a.md)."), ["[ADR-3](0003-a.md)"], id="Spanish"
        ),
        pytest.param(
            f"---\nsupersedes: ADR-0003 storage detail only\n---\n{HEAD}{TAIL}", ["ADR-0003"], id="detail only"
        ),
        pytest.param(f"{HEAD}**Supersedes:** ADR-0003 §4\n{TAIL}", ["ADR-0003"], id="a section of it"),
        pytest.param(in_status("Superseded by ADR-0009"), None, id="wholly"),
    ],
)
def test_what_holds_in_part_only_is_marked(text, partly):
    assert document_of(text).get("partly") == partly


@pytest.mark.parametrize("unit", ["9", "-", ".", "a-", "/", "0001", "x", "supersedes ADR-1 "], ids=ascii)
@pytest.mark.parametrize(
    "head", ["## Status\n\nAccepted ", "## Decision\n\nThis ADR supersedes "], ids=["status", "sentence"]
)
def test_a_text_of_one_unit_again_and_again_takes_a_time_that_grows_with_its_length(head, unit):
    def seconds(n):
        began = time.process_time()
        document_of(f"{HEAD}{head}{unit * (n // len(unit))}\n{TAIL}")
        return time.process_time() - began

    seconds(2_000)
    assert seconds(20_000) < 1
