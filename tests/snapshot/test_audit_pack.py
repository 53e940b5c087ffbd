"""One day of the log as a Parquet file and back: every byte, in bounded pieces, a kind to a row group."""

import hashlib

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit.errors import DamagedError
from memkit.model import jsontext
from memkit.snapshot import audit_pack
from memkit.store import audit_chain

KINDS = ("worker_lifecycle", "record_usage", "entry_operation")


def packed_of(log, parts=None):
    facts = audit_pack.Facts()
    packed = b"".join(audit_pack.file_of(audit_pack.split(parts or [log]), facts))
    return packed, facts


def busy(n):
    return b"".join(
        jsontext.dumps({"id": f"{i:08d}", "event": KINDS[i % 7 % 3], "seq": i, "prev": "0" * 64}) + b"\n"
        for i in range(n)
    )


@pytest.fixture
def small_groups(monkeypatch):
    monkeypatch.setattr(audit_pack, "BATCH_ROWS", 16)
    monkeypatch.setattr(audit_pack, "ROW_GROUP_ROWS", 64)


@given(st.binary(max_size=60).map(lambda data: data.replace(b"x", b"\n")), st.integers(1, 7))
def test_splitting_in_parts_is_splitting(log, size):
    parts = [log[at : at + size] for at in range(0, len(log), size)]
    assert list(audit_pack.split(parts)) == log.split(b"\n")


@given(st.binary(max_size=80).map(lambda data: data.replace(b"x", b"\n")))
def test_any_bytes_come_back_and_are_summed_up(log):
    packed, facts = packed_of(log)
    assert audit_pack.log_of(packed) == log
    assert audit_pack.log_sha256(packed) == facts.log_sha256 == hashlib.sha256(log).hexdigest()
    assert facts.of_file(0, "").n_log_bytes == len(log)


@pytest.mark.usefixtures("small_groups")
def test_a_row_group_holds_one_kind_and_every_line_comes_back_in_its_place():
    log = busy(1_000)
    packed, facts = packed_of(log)
    file = pq.ParquetFile(pa.BufferReader(packed))
    kinds = [set(file.read_row_group(i, ["event"]).column("event").to_pylist()) for i in range(file.num_row_groups)]
    # At the end stands what is left over of all kinds, and what stands after the last newline.
    assert [len(each) for each in kinds[:12]] == [1] * 12
    assert sum(len(each) > 1 for each in kinds) <= 3
    assert audit_pack.log_of(packed) == log
    assert facts.of_file(1, "x").n_events == 1_000


@pytest.mark.usefixtures("small_groups")
def test_a_question_about_one_kind_reads_only_its_row_groups():
    packed, _ = packed_of(busy(1_000))
    statistics = [
        group.column(1).statistics
        for group in map(pq.ParquetFile(pa.BufferReader(packed)).metadata.row_group, range(4))
    ]
    assert [(each.min, each.max) for each in statistics if each.has_min_max] == [
        (each.min, each.min) for each in statistics if each.has_min_max
    ]


def test_a_quiet_day_is_one_row_group_and_takes_little_room():
    log = busy(60)
    packed, _ = packed_of(log)
    assert pq.ParquetFile(pa.BufferReader(packed)).num_row_groups == 1
    assert len(packed) < 20_000


def test_a_file_whose_lines_stand_in_another_order_is_read_all_the_same():
    log = busy(100)
    packed, _ = packed_of(log)
    rows = pq.read_table(pa.BufferReader(packed)).sort_by([("event", "descending"), ("position", "ascending")])
    sink = pa.BufferOutputStream()
    pq.write_table(rows, sink, row_group_size=7)
    assert audit_pack.log_of(sink.getvalue().to_pybytes()) == log


@pytest.mark.parametrize(
    ("column", "values"), [("line", pa.nulls(2, pa.binary())), ("position", pa.array(["a", "b"])), ("line", None)]
)
def test_a_file_that_is_none_of_memkits_is_said_to_be_damaged(column, values):
    columns = {"position": pa.array([0, 1], pa.int64()), "line": pa.array([b"a", b"b"], pa.binary())}
    columns = {**columns, column: values} if values is not None else {"position": columns["position"]}
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table(columns), sink)
    with pytest.raises(DamagedError, match="cannot be read"):
        audit_pack.log_of(sink.getvalue().to_pybytes())


@given(st.lists(st.sampled_from([b"", b"no JSON", b"{}", b'{"prev":"x"}', b"\0"]), max_size=8))
def test_walking_a_day_by_lines_is_walking_it_by_bytes(lines):
    by_bytes, by_lines = audit_chain.Walk(), audit_chain.Walk()
    by_bytes.file("day", b"\n".join(lines))
    by_lines.lines("day", lines)
    for walk in (by_bytes, by_lines):
        walk.end()
    assert by_bytes == by_lines
