"""A policy is judged when it is made; what is doubtful is refused by name."""

import pytest

from memkit.errors import PolicyError
from memkit.model.policy import EVERYTHING_IS_KEPT, Limits, RetentionPolicy, policy_of
from memkit.settings import RetentionSettings

REFUSED = {
    "an unknown key": ({"max_age": 3}, "retention.max_age"),
    "a key of nothing": ({"zzz": 3}, "retention.zzz"),
    "negative days": ({"max_age_days": -1}, "retention.max_age_days"),
    "a negative number": ({"max_results": -5}, "retention.max_results"),
    "half a day": ({"max_age_days": 0.5}, "retention.max_age_days"),
    "true days": ({"max_age_days": True}, "retention.max_age_days"),
    "a word": ({"max_results": "all"}, "retention.max_results"),
    "endless trash": ({"trash_days": "none"}, "retention.trash_days"),
    "negative trash": ({"trash_days": -1}, "retention.trash_days"),
    "a hold that is no yes": ({"legal_hold": "yes"}, "retention.legal_hold"),
    "a panel that is no table": ({"panels": {"adr": 3}}, "retention.panels.adr"),
    "panels that are no table": ({"panels": 3}, "retention.panels"),
    "an unknown key of a tag": ({"tags": {"keep": {"days": 3}}}, "retention.tags.keep.days"),
    "a negative number of a tag": ({"tags": {"keep": {"max_results": -3}}}, "retention.tags.keep.max_results"),
    "a list": ([], "policy"),
}


@pytest.mark.parametrize(("values", "field"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_a_policy_is_refused_by_name_and_prunes_nothing(values, field):
    with pytest.raises(PolicyError) as caught:
        policy_of(values)
    assert caught.value.field == field
    assert "nothing is pruned" in caught.value.what
    assert caught.value.remedy


def test_the_defaults_are_those_of_the_settings():
    assert policy_of(RetentionSettings().model_dump()) == RetentionPolicy()


def test_a_policy_survives_its_plain_form_and_differs_by_its_fingerprint():
    policy = policy_of({"max_results": "none", "panels": {"adr": {"max_age_days": 9}}, "tags": {"t": Limits(5)}})
    assert policy_of(policy.to_dict()) == policy
    assert policy_of(policy) is policy
    assert len({policy.fingerprint, RetentionPolicy().fingerprint, EVERYTHING_IS_KEPT.fingerprint}) == 3


def test_what_can_prune_says_its_smallest_limits():
    policy = policy_of(
        {"max_results": "none", "panels": {"adr": {"max_results": 7}}, "tags": {"t": {"max_age_days": 9}}}
    )
    assert (policy.fewest_results, policy.fewest_days, policy.can_prune) == (7, 9, True)
    assert not EVERYTHING_IS_KEPT.can_prune
    assert not policy_of({"legal_hold": True}).can_prune
    assert not policy_of({"max_results": "none", "max_age_days": "none"}).can_prune
    assert policy_of({"max_results": "none", "max_age_days": "none"}).fewest_days is None
