"""Settings: which layer wins, where a value came from, and what is refused in which words."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memkit.errors import SettingsError
from memkit.settings import Environment, Loaded, Settings, load, storage_root


class Desk:
    """A home folder and a project in a temporary place, with the files a test writes."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.project = folder / "project"
        self.home.mkdir()
        self.project.mkdir()
        self.config = self.home / "config.toml"

    def load(self, *, user="", project=None, pyproject=None, env=(), **arguments) -> Loaded:
        if user:
            self.config.write_text(user)
        if project is not None:
            (self.project / "memkit.toml").write_text(project)
        if pyproject is not None:
            (self.project / "pyproject.toml").write_text(pyproject)
        return load(
            Environment(home=self.home, config_file=self.config, env=dict(env)),
            project=self.project,
            arguments={key.replace("__", "."): value for key, value in arguments.items()},
        )


@pytest.fixture
def desk(tmp_path) -> Desk:
    return Desk(tmp_path)


def test_without_any_file_every_value_is_a_default_and_memory_is_off(desk):
    loaded = desk.load()

    assert loaded.settings == Settings()
    assert not loaded.settings.memory.enabled
    assert set(loaded.sources.values()) == {"default"}
    assert loaded.warnings == ()


def test_each_layer_covers_the_one_before_and_says_so(desk):
    files = {
        "user": "[recall]\nlimit = 1\nk1 = 1.5\nb = 0.5\n[recall.weights]\ntags = 3\nquestion = 4\n",
        "project": "[recall]\nlimit = 2\nk1 = 1.6\n[recall.weights]\ntags = 5\n",
        "env": {"MEMKIT_RECALL__LIMIT": "3"},
    }

    loaded = desk.load(**files, recall__weights__synthesis=9.0)

    recall = loaded.settings.recall
    assert (recall.limit, recall.k1, recall.b) == (3, 1.6, 0.5)
    assert (recall.weights.tags, recall.weights.question, recall.weights.synthesis) == (5.0, 4.0, 9.0)
    assert {key: source for key, source in loaded.sources.items() if source != "default"} == {
        "recall.limit": "environment MEMKIT_RECALL__LIMIT",
        "recall.k1": str(desk.project / "memkit.toml"),
        "recall.b": str(desk.config),
        "recall.weights.tags": str(desk.project / "memkit.toml"),
        "recall.weights.question": str(desk.config),
        "recall.weights.synthesis": "argument",
    }


def test_rows_list_every_value_with_its_source(desk):
    loaded = desk.load(user='[scrub.extra]\nticket = "T-[0-9]+"\n')

    rows = {key: (value, source) for key, value, source in loaded.rows()}

    assert rows["scrub.extra.ticket"] == ("T-[0-9]+", str(desk.config))
    assert rows["recall.limit"] == (20, "default")
    assert set(rows) == set(loaded.sources)


def test_a_project_without_its_own_file_may_use_pyproject(desk):
    loaded = desk.load(pyproject="[project]\nname = 'x'\n[tool.memkit.recall]\nlimit = 7\n")

    assert loaded.settings.recall.limit == 7
    assert loaded.sources["recall.limit"] == f"{desk.project / 'pyproject.toml'} [tool.memkit]"


def test_of_two_project_files_the_own_one_counts_and_the_other_is_named(desk):
    loaded = desk.load(project="[recall]\nlimit = 2\n", pyproject="[tool.memkit.recall]\nlimit = 7\n")

    assert loaded.settings.recall.limit == 2
    assert len(loaded.warnings) == 1
    assert "pyproject.toml" in loaded.warnings[0]


def test_a_pyproject_that_is_no_source_may_be_broken(desk):
    assert desk.load(project="[recall]\nlimit = 2\n", pyproject="[[[").settings.recall.limit == 2


