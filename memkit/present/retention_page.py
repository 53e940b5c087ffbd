"""The retention audit as one self-contained page, for who has never seen memkit."""

from __future__ import annotations

from memkit.analytics.retention_review import AGE, NUMBER, RetentionReview
from memkit.present.page import Part, page
from memkit.present.wording import count, moment, size
from memkit.retention.facade import TrashList
from memkit.retention.what_if import RecallImpact, RetentionCalendar

# A page that says what will be forgotten names each of it, up to a length that nobody would read to its end.
MOST_ROWS = 2_000
MOST_DAYS = 100


def audit_page(
    project: str,
    review: RetentionReview,
    *,
    calendar: RetentionCalendar | None = None,
    trash: TrashList | None = None,
    impact: RecallImpact | None = None,
) -> str:
    """One HTML document: what will be forgotten, when and why, and how to stop or undo it.

    Args:
        project: The project's name, as a person knows it.
        review: The review.
        calendar: What gets due later.
        trash: What is in the trash.
        impact: What saved queries would answer otherwise.
    """
    parts: list[Part] = [
        Part("In short", _summary(project, review)),
        Part("What is due, and why", review, rows=MOST_ROWS),
    ]
    if calendar is not None:
        parts.append(Part("What gets due later", calendar, rows=MOST_DAYS))
    if impact is not None and impact.rows:
        parts.append(Part("What searches would miss", impact, rows=MOST_ROWS))
    if trash is not None:
        note = "Entries that were forgotten and can still be brought back."
        parts.append(Part("In the trash", trash, note, rows=MOST_ROWS))
    parts.append(Part("What can be done", _WHAT_TO_DO))
    return page(f"Retention audit of {project}", parts)


def _summary(project: str, review: RetentionReview) -> str:
    n, due, expired = len(review), review.due, review.expired
    about = (
        f"memkit keeps decisions that people and AI panels reached for the project {project}: the question, the "
        "conclusion, the reasons. Each is one entry. A retention policy says how long entries are kept. This page "
        f"shows what that policy means for the {count(n, 'entry', 'entries')} there were on {moment(review.as_of)}. "
        "Nothing was changed to make it."
    )
    lines = [about]
    if not review.is_own:
        lines.append(
            "The policy of this page was tried out: the project's own settings say something else, and nothing happens "
            "by it unless somebody applies this review."
        )
    if due:
        soon = ", or the next time something is stored" if review.is_own and not review.is_everything else ""
        lines.append(
            f"{count(len(due), 'entry', 'entries')} ({size(sum(row.n_bytes for row in due))}) will be moved to the "
            f"trash when somebody applies this review{soon}. From then on searches do not find them. They can be "
            f"restored for at least {count(review.policy.trash_days, 'day')}."
        )
        lines.append(_why(review))
    else:
        lines.append("No entry is due now.")
    if expired:
        lines.append(
            f"{count(len(expired), 'entry', 'entries')} in the trash stayed there for longer than "
            f"{count(review.policy.trash_days, 'day')}. They will be erased for good when somebody applies this "
            "review, and not before."
        )
    if review.due_within_days:
        days = count(round(review.due_within_days), "day")
        lines.append(f"{count(len(review.due_soon), 'more entry', 'more entries')} will get due within {days}.")
    lines += review.gaps
    if review.doubts:
        lines.append("Something is in doubt, and doubt forgets nothing: " + " ".join(review.doubts))
    return "\n\n".join(lines)


def _why(review: RetentionReview) -> str:
    """How many are due by which rule, in words."""
    old = sum(AGE in row.matched for row in review.due)
    many = sum(NUMBER in row.matched for row in review.due)
    both = sum({AGE, NUMBER} <= set(row.matched) for row in review.due)
    reasons = [
        f"{old:,} because they were stored longer ago than the policy keeps entries" if old else "",
        f"{many:,} because more are stored than the policy keeps, and these are the oldest" if many else "",
    ]
    why = "; ".join(reason for reason in reasons if reason)
    return f"Why: {why}{f' ({both:,} for both reasons)' if both else ''}. The tables below say it for each of them."


_WHAT_TO_DO = """\
Two words of the tables: a tripwire is a condition its authors wrote down that would make the decision wrong, such as \
"more than 5,000 writes a second for a day"; once the entry is gone nobody is warned when it comes true. The older \
edition of an entry is an earlier import of the same document; it counts again when the newer one is gone.

To keep an entry: memkit pin ID --reason "why". A pinned entry is never due. A legal hold (memkit hold ID --reason \
"why") also keeps it from being erased.

To carry out exactly what this page shows: memkit retention review --out plan.json, then memkit retention apply \
plan.json. It is refused if anything changed in between, and it happens as a whole or not at all.

To bring an entry back: memkit restore ID. It returns byte for byte and is found as before.

To keep entries longer: raise retention.max_age_days or retention.max_results in memkit.toml, for all entries or for \
one panel or tag."""
