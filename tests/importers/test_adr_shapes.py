"""Decision records are read right in every shape people write them."""

from __future__ import annotations

import pytest

from memkit.model.decision import read_decision
from memkit.model.entry import Source, StoredEntry
from tests.importers.shapes import document_of, draft_of

NYGARD = """# 7. Put orders on a queue

Date: 2024-03-05

## Status

Accepted

## Context

The shop stops when the mailer stops.

## Decision

We will put orders on a queue.

## Consequences

One more thing to run.
"""

SHAPES = {
    "Nygard": (NYGARD, "7. Put orders on a queue", "accepted", "2024-03-05"),
    "MADR 4": (
        ("---\nstatus: accepted\ndate: 2024-03-05\ndecision-makers: Ada, Bo\n---\n\n# Put orders on a queue\n\n"
        '## Context and Problem Statement\n\nWhy?\n\n## Decision Outcome\n\nChosen option: "queue", because it waits.\n'),
        "Put orders on a queue", "accepted", "2024-03-05",
    ),
    "MADR 2": (
        ("# Put orders on a queue\n\n* Status: accepted\n* Deciders: Ada\n* Date: 2024-03-05\n\n"
        "Technical Story: none\n\n## Context and Problem Statement\n\nx\n\n## Decision Outcome\n\nA queue.\n"),
        "Put orders on a queue", "accepted", "2024-03-05",
    ),
    "flow mappings": (
        "---\nstatus: { accepted }\ndate: { 2024-3-5 }\nconsulted: {}\ninformed:\n  { a, b, }\n---\n# Put it\n\n## Decision\nx\n",
        "Put it", "accepted", "2024-03-05",
    ),
    "bold lines": (
        "# ADR-007: Put it\n\n**Status:** Accepted\n**Date:** 5 March 2024\n**Author:** Ada\n\n## Context\nx\n\n## Decision\ny\n",
        "ADR-007: Put it", "accepted", "2024-03-05",
    ),
    "bold lines, colon outside": (
        "# ADR-007: Put it\n\n**Status**: Approved  \n**Date**: March 5th, 2024\n\n## Decision\ny\n",
        "ADR-007: Put it", "accepted", "2024-03-05",
    ),
    "several on one line": (
        "# Put it\n\n**Date:** 2024-03-05 · **Status:** accepted · **Owner:** Ada\n\n## Decision\nx\n",
        "Put it", "accepted", "2024-03-05",
    ),
    "bold bullets": (
        "# Put it\n\n* **Status:** Draft\n* **Date:** 2024/03/05\n\n## Decision\nx\n", "Put it", "proposed", "2024-03-05",
    ),
    "metadata table": (
        "# Put it\n\n| Field | Value |\n|---|---|\n| Status | Accepted |\n| Date | 2024-03-05 |\n| Owner | Ada |\n\n## Decision\nx\n",
        "Put it", "accepted", "2024-03-05",
    ),
    "table without a header of its own": (
        "# Put it\n\n| Status | Accepted |\n|--------|----------|\n| Date | 2024-03-05 |\n\n## Decision\nx\n",
        "Put it", "accepted", "2024-03-05",
    ),
    "table with columns": (
        "# Put it\n\n| Status | Date | Author |\n|---|---|---|\n| rejected | 2024-03-05 | Ada |\n\n## Decision\nx\n",
        "Put it", "rejected", "2024-03-05",
    ),
    "table under a status heading": (
        "# Put it\n\n## 1. Status\n\n| Field | Value |\n|---|---|\n| Status | Accepted |\n| Date | 2024-03-05 |\n\n## 2. Context\nx\n",
        "Put it", "accepted", "2024-03-05",
    ),
    "headings with values": (
        "# Put it\n\n## Status: Accepted\n## Date: 2024-03-05\n\n## Context\nx\n\n## Decision\ny\n",
        "Put it", "accepted", "2024-03-05",
    ),
    "underlined headings": (
        "7. Put it\n=========\n\nStatus\n------\n\nAccepted, 2024-03-05.\n\nContext\n-------\nx\n\nDecision\n--------\ny\n",
        "7. Put it", "accepted", "2024-03-05",
    ),
    "title at the level of its sections": (
        "7. Put it\n---------\n\nStatus\n------\n\nAccepted\n\nDecision\n--------\ny\n", "7. Put it", "accepted", "",
    ),
    "emoji": (
        "# Put it\n\nDate: 2024-03-05\n\n## Status\n\n✅ Accepted\n\n## Context\nx\n", "Put it", "accepted", "2024-03-05",
    ),
    "emoji alone": ("# Put it\n\n## Status\n\n❌\n\n## Context\nx\n", "Put it", "rejected", ""),
    "badge": (
        "# Put it\n\n![s](https://img.shields.io/badge/status-accepted-green)\n\n## Decision\nx\n", "Put it", "accepted", "",
    ),
    "date section": (
        "# Put it\n\n## Date\n\n2024-03-05\n\n## Status\n\nProposed\n\n## Decision\nx\n", "Put it", "proposed", "2024-03-05",
    ),
    "date beside the status": (
        "# Put it\n\n## Status\n\nAccepted on 2024-03-05 by the team\n\n## Decision\nx\n", "Put it", "accepted", "2024-03-05",
    ),
    "history as status": (
        "# Put it\n\n## Status\n\n- 2024-02-01: proposed\n- 2024-03-05: accepted\n\n## Decision\nx\n",
        "Put it", "accepted", "2024-03-05",
    ),
    "ticked box": (
        "# Put it\n\n## Status\n\n- [ ] Proposed\n- [x] Accepted\n- [ ] Rejected\n\n## Decision\nx\n", "Put it", "accepted", "",
    ),
    "changelog": (
        ("# ADR 007: Put it\n\n## Changelog\n\n* 2024-02-01: initial draft\n* 2024-03-05: accepted by the team\n* 2025-01-01: typos\n\n"
        "## Status\n\nACCEPTED Implemented\n\n## Decision\nx\n"),
        "ADR 007: Put it", "accepted", "2024-03-05",
    ),
    "free date line": (
        "# ADR 7: Put it\n\nMarch 5, 2024\n\n## Context\nx\n\n## Decision\ny\n\n## Status\n\nAccepted\n",
        "ADR 7: Put it", "accepted", "2024-03-05",
    ),
    "free date line, day first": ("# Put it\n\n11 December 2025\n\n## Context\nx\n", "Put it", "unknown", "2025-12-11"),
    "month only": ("# Put it\n\nMay 2024\n\n## Context\nx\n\n## Status\nAccepted\n", "Put it", "accepted", ""),
    "created before updated": (
        "# Put it\n\nCreated: March 5, 2024\nUpdated: June 1, 2024\n\n## Decision\nx\n", "Put it", "unknown", "2024-03-05",
    ),
    "date before log date": (
        "# Put it\n\nDate: 2024-03-05\n\nLog date: 2024-04-01\n\n## Decision\nx\n", "Put it", "unknown", "2024-03-05",
    ),
    "date without a colon": ("# Put it\n\nDate 2024-03-05\n\n## Decision\nx\n", "Put it", "unknown", "2024-03-05"),
    "swapped day and month": ("# Put it\n\nDate: 2024-14-02\n\n## Decision\nx\n", "Put it", "unknown", "2024-02-14"),
    "no such date": ("# Put it\n\nDate: 2024-023-2706\n\n## Decision\nx\n", "Put it", "unknown", ""),
    "German": (
        "# ADR-7: Bestellungen einreihen\n\n* **Status:** Akzeptiert\n* **Datum:** 05.03.2024\n\n## Kontext\nx\n\n## Entscheidung\ny\n",
        "ADR-7: Bestellungen einreihen", "accepted", "2024-03-05",
    ),
    "French": (
        "# Mettre en file\n\nDate : 5 mars 2024\n\n## Statut\n\nAcceptée\n\n## Contexte\nx\n\n## Décision\ny\n",
        "Mettre en file", "accepted", "2024-03-05",
    ),
    "French slashes": (
        "# Mettre en file\n\nDate : 05/03/2024\n\n## Statut\n\nProposé\n\n## Contexte\nx\n\n## Décision\ny\n",
        "Mettre en file", "proposed", "2024-03-05",
    ),
    "Portuguese": (
        "# Enfileirar\n\nData: 2024-03-05\n\n## Status\n\nAceito\n\n## Contexto\nx\n\n## Decisão\ny\n",
        "Enfileirar", "accepted", "2024-03-05",
    ),
    "Spanish": (
        "# Encolar pedidos\n\n## Estado\n\nAceptada — 5 de marzo de 2024.\n\n## Contexto\nx\n\n## Decisión\ny\n",
        "Encolar pedidos", "accepted", "2024-03-05",
    ),
    "Japanese": (
        "# ADR-7: 注文をキューに入れる\n\n- ステータス: 承認（2024-03-05）\n\n## 背景\nx\n\n## 決定\ny\n",
        "ADR-7: 注文をキューに入れる", "accepted", "2024-03-05",
    ),
    "Japanese date": (
        "# 注文\n\n- ステータス: 提案中\n- 日付: 2024年3月5日\n\n## 決定\ny\n", "注文", "proposed", "2024-03-05",
    ),
    "Chinese": (
        "# 7. 使用队列\n\n日期：2024-03-05\n\n## 状态\n\n已接受\n\n## 背景\nx\n\n## 决策\ny\n", "7. 使用队列", "accepted", "2024-03-05",
    ),
    "Chinese date in a sentence": (
        "# 使用队列\n\n## 状态\n\n已采纳，自 2024 年 3 月 5 日起生效。\n\n## 决策\ny\n", "使用队列", "accepted", "2024-03-05",
    ),
    "title in a block scalar": (
        "---\nslug: 7\ntitle: |\n  7. Put it\ntags: [Accepted]\n---\n\n## Status\n\nAccepted\n\n## Context\nx\n",
        "7. Put it", "accepted", "",
    ),
    "status only among tags": ("---\ntitle: Put it\ntags: [Rejected, shop]\n---\n## Context\nx\n## Decision\ny\n", "Put it", "rejected", ""),
    "heading above front matter": (
        "---\nid: ADR-7\ntitle: Short\nstatus: Active\ndate: 2024-03-05\n---\n\n# ADR-7: Put it\n\n## Decision\n- x\n",
        "ADR-7: Put it", "accepted", "2024-03-05",
    ),
    "invalid YAML": (
        "---\nid: ADR-7\nstatus: Active\ndate: 2024-03-05\ndecision: It is this: that and more\n---\n\n# Put it\n\n## Decision\nx\n",
        "Put it", "accepted", "2024-03-05",
    ),
    "comment in front matter is no heading": (
        "---\n# These are optional\nstatus: accepted\n---\n# Put it\n\n## Decision\nx\n", "Put it", "accepted", "",
    ),
    "no heading": ("Date: 2024-03-05\n\n## Status\n\nProposed\n\n## Context\nx\n\n# Consequences\n\nz\n", "", "proposed", "2024-03-05"),
    "a late first-level heading is no title": (
        "## Context\nx\n\n## Decision\ny\n\n# Appendix: measurements\n\nz\n", "", "unknown", "",
    ),
    "several first-level headings": (
        "# Put it\n\nDate: 2024-03-05\n\n# Context\nx\n\n# Decision\ny\n\n# Status\nAccepted\n", "Put it", "accepted", "2024-03-05",
    ),
    "headings in code": (
        "# Put it\n\n## Status\n\nAccepted\n\n```md\n# Other\n## Status\nRejected\n```\n\n## Decision\nx\n", "Put it", "accepted", "",
    ),
    "a title that names a state": (
        "# Keep rejected records\n\n## Status\n\nAccepted\n\n## Context\nOthers were rejected.\n", "Keep rejected records", "accepted", "",
    ),
    "unmapped status": ("# Put it\n\n## Status\n\nOngoing.\n\n## Decision\nx\n", "Put it", "unknown", ""),
    "unfilled title": ("---\nstatus: accepted\ndate: 2024-03-05\n---\n# {short title of the solution}\n\n## Decision\nx\n", "", "accepted", "2024-03-05"),
    "plain words as headings": (
        "# Put it\nStatus: Accepted\n\nKontext\n\nWarum.\n\nEntscheidung\n\n1. Einreihen.\n", "Put it", "accepted", "",
    ),
    "struck out": ("# Put it\n\n## Status\n\n~~Proposed~~ Accepted\n\n## Decision\nx\n", "Put it", "accepted", ""),
    "arrow": ("# Put it\n\nStatus: Proposed -> Accepted\n\n## Decision\nx\n", "Put it", "accepted", ""),
}  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_title_status_and_date_are_read_in_this_shape(shape):
    text, title, status, date = SHAPES[shape]
    document = document_of(text)
    assert (document.get("title", ""), document["status"], document.get("decidedOn", "")) == (title, status, date)