@pytest.mark.parametrize(
    ("table", "key"),
    [
        pytest.param("[memory]\nenabled = true\n", "memory.enabled", id="switching-memory-on"),
        pytest.param("[memory]\nenabled = false\n", "memory.enabled", id="switching-memory-off"),
        pytest.param("[memory]\nstorage_path = '/elsewhere'\n", "memory.storage_path", id="moving-the-store"),
        pytest.param("[memory]\nacross_projects = true\n", "memory.across_projects", id="looking-into-other-projects"),
        pytest.param("[scrub]\nenabled = false\n", "scrub.enabled", id="switching-scrubbing-off"),
        pytest.param("[projects.'/x']\nenabled = true\n", 'projects."/x".enabled', id="consenting-for-a-project"),
    ],
)
@pytest.mark.parametrize("kind", ["project", "pyproject"])
def test_what_is_personal_in_a_project_file_has_no_effect_and_is_said(desk, kind, table, key):
    text = table if kind == "project" else table.replace("[", "[tool.memkit.", 1)

    loaded = desk.load(**{kind: text})

    assert loaded.settings == Settings()
    assert set(loaded.sources.values()) == {"default"}
    assert len(loaded.warnings) == 1
    assert key in loaded.warnings[0]


def test_a_project_file_cannot_take_back_the_user_s_own_word(desk):
    loaded = desk.load(user="[memory]\nenabled = true\nstorage_path = '/mine'\n", project="[memory]\nenabled = false\n")

    assert loaded.settings.memory.enabled
    assert loaded.settings.memory.storage_path == "/mine"


def test_a_project_file_may_add_patterns_and_panels(desk):
    loaded = desk.load(
        user="[scrub.extra]\nmine = 'M+'\n",
        project="[scrub]\nexclude = ['jwt']\n[scrub.extra]\nours = 'O+'\n[decisions]\npanels = ['adr']\n",
    )

    assert dict(loaded.settings.scrub.extra) == {"mine": "M+", "ours": "O+"}
    assert loaded.settings.scrub.exclude == ("jwt",)
    assert loaded.settings.decisions.panels == ("adr",)
    assert loaded.sources["scrub.extra.mine"] == str(desk.config)
    assert loaded.sources["scrub.extra.ours"] == str(desk.project / "memkit.toml")


def test_consent_of_this_project_switches_memory_on_and_names_its_line(desk):
    loaded = desk.load(user=f'[projects]\n"{desk.project}" = {{ enabled = true }}\n"/other" = {{ enabled = false }}\n')

    assert loaded.settings.memory.enabled
    assert loaded.sources["memory.enabled"] == f'{desk.config} [projects."{desk.project}"]'


def test_consent_of_another_project_says_nothing_about_this_one(desk):
    assert not desk.load(user='[projects]\n"/other" = { enabled = true }\n').settings.memory.enabled


def test_a_no_to_one_project_outweighs_a_general_yes(desk):
    loaded = desk.load(user=f'[memory]\nenabled = true\n[projects]\n"{desk.project}" = {{ enabled = false }}\n')

    assert not loaded.settings.memory.enabled


def test_consent_is_looked_up_by_the_spelling_of_the_store(tmp_path):
    config = tmp_path / "config.toml"
    config.write_text("[projects]\n'/a\\xff' = { enabled = true }\n")
    environment = Environment(home=tmp_path, config_file=config)

    loaded = load(environment, project=tmp_path, project_path="/a\\xff")

    assert loaded.settings.memory.enabled


@pytest.mark.parametrize(
    ("env", "enabled"), [({"MEMKIT_MEMORY__ENABLED": "false"}, False), ({"MEMKIT_MEMORY__ENABLED": "yes"}, True)]
)
def test_a_variable_decides_over_consent(desk, env, enabled):
    loaded = desk.load(user=f'[projects]\n"{desk.project}" = {{ enabled = {str(not enabled).lower()} }}\n', env=env)

    assert loaded.settings.memory.enabled is enabled


def test_an_argument_decides_over_everything_and_none_is_no_argument(desk):
    env = {"MEMKIT_MEMORY__ENABLED": "false", "MEMKIT_RECALL__LIMIT": "5"}

    loaded = desk.load(env=env, memory__enabled=True, recall__limit=None, memory__storage_path=desk.home / "store")

    assert loaded.settings.memory.enabled
    assert loaded.settings.recall.limit == 5
    assert storage_root(loaded.settings, Environment(home=desk.home, config_file=desk.config)) == desk.home / "store"


