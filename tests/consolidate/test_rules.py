"""What the rules take for a decision, a lesson, a preference, a tripwire, and what they leave alone."""

import csv
import io
import pathlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memkit.consolidate.markers import shipped_markers
from memkit.consolidate.rules import RuleExtractor
from memkit.importers.sessions.reading import read_session
from memkit.model.candidate import faults
from memkit.model.session import Turn

SAMPLES = pathlib.Path(__file__).parents[2] / "data-samples" / "sessions"
EXPECTED = list(csv.DictReader(io.StringIO((SAMPLES / "expected.csv").read_text("utf-8"))))


def found(text, role="user"):
    """What is found in one turn: (kind, text) in order, tripwires as a kind of their own behind their decision."""
    extracted = RuleExtractor().extract([Turn(1, role, text, first_line=1)])
    assert all(faults(candidate) == () for candidate in extracted.candidates)
    out = []
    for candidate in extracted.candidates:
        lone = candidate.tags == ("tripwire",)
        out += [] if lone else [(candidate.kind, candidate.text)]
        out += [("tripwire" if not lone else "lone tripwire", each) for each in candidate.tripwires]
    return out


# -- the samples ------------------------------------------------------------------------------------------------------


def test_the_samples_give_what_is_written_beside_them_and_nothing_else():
    got = []
    for name in sorted({row["session"] for row in EXPECTED}):
        extracted = RuleExtractor().extract(read_session(SAMPLES / name).turns)
        for candidate in extracted.candidates:
            if candidate.tags != ("tripwire",):
                got.append((name, candidate.kind, candidate.text))
            got += [(name, "tripwire", text) for text in candidate.tripwires]
    wanted = [row for row in EXPECTED if row["candidate"] == "yes"]
    unwanted = [row for row in EXPECTED if row["candidate"] == "no"]

    def hits(row):
        return [each for each in got if each[:2] == (row["session"], row["marker"]) and row["text"] in each[2]]

    right = sum(len(hits(row)) == 1 for row in wanted)
    print(f"precision {right}/{len(got)}, recall {right}/{len(wanted)}")
    assert [row for row in wanted if len(hits(row)) != 1] == []
    assert [row for row in unwanted if hits(row)] == []
    assert len(got) == len(wanted)


def test_a_tripwire_belongs_to_the_decision_before_it_and_one_alone_is_kept():
    for row in EXPECTED:
        if row["marker"] != "tripwire" or row["candidate"] != "yes":
            continue
        candidates = RuleExtractor().extract(read_session(SAMPLES / row["session"]).turns).candidates
        (owner,) = [each for each in candidates if row["text"] in each.tripwires]
        assert owner.kind == ("domain" if "stands alone" in row["why"] else "decision")


def test_evidence_names_turn_lines_and_words():
    session = read_session(SAMPLES / "2026-06-30-end-of-quarter.md")
    candidates = RuleExtractor().extract(session.turns).candidates
    lines = (SAMPLES / "2026-06-30-end-of-quarter.md").read_text("utf-8").split("\n")
    for candidate in candidates:
        (evidence,) = candidate.evidence
        said = " ".join(" ".join(lines[evidence.first_line - 1 : evidence.last_line]).split())
        assert evidence.excerpt.replace("\n", " ") in said


# -- markers ----------------------------------------------------------------------------------------------------------