@pytest.mark.parametrize("shape", SHAPES)
def test_byte_order_mark_and_windows_line_ends_change_nothing(shape):
    text, title, status, date = SHAPES[shape]
    document = document_of(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    assert (document.get("title", ""), document["status"], document.get("decidedOn", "")) == (title, status, date)


def test_the_whole_text_is_kept_and_read_back_as_a_decision():
    draft = draft_of(NYGARD)
    entry = StoredEntry(
        "00000000", 0, "0" * 12, "/p", draft.panel_id, draft.question, draft.tags, draft.result,
        source=Source("adr", draft.path, draft.sha256),
    )  # fmt: skip
    decision = read_decision(entry)
    assert draft.result["synthesis"]["content"] == NYGARD
    assert draft.panel_id == "adr"
    assert (decision.title, decision.status, decision.raw_status) == (
        "7. Put orders on a queue",
        "accepted",
        "Accepted",
    )
    assert str(decision.decided_on) == "2024-03-05"
    assert decision.conclusion == "We will put orders on a queue."
    assert (decision.number, decision.slug, decision.source_path) == ("0007", "queues", "docs/adr/0007-queues.md")


def test_windows_1252_is_read_with_a_note():
    draft = draft_of("# Entscheidung für Käse\n\n## Status\n\nAkzeptiert – ja\n\n## Kontext\nx\n".encode("cp1252"))
    assert draft.result["document"]["title"] == "Entscheidung für Käse"
    assert any("Windows-1252" in note for note in draft.notes)


def test_utf_16_with_its_mark_is_read():
    assert document_of(NYGARD.encode("utf-16"))["status"] == "accepted"


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"# T\n\x00\x01\x02", id="NUL"),
        pytest.param(b"\x89PNG\r\n\x1a\n\xff\xfe\x00", id="PNG"),
        pytest.param(bytes(range(1, 32)) * 20 + b"\xff\xfe\xfd", id="controls"),
        pytest.param(b"\xff\xfe\x00", id="torn UTF-16"),
    ],
)
def test_binary_in_a_markdown_file_is_rejected_with_its_reason(data):
    draft = draft_of(data)
    assert draft.fate == "rejected"
    assert draft.reason


