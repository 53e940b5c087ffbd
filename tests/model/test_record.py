"""A record is read from a file people edit, and written back with as few changes as can be."""

import datetime as dt
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memkit.model.record import (
    FOLDERS,
    KINDS,
    MAX_RECORD_BYTES,
    Record,
    RecordDamage,
    normal_body,
    read_record,
    write_record,
)

DAY = dt.datetime(2026, 11, 30, 12, 0, tzinfo=dt.UTC)
LESSON = Record(
    "retry-only-idempotent-calls",
    "lesson",
    "# Retry only idempotent calls\n\nA retry of `POST /charge` billed a courier twice.",
    created_at=DAY,
    updated_at=DAY,
    sources=("session:2026-04-12-message-storm#3-7",),
    triggers=("adding a retry", "yes"),
    tags=("http", "billing"),
    extra={"confidence": 0.9, "reviewed": True, "where": {"file": "a.py", "lines": [1, 2]}},
)


def test_a_record_is_a_page_people_can_read():
    assert (
        write_record(LESSON).decode()
        == """\
---
kind: lesson
status: active
created_at: 2026-11-30T12:00:00.000Z
updated_at: 2026-11-30T12:00:00.000Z
sources:
  - session:2026-04-12-message-storm#3-7
reinforcement_count: 0
triggers:
  - adding a retry
  - "yes"
tags:
  - http
  - billing
confidence: 0.9
reviewed: true
where: {"file": "a.py", "lines": [1, 2]}
---

# Retry only idempotent calls

A retry of `POST /charge` billed a courier twice.
"""
    )


def test_what_is_written_is_read_back_and_written_again_to_the_same_bytes():
    data = write_record(LESSON)
    assert read_record("memory", LESSON.slug, data) == LESSON
    assert write_record(LESSON, data) == data


