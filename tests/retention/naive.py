"""A retention policy by hand: plain loops over plain entries, for comparing with the query."""

DAY_MS = 86_400_000
SKEW_MS = 5 * 60 * 1000


def _most(limit):
    return float("inf") if limit == "none" else limit


def _limits(entry, policy):
    """(group, number, days) of one entry."""
    group, number, days = "all others", policy.max_results, policy.max_age_days
    panel = policy.panels.get(entry["panel"])
    if panel is not None:
        if panel.max_results is not None:
            group, number = f"panel {entry['panel']}", panel.max_results
        if panel.max_age_days is not None:
            days = panel.max_age_days
    own = [(name, policy.tags[name]) for name in entry["tags"] if name in policy.tags]
    numbers = [(_most(each.max_results), name, each.max_results) for name, each in own if each.max_results is not None]
    if numbers:
        _, name, number = max(numbers, key=lambda item: item[:2])
        group = f"tag {name}"
    ages = [each.max_age_days for _, each in own if each.max_age_days is not None]
    if ages:
        days = max(ages, key=_most)
    return group, number, days


def verdicts(entries, policy, now_ms):
    """Verdict and matched limits by id. An entry: id, stored_ms, panel, tags, pinned, held, restored_ms or None."""
    future = [entry for entry in entries if entry["stored_ms"] > now_ms + SKEW_MS]
    places = {}
    found = {}
    for entry in sorted(entries, key=lambda e: (e["stored_ms"], e["id"]), reverse=True):
        group, number, days = _limits(entry, policy)
        held = entry["held"] or policy.legal_hold
        restored = entry["restored_ms"] is not None and entry["restored_ms"] + policy.trash_days * DAY_MS > now_ms
        kept_back = entry["pinned"] or held or restored or entry in future
        too_many = False
        if not kept_back:
            places[group] = places.get(group, 0) + 1
            too_many = policy.enabled and places[group] > _most(number)
        too_old = policy.enabled and days != "none" and now_ms - entry["stored_ms"] >= days * DAY_MS
        if held:
            verdict = "held"
        elif kept_back:
            verdict = "protected"
        elif too_old or (too_many and not future):
            verdict = "due"
        else:
            verdict = "keep"
        found[entry["id"]] = (verdict, too_old, too_many)
    return found