@pytest.mark.parametrize(
    ("path", "number", "slug", "day"),
    [
        pytest.param("adr/0016-file-uploads.md", "0016", "file-uploads", None, id="number and slug"),
        pytest.param("adr/ADR-0012-per-mode.md", "0012", "per-mode", None, id="prefix"),
        pytest.param("adr/20201016-use-slugs.md", None, "use-slugs", "2020-10-16", id="date and slug"),
        pytest.param("adr/2021-08-19_009-logs.md", "009", "logs", "2021-08-19", id="date and number"),
        pytest.param("adr/0005-tenants/README.md", "0005", "tenants", None, id="a folder for each record"),
        pytest.param("adr/2021-08-19-tenants/index.md", None, "tenants", "2021-08-19", id="date in the folder's name"),
        pytest.param("adr/http2-everywhere.md", None, "http2-everywhere", None, id="a digit that is no number"),
        pytest.param("adr/2021-06-plan.md", None, "2021-06-plan", None, id="a month that is no number"),
    ],
)
def test_number_slug_and_date_of_a_path_are_kept_apart(path, number, slug, day):
    document = document_of("# Put it\n\n## Status\n\nAccepted\n\n## Decision\nx\n", path)
    assert (document.get("number"), document.get("slug"), document.get("pathDate")) == (number, slug, day)
    assert "decidedOn" not in document


