"""The accuracy script counts right, lists misses, and fails where it should."""

from __future__ import annotations

import csv

from tests.corpora import score

COLUMNS = ["path", "title", "status", "date", "supersedes", "superseded_by", "status_alt", "date_alt", "path_date"]
RECORD = "# 1. Queue\n\nDate: 2024-03-05\n\n## Status\n\nAccepted. Supersedes [2](0002-b.md)\n\n## Decision\n\nx\n"


def corpora(tmp_path, **changes):
    (tmp_path / "adr").mkdir()
    (tmp_path / "adr" / "0001-queue.md").write_text(RECORD)
    row = dict.fromkeys(COLUMNS, "") | {
        "path": "adr/0001-queue.md",
        "title": "1. Queue",
        "status": "accepted",
        "date": "2024-03-05",
        "supersedes": "ADR-0002",
    }
    with (tmp_path / "adr_truth.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerow(row | changes)
    return tmp_path


def test_a_right_reading_scores_in_full(tmp_path, capsys):
    assert score.main(corpora(tmp_path)) == 0
    out = capsys.readouterr().out
    assert "supersedes        1/1" in out
    assert "0 unaccounted for" in out
    assert "1 dangling" in out


def test_an_alternative_counts(tmp_path):
    assert (
        score.main(corpora(tmp_path, status="proposed", status_alt="accepted|rejected", date="", date_alt="2024-03-05"))
        == 0
    )


def test_a_wrong_reading_is_listed_and_fails(tmp_path, capsys):
    assert score.main(corpora(tmp_path, date="2024-03-06")) == 1
    assert "miss date" in capsys.readouterr().out


def test_a_missing_folder_is_skipped_with_its_reason(tmp_path, capsys):
    assert score.main(tmp_path) == 0
    assert capsys.readouterr().out.startswith("skipped: ")


def test_the_folder_may_be_given_relative_to_where_one_stands(tmp_path, monkeypatch, capsys):
    corpora(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert score.main(score.pathlib.Path()) == 0
    assert "1 on disk, 0 unaccounted" in capsys.readouterr().out
