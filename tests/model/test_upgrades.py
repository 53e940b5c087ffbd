"""Older envelopes are read through numbered steps; newer ones are left alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit.model.entry import SCHEMA_VERSION, EntryDamage, NewerEntry
from memkit.model.upgrades import UPGRADES, read_entry, u001_number_the_schema, upgrade

OLD = {
    "id": "a1b2c3d4e5f6",
    "storedAt": 1_700_000_000_000,
    "projectKey": "0123456789ab",
    "projectPath": "/p",
    "question": "Which database?",
    "result": {"finalScore": 81},
}


def test_there_is_one_step_for_each_schema():
    assert len(UPGRADES) == SCHEMA_VERSION
    assert [step.__name__[:5] for step in UPGRADES] == [f"u{n:03d}_" for n in range(1, SCHEMA_VERSION + 1)]


def test_u001_numbers_the_schema_and_gives_defaults():
    assert u001_number_the_schema(OLD) == {**OLD, "schemaVersion": 1, "tags": [], "panelId": "consensus"}


def test_u001_keeps_what_is_there():
    old = {**OLD, "schemaVersion": 0, "tags": ["t"], "panelId": "adr", "other": 1}
    assert u001_number_the_schema(old) == {**old, "schemaVersion": 1}


def test_an_envelope_without_a_number_is_read():
    read = read_entry(OLD)
    assert (read.panel_id, read.tags, read.schema_version, read.result) == ("consensus", (), 1, {"finalScore": 81})


def test_an_upgrade_leaves_the_envelope_handed_in_alone():
    old = dict(OLD)
    upgrade(old)
    assert old == OLD


@pytest.mark.parametrize("version", [SCHEMA_VERSION, SCHEMA_VERSION + 1, 99, -1, True, "0", None, 0.0], ids=repr)
def test_current_newer_and_strange_versions_pass_unchanged(version):
    envelope = {**OLD, "schemaVersion": version}
    assert upgrade(envelope) == envelope


def test_a_newer_envelope_is_named_as_such():
    with pytest.raises(NewerEntry):
        read_entry({**OLD, "schemaVersion": 2})


@pytest.mark.parametrize("version", [-1, True, "0", None, 0.0], ids=repr)
def test_a_strange_version_is_damage(version):
    with pytest.raises(EntryDamage):
        read_entry({**OLD, "schemaVersion": version})


@given(
    st.dictionaries(
        st.sampled_from([*OLD, "schemaVersion", "tags", "panelId"]),
        st.none() | st.integers() | st.text() | st.lists(st.text()),
    )
)
def test_any_object_is_an_entry_or_damage(envelope):
    try:
        read = read_entry(envelope)
    except EntryDamage:
        return
    assert read.id == envelope["id"]


@given(st.dictionaries(st.text(), st.integers()))
def test_an_upgraded_envelope_is_current(extra):
    extra.pop("schemaVersion", None)
    once = upgrade({**OLD, **extra})
    assert once["schemaVersion"] == SCHEMA_VERSION
    assert upgrade(once) == once
