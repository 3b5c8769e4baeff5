"""What recorded values show: suspects, differences, the issue's word, answers that do nothing."""

import pytest

from yudai.kit.ids import RunId
from yudai.verification.recorded.domain.findings import (
    Recording,
    difference,
    differing,
    is_only_inside,
    no_ops,
    suspects,
    telling,
)
from yudai.verification.recorded.domain.probe import OPEN, Expected, Language, Probe, Relation
from yudai.verification.recorded.domain.shown_input import shown_input
from yudai.verification.recorded.domain.values import Recorded
from yudai.verification.recorded.domain.vary import Variant

HOUR = Expected(Relation.EQUAL, ("text", "1h"))
RIGHT, WRONG = Recorded(value=("text", "1h")), Recorded(value=("text", "3600s"))
TWO, SAME = Recorded(value=("text", "2h")), Recorded(value=("text", "7200s"))
ANYTHING = Recorded(other="X", equals_anything=True)
OTHER, LOST = Recorded(other="X"), Recorded(lost="it hung")
REFUSED = Recorded(error=("ValueError", "Exception"), message="no")


def probe(expression: str, *code: str, expected: Expected = OPEN) -> Probe:
    return Probe("t", "test_x.py", Language.PYTHON, (), code, expression, expected)


SEED = probe("human(3600)", expected=HOUR)
VARIED = probe("human(7200)")
LARGER = probe("human(36000)")
VARIANTS = [Variant(VARIED, SEED, "7200"), Variant(LARGER, SEED, "36000")]


def recording(name: str, seed: Recorded, varied: Recorded, larger: Recorded = RIGHT) -> Recording:
    records = {SEED: seed, VARIED: varied, LARGER: larger}
    return Recording(RunId(name), records, records)


@pytest.mark.parametrize(
    ("found", "is_suspect"),
    [
        (RIGHT, False),
        (WRONG, True),
        (REFUSED, True),
        (ANYTHING, True),
        (LOST, True),
        (OTHER, False),
    ],
)
def test_what_is_green_and_does_not_hold_is_a_suspect(found: Recorded, is_suspect: object):
    assert bool(suspects([SEED], ["t"], {SEED: found})) is is_suspect
    assert suspects([SEED], ["another"], {SEED: found}) == []


@pytest.mark.parametrize(
    ("outside", "inside", "is_so"),
    [
        (WRONG, RIGHT, True),
        (LOST, RIGHT, True),
        (REFUSED, RIGHT, True),
        (WRONG, WRONG, False),
        (RIGHT, RIGHT, False),
        (WRONG, LOST, False),
        (ANYTHING, ANYTHING, True),
        (OTHER, RIGHT, False),
    ],
)
def test_only_what_a_runner_s_look_makes_right_has_failed(
    outside: Recorded, inside: Recorded, is_so: object
):
    assert is_only_inside(SEED, outside, inside) is is_so


def pairs(*recordings: Recording, stable: set[Probe] | None = None) -> list[tuple[str, str, str]]:
    found = differing(VARIANTS, recordings, stable)
    return [(a.run_id, b.run_id, v.probe.expression) for a, b, v in found]


def test_the_smallest_input_on_which_two_differ_is_found():
    stub, right = recording("stub", RIGHT, SAME, WRONG), recording("right", RIGHT, TWO)
    assert pairs(stub, right) == [("stub", "right", "human(7200)")]
    assert pairs(stub, right, stable={LARGER}) == [("stub", "right", "human(36000)")]
    assert pairs(stub, right, stable=set()) == []
    assert telling(VARIANTS, [stub, right]) == [VARIED, LARGER]


@pytest.mark.parametrize("other", [LOST, OTHER])
def test_what_cannot_be_compared_is_no_difference(other: Recorded):
    assert pairs(recording("a", RIGHT, TWO), recording("b", RIGHT, other)) == []


def test_two_refusals_are_no_difference_and_one_is():
    also = Recorded(error=("KeyError",))
    assert pairs(recording("a", RIGHT, REFUSED), recording("b", RIGHT, also)) == []
    assert pairs(recording("a", RIGHT, REFUSED), recording("b", RIGHT, TWO)) != []


def test_an_answer_that_fails_the_test_itself_is_told_apart_by_it():
    assert pairs(recording("a", WRONG, SAME), recording("b", RIGHT, TWO)) == []


@pytest.mark.parametrize(
    ("issue", "given"),
    [
        ("`human(7200)` should be `2h`.", "right"),
        ("`human( 7200 )` gives '2h'", "right"),
        ("`human(7200)` is `7200s`: that cannot be.", None),
        ("It should be `2h`.", None),
        ("`human(7200)` is wrong.", None),
        ("`human(7200)` is `7200s` and not `2h`.", None),
        ("", None),
    ],
)
def test_the_issue_decides_only_for_the_input_that_it_names(issue: str, given: str | None):
    stub, right = recording("stub", RIGHT, SAME), recording("right", RIGHT, TWO)
    base = {SEED: WRONG, VARIED: SAME, LARGER: WRONG}
    found = difference(stub, right, VARIANTS[0], base=base, issue=issue)
    assert (found.one_gives, found.other_gives) == ("'7200s'", "'2h'")
    assert found.given == given


def test_what_does_as_base_does_where_others_do_not_is_a_no_op():
    base = {SEED: WRONG, VARIED: SAME, LARGER: RIGHT}
    idle, right = recording("idle", WRONG, SAME), recording("right", RIGHT, TWO)
    assert no_ops(VARIANTS, base, [idle, right]) == ["idle"]
    assert no_ops(VARIANTS, base, [idle]) == []
    assert no_ops(VARIANTS, base, [right]) == []


def test_an_input_is_shown_with_what_its_names_stand_for():
    found = shown_input(probe("f(TEXT, n)", "TEXT = 'a'", "n = 3", "shop = Shop()", "shop.open(n)"))
    assert found.short == "f('a', 3)"
    assert found.whole == "shop = Shop()\nshop.open(3)\nf('a', 3)"
    assert shown_input(probe("f(TEXT)", "TEXT = 'a'")).whole == ""