def test_variables_take_lists_and_tables_as_json_and_single_keys_over_them(desk):
    env = {
        "MEMKIT_DECISIONS__PANELS": '["a", "b"]',
        "MEMKIT_RECALL": '{"limit": 3, "weights": {"tags": 4}}',
        "MEMKIT_RECALL__LIMIT": "6",
        "MEMKIT_SCRUB__EXTRA__TICKET": "T[0-9]+",
    }

    loaded = desk.load(env=env)

    assert loaded.settings.decisions.panels == ("a", "b")
    assert (loaded.settings.recall.limit, loaded.settings.recall.weights.tags) == (6, 4.0)
    assert dict(loaded.settings.scrub.extra) == {"ticket": "T[0-9]+"}
    assert loaded.sources["recall.weights.tags"] == "environment MEMKIT_RECALL"
    assert loaded.sources["recall.limit"] == "environment MEMKIT_RECALL__LIMIT"


def test_an_empty_variable_is_as_good_as_none(desk):
    assert desk.load(env={"MEMKIT_RECALL__LIMIT": "", "MEMKIT_NONSENSE": ""}).settings == Settings()


def test_the_variables_of_the_process_are_not_looked_at(desk, monkeypatch):
    monkeypatch.setenv("MEMKIT_RECALL__LIMIT", "3")

    assert desk.load().settings.recall.limit == 20


@pytest.mark.parametrize(
    ("text", "root"), [("~/.consensus/memory", "home/.consensus/memory"), ("~", "home"), ("/abs/x", "/abs/x")]
)
def test_the_root_is_the_storage_path_with_the_home_put_in(desk, tmp_path, text, root):
    environment = Environment(home=desk.home, config_file=desk.config)
    settings = load(environment, arguments={"memory.storage_path": text}).settings

    assert storage_root(settings, environment) == tmp_path / root


