"""Values as a sandbox sends them: read, compared with what a test expects, shown."""

import json

import pytest

from yudai.verification.domain.expected.literals import literal_of
from yudai.verification.recorded.domain.probe import Expected, Language, Relation
from yudai.verification.recorded.domain.values import (
    Recorded,
    holds,
    read_recorded,
    same,
    shown,
)

TRUE, ONE, ONE_FLOAT = ["bool", "1"], ["int", "1"], ["float", "1.0"]
NAN, ZERO, MINUS_ZERO = ["float", "nan"], ["float", "0.0"], ["float", "-0.0"]
LIST, TUPLE = ["list", ONE, TRUE], ["tuple", ONE, TRUE]
MAP = ["map", [["str", "a"], ONE], [["str", "b"], ["none", ""]]]
RAISED = ["raised", ["KeyError", "LookupError", "Exception"], "'a'"]
OTHER = ["other", "Price", "0"]
ANYTHING = ["other", "Price", "1"]
LOST = ["lost", "it hung"]


def read(sent: object) -> Recorded:
    return read_recorded(json.loads(json.dumps(sent)))


@pytest.mark.parametrize(
    ("sent", "literal", "equal"),
    [
        (ONE, "1", True),
        (ONE, "1.0", True),
        (ONE_FLOAT, "1", True),
        (TRUE, "True", True),
        (TRUE, "1", False),
        (ONE, "True", False),
        (MINUS_ZERO, "0", True),
        (NAN, "0", False),
        (LIST, "[1, True]", True),
        (LIST, "[1, 1]", False),
        (TUPLE, "[1, True]", False),
        (TUPLE, "(1, True)", True),
        (MAP, "{'b': None, 'a': 1}", True),
        (MAP, "{'a': 1}", False),
        (["bytes", "ff00"], "b'\\xff\\x00'", True),
        (["str", "1h"], "'1h'", True),
        (["str", "1"], "1", False),
        (["set", ONE], "{1}", True),
        (["none", ""], "None", True),
        (["undefined", ""], "null", False),
        (RAISED, "1", False),
        (ANYTHING, "1", False),
        (OTHER, "1", None),
        (LOST, "1", False),
    ],
)
def test_equal_is_what_we_say(sent: object, literal: str, equal: object):
    meant = Expected(Relation.EQUAL, literal_of(literal))
    assert holds(meant, read(sent)) is equal


@pytest.mark.parametrize(
    ("relation", "literal", "sent", "is_so"),
    [
        (Relation.DIFFERENT, "2", ONE, True),
        (Relation.DIFFERENT, "1", ONE, False),
        (Relation.TRUE, "None", LIST, True),
        (Relation.TRUE, "None", ["list"], False),
        (Relation.TRUE, "None", NAN, True),
        (Relation.TRUE, "None", OTHER, None),
        (Relation.FALSE, "None", ["str", ""], True),
        (Relation.FALSE, "None", ONE, False),
        (Relation.CONTAINS, "'a'", ["str", "bar"], True),
        (Relation.CONTAINS, "'x'", ["str", "bar"], False),
        (Relation.CONTAINS, "1", LIST, True),
        (Relation.CONTAINS, "'a'", MAP, True),
        (Relation.CONTAINS, "1", ["str", "1"], None),
        (Relation.MEMBER, "[1, 2]", ONE, True),
        (Relation.MEMBER, "[2]", ONE, False),
        (Relation.OPEN, "1", ONE, None),
    ],
)
def test_other_relations_are_what_we_say(
    relation: Relation, literal: str, sent: object, is_so: object
):
    assert holds(Expected(relation, literal_of(literal)), read(sent)) is is_so


@pytest.mark.parametrize(
    ("name", "sent", "is_so"),
    [
        ("KeyError", RAISED, True),
        ("LookupError", RAISED, True),
        ("ValueError", RAISED, False),
        ("", RAISED, True),
        ("KeyError", ONE, False),
        ("KeyError", LOST, None),
    ],
)
def test_an_exception_is_known_by_its_classes(name: str, sent: object, is_so: object):
    assert holds(Expected(Relation.RAISES, error=name), read(sent)) is is_so


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        (ONE, ONE_FLOAT, True),
        (NAN, NAN, True),
        (ONE, TRUE, False),
        (ONE, RAISED, False),
        (RAISED, ["raised", ["ValueError"], "b"], True),
        (OTHER, OTHER, None),
        (ONE, OTHER, None),
        (ONE, LOST, None),
    ],
)
def test_answers_do_the_same_or_not_or_it_cannot_be_said(
    one: object, other: object, is_same: object
):
    assert same(read(one), read(other)) is is_same
    assert same(read(other), read(one)) is is_same


@pytest.mark.parametrize(
    "sent",
    [
        None,
        [],
        {},
        "x",
        [1],
        ["int"],
        ["int", "x"],
        ["int", "9" * 5000],
        ["str", 3],
        ["list", 3],
        ["map", [["str", "a"]]],
        ["what", "x"],
        ["raised", "x", "y"],
        ["bytes", "zz"],
    ],
)
def test_whatever_is_not_our_recorder_s_is_lost(sent: object):
    assert read(sent) == Recorded(lost="it cannot be read")


def test_values_nested_without_end_are_lost():
    sent: list[object] = ["none", ""]
    for _ in range(60):
        sent = ["list", sent]
    assert read(sent).lost


@pytest.mark.parametrize(
    ("sent", "python", "node"),
    [
        (LIST, "[1, True]", "[1, true]"),
        (["tuple", ONE], "(1,)", "(1,)"),
        (MAP, "{'a': 1, 'b': None}", '{"a": 1, "b": null}'),
        (["str", "a'b\n"], '"a\'b\\n"', '"a\'b\\n"'),
        (NAN, "nan", "NaN"),
        (RAISED, "raises KeyError: 'a'", "raises KeyError: 'a'"),
        (OTHER, "a Price", "a Price"),
        (LOST, "it hung", "it hung"),
    ],
)
def test_values_are_shown_as_a_person_writes_them(sent: object, python: str, node: str):
    assert shown(read(sent), Language.PYTHON) == python
    assert shown(read(sent), Language.NODE) == node


def test_what_is_long_is_cut():
    assert len(shown(read(["str", "x" * 1000]), Language.PYTHON)) < 250
