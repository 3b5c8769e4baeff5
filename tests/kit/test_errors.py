"""Refusals know the field that they belong to."""

import pickle

import pytest

from yudai.kit.errors import ConflictError, NotFoundError, RefusedError, about


def test_a_refusal_belongs_to_no_field_unless_it_says_so():
    assert RefusedError("x").field == NotFoundError("x").field == ConflictError("x").field == ""
    assert NotFoundError("x", field="repo_path").field == "repo_path"


def test_the_innermost_field_counts():
    with pytest.raises(RefusedError) as caught, about("outer"), about("inner"):
        raise RefusedError("x")
    assert (caught.value.field, str(caught.value)) == ("inner", "x")
    with pytest.raises(ConflictError) as caught, about("outer"):
        raise ConflictError("x", state="running")
    assert caught.value.field == "outer"


def test_what_is_no_refusal_passes_by():
    with pytest.raises(ValueError, match="x"), about("field"):
        raise ValueError("x")


def test_it_survives_being_sent():
    sent = pickle.loads(pickle.dumps(RefusedError("x", field="test")))  # noqa: S301 - our own
    assert (str(sent), sent.field) == ("x", "test")
