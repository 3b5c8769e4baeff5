"""What recorded values decide, as pure facts."""

import pytest

from yudai.kit.ids import RunId
from yudai.verification.domain.decide import Decision, decide
from yudai.verification.domain.facts import (
    Candidate,
    Crossing,
    Difference,
    Examination,
    Examined,
    OnlyInside,
    RecordedValues,
)
from yudai.verification.domain.proof import OwnTest, ProofKind
from yudai.verification.domain.question import PersonAnswer
from yudai.verification.domain.rules import RULES, Rule, Rules
from yudai.verification.domain.verdict import VerdictStatus

A, B = RunId("a"), RunId("b")
TEST = OwnTest(id="t", kind=ProofKind.BEHAVIOUR, tied=True)
INSIDE = OnlyInside(run_id=A, test="t", input="human(3600)", gives="'3600s'")
APART = Difference(
    one=A, other=B, input="human(7200)", code="x = 1", one_gives="'7200s'", other_gives="'2h'"
)


def decided(values: RecordedValues, rules: Rules = RULES) -> Decision:
    """Both bring an equal test and pass each other's."""
    found = [
        Candidate(r, r, r, Examined(answer=r, own=(TEST,), own_names=("t",), baseline_executed=1))
        for r in (A, B)
    ]
    crossings = tuple(
        Crossing.model_validate({"author": x, "test": "t", "target": y, "answered": "passed"})
        for x, y in ((A, B), (B, A))
    )
    facts = Examination(crossings=crossings, values=values)
    return decide(found, facts, rules=rules)


def statuses(decision: Decision) -> list[str]:
    return [str(decision.verdicts[run_id].status) for run_id in (A, B)]


def test_without_values_nothing_changes():
    decision = decided(RecordedValues())
    assert statuses(decision) == ["passed", "passed"]
    assert decision.questions == ()


def test_what_is_right_only_inside_a_runner_fails_and_speaks_for_no_other():
    decision = decided(RecordedValues(only_inside=(INSIDE,)))
    assert statuses(decision) == ["failed", "passed"]
    verdict = decision.verdicts[A]
    assert verdict.summary == "passes t only inside a test runner: human(3600) is '3600s'"
    assert decision.verdicts[B].evidence.proved_by == ("t",)


def test_another_value_on_a_varied_input_is_a_question_with_both_values():
    decision = decided(RecordedValues(differences=(APART,)))
    assert statuses(decision) == ["passed", "passed"]
    [question] = decision.questions
    assert question.kind == "behaviours"
    assert question.text == "What should `human(7200)` give: a says `'7200s'` or b says `'2h'`?"
    assert question.detail == "x = 1"
    assert [choice.id for choice in question.choices] == ["a", "b", "reject"]
    answers = [PersonAnswer(key=question.key, choice="b")]
    facts = Examination(values=RecordedValues(differences=(APART,)))
    found = [Candidate(r, r, r, Examined(answer=r, baseline_executed=1)) for r in (A, B)]
    chosen = decide(found, facts, answers=answers)
    assert statuses(chosen) == ["failed", "passed"]


@pytest.mark.parametrize("given", [A, B])
def test_the_issue_decides_where_it_gives_one_of_the_values(given: RunId):
    apart = APART.model_copy(update={"given": given})
    decision = decided(RecordedValues(differences=(apart,)))
    right, wrong = (given, B if given == A else A)
    assert decision.verdicts[right].status is VerdictStatus.PASSED
    assert decision.verdicts[wrong].status is VerdictStatus.FAILED
    assert decision.verdicts[wrong].summary == (
        f"says that human(7200) is {apart.gives(wrong)}, the issue {apart.gives(right)}"
    )
    assert decision.questions == ()


@pytest.mark.parametrize(
    "values",
    [RecordedValues(only_inside=(INSIDE,)), RecordedValues(differences=(APART,))],
)
def test_without_the_rule_values_decide_nothing(values: RecordedValues):
    decision = decided(values, rules=RULES.without(Rule.VALUES_ARE_RECORDED))
    assert statuses(decision) == ["passed", "passed"]
    assert decision.questions == ()


def test_what_decides_nothing_is_kept_as_evidence():
    why = "it uses fixtures"
    decision = decided(RecordedValues(no_ops=(B,), not_repeated=((A, "t", why),)))
    assert statuses(decision) == ["passed", "passed"]
    assert decision.verdicts[A].evidence.values == (f"t is not repeated outside its runner: {why}",)
    assert decision.verdicts[B].evidence.values == (
        "does as base does on every varied input on which another answer does not",
    )