TAKEN = {
    "plain": ("Decision: use the queue.", [("decision", "use the queue.")]),
    "bold": ("**Decision:** use the queue.", [("decision", "use the queue.")]),
    "bold all over": ("**Decision: use the queue.**", [("decision", "use the queue.")]),
    "bold word": ("**Decision**: use the queue.", [("decision", "use the queue.")]),
    "numbered": ("Decision 2: use the queue.", [("decision", "use the queue.")]),
    "with a topic": ("Decision (billing): use the queue.", [("decision", "use the queue.")]),
    "emoji": ("✅ Decision: use the queue.", [("decision", "use the queue.")]),
    "ticked": ("- [x] Decision: use the queue.", [("decision", "use the queue.")]),
    "bullets": ("* Lesson: one thing.\n* Lesson: two things.", [("lesson", "one thing."), ("lesson", "two things.")]),
    "wrapped": ("Lesson: it goes\non here.\n\nNot here.", [("lesson", "it goes on here.")]),
    "wrapped item": ("- Lesson: it goes\n  on here.\n- Other item.", [("lesson", "it goes on here.")]),
    "with a list": ("Decision: two things:\n- one\n- two", [("decision", "two things:\n- one\n- two")]),
    "below": ("Decision:\n\nUse the queue.", [("decision", "Use the queue.")]),
    "list below": ("Lessons:\n- one thing\n- two things", [("lesson", "one thing"), ("lesson", "two things")]),
    "two in a turn": (
        "Decision: use A and B.\n\nTripwire: load exceeds 5\n\nDecision: drop C and D.",
        [("decision", "use A and B."), ("tripwire", "load exceeds 5"), ("decision", "drop C and D.")],
    ),
    "inside a line": ("Two places use it. Lesson: look for both.", [("lesson", "look for both.")]),
    "one behind another": (
        "Decision: use the queue. Tripwire: load exceeds 5",
        [("decision", "use the queue."), ("tripwire", "load exceeds 5")],
    ),
    "full-width colon": ("決定：キューを使うことにする", [("decision", "キューを使うことにする")]),
    "question later": ("Lesson: ask first. Would it fail?", [("lesson", "ask first. Would it fail?")]),
    "a phrase": ("Long talk. We decided to use the queue. It is there.", [("decision", "We decided to use the queue. It is there.")]),
    "against": ("So we've decided against a queue.", [("decision", "So we've decided against a queue.")]),
    "no as content": ("Preference: no meetings on Friday.", [("preference", "no meetings on Friday.")]),
    "not as content": ("Decision: not to buy a queue.", [("decision", "not to buy a queue.")]),
    "a heading with words": ("## Decision: use the queue", [("decision", "use the queue")]),
    "domain": ("Domain knowledge: a tour has one driver.", [("domain", "a tour has one driver.")]),
    "alone": ("Tripwire: load exceeds 5 for 1h", [("lone tripwire", "load exceeds 5 for 1h")]),
}  # fmt: skip


@pytest.mark.parametrize(("text", "said"), TAKEN.values(), ids=TAKEN.keys())
def test_explicit_markers_are_taken(text, said):
    assert found(text) == said


LANGUAGES = {
    "de": ("Entscheidung: Wir nehmen die Queue.\n\nStolperdraht: Last über 5\n\nLehre: Erst messen.\n\nVorliebe: Kurze Mails.", 4),
    "fr": ("Décision : on garde la file.\n\nLeçon : mesurer avant.\n\nPréférence : mails courts.", 3),
    "es": ("Decisión: usamos la cola.\n\nLección: medir antes.\n\nPreferencia: correos cortos.", 3),
    "pt": ("Decisão: usamos a fila.\n\nLição: medir antes.\n\nPreferência: e-mails curtos.", 3),
    "ja": ("決定: キューを使う\n\n教訓: 先に測ること\n\n好み: 短いメールがよい", 3),
    "zh": ("决定：使用消息队列\n\n教训：先测量再优化\n\n偏好：邮件要简短", 3),
    "de, sentence": ("Wir haben beschlossen, die Queue zu behalten.", 1),
    "fr, sentence": ("Nous avons décidé de garder la file.", 1),
    "es, sentence": ("Hemos decidido usar la cola.", 1),
    "pt, sentence": ("Decidimos usar a fila.", 1),
    "ja, sentence": ("キューを使うことに決めました。", 1),
    "zh, sentence": ("我们决定使用消息队列。", 1),
}  # fmt: skip


@pytest.mark.parametrize(("text", "n"), LANGUAGES.values(), ids=LANGUAGES.keys())
def test_markers_of_every_language_are_taken(text, n):
    assert len(found(text)) == n