UNHURRIED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
REFUSALS = [
    pytest.param({"user": "[recall]\nlimt = 3\n"}, "recall.limt", "unknown", "limit", id="misspelt-key"),
    pytest.param({"user": "limit = 3\n"}, "limit", "unknown", "recall.limit", id="key-outside-its-table"),
    pytest.param({"user": "[recal]\nlimit = 3\n"}, "recal", "unknown", "recall", id="misspelt-table"),
    pytest.param({"user": "zzz = 3\n"}, "zzz", "unknown", "memory, recall", id="foreign-key"),
    pytest.param({"user": "[recall]\nlimit = '3'\n"}, "recall.limit", "whole number", "limit = 20", id="text-for-number"),
    pytest.param({"user": "[recall]\nlimit = 2.5\n"}, "recall.limit", "whole number", "limit = 20", id="fraction"),
    pytest.param({"user": "[recall]\nlimit = true\n"}, "recall.limit", "whole number", "limit = 20", id="bool-for-number"),
    pytest.param({"user": "[recall]\nlimit = 0\n"}, "recall.limit", "out of range", "at least 1", id="too-small"),
    pytest.param({"user": "[recall]\nb = nan\n"}, "recall.b", "finite", "at most 1", id="not-a-number"),
    pytest.param({"user": "recall = 3\n"}, "recall", "table", "[recall]", id="number-for-table"),
    pytest.param({"user": "[memory]\nenabled = 'yes'\n"}, "memory.enabled", "true or false", "false", id="text-for-bool"),
    pytest.param({"user": "[memory]\nenabled = 1\n"}, "memory.enabled", "true or false", "false", id="number-for-bool"),
    pytest.param({"user": "[memory]\nstorage_path = 'x'\n"}, "memory.storage_path", '"x"', "~/", id="relative-path"),
    pytest.param({"user": "[memory]\nstorage_path = '~you/x'\n"}, "memory.storage_path", "you", "~/", id="foreign-home"),
    pytest.param({"user": "[decisions]\npanels = 'adr'\n"}, "decisions.panels", "a list", '["adr"', id="text-for-list"),
    pytest.param({"user": "[decisions]\npanels = ['']\n"}, "decisions.panels", "64", "panels", id="empty-panel"),
    pytest.param({"user": "[scrub.extra]\nX = 'x'\n"}, "scrub.extra.X", "a-z", "ticket", id="bad-pattern-name"),
    pytest.param({"user": "[scrub.extra]\nx = '('\n"}, "scrub.extra.x", "regular expression", "ticket", id="bad-pattern"),
    pytest.param({"user": "[scrub.extra]\nx = 'a*'\n"}, "scrub.extra.x", "everything", "ticket", id="greedy-pattern"),
    pytest.param({"user": "[projects]\nx = {enabled = true}\n"}, "projects.x", "absolute", "enabled", id="relative-project"),
    pytest.param({"user": "[projects]\n'/x' = true\n"}, 'projects."/x"', "table", "enabled", id="consent-without-table"),
    pytest.param({"user": "[projects.'/x']\nenable = true\n"}, 'projects."/x".enable', "unknown", "enabled", id="misspelt-consent"),
    pytest.param({"user": "[projects.'/x']\n"}, 'projects."/x".enabled', "missing", "enabled", id="consent-left-open"),
    pytest.param({"project": "[recall]\nlimt = 3\n"}, "recall.limt", "unknown", "limit", id="misspelt-in-project"),
    pytest.param({"pyproject": "[tool.memkit.recall]\nlimt = 3\n"}, "tool.memkit.recall.limt", "unknown", "limit", id="misspelt-in-pyproject"),
    pytest.param({"pyproject": "[tool]\nmemkit = 3\n"}, "tool.memkit", "table", "[tool.memkit]", id="pyproject-without-table"),
    pytest.param({"pyproject": "tool = 3\n"}, "tool.memkit", "table", "[tool.memkit]", id="pyproject-tool-is-no-table"),
    pytest.param({"env": {"MEMKIT_RECALL__LIMT": "3"}}, "MEMKIT_RECALL__LIMT", "unknown", "MEMKIT_RECALL__LIMIT", id="misspelt-variable"),
    pytest.param({"env": {"MEMKIT_RECALL__LIMIT__X": "3"}}, "MEMKIT_RECALL__LIMIT__X", "unknown", "MEMKIT_RECALL__LIMIT", id="variable-too-deep"),
    pytest.param({"env": {"MEMKIT_QQQQQQ": "3"}}, "MEMKIT_QQQQQQ", "unknown", "Unset", id="foreign-variable"),
    pytest.param({"env": {"MEMKIT_RECALL__LIMIT": "x"}}, "MEMKIT_RECALL__LIMIT", "whole number", "=20", id="word-in-variable"),
    pytest.param({"env": {"MEMKIT_DECISIONS__PANELS": "adr"}}, "MEMKIT_DECISIONS__PANELS", "JSON", '["a", "b"]', id="list-variable-without-json"),
    pytest.param({"env": {"MEMKIT_RECALL": "{"}}, "MEMKIT_RECALL", "JSON", "table", id="table-variable-cut-off"),
    pytest.param({"env": {"MEMKIT_RECALL": '{"limt": 1}'}}, "MEMKIT_RECALL", "recall.limt", "limit", id="misspelt-inside-json"),
    pytest.param({"env": {"MEMKIT_RECALL": "[" * 100_000}}, "MEMKIT_RECALL", "JSON", "table", id="variable-nested-too-deep"),
    pytest.param({"env": {"MEMKIT_PROJECTS": "{}"}}, "MEMKIT_PROJECTS", "own settings file", "memkit enable", id="consent-in-variable"),
    pytest.param({"env": {"MEMKIT_PROJECTS__X": "1"}}, "MEMKIT_PROJECTS__X", "own settings file", "memkit enable", id="consent-in-nested-variable"),
    pytest.param({"recall__limt": 3}, "recall.limt", "unknown", "limit", id="misspelt-argument"),
    pytest.param({"recall__limit": "3"}, "recall.limit", "whole number", "20", id="text-in-argument"),
]  # fmt: skip


@pytest.mark.parametrize(("files", "key", "what", "remedy"), REFUSALS)
def test_a_refused_value_names_its_place_and_what_to_write(desk, files, key, what, remedy):
    with pytest.raises(SettingsError) as caught:
        desk.load(**files)

    error = caught.value
    file = {"user": desk.config, "project": desk.project / "memkit.toml", "pyproject": desk.project / "pyproject.toml"}
    assert error.file == next((str(file[kind]) for kind in files if kind in file), None)
    assert error.field == key
    assert what in error.what
    assert remedy in error.remedy
    assert len(str(error)) < 600


