"""Links between decisions are settled or listed, never guessed."""

from __future__ import annotations

import time

import pytest

from memkit.model.links import Identity, Link, parse_target, resolve, split_name


def row(entry, path, *, slug=None, id=None, title=""):
    _, number, its_slug = split_name(path.rsplit("/", 1)[-1].removesuffix(".md"))
    return Identity(entry, path, slug or its_slug or None, id, number or None, title)


LOG = [
    row("a1", "docs/adr/0001-record-decisions.md", title="1. Record decisions"),
    row("a2", "docs/adr/0002-use-queues.md", title="2. Use queues"),
    row("a3", "docs/adr/0003-use-streams.md", title="3. Use streams", id="ADR-0003"),
    row("a4", "docs/adr/20201016-use-the-slug.md", title="Use the slug"),
    row("a5", "docs/adr/0005-tenants/README.md", slug="tenants", title="Tenants"),
]
LOG[4] = Identity("a5", "docs/adr/0005-tenants/README.md", "tenants", None, "5", "Tenants")


@pytest.mark.parametrize(
    ("text", "entry"),
    [
        pytest.param("[queues](0002-use-queues.md)", "a2", id="path beside the document"),
        pytest.param("[queues](./0002-use-queues.md#context)", "a2", id="path with fragment"),
        pytest.param("[queues](<../adr/0002-use-queues.md>)", "a2", id="path in angle brackets"),
        pytest.param("[queues](../adr/0002-use-queues.md 'Queues')", "a2", id="path with a link title"),
        pytest.param("[queues](/docs/adr/0002-use-queues.md)", "a2", id="path from the project's root"),
        pytest.param("[queues](0002%2Duse%2Dqueues.md)", "a2", id="percent-encoded path"),
        pytest.param("[ADR 2](https://git.example/x/blob/main/docs/adr/0002-use-queues.md)", "a2", id="full address"),
        pytest.param("[tenants](0005-tenants)", "a5", id="folder with a README"),
        pytest.param("[tenants](0005-tenants/README.md)", "a5", id="the README itself"),
        pytest.param("0002-use-queues", "a2", id="name without ending"),
        pytest.param("use-queues", "a2", id="slug"),
        pytest.param("[20201016-use-the-slug](20201016-use-the-slug.md)", "a4", id="dated slug"),
        pytest.param("20201016-use-the-slug", "a4", id="dated slug without a link"),
        pytest.param("ADR-0003", "a3", id="own id"),
        pytest.param("adr 3", "a3", id="own id in other spelling"),
        pytest.param("ADR-0002", "a2", id="number"),
        pytest.param("#2", "a2", id="bare number"),
        pytest.param("[ADR 2](/adr/2)", "a2", id="site link with a number"),
        pytest.param("[2. Use queues](/adr/2)", "a2", id="site link with number and title"),
        pytest.param("ADR-0002: Use queues", "a2", id="number and title"),
        pytest.param("[ADR-0002](#)", "a2", id="label where the target is empty"),
        pytest.param("Use queues", "a2", id="title"),
        pytest.param("[[0002-use-queues]]", "a2", id="wiki link"),
        pytest.param("a2", "a2", id="entry id"),
    ],
)
def test_a_link_is_found_by_path_slug_id_number_or_title(text, entry):
    found = resolve([Link("a1", "supersedes", text)], LOG)
    assert [(e.from_id, e.to_id, e.kind) for e in found.edges] == [("a1", entry, "supersedes")]
    assert not found.ambiguous
    assert not found.dangling


def test_a_number_used_twice_in_one_log_is_ambiguous_and_lists_both():
    rows = [*LOG, row("b2", "docs/adr/0002-use-buses.md")]
    found = resolve([Link("a1", "superseded_by", "ADR-0002")], rows)
    assert found.edges == ()
    assert found.ambiguous[0].candidates == ("b2", "a2")


def test_a_number_used_twice_is_settled_by_the_title_beside_it():
    rows = [*LOG, row("b2", "docs/adr/0002-use-buses.md", title="2. Use buses")]
    found = resolve([Link("a1", "superseded_by", "2. Use buses")], rows)
    assert [e.to_id for e in found.edges] == ["b2"]