LEFT = {
    "question": "Decision: use the queue or not?",
    "question mark of Japan": "決定：キューを使いますか？",
    "asked": "Have we decided to use the queue?",
    "quoted block": "> Decision: use the queue",
    "in quotation marks": 'She wrote "we decided to use the queue" and left.',
    "quoted inside a line": 'The page says "nothing new. Decision: use the queue" and no more.',
    "fence": "```\nDecision: use the queue\n```",
    "fence in a list": "- see\n  ```\n  Decision: use the queue\n  ```",
    "never closed": "```py\n# Decision: use the queue\n" * 2 + "```",
    "indented code": "See:\n\n    Decision: use the queue",
    "comment": "// Decision: trust the server's value",
    "hash comment": "# decisions are made elsewhere",
    "inline code": "Call `x. Decision: use it` then.",
    "table": "| Decision: a b | c |\n|---|---|",
    "to-do": "- [ ] Decision: pick a queue",
    "struck out": "~~Decision: use the queue~~",
    "html comment": "<!-- Decision: use the queue -->",
    "none": "Decision: none",
    "none yet": "Decision: none yet.",
    "pending": "Decision: pending",
    "to be decided": "Decision: to be decided in May",
    "not yet": "Decision: not yet made",
    "keine": "Entscheidung: noch offen",
    "rien": "Décision : à définir",
    "placeholder": "Decision: <what was decided>",
    "dots": "Decision: ...",
    "template": "Decision: {describe the decision}",
    "one word": "Decision: yes",
    "in a sentence": "The decision: hard to make.",
    "not a label": "Decision making: a course",
    "we have not": "We have not decided to use it.",
    "if we": "If we decided to use the queue, it would break.",
    "when we": "When we decided to use the queue, nobody knew.",
    "undone": "We decided to decide later.",
    "postponed": "We agreed to talk about the queue again.",
    "taken back": "We decided to use the queue. No, that's not a decision.",
    "no marker": "Let's use the queue, it is fine.",
    "a heading that says not": "## Not decided\n\nWhether to use the queue.",
    "a recommendation": "## Recommendation\n\nUse the queue.",
    "an empty section": "## Decision\n\n## Next\n\ntext",
    "only a link target": "See [Decision: x y](https://example.org/a).",
}


@pytest.mark.parametrize("text", LEFT.values(), ids=LEFT.keys())
def test_what_is_no_statement_is_left_alone(text):
    assert found(text) == []


SECTIONS = {
    "items": ("## Lessons learned\n\n- Measure before.\n- Ask a driver.\n  Always.\n", ["Measure before.", "Ask a driver. Always."]),
    "paragraphs": ("## Lessons\n\nMeasure before.\n\nAsk a driver.", ["Measure before.", "Ask a driver."]),
    "introduced": ("## Preferences\n\nWhat Ruth wants:\n\n- money first\n- reasons after", ["money first", "reasons after"]),
    "German": ("### Erkenntnisse\n- Erst messen.", ["Erst messen."]),
    "labels in it": ("## Decisions\n\nSome talk.\n\n- Decision: use A and B.", ["use A and B."]),
    "numbered heading": ("## 3. Lessons:\n- Measure before.", ["Measure before."]),
    "ends with the next": ("## Lessons\n- Measure before.\n\n## Other\n- No lesson here.", ["Measure before."]),
    "an open to-do": ("## Decisions\n- [ ] pick a queue\n- [x] keep the cache", ["keep the cache"]),
}  # fmt: skip


@pytest.mark.parametrize(("text", "said"), SECTIONS.values(), ids=SECTIONS.keys())
def test_entries_below_a_heading_count_each_by_itself(text, said):
    assert [each[1] for each in found(text, role="note") if "Some talk" not in each[1]] == said


RECORD = """\
# 12. Keep the queue

## Status

{status}

## Context

We decided nothing so far?

## Decision

We keep PostgreSQL as the queue.

It is there already.

## Consequences

None.

## Tripwire conditions

- load exceeds 5/s for 1h
- revisit by 2027-01-01
"""


def _note(text):
    """A note as its reader cuts it."""
    parts = ["#" + part if i else part for i, part in enumerate(("\n" + text).split("\n#"))]
    return [Turn(n, "note", part.lstrip("\n"), first_line=1) for n, part in enumerate(parts, 1) if part.strip()]


def test_a_section_as_in_a_decision_record_is_one_decision_with_the_records_title_and_tripwires():
    (candidate,) = RuleExtractor().extract(_note(RECORD.format(status="Accepted"))).candidates
    assert candidate.title == "Keep the queue"
    assert candidate.body == "We keep PostgreSQL as the queue.\n\nIt is there already."
    assert candidate.tripwires == ("load exceeds 5/s for 1h", "revisit by 2027-01-01")
    (same,) = RuleExtractor().extract([Turn(1, "assistant", RECORD.format(status="Accepted"))]).candidates
    assert same.body == candidate.body


@pytest.mark.parametrize("status", ["Proposed", "Rejected", "Superseded by ADR-14", "Vorgeschlagen"])
def test_a_record_that_is_not_in_force_is_no_decision(status):
    extracted = RuleExtractor().extract(_note(RECORD.format(status=status)))
    assert [each.kind for each in extracted.candidates if each.kind == "decision"] == []
    assert extracted.passed_over["not-in-force"] == 1


