"""The samples are what their README says: counted, consistent, dated, linked, and free of real names."""

from __future__ import annotations

import csv
import datetime as dt
import functools
import itertools
import json
import math
import re
import statistics
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from memkit.model import headings

SAMPLES = Path(__file__).parents[2] / "data-samples"
README = (SAMPLES / "README.md").read_text(encoding="utf-8")
AS_OF = dt.date.fromisoformat((SAMPLES / "as_of.txt").read_text(encoding="utf-8").strip())
MIDNIGHT = dt.datetime.combine(AS_OF, dt.time(), dt.UTC)
NOT_DECISIONS = {"README.md", "template.md"}
RECORDS = sorted(p for p in SAMPLES.glob("*/docs/decisions/*.md") if p.name not in NOT_DECISIONS)
PANELS = sorted(SAMPLES.glob("*/panels/*.json"))
SESSIONS = sorted(p for p in (SAMPLES / "sessions").iterdir() if p.suffix in {".jsonl", ".md"})
DAY = re.compile(r"20\d\d-[01]\d-[0-3]\d")


def short(path: Path) -> str:
    return path.relative_to(SAMPLES).as_posix()


def load(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"), parse_constant=pytest.fail)


def front_matter(path: Path) -> dict[str, Any]:
    text = path.read_text(encoding="utf-8")
    if not text.startswith("---\n"):
        return {}
    return dict(YAML(typ="safe").load(text[4 : text.index("\n---\n", 4)]))


def synthesis(path: Path) -> str:
    return load(path).get("synthesis", {}).get("content", "") if path.suffix == ".json" else path.read_text("utf-8")


def rows(name: str) -> list[dict[str, str]]:
    with (SAMPLES / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@functools.cache
def tripwires() -> tuple[dict[str, str], ...]:
    return tuple(rows("tripwires.csv"))


@functools.cache
def facts() -> dict[str, list[tuple[dt.datetime, float, str]]]:
    found: dict[str, list[tuple[dt.datetime, float, str]]] = {}
    for row in rows("facts.csv"):
        at = dt.datetime.strptime(row["at"], "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=dt.UTC)
        found.setdefault(row["metric"], []).append((at, float(row["value"]), row["unit"]))
    return found


# Counts


def test_there_are_at_least_sixty_decisions_and_as_many_as_the_readme_counts() -> None:
    concluded = [p for p in PANELS if "synthesis" in load(p)]
    assert len([p for p in RECORDS if short(p).startswith("wherry/")]) == 50
    assert (len(PANELS), len(concluded)) == (22, 21)
    assert [len(list((SAMPLES / name).glob("docs/decisions/*.md"))) for name in ("thole", "staithe")] == [5, 5]
    assert len(RECORDS) + len(concluded) == 81
    assert "81 decisions: 60 documents and 21 panels" in README
    assert len(SESSIONS) == 6


def test_the_samples_stay_small() -> None:
    assert sum(p.stat().st_size for p in SAMPLES.rglob("*") if p.is_file()) < 2_000_000
    assert (SAMPLES / "facts.csv").stat().st_size < 300_000


def test_the_readme_names_the_day_everything_is_relative_to() -> None:
    assert README.startswith(f"as_of: {AS_OF.isoformat()}\n")


# Records


@pytest.mark.parametrize("path", RECORDS, ids=short)
def test_a_record_has_a_title_a_status_a_date_and_a_decision(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    found = headings.sections(text)
    assert [s for s in found if s.level == 1], "no title"
    assert headings.section_text(text, "decision")
    matter = front_matter(path)
    if matter:
        assert matter["status"]
        assert isinstance(matter["date"], dt.date)
        assert "decision-makers" in matter
    elif path.name[:8].isdigit():
        bullets = dict(re.findall(r"^- (Status|Date|Datum): (.+)$", text, re.MULTILINE))
        assert bullets["Status"]
        assert (bullets.get("Date") or bullets["Datum"]).replace("-", "") == path.name[:8]
    else:
        assert any(s.kind == "status" and s.body.strip() for s in found)
        assert re.search(r"^(?:Date|日付): \d{4}-\d{2}-\d{2}$", text, re.MULTILINE)


def decided_on(path: Path) -> dt.date:
    if path.suffix == ".json":
        return dt.datetime.fromtimestamp(load(path)["completedAt"] / 1000, dt.UTC).date()
    matter = front_matter(path)
    if matter:
        return matter["date"]
    line = re.search(r"^(?:- )?(?:Date|Datum|日付): (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    assert line
    return dt.date.fromisoformat(line[1])


def test_decisions_lie_between_may_2025_and_the_stated_day() -> None:
    days = [decided_on(path) for path in RECORDS + PANELS]
    assert min(days) == dt.date(2025, 5, 15)
    assert max(days) <= dt.date(2026, 11, 20) < AS_OF


def test_all_shapes_languages_and_states_are_there() -> None:
    texts = {p: p.read_text(encoding="utf-8") for p in RECORDS}
    assert sum(t.startswith("---\n") for t in texts.values()) >= 15
    assert sum(p.name[:8].isdigit() for p in texts) >= 9
    assert sum("\n## Status\n" in t for t in texts.values()) >= 20
    assert sum("\n## Entscheidung\n" in t for t in texts.values()) == 2
    assert sum("\n## 決定\n" in t for t in texts.values()) == 1
    everything = "\n".join(texts.values()).casefold()
    for word in ("accepted", "rejected", "declined", "deprecated", "proposed", "draft", "superceded by", "akzeptiert"):
        assert word in everything, word


# Links


def links(path: Path) -> set[str]:
    """File names a record points at, and the numbers after "ADR-"."""
    if path.suffix == ".json":
        return set(load(path).get("supersedes", ()))
    text = path.read_text(encoding="utf-8")
    matter = front_matter(path)
    found = set(re.findall(r"\]\(([\w./-]+)\)", text))
    for key in ("supersedes", "amends"):
        named = matter.get(key, [])
        found.update([named] if isinstance(named, str) else named)
    return found


def chains() -> list[tuple[str, str, list[str]]]:
    table = re.findall(r"^\| ([\w ]+) \| (\w+) \| (`.+` → `.+`) \|$", README, re.MULTILINE)
    return [(topic, project, re.findall(r"`([^`]+)`", cells)) for topic, project, cells in table]


def test_the_readme_lists_a_chain_of_three_about_the_database_and_one_of_four_about_authentication() -> None:
    lengths = {topic: len(members) for topic, _, members in chains()}
    assert len(lengths) == 6
    assert (lengths["database"], lengths["authentication"]) == (3, 4)


@pytest.mark.parametrize(("topic", "project", "members"), chains(), ids=lambda v: v if isinstance(v, str) else "")
def test_each_step_of_a_chain_is_linked_and_each_head_is_not_replaced(
    topic: str, project: str, members: list[str]
) -> None:
    by_name = {p.name: p for p in RECORDS + PANELS if short(p).startswith(f"{project}/")}
    for older, newer in itertools.pairwise(members):
        assert decided_on(by_name[older]) < decided_on(by_name[newer])
        forward = newer in links(by_name[older]) or newer[:4] in re.findall(r"ADR-(\d{4})", synthesis(by_name[older]))
        assert older in links(by_name[newer]) or forward, f"{topic}: {older} and {newer} do not know each other"
    head = by_name[members[-1]]
    assert not re.search(r"superse?c?eded by", synthesis(head).split("## ")[0], re.IGNORECASE)


def test_only_the_one_announced_link_is_dangling() -> None:
    dangling = [
        (p.name, target)
        for p in [*RECORDS, *SAMPLES.glob("*/docs/decisions/README.md"), *PANELS]
        for target in links(p)
        if not (p.parent / target).exists() and not (p.parent.parent / "docs/decisions" / target).exists()
    ]
    assert dangling == [("0040-carbon-figures-per-parcel.md", "0055-how-we-estimate-load.md")]


def test_only_one_number_is_ambiguous_and_only_one_record_refers_to_it_by_number_alone() -> None:
    numbers = [p.name[:4] for p in RECORDS if short(p).startswith("wherry/") and not p.name[:8].isdigit()]
    assert {n for n in numbers if numbers.count(n) > 1} == {"0021"}
    by_number = [
        p.name for p in RECORDS if re.search(r"superseded by ADR-\d+\s*$", synthesis(p), re.IGNORECASE | re.MULTILINE)
    ]
    assert by_number == ["0009-send-notifications-inline.md"]


def test_the_word_database_belongs_to_the_chain_about_the_database() -> None:
    wherry = [p for p in RECORDS if short(p).startswith("wherry/") and "database" in synthesis(p).casefold()]
    assert [p.name for p in wherry] == next(m for topic, _, m in chains() if topic == "database")


# Panels


def average(numbers: list[float]) -> float:
    return sum(numbers) / len(numbers) if numbers else 0.0


def deviation(numbers: list[float]) -> float:
    mean = average(numbers)
    return math.sqrt(average([(n - mean) ** 2 for n in numbers])) if numbers else 0.0


@pytest.mark.parametrize("path", PANELS, ids=short)
def test_the_numbers_of_a_panel_follow_from_its_responses(path: Path) -> None:
    panel = load(path)
    people = {p["id"]: p for p in panel["participants"]}
    assert len(people) == len(panel["participants"]) >= 2
    assert panel["roundsCompleted"] == len(panel["rounds"])
    for number, turn in enumerate(panel["rounds"], 1):
        assert turn["round"] == number
        assert turn["blind"] is (number == 1)
        assert sorted(r["participantId"] for r in turn["responses"]) == sorted(people)
        heard = [r for r in turn["responses"] if "error" not in r]
        for response in turn["responses"]:
            person = people[response["participantId"]]
            assert response["modelId"] == person["modelId"]
            assert response["personaId"] == person["persona"]["id"]
            assert (response["round"], response["phase"]) == (number, turn["phase"])
            assert turn["startedAt"] <= response["startedAt"] < response["completedAt"] <= turn["completedAt"]
            assert response["completedAt"] - response["startedAt"] == response["durationMs"]
            said = re.search(r"\n\nCONFIDENCE: (\d+)$", response["content"])
            default = 0 if "error" in response else 50
            assert response["confidence"] == (int(said[1]) if said else default)
        confidences = [float(r["confidence"]) for r in heard]
        assert turn["averageConfidence"] == pytest.approx(average(confidences), abs=1e-9)
        assert turn["stddev"] == pytest.approx(deviation(confidences), abs=1e-9)
        assert turn["score"] == math.floor(average(confidences) - deviation(confidences) / 2 + 0.5)
        apart = {
            frozenset((a["participantId"], b["participantId"])): abs(a["confidence"] - b["confidence"])
            for a in heard
            for b in heard
            if abs(a["confidence"] - b["confidence"]) >= 20
        }
        listed = {frozenset((d["participantAId"], d["participantBId"])): d["severity"] for d in turn["disagreements"]}
        assert listed == apart
    last = panel["rounds"][-1]
    assert panel["finalScore"] == last["score"]
    assert panel["finalAverageConfidence"] == last["averageConfidence"]
    assert panel["finalStddev"] == last["stddev"]
    assert panel["completedAt"] - panel["startedAt"] == panel["durationMs"] > 0


@pytest.mark.parametrize("path", PANELS, ids=short)
def test_a_panel_ends_as_its_stop_reason_says(path: Path) -> None:
    panel = load(path)
    judged = panel.get("synthesis")
    assert (judged is None) is (panel["stopReason"] == "aborted")
    if panel["stopReason"] == "max-rounds":
        assert len(panel["rounds"]) == 4
    if panel["stopReason"] == "converged":
        scores = [turn["score"] for turn in panel["rounds"]]
        assert panel["earlyStop"] == panel["earlyStop"] | {"round": len(scores), "delta": abs(scores[-1] - scores[-2])}
        assert abs(scores[-1] - scores[-2]) <= 3
    if judged:
        content = judged["content"]
        assert headings.section_text(content, "decision")
        assert headings.section_text(content, "tripwires")
        said = re.search(r"\nJUDGE_CONFIDENCE: (\d+)$", content)
        assert judged["judgeConfidence"] == (int(said[1]) if said else 50)
        assert judged["majorityPosition"] in content
        assert panel["rounds"][-1]["completedAt"] <= judged["startedAt"] < judged["completedAt"] == panel["completedAt"]


def test_the_special_panels_of_the_readme_are_there() -> None:
    panels = {p.name: load(p) for p in PANELS}
    unsaid = [n for n, p in panels.items() if p.get("synthesis", {}).get("judgeConfidence") == 50]
    assert unsaid == ["2025-09-18-a-broker-before-the-peak.json"]
    assert [n for n, p in panels.items() if p["stopReason"] == "aborted"] == ["2026-08-11-after-the-mail-outage.json"]
    assert len([n for n, p in panels.items() if "supersedes" in p]) == 2
    assert isinstance(panels["2026-10-15-draw-our-own-maps.json"]["synthesis"]["minorityPositions"], list)
    assert "costUsd" in panels["2026-10-15-draw-our-own-maps.json"]


# Tripwires and facts


def conditions(text: str) -> list[str]:
    """Bullets of the first section that announces tripwires, wrapped lines joined."""
    body = headings.section_text(text, "tripwires") or ""
    bulleted = re.match(r"(?:[-*] .+\n?(?:  \S.*\n?)*)*", body)
    assert bulleted
    return [" ".join(item.split()) for item in re.split(r"^[-*] ", bulleted[0], flags=re.MULTILINE)[1:]]


def test_every_condition_is_in_the_table_of_tripwires_and_nothing_else_is() -> None:
    written = {(short(p), text) for p in RECORDS + PANELS for text in conditions(synthesis(p))}
    assert {(row["document"], row["text"]) for row in tripwires()} == written
    assert len(tripwires()) == len(written)


def test_the_readme_counts_the_kinds_of_tripwires() -> None:
    for kind in ("sustained", "threshold", "date", "version", "unreadable"):
        count = sum(row["kind"] == kind for row in tripwires())
        assert re.search(rf"^\| {kind}[^|]*\| {count} \|", README, re.MULTILINE), (kind, count)


def test_facts_are_sorted_unique_finite_and_not_from_the_future() -> None:
    table = rows("facts.csv")
    keys = [(row["metric"], row["at"]) for row in table]
    assert keys == sorted(set(keys))
    for readings in facts().values():
        assert all(math.isfinite(value) for _, value, _ in readings)
        assert len({unit for _, _, unit in readings}) == 1
        assert readings[0][0] >= dt.datetime(2025, 6, 1, tzinfo=dt.UTC)
        assert readings[-1][0] <= MIDNIGHT
    assert f"{len(table):,} rows" in README


def test_every_metric_of_the_facts_is_asked_for_by_a_tripwire() -> None:
    assert set(facts()) <= {row["metric"] for row in tripwires()}


SCALE = {("GB", "TB"): 1 / 1000}


def verdict(row: dict[str, str], now: dt.datetime) -> str:
    """The plain reading of a condition: what the table should say, worked out reading by reading."""
    if row["kind"] == "date":
        return "tripped" if now.date() >= dt.date.fromisoformat(row["value"]) else "armed"
    readings = [r for r in facts().get(row["metric"], []) if r[0] <= now]
    if row["kind"] == "unreadable" or not readings:
        return "unknown"
    unit = readings[-1][2]
    scale = 1.0 if unit == row["unit"] or row["kind"] == "version" else SCALE.get((unit, row["unit"]))
    if scale is None:
        return "unknown"
    limit = float(row["value"])

    def broken(value: float) -> bool:
        held = value * scale
        return {">": held > limit, ">=": held >= limit, "<": held < limit}[row["operator"]]

    if not row["window_hours"]:
        return "tripped" if broken(readings[-1][1]) else "armed"
    window = dt.timedelta(hours=float(row["window_hours"]))
    inside = [r for r in readings if r[0] >= now - window]
    if not inside:
        return "unknown"
    if not all(broken(value) for _, value, _ in inside):
        return "armed"
    usual = statistics.median(b[0] - a[0] for a, b in itertools.pairwise(readings[-12:]))
    times = [now - window, *(at for at, _, _ in inside), now]
    covered = all(b - a <= usual * 1.5 for a, b in itertools.pairwise(times)) and readings[0][0] <= now - window
    return "tripped" if covered else "unknown"


@pytest.mark.parametrize("row", tripwires(), ids=lambda row: f"{Path(row['document']).stem[:12]}: {row['text'][:50]}")
def test_the_verdict_in_the_table_is_the_one_the_facts_give(row: dict[str, str]) -> None:
    assert row["verdict"] == verdict(row, MIDNIGHT)


def test_facts_trip_exactly_two_conditions_and_the_calendar_one() -> None:
    tripped = [row for row in tripwires() if row["verdict"] == "tripped"]
    assert [(Path(r["document"]).name[:8], r["kind"]) for r in tripped] == [
        ("0028-sha", "sustained"),
        ("0030-buy", "threshold"),
        ("20260521", "date"),
    ]
    assert all(row["standing"] == "in force" for row in tripped)
    states = {r["verdict"] for r in tripwires() if r["document"].endswith("0028-shard-the-database-by-depot.md")}
    assert states == {"tripped", "armed", "unknown"}


def test_no_other_condition_in_force_ever_fired_since_its_decision() -> None:
    """So that the count of two does not depend on whether a reader lets a tripwire stay tripped."""
    for row in tripwires():
        if row["standing"] != "in force" or not row["metric"] or row["verdict"] == "tripped":
            continue
        since = dt.datetime.combine(decided_on(SAMPLES / row["document"]), dt.time(), dt.UTC)
        for at, _, _ in facts().get(row["metric"], []):
            assert at < since or verdict(row, at) != "tripped", (row["document"], row["text"], at)


@pytest.mark.parametrize(
    ("number", "text", "day"),
    [
        ("0003", "scan_events table exceeds 120 GB", "2025-08-10"),
        ("0014", "scan ingest lag exceeds 90 s for 2 days", "2025-12-10"),
    ],
    ids=["table over 120 GB in August 2025", "lag for two days in December 2025"],
)
def test_two_superseded_conditions_fired_in_their_time(number: str, text: str, day: str) -> None:
    row = next(r for r in tripwires() if r["text"] == text)
    assert Path(row["document"]).name.startswith(number)
    fired = [at.date().isoformat() for at, _, _ in facts()[row["metric"]] if verdict(row, at) == "tripped"]
    assert fired[0] == day
    assert row["standing"] == "superseded"


# Sessions


@pytest.mark.parametrize("path", [p for p in SESSIONS if p.suffix == ".jsonl"], ids=lambda p: p.name[:22])
def test_every_line_of_a_session_is_an_object_of_its_form(path: Path) -> None:
    lines = [json.loads(line) for line in path.read_bytes().decode("utf-8").split("\n") if line]
    if path.name.startswith("rollout-"):
        assert all(set(line) == {"timestamp", "type", "payload"} for line in lines)
        assert lines[0]["type"] == "session_meta"
        assert [line["timestamp"] for line in lines] == sorted(line["timestamp"] for line in lines)
    elif "uuid" in lines[-1]:
        turns = {line["uuid"]: line for line in lines if "uuid" in line}
        assert all(line["parentUuid"] is None or line["parentUuid"] in turns for line in turns.values())
        parents = [line["parentUuid"] for line in turns.values() if not line["isSidechain"]]
        assert [p for p in set(parents) if parents.count(p) > 1], "no branch"
        assert lines[0] == lines[0] | {"type": "summary", "leafUuid": lines[-1]["uuid"]}
    else:
        assert all(set(line) == {"role", "content"} for line in lines)
        assert {line["role"] for line in lines} <= {"system", "user", "assistant", "tool"}


def test_the_expected_markers_stand_in_the_sessions() -> None:
    expected = rows("sessions/expected.csv")
    texts = {p.name: p.read_text(encoding="utf-8") for p in SESSIONS}
    for row in expected:
        quoted = json.dumps(row["text"], ensure_ascii=False)[1:-1]
        inside = " ".join(texts[row["session"]].split())
        assert quoted in inside or row["text"] in inside, row
    assert {row["session"] for row in expected} == set(texts)
    assert {row["candidate"] for row in expected} == {"yes", "no"}
    assert {row["marker"] for row in expected if row["candidate"] == "yes"} == {
        "decision",
        "lesson",
        "preference",
        "tripwire",
    }


# Dates and names


def test_no_file_carries_a_day_after_the_stated_one_except_days_to_come_back_on() -> None:
    ahead = {row["value"] for row in tripwires() if row["kind"] == "date"}
    ahead |= {row["text"][-10:] for row in rows("sessions/expected.csv") if row["text"].startswith("revisit by")}
    for path in [*RECORDS, *SESSIONS]:
        later = {d for d in DAY.findall(path.read_text(encoding="utf-8")) if d > AS_OF.isoformat()}
        assert later <= ahead, path.name
    for path in PANELS:
        panel = load(path)
        assert panel["completedAt"] < MIDNIGHT.timestamp() * 1000
        begun = dt.datetime.fromtimestamp(panel["startedAt"] / 1000, dt.UTC).date()
        assert path.name.startswith(begun.isoformat())


REAL = re.compile(
    r"\b(open-?ai|anthropic|claude|gpt|gemini|mistral|llama|deepseek|grok|codex|copilot|microsoft|azure|google|android|"
    r"apple|amazon|aws|github|gitlab|bitbucket|cloudflare|hashicorp|terraform|redis|mongo(?:db)?|elastic(?:search)?|"
    r"snowflake|datadog|grafana|sentry|pagerduty|slack|jira|confluence|zendesk|stripe|paypal|twilio|vonage|okta|auth0|"
    r"mapbox|here maps|hetzner|ovh|dhl|fedex|dpd|evri|royal mail|yamato|sagawa|hermes|gls|inpost|mem0|langfuse|letta|"
    r"basic-memory|agentmemory|claude-mem|selvedge|cafitac|alphagov|zooniverse|cisagov|scielo|log4brains|"
    r"semantic-kernel|meldestelle|mabataki|govuk|cardano|hydra)\b",
    re.IGNORECASE,
)


def test_no_real_company_vendor_or_project_is_named() -> None:
    for path in SAMPLES.rglob("*"):
        if path.is_file() and path.suffix in {".md", ".json", ".jsonl", ".csv", ".txt", ".py"}:
            found = REAL.search(unicodedata.normalize("NFKC", path.read_text(encoding="utf-8")))
            assert not found, f"{short(path)}: {found}"


def test_models_are_the_invented_ones() -> None:
    used = {p["modelId"] for path in PANELS for p in load(path)["participants"]}
    assert used == {"larch-2", "harbor-large", "tallow-9", "moss-4", "quill-mini"}