def test_a_missing_file_does_not_become_the_record_that_took_its_number():
    rows = [*LOG, row("self", "docs/adr/0014-compliance.md"), row("b16", "docs/adr/0016-file-uploads.md")]
    found = resolve([Link("self", "superseded_by", "[ADR 16](0016-compliance.md)")], rows)
    assert found.edges == ()
    assert found.own == ()
    assert set(found.dangling[0].candidates) == {"self", "b16"}
    assert found.dangling[0].reason == "no such document"


def test_a_number_means_the_log_of_the_linking_document():
    rows = [*LOG, row("b1", "other/adr/0001-start.md"), row("b2", "other/adr/0002-middle.md")]
    found = resolve([Link("b1", "superseded_by", "ADR 2"), Link("b1", "amends", "ADR 3")], rows)
    assert [e.to_id for e in found.edges] == ["b2"]
    assert found.dangling[0].candidates == ("a3",)


def test_folders_that_share_no_number_form_one_sequence():
    rows = [row(f"e{n}", f"adr/{'back' if n % 2 else 'front'}/{n:04}-r{n}.md") for n in range(1, 9)]
    found = resolve([Link("e1", "supersedes", "ADR-4")], rows)
    assert [e.to_id for e in found.edges] == ["e4"]


def test_records_in_folders_of_their_own_share_the_folder_around_them():
    rows = [Identity(f"e{n}", f"adr/{n:04}-r{n}/README.md", f"r{n}", None, str(n), "") for n in range(1, 4)]
    assert [e.to_id for e in resolve([Link("e1", "supersedes", "ADR-3")], rows).edges] == ["e3"]


def test_another_kind_of_record_with_the_same_number_is_not_meant():
    found = resolve([Link("a1", "supersedes", "RFC-0002")], LOG)
    assert found.edges == ()
    assert len(found.dangling) == 1


def test_a_link_to_itself_is_reported_and_is_no_edge():
    found = resolve([Link("a2", "supersedes", "ADR-0002")], LOG)
    assert found.edges == ()
    assert found.own[0].link.text == "ADR-0002"


def test_the_same_link_written_twice_is_one_edge():
    links = [Link("a1", "supersedes", "ADR-2"), Link("a1", "supersedes", "[q](0002-use-queues.md)")]
    assert len(resolve(links, LOG).edges) == 1


@pytest.mark.parametrize(
    "text", ["", "   ", "[", "[]()", "[x](http://[)", "()", "ADR", "\\", "?#", "[[", "☃", "0" * 40]
)
def test_strange_texts_dangle(text):
    assert len(resolve([Link("a1", "supersedes", text)], LOG).dangling) == 1


def test_an_unknown_linking_entry_does_no_harm():
    assert len(resolve([Link("zz", "supersedes", "ADR-2")], LOG).edges) == 1


def test_a_date_is_no_number():
    assert split_name("20201016-use-slugs") == ("", "", "use-slugs")
    assert split_name("2021-08-19_009-simplify-logs") == ("", "9", "simplify-logs")
    assert split_name("ADR-0016-file-uploads") == ("adr", "16", "file-uploads")
    assert parse_target("[a](b%20c.md#d)").path == "b c.md"


def test_a_hundred_thousand_records_are_settled_in_seconds():
    rows = [row(f"e{n}", f"p{n // 200}/adr/{n % 200:04}-record-{n}.md") for n in range(100_000)]
    links = [Link(f"e{n}", "supersedes", f"ADR-{n % 200 - 1}" if n % 200 else "ADR-999") for n in range(0, 100_000, 3)]
    started = time.process_time()
    found = resolve(links, rows)
    assert time.process_time() - started < 20
    assert len(found.edges) + len(found.dangling) == len(links)
    assert len(found.ambiguous) == 0


def test_a_link_that_holds_in_part_makes_such_an_edge_unless_it_is_also_said_wholly():
    links = [Link("a1", "supersedes", "ADR-2", partly=True), Link("a1", "supersedes", "ADR-3", partly=True)]
    found = resolve([*links, Link("a1", "supersedes", "[q](0002-use-queues.md)")], LOG)
    assert [(e.to_id, e.partly) for e in found.edges] == [("a2", False), ("a3", True)]