def test_what_is_passed_over_is_counted_by_reason():
    text = "Decision: a or b?\n\nDecision: none\n\n- [ ] Lesson: x y z\n\nDecision: <fill me in>\n\nLesson: hm"
    extracted = RuleExtractor().extract([Turn(1, "user", text)])
    assert dict(extracted.passed_over) == {"question": 1, "nothing": 1, "to-do": 1, "placeholder": 1, "too-short": 1}


def test_the_same_words_are_taken_once_with_the_first_evidence():
    turns = [Turn(n, "user", "Decision: use the queue.") for n in (3, 7)]
    extracted = RuleExtractor().extract(turns)
    assert [each.evidence[0].first_turn for each in extracted.candidates] == [3]
    assert extracted.passed_over["repeated"] == 1


def test_a_lesson_gets_triggers_and_a_title_begins_with_a_capital():
    (candidate,) = RuleExtractor().extract([Turn(1, "user", "Lesson: measure the lease before blaming it.")]).candidates
    assert set(candidate.triggers) <= {"measure", "lease", "before", "blaming"}
    assert candidate.title == "Measure the lease before blaming it"


def test_a_long_text_is_cut_and_says_so():
    (candidate,) = RuleExtractor().extract([Turn(1, "user", "Decision: " + "word " * 9000)]).candidates
    assert candidate.body.endswith("…")
    assert faults(candidate) == ()


# -- the table of words -----------------------------------------------------------------------------------------------


def _rows(name):
    import tomllib

    from memkit.consolidate import markers

    table = tomllib.loads(pathlib.Path(markers.__file__).with_name("markers.toml").read_text("utf-8"))
    return [
        (kind, language, word) for kind, by in table[name].items() for language, words in by.items() for word in words
    ]


@pytest.mark.parametrize(("kind", "language", "word"), [*_rows("labels"), *_rows("lists")])
def test_every_label_of_the_table_is_understood_and_seen_by_the_quick_look(kind, language, word):
    text = f"{word}: something that was said 何かを言った"
    label = shipped_markers().label(text)
    assert (label.kind, label.text) == (kind, "something that was said 何かを言った")
    assert shipped_markers().may_hold(text)
    assert shipped_markers().label(word.upper() + ": x y").kind == kind


@pytest.mark.parametrize(("kind", "language", "word"), _rows("sections"))
def test_every_heading_of_the_table_is_understood(kind, language, word):
    assert shipped_markers().section(f"{word.capitalize()}:")[0] == kind
    assert shipped_markers().may_hold(f"## {word}")


PHRASED = (
    "We decided to go", "It was decided that we go", "Wir haben beschlossen zu gehen", "Heute haben wir entschieden",
    "Es wurde entschieden", "Nous avons décidé de partir", "Il a été décidé que", "Decidimos que sim", "Foi decidido que",
    "Hemos decidido que sí", "Se decidió que no", "キューを使うことに決めた。", "キューを使うことに決まりました。",
    "キューを使うと決定した。", "我们决定用它", "大家一致商定用它", "We all agreed on it", "Wir haben uns darauf geeinigt",
)  # fmt: skip


@pytest.mark.parametrize("sentence", PHRASED)
def test_every_phrase_is_seen_by_the_quick_look(sentence):
    assert shipped_markers().begins_decision(sentence)
    assert shipped_markers().may_hold(sentence)


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet=st.sampled_from("Decision: Lesson\n\n#-*> `?.[x] ab。：決定"), max_size=200))
def test_any_text_gives_candidates_without_faults(text):
    for role in ("user", "note"):
        for candidate in RuleExtractor().extract([Turn(1, role, text, first_line=1)]).candidates:
            assert faults(candidate) == ()
            assert candidate.evidence[0].excerpt


def test_a_decision_told_behind_a_preference_is_a_candidate_of_its_own_and_one_told_in_a_lesson_is_not():
    assert found("Preference: one table, no prose. We decided to keep the export at two. It is quiet then.") == [
        ("preference", "one table, no prose."),
        ("decision", "We decided to keep the export at two. It is quiet then."),
    ]
    assert found('Preference: nobody writes "so. We decided to wait." in a report') == [
        ("preference", 'nobody writes "so. We decided to wait." in a report')
    ]
    told = "measure first. We decided to skip it, and lost a week."
    assert found(f"Lesson: {told}") == [("lesson", told)]