def test_the_number_in_the_name_counts_and_a_wrong_one_in_the_heading_is_noted():
    draft = draft_of("# 3. Networking\n\n## Status\n\nPending\n", "adr/0033-ip-ranges.md")
    assert draft.result["document"]["number"] == "0033"
    assert any("says number 3" in note for note in draft.notes)


def test_slashes_are_read_in_the_order_their_folder_shows_and_stay_open_without_one():
    text = "# Put it\n\nDate: 05/02/2018\n\n## Status\n\nAccepted\n\n## Decision\nx\n"
    assert document_of(text, order="day first")["decidedOn"] == "2018-02-05"
    assert document_of(text, order="month first")["decidedOn"] == "2018-05-02"
    document = document_of(text)
    assert "decidedOn" not in document
    assert document["rawDate"] == "05/02/2018"


@pytest.mark.parametrize(
    ("text", "path", "reason"),
    [
        pytest.param(
            "---\nstatus: {proposed | rejected | accepted}\ndate: {YYYY-MM-DD when last updated}\n---\n# {short title}\n\n## Decision\n{x}\n",
            "adr/adr-template.md", "an unfilled template", id="MADR template",
        ),
        pytest.param(
            "# NUMBER. TITLE\n\nDate: DATE\n\n## Status\n\nSTATUS\n", "adr/template.md", "an unfilled template", id="adr-tools template",
        ),
        pytest.param(
            "# <number>. <title>\n\nDate: YYYY-MM-DD\n\n## Status\n\nAccepted\n", "adr/adr-template.md", "an unfilled template", id="angle brackets",
        ),
        pytest.param(
            "# ADR-0000: Vorlage für Entscheidungen\n\n## Status\n\n[Vorgeschlagen | Akzeptiert | Veraltet]\n\n## Kontext\nx\n",
            "adr/0000-adr-vorlage.md", "an unfilled template", id="German template",
        ),
        pytest.param(
            "# <!-- short title -->\n\n## Context and Problem Statement\n\n\n## Decision Outcome\n\n",
            "adr/adr-template-bare.md", "an unfilled template", id="bare template",
        ),
        pytest.param(
            "# Decisions\n\n| ADR | Status | Date |\n|---|---|---|\n| [1](0001-a.md) | Active | 2024-01-01 |\n| [2](0002-b.md) | Draft | 2024-01-02 |\n",
            "adr/README.md", "an index page", id="index page",
        ),
        pytest.param("   \n\n", "adr/0001-a.md", "empty", id="empty"),
        pytest.param("# Contributing\n\nSend patches.\n", "docs/contributing.md", "not a decision record", id="another document"),
    ],
)  # fmt: skip
def test_templates_indexes_and_other_documents_are_skipped_with_their_reason(text, path, reason):
    draft = draft_of(text, path)
    assert draft.fate == "skipped"
    assert draft.reason.startswith(reason)


