"""Accounts of files that come and go: everyday ones, and the same full of text that means harm."""

import datetime as dt

from memkit.clock import UTC
from memkit.exporting.report import ExportedFile, ExportReceipt, LeftOut
from memkit.importers.detect import Candidate, Detection
from memkit.importers.report import FieldAccount, FileAccount, ImportReport

NOW = dt.datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


def everyday():
    """One of each, by name, with words that must be seen of it."""
    files = (ExportedFile("project_key=3f9ac2017be4/part-00000.parquet", 41, 123_456, "0" * 64),)
    left = (LeftOut("3f9ac2017be4", "0" * 32, "not JSON at byte 7"),)
    fields = (
        FieldAccount("hash", "left out", "hash", "a digest of the text"),
        FieldAccount("decided_on", "not measurable", "the source keeps no time of it"),
    )
    return {
        "detected": (
            Detection(
                "data/x.jsonl",
                (
                    Candidate("beads", 2, "data/x.jsonl", "7 of 9 lines are issues"),
                    Candidate("mem0", 1, "data/y.json", "a memory"),
                ),
                12,
                True,
                ("data/z.db: no database",),
            ),
            [
                "Looks like beads",
                "7 of 9 lines are issues",
                "12 files",
                "there are more",
                "memkit import beads data/x.jsonl",
                "mem0",
                "no database",
            ],
        ),
        "detected-nothing": (Detection("data", (), 3), ["No kind", "3 files", "memkit import --help"]),
        "exported": (
            ExportReceipt(
                "/home/ada/out", "parquet", files, 41, {"3f9ac2017be4": "/p"}, NOW, {"panel": "adr"}, left, {"jwt": 2}
            ),
            [
                "41 entries",
                "parquet",
                "/home/ada/out",
                "1 file",
                "panel adr",
                "jwt 2",
                "Left out (1)",
                "not JSON at byte 7",
                "part-00000.parquet",
                "_manifest.json",
            ],
        ),
        "import-of-another-kind": (
            ImportReport(
                "mem0",
                "x.jsonl",
                (FileAccount("x.jsonl#1", "rejected", "no memory", fields=fields),),
                suggestion="looks like beads (7 lines): memkit import beads x.jsonl",
                is_cut=True,
                unlisted={"imported": 70_000},
                unlisted_fields={"title": {"mapped": 70_000}},
            ),
            [
                "another kind?",
                "memkit import beads x.jsonl",
                "70,001 files",
                "Cut by a limit",
                "imported 70,000",
                "Left out",
                "Not measurable",
                "a digest of the text",
            ],
        ),
    }


def hostile(text):
    """Every kind with `text` wherever text from outside can stand."""
    return {
        "detected": Detection(text, (Candidate(text, 1, text, text),), 1, False, (text,)),
        "detected-nothing": Detection(text, (), 3),
        "exported": ExportReceipt(
            text,
            text,
            (ExportedFile(text, 1, 1, text),),
            1,
            {text: text},
            NOW,
            {text: text},
            (LeftOut(text, text, text),),
            {text: 1},
        ),
        "import-of-another-kind": ImportReport(
            text,
            text,
            (FileAccount(text, "rejected", text, fields=(FieldAccount(text, "left out", text, text),)),),
            suggestion=text,
            unlisted={"imported": 1},
            unlisted_fields={text: {"mapped": 1}},
        ),
    }