SLUGS = st.from_regex(r"[a-z0-9]{1,8}(-[a-z0-9]{1,6}){0,2}", fullmatch=True)
LINE = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=30).map(str.strip).filter(bool)
MOMENTS = st.datetimes(dt.datetime(1970, 1, 1), dt.datetime(9000, 1, 1)).map(
    lambda at: at.replace(tzinfo=dt.UTC, microsecond=at.microsecond // 1000 * 1000)
)
RECORDS = st.builds(
    Record,
    slug=st.just("some-slug"),
    kind=st.sampled_from(KINDS),
    body=st.text(st.characters(exclude_categories=("Cs",)), max_size=60).map(normal_body),
    status=st.sampled_from(["active", "superseded"]),
    created_at=st.none() | MOMENTS,
    updated_at=st.none() | MOMENTS,
    sources=st.lists(LINE, max_size=3).map(tuple),
    supersedes=st.lists(SLUGS, max_size=3, unique=True).map(tuple),
    superseded_by=st.none() | SLUGS,
    reinforcement_count=st.integers(0, 2**31 - 1),
    last_seen_at=st.none() | MOMENTS,
    triggers=st.lists(LINE, max_size=3).map(tuple),
    tags=st.lists(LINE, max_size=3).map(tuple),
    extra=st.dictionaries(
        st.sampled_from(["x", "note", "Ünit", "a b"]), st.none() | LINE | st.integers(0, 9), max_size=3
    ),
)


@settings(max_examples=40, deadline=None)
@given(RECORDS)
def test_any_record_is_read_back_as_it_was(record):
    assert read_record(FOLDERS[record.kind], record.slug, write_record(record)) == record


@settings(max_examples=40, deadline=None)
@given(RECORDS, RECORDS)
def test_any_record_written_over_another_is_read_back_and_once_more_changes_nothing(first, second):
    second = replace(second, kind=first.kind)
    data = write_record(second, write_record(first))
    folder = FOLDERS[first.kind]
    assert read_record(folder, "some-slug", data) == second
    assert write_record(second, data) == data


HAND = """\
---
# Kept by Mara.
kind: lesson   # not a preference
status: active  # for now
version: 1.10
answer: yes
sources:
- x
- "y"  # why
created_at: 2026-03-09
---
First line.

- a point
"""
STYLES = {
    "plain": HAND.encode(),
    "windows": HAND.replace("\n", "\r\n").encode(),
    "byte order mark": b"\xef\xbb\xbf" + HAND.encode(),
    "no newline at the end": HAND.rstrip("\n").encode(),
    "many blank lines": (HAND + "\n\n\n").encode(),
    "dots": HAND.replace("---\nFirst", "...\nFirst").encode(),
}


@pytest.mark.parametrize("data", STYLES.values(), ids=STYLES)
def test_a_file_in_any_style_is_read_and_an_unchanged_record_changes_no_byte(data):
    record = read_record("memory", "by-hand", data)
    assert (record.kind, record.status, record.sources) == ("lesson", "active", ("x", "y"))
    assert record.created_at == dt.datetime(2026, 3, 9, tzinfo=dt.UTC)
    assert dict(record.extra) == {"version": "1.10", "answer": "yes"}
    assert record.body == "First line.\n\n- a point"
    assert write_record(record, data) == data


@pytest.mark.parametrize("data", STYLES.values(), ids=STYLES)
def test_a_change_leaves_every_other_line_as_it_was(data):
    record = read_record("memory", "by-hand", data)
    changed = write_record(replace(record, status="superseded", superseded_by="better"), data)
    before, after = data.split(b"\n"), changed.split(b"\n")
    gone = [line for line in before if line not in after]
    assert [line.strip() for line in gone] == [b"status: active  # for now"]
    assert b"status: superseded  # for now" in changed
    assert read_record("memory", "by-hand", changed).superseded_by == "better"
    assert changed.count(b"\r\n") in {0, changed.count(b"\n")}


def test_a_page_without_front_matter_is_knowledge_and_gets_some_when_something_is_to_be_said():
    data = b"# Depots\n\nThere are nine.\n"
    record = read_record("knowledge", "depots", data)
    assert (record.kind, record.title, record.created_at) == ("domain", "Depots", None)
    assert write_record(record, data) == data
    changed = write_record(replace(record, reinforcement_count=2), data)
    assert changed == b"---\nreinforcement_count: 2\n---\n" + data


DAMAGED = {
    "empty": (b"", "empty"),
    "blank": (b" \n\n", "empty"),
    "not UTF-8": (b"---\nkind: lesson\n---\n\xff\n", "not UTF-8: byte 21 is 0xff"),
    "too long": (b"---\nkind: lesson\n---\n" + b"x" * MAX_RECORD_BYTES, "bytes"),
    "no kind": (b"Only words.\n", "kind: is missing"),
    "unknown kind": (b"---\nkind: rumour\n---\n", "kind: 'rumour' is none of"),
    "kind is a list": (b"---\nkind: [lesson]\n---\n", "kind: "),
    "wrong folder": (b"---\nkind: domain\n---\n", "belongs into knowledge/"),
    "status": (b"---\nkind: lesson\nstatus: done\n---\n", "status: 'done'"),
    "day": (b"---\nkind: lesson\ncreated_at: last week\n---\n", "created_at: 'last week' is no moment"),
    "count": (b"---\nkind: lesson\nreinforcement_count: many\n---\n", "reinforcement_count"),
    "count below 0": (b"---\nkind: lesson\nreinforcement_count: -1\n---\n", "reinforcement_count"),
    "slug": (b"---\nkind: lesson\nsupersedes: Not A Slug\n---\n", "supersedes: 'Not A Slug' is no slug"),
    "path as slug": (b"---\nkind: lesson\nsuperseded_by: ../../etc/passwd\n---\n", "superseded_by"),
    "two successors": (b"---\nkind: lesson\nsuperseded_by: [a, b]\n---\n", "names more than one"),
    "key twice": (b"---\nkind: lesson\nkind: decision\n---\n", "stands twice"),
    "no YAML": (b"---\nkind: lesson\n  bad: [\n---\n", "not valid YAML"),
    "never closed": (b"---\nkind: lesson\n", "not closed"),
    "NUL": (b"---\nkind: lesson\nx: \x00\n---\n", "not valid YAML"),
}


@pytest.mark.parametrize(("data", "why"), DAMAGED.values(), ids=DAMAGED)
def test_what_is_no_record_says_why(data, why):
    with pytest.raises(RecordDamage) as damage:
        read_record("memory", "some-slug", data)
    assert why in str(damage.value)


@settings(max_examples=40, deadline=None)
@given(st.binary(max_size=400) | st.text(max_size=200).map(lambda text: f"---\n{text}\n---\n".encode(errors="replace")))
def test_any_bytes_are_a_record_or_damage(data):
    try:
        record = read_record("knowledge", "any-bytes", data)
    except RecordDamage:
        return
    assert write_record(record, data) == data


def test_a_title_is_the_first_heading_else_the_first_line_else_the_slug():
    assert replace(LESSON, body="words\n\n## A heading ##\n").title == "A heading"
    assert replace(LESSON, body="words\nmore").title == "words"
    assert replace(LESSON, body="").title == "Retry only idempotent calls"


def test_a_record_is_plain_data_too():
    said = LESSON.to_dict()
    assert (said["path"], said["created_at"]) == ("memory/retry-only-idempotent-calls.md", "2026-11-30T12:00:00.000Z")
    assert said["extra"] == dict(LESSON.extra)


@pytest.mark.parametrize(
    "text", ["a\r\r\nb", "\r\r\n\r\na\r\n", "\r\n \r\n", "a\rb", "a\r\n\r\n\r\r\r\n", "\n\ra\r"], ids=ascii
)
def test_a_body_whose_line_ends_were_converted_twice_is_the_same_when_written_and_read_again(text):
    record = read_record("memory", "use-utc", b"---\r\nkind: lesson\r\n---\r\n\r\n" + text.encode())
    assert "\r\n" not in record.body
    assert normal_body(record.body) == record.body
    assert read_record("memory", "use-utc", write_record(record)).body == record.body


def test_a_tag_with_a_colon_and_nothing_behind_it_stays_as_it_was_read():
    page = b'---\nkind: lesson\ntags: [a. "b: ]\nsources: [{Mara : }]\n---\n\n# Use UTC\n'
    read = read_record("memory", "use-utc", page)
    assert (read.tags, read.sources) == (('a. "b:',), ("Mara:",))
    assert read_record("memory", "use-utc", write_record(read)) == read