def test_a_record_about_templates_is_a_record():
    text = "# Use a page template\n\n* Status: accepted\n* Date: 2024-03-05\n\n## Decision Outcome\n\nChosen option: one.\n"
    assert document_of(text, "adr/0023-use-a-page-template.md")["title"] == "Use a page template"


def test_a_readme_in_a_folder_of_its_own_is_a_record():
    document = document_of(NYGARD, "docs/adr/0005-tenants/README.md")
    assert document["slug"] == "tenants"


CONCLUSIONS = {
    "section": ("# T\n## Context\nx\n## Decision\nWe do it.\n### Details\nMore.\n## Consequences\nz\n", "We do it.\n\nDetails\nMore."),
    "MADR": ('# T\n## Decision Outcome\nChosen option: "A", because.\n### Consequences\n* Good\n', 'Chosen option: "A", because.'),
    "bold line": ("# T\n\n**Status:** Accepted\n\n## 1. Storage\n\n**Decision:** Use one disk.\n", "Use one disk."),
    "front matter": ("---\nstatus: Active\ndecision: Use one disk.\n---\n# T\n\nText.\n", "Use one disk."),
    "Y-statement": (
        ("# T\n\nStatus: accepted\n\nIn the context of the shop, facing slow mail, we decided for a queue "
        "and against waiting, to achieve calm, accepting one more part.\n"),
        ("In the context of the shop, facing slow mail, we decided for a queue and against waiting, to achieve calm, "
        "accepting one more part."),
    ),
    "German": ("# T\n## Kontext\nx\n## Entscheidung\nWir tun es.\n## Konsequenzen\nz\n", "Wir tun es."),
    "Japanese": ("# T\n## 背景\nx\n## 決定\nやる。\n## 影響\nz\n", "やる。"),
    "proposal": ("# T\n## Status\nProposed\n## Proposal\nUse one disk.\n## Context\nx\n", "Use one disk."),
    "none": ("# T\n\nStatus: accepted\n\n## Context\nx\n", None),
    "placeholder": ("# T\n\nStatus: accepted\n\n## Decision\n{describe the decision}\n", None),
}  # fmt: skip


@pytest.mark.parametrize("shape", CONCLUSIONS)
def test_the_conclusion_is_found_where_it_stands(shape):
    text, conclusion = CONCLUSIONS[shape]
    assert document_of(text).get("conclusion") == conclusion


