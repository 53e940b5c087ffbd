"""Errors carry fields, make sentences of them, and survive a trip to another process."""

import copy
import inspect
import pathlib
import pickle

import pytest

from memkit import errors
from memkit.errors import LockedError, MemkitError, MemkitWarning, OutcomeUnknownError, QueryError

KINDS = sorted(
    (kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, MemkitError)),
    key=lambda kind: kind.__name__,
)
FIELDS = {"file": "/tmp/x.json", "field": "question", "remedy": "Say something."}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_error_carries_its_fields(kind):
    error = kind("is empty", **FIELDS)
    said = error.to_dict()
    assert said | {"code": kind.code, "what": "is empty", **FIELDS} == said  # some kinds say more
    assert str(error) == "/tmp/x.json: question: is empty. Say something."


@pytest.mark.parametrize(
    "copied", [lambda e: pickle.loads(pickle.dumps(e)), copy.copy, copy.deepcopy], ids=["pickle", "copy", "deepcopy"]
)
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_error_survives_being_sent(kind, copied):
    error = kind("is empty", **FIELDS)
    again = copied(error)
    assert type(again) is kind
    assert again.to_dict() == error.to_dict()
    assert str(again) == str(error)
    assert again.args == error.args


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_fields_of_some_errors_only_are_sent_along(protocol):
    locked = LockedError("is held", holder={"pid": "7", "host": "h"})
    assert pickle.loads(pickle.dumps(locked, protocol)).holder == {"pid": "7", "host": "h"}
    query = QueryError("no such table", sql="select 1")
    assert pickle.loads(pickle.dumps(query, protocol)).sql == "select 1"
    unknown = OutcomeUnknownError("fsync failed")
    unknown.entry_ids = ("a1b2c3d4e5f6",)
    assert pickle.loads(pickle.dumps(unknown, protocol)).entry_ids == ("a1b2c3d4e5f6",)


def test_codes_are_kebab_case_and_tell_kinds_apart():
    codes = [kind.code for kind in KINDS]
    assert len(set(codes)) == len(codes)
    assert all(code == code.lower() and code.replace("-", "").isalpha() for code in codes)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_an_error_leaves_with_two_or_three(kind):
    assert kind.exit_code == (2 if kind is errors.UsageError else 3)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_an_error_says_when_it_is_raised(kind):
    assert inspect.getdoc(kind)


@pytest.mark.parametrize(
    ("kind", "base"),
    [
        (errors.InvalidInputError, ValueError),
        (errors.SettingsError, ValueError),
        (errors.EntryNotFoundError, LookupError),
        (errors.MissingExtraError, ImportError),
        (errors.DiskFullError, errors.StoreError),
        (errors.OutcomeUnknownError, errors.StoreIOError),
    ],
)
def test_errors_are_also_what_a_caller_would_catch(kind, base):
    assert issubclass(kind, base)
    with pytest.raises(base):
        raise kind("x")


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({}, "is empty"),
        ({"file": "f"}, "f: is empty"),
        ({"field": "q"}, "q: is empty"),
        ({"remedy": "Do."}, "is empty. Do."),
        ({"file": pathlib.Path("a/b"), "field": "q"}, "a/b: q: is empty"),
    ],
)
def test_the_sentence_is_made_of_what_is_known(fields, sentence):
    assert str(MemkitError("is empty", **fields)) == sentence


def test_a_path_that_is_not_utf_8_can_be_printed():
    error = MemkitError("is damaged", file=b"/tmp/proj-\xff".decode("utf-8", "surrogateescape"))
    assert str(error).encode("utf-8")
    assert error.file.startswith("/tmp/proj-")
    assert pickle.loads(pickle.dumps(error)).file == error.file


def test_a_warning_is_an_ordinary_user_warning():
    with pytest.warns(UserWarning, match="look"):
        __import__("warnings").warn("look", MemkitWarning, stacklevel=1)