def test_weights_that_are_only_together_impossible_are_refused(desk):
    with pytest.raises(SettingsError, match="at least one field has a weight") as caught:
        desk.load(
            user="[recall.weights]\nquestion = 0\nconclusion = 0\n",
            project="[recall.weights]\nsynthesis = 0\ntags = 0\n",
        )

    assert caught.value.field == "recall.weights"


UNREADABLE = [
    pytest.param(b"[recall\n", "is not TOML", id="torn"),
    pytest.param(b"a = '\xff'\n", "not UTF-8 at byte 5", id="not-utf-8"),
    pytest.param(b"a = " + b"[" * 100_000, "nested too deep", id="nested-too-deep"),
    pytest.param(b"a = " + b"1" * 5000, "4300 digits", id="endless-number"),
    pytest.param(b"\xef\xbb\xbfa = 1\n", "is not TOML", id="byte-order-mark"),
    pytest.param(b"\0", "is not TOML", id="nul"),
]


@pytest.mark.parametrize(("data", "what"), UNREADABLE)
@pytest.mark.parametrize("where", ["user", "memkit.toml", "pyproject.toml"])
def test_a_file_that_is_not_toml_is_named_and_left_alone(desk, where, data, what):
    file = desk.config if where == "user" else desk.project / where
    file.write_bytes(data)

    with pytest.raises(SettingsError, match=what) as caught:
        desk.load()

    assert caught.value.file == str(file)
    assert file.read_bytes() == data


def test_a_folder_in_the_place_of_a_file_is_refused(desk):
    desk.config.mkdir()

    with pytest.raises(SettingsError, match="is not a file"):
        desk.load()


def test_a_file_that_may_not_be_read_is_not_taken_for_an_absent_one(desk, monkeypatch):
    desk.config.write_text("[memory]\nenabled = false\n")
    opened = Path.open

    def refuse(self, *args, **kwargs):
        if self == desk.config:
            raise PermissionError(13, "Permission denied", str(self))
        return opened(self, *args, **kwargs)

    monkeypatch.setattr(Path, "open", refuse)

    with pytest.raises(SettingsError, match=r"cannot be read \(Permission denied\)"):
        desk.load()


def test_settings_cannot_be_changed_afterwards(desk):
    settings = desk.load().settings

    with pytest.raises(ValueError, match="frozen"):
        settings.recall.limit = 3  # type: ignore[misc]
    with pytest.raises(ValueError, match="frozen"):
        settings.recall.weights.tags = 3  # type: ignore[misc]


def complaint_of(environment: Environment) -> SettingsError | None:
    try:
        load(environment)
    except SettingsError as error:
        return error
    return None


@UNHURRIED
@given(data=st.binary(max_size=200))
def test_any_bytes_in_the_user_s_file_end_in_settings_or_a_settings_error(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("fuzz")
    config = folder / "config.toml"
    config.write_bytes(data)

    complaint = complaint_of(Environment(home=folder, config_file=config))

    assert complaint is None or complaint.file == str(config)


@UNHURRIED
@given(
    name=st.sampled_from(["RECALL", "RECALL__LIMIT", "DECISIONS__PANELS", "MEMORY__STORAGE_PATH", "SCRUB__EXTRA__X"]),
    value=st.text(st.characters(exclude_characters="\0"), max_size=60),
)
def test_any_text_in_a_variable_ends_in_settings_or_a_settings_error(tmp_path_factory, name, value):
    folder = tmp_path_factory.getbasetemp()

    complaint = complaint_of(Environment(home=folder, config_file=folder / "none.toml", env={f"MEMKIT_{name}": value}))

    assert complaint is None or complaint.field.startswith("MEMKIT_")


def test_the_process_is_read_in_one_place_and_only_for_its_own_variables(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "conf"))
    monkeypatch.setenv("MEMKIT_RECALL__LIMIT", "3")
    monkeypatch.setenv("OTHER_SECRET", "x")

    environment = Environment.from_process()

    assert environment.home == tmp_path
    assert environment.config_file == tmp_path / "conf" / "memkit" / "config.toml"
    assert environment.env["MEMKIT_RECALL__LIMIT"] == "3"
    assert all(name.startswith("MEMKIT_") for name in environment.env)


def test_importing_settings_does_not_load_the_library_that_reads_them():
    code = "import sys, memkit.settings; print('pydantic_settings' in sys.modules, 'tomlkit' in sys.modules)"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.split() == ["False", "False"]