def test_tripwires_and_read_when_come_from_sections_and_front_matter():
    text = (
        "---\nid: ADR-7\nstatus: Active\nreviewBy: 2027-01-01\n---\n# T\n\n## Decision\n- x\n\n## Read when\n\n- touching the queue\n- None\n\n"
        "## Revisit when\n\nReopen this if:\n\n- p95 latency > 300 ms for 7 days\n- `queue.depth` above 10 000\n"
    )
    document = document_of(text)
    assert document["readWhen"] == ["touching the queue"]
    assert document["tripwires"] == [
        "reviewBy: 2027-01-01",
        "p95 latency > 300 ms for 7 days",
        "`queue.depth` above 10 000",
    ]


def test_a_tripwire_section_without_bullets_gives_its_paragraphs():
    text = "# T\n\n## Decision\nx\n\n## Tripwire conditions\n\nThe mailer handles\na million a day.\n\nOr we move.\n"
    assert document_of(text)["tripwires"] == ["The mailer handles a million a day.", "Or we move."]


def test_what_is_not_understood_is_kept_and_accounted_for():
    text = (
        "---\nstatus: Simmering\nteam: shop\ntags: [mail, shop]\n---\n# T\n\nOwner: Ada\nDate: soon\n\n## Decision\nx\n"
    )
    draft = draft_of(text)
    document = draft.result["document"]
    accounts = {account.name: account for account in draft.fields}
    assert document["frontMatter"] == {"status": "Simmering", "team": "shop", "tags": ["mail", "shop"]}
    assert document["labels"] == {"Owner": "Ada"}
    assert draft.tags == ("mail", "shop")
    assert (accounts["status"].outcome, document["rawStatus"]) == ("raw", "Simmering")
    assert (accounts["decided_on"].outcome, document["rawDate"]) == ("not understood", "soon")
    assert accounts["team"].outcome == "raw"
    assert accounts["title"].origin == "first-level heading"
    assert len(draft.notes) == 2


def test_a_file_of_several_records_is_taken_apart():
    text = (
        "# Decisions\n\nOne entry each.\n\n## ADR-001: Use a queue\n\n**Status:** Superseded by ADR-002\n\n### Decision\n\nQueue.\n\n"
        "## ADR-002: Use a stream\n\n**Status:** Accepted\n**Date:** 2024-03-05\n\n**Decision**: Stream.\n"
    )
    from memkit.importers.adr import document as adr

    drafts = [adr.draft(reading) for reading in adr.read("docs/DECISIONS.md", text.encode())]
    assert [draft.path for draft in drafts] == ["docs/DECISIONS.md#adr-001", "docs/DECISIONS.md#adr-002"]
    assert [draft.result["document"]["status"] for draft in drafts] == ["superseded", "accepted"]
    assert drafts[0].result["document"]["supersededBy"] == ["ADR-002"]
    assert drafts[0].result["document"]["conclusion"] == "Queue."
    assert drafts[1].result["document"]["decidedOn"] == "2024-03-05"


def test_numbered_options_are_no_records_of_their_own():
    text = NYGARD + "\n## Decision 1: a\n\nx\n\n## Decision 2: b\n\ny\n"
    assert draft_of(text).fate == "ready"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("[" * 60_000, id="brackets"),
        pytest.param("# T\n\n" + "Status: " * 20_000, id="one long line"),
        pytest.param("# T\n\n" + "| a | b |\n" * 20_000, id="a long table"),
        pytest.param("# T\n\n## Status\n\n" + "Superseded by " * 10_000, id="a long status"),
        pytest.param("# T\n\n" + "This supersedes the [x](" * 5_000, id="links never closed"),
        pytest.param("---\n" + "a: b\n" * 9_000 + "---\n# T\n## Decision\nx\n", id="much front matter"),
        pytest.param("# T\n\nin the context of " + "x " * 50_000, id="an endless Y-statement"),
        pytest.param("# T\n" + "## ADR-1: x\n**Status:** y\n" * 3_000, id="thousands of records"),
    ],
)
def test_hostile_documents_are_read_in_time(text):
    import time

    from memkit.importers.adr import document as adr
    from memkit.importers.draft import Draft

    started = time.perf_counter()
    for item in adr.read("docs/adr/0001-x.md", text.encode()):
        if not isinstance(item, Draft):
            adr.draft(item)
    assert time.perf_counter() - started < 20