# -- lists below a heading, and what stands around them ----------------------------------------------------------------

HEADINGS = [
    ("lesson", "Lessons learned"), ("lesson", "Lehren"), ("lesson", "Leçons"), ("lesson", "教訓"),
    ("decision", "Decisions"), ("decision", "Entscheidungen"), ("decision", "Décisions"), ("decision", "Decisiones"),
    ("preference", "Preferences"), ("preference", "Vorlieben"), ("preference", "Preferencias"),
]  # fmt: skip
ONE, TWO = "Measure the lease before anything else.", "Keep the queue small and in one place."
CLOSING = "All of this was said in the meeting on Tuesday, by everybody."


@pytest.mark.parametrize("role", ["note", "user", "assistant"])
@pytest.mark.parametrize(("kind", "heading"), HEADINGS, ids=[heading for _, heading in HEADINGS])
def test_a_paragraph_behind_the_list_below_a_heading_is_prose_about_it(kind, heading, role):
    text = f"# Notes\n\n## {heading}\n\n- {ONE}\n- {TWO}\n\n{CLOSING}\n\n{CLOSING} Twice.\n\n## Else\n\nNothing.\n"
    assert found(text, role) == [(kind, ONE), (kind, TWO)]


@pytest.mark.parametrize(("kind", "heading"), HEADINGS, ids=[heading for _, heading in HEADINGS])
def test_paragraphs_alone_below_a_heading_each_count(kind, heading):
    assert found(f"## {heading}\n\n{ONE}\n\n{TWO}\n", "note") == [(kind, ONE), (kind, TWO)]


@pytest.mark.parametrize(("kind", "heading"), HEADINGS, ids=[heading for _, heading in HEADINGS])
def test_what_is_indented_below_an_item_belongs_to_it(kind, heading):
    text = f"## {heading}\n\n1. {ONE}\n\n   It was too short by half.\n\n2. {TWO}\n\n    - even at night\n\n{CLOSING}\n"
    assert found(text, "note") == [
        (kind, f"{ONE}\n\nIt was too short by half."), (kind, f"{TWO}\n\n- even at night")
    ]  # fmt: skip


@pytest.mark.parametrize("heading", ["Tripwires", "Stolperdrähte"])
def test_a_paragraph_behind_a_list_of_tripwires_is_none(heading):
    text = f"## Decision\n\nWe keep PostgreSQL as the queue.\n\n## {heading}\n\n- more than 50 jobs a second\n\n{CLOSING}\n"
    assert found(text, "note") == [
        ("decision", "We keep PostgreSQL as the queue."),
        ("tripwire", "more than 50 jobs a second"),
    ]


def test_prose_behind_a_list_may_still_say_something_by_itself():
    text = f"## Lessons\n\n- {ONE}\n\nSo it goes. We decided to use one queue.\n\nPreference: a person is told.\n"
    assert found(text, "note") == [
        ("lesson", ONE), ("decision", "We decided to use one queue."), ("preference", "a person is told.")
    ]  # fmt: skip


@pytest.mark.parametrize("heading", ["Lessons", "Decisions", "Preferences"])
def test_a_line_that_introduces_a_list_is_no_item(heading):
    kind = heading.lower().removesuffix("s")
    assert found(f"## {heading}\n\nWhat we take with us from it:\n\n- {ONE}\n", "note") == [(kind, ONE)]


@pytest.mark.parametrize("label", ["Lessons", "Decisions", "Preferences", "Lehren"])
@pytest.mark.parametrize("gap", ["\n", "\n\n", "\n\n\n"])
def test_a_list_below_a_label_may_have_empty_lines_between_its_items(label, gap):
    texts = [text for _, text in found(f"{label}:{gap}- {ONE}{gap}- {TWO}\n\n{CLOSING}\n")]
    assert texts == [ONE, TWO]


@pytest.mark.parametrize("box", ["[ ] ", "none yet"])
def test_what_belongs_to_an_item_that_says_nothing_says_nothing_either(box):
    item = f"{box}{ONE}" if box == "[ ] " else box
    assert found(f"## Lessons\n\n- {item}\n\n  It was too short by half.\n\n- {TWO}\n", "note") == [("lesson", TWO)]
