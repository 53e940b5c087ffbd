"""The retention audit as one self-contained page, for who has never seen memkit."""

from __future__ import annotations

from memkit.analytics.retention_review import RetentionReview
from memkit.present.page import Part, page
from memkit.present.wording import count, moment, size
from memkit.retention.facade import TrashList
from memkit.retention.what_if import RecallImpact, RetentionCalendar


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
    parts: list[Part] = [Part("In short", _summary(project, review)), Part("What is due, and why", review)]
    if calendar is not None:
        parts.append(Part("What gets due later", calendar))
    if impact is not None and impact.rows:
        parts.append(Part("What searches would miss", impact))
    if trash is not None:
        note = "Entries that were forgotten and can still be brought back."
        parts.append(Part("In the trash", trash, note))
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
    if due:
        lines.append(
            f"{count(len(due), 'entry', 'entries')} ({size(sum(row.n_bytes for row in due))}) will be moved to the "
            "trash when somebody applies this review, or the next time something is stored. From then on searches do "
            f"not find them. They can be restored for at least {count(review.policy.trash_days, 'day')}."
        )
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
    if review.doubts:
        lines.append("Something is in doubt, and doubt forgets nothing: " + " ".join(review.doubts))
    return "\n\n".join(lines)


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
