"""The rules of a verdict, as pure facts: who is proved, who is convicted, what is asked."""

from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st

from yudai.kit.ids import RunId
from yudai.testing.domain.report import Failure, FailureKind
from yudai.verification.domain.decide import Decision, decide
from yudai.verification.domain.facts import (
    NO_TESTS,
    BaseProof,
    Candidate,
    Crossing,
    Examination,
    Examined,
    JoinedTest,
    OpenExpectation,
)
from yudai.verification.domain.phrases import is_closing
from yudai.verification.domain.proof import OwnTest, ProofKind, Subject
from yudai.verification.domain.question import PersonAnswer, QuestionKind
from yudai.verification.domain.rules import RULES, TEXTS, Rule, Rules
from yudai.verification.domain.verdict import VerdictStatus

PASSED, FAILED, UNPROVED = VerdictStatus.PASSED, VerdictStatus.FAILED, VerdictStatus.UNPROVED
NONE = VerdictStatus.NONE


def proof(name: str = "t", **more: object) -> OwnTest:
    facts: dict[str, object] = {"id": name, "kind": ProofKind.BEHAVIOUR, "tied": True, **more}
    return OwnTest.model_validate(facts)


def answer(handle: str, *tests: OwnTest, model: str = "", **facts: object) -> Candidate:
    names = tuple(test.id for test in tests)
    found = {"answer": handle, "own": tests, "own_names": names, "baseline_executed": 1, **facts}
    return Candidate(RunId(handle), handle, model or handle, Examined.model_validate(found))


def met(author: str, target: str, answered: str = "passed", test: str = "t", **more: object):
    facts = {"author": author, "target": target, "test": test, "answered": answered, **more}
    return Crossing.model_validate(facts)


def decided(
    candidates: Iterable[Candidate],
    *crossings: Crossing,
    rules: Rules = RULES,
    said: dict[str, str] | None = None,
    again: tuple[tuple[str, str], ...] = (),
    expectations: tuple[tuple[str, OpenExpectation], ...] = (),
) -> Decision:
    examination = Examination.model_validate(
        {"crossings": crossings, "author_failed": again, "expectations": expectations}
    )
    answers = [PersonAnswer(key=key, choice=choice) for key, choice in (said or {}).items()]
    return decide(list(candidates), examination, rules=rules, answers=answers)


def statuses(decision: Decision) -> dict[str, VerdictStatus]:
    return {str(run_id): verdict.status for run_id, verdict in decision.verdicts.items()}


def test_every_rule_has_a_text():
    assert set(TEXTS) == set(Rule)


def test_right_with_a_test_is_proved():
    [verdict] = decided([answer("right", proof())]).verdicts.values()
    assert (verdict.status, verdict.proof, verdict.tied) == (PASSED, ProofKind.BEHAVIOUR, True)
    assert (verdict.rules, verdict.summary) == (RULES.version, "t goes from red to green")


def test_the_impostor_is_asked_about_and_never_passes():
    helper = proof(kind="interface", symbols=("duplicates_allowed",), tied=False)
    decision = decided([answer("impostor", helper)])
    assert statuses(decision) == {"impostor": UNPROVED}
    assert [question.kind for question in decision.questions] == [QuestionKind.INTERFACE]
    without = decided([answer("impostor", helper)], rules=RULES.without(Rule.INTERFACE_IS_NO_PROOF))
    assert statuses(without) == {"impostor": PASSED}


def test_an_interface_that_the_issue_names_proves():
    [verdict] = decided([answer("one", proof(kind="interface", named=True))]).verdicts.values()
    assert (verdict.status, verdict.proof) == (PASSED, ProofKind.INTERFACE)


def test_red_for_another_reason_is_no_proof():
    runs = [answer("one", proof(kind="none"))]
    assert statuses(decided(runs)) == {"one": UNPROVED}
    assert statuses(decided(runs, rules=RULES.without(Rule.RED_FOR_A_REASON))) == {"one": PASSED}


def test_a_test_about_wording_neither_proves_nor_convicts():
    wordy = answer("wordy", proof(subjects=(Subject.WORDING,)))
    runs = [wordy, answer("right", proof("u"))]
    crossings = [met("wordy", "right", "failed"), met("right", "wordy", "failed", "u")]
    assert statuses(decided(runs, *crossings)) == {"wordy": FAILED, "right": PASSED}
    rules = RULES.without(Rule.SUBJECTS_PROVE_NOTHING)
    without = decided(runs, *crossings, rules=rules)
    assert [question.kind for question in without.questions] == [QuestionKind.SUPPORT]


def test_anothers_test_proves_the_silent_and_convicts_the_wrong():
    runs = [answer("right", proof()), answer("silent"), answer("wrong")]
    crossings = [met("right", "silent"), met("right", "wrong", "failed")]
    decision = decided(runs, *crossings)
    assert statuses(decision) == {"right": PASSED, "silent": PASSED, "wrong": FAILED}
    assert decision.verdicts[RunId("wrong")].convicted_by == ("right::t",)
    assert decision.verdicts[RunId("silent")].evidence.support == 2
    assert decision.verdicts[RunId("right")].evidence.support == 2


def test_what_is_skipped_on_a_rival_has_failed():
    runs = [answer("right", proof()), answer("skipper", proof("u"))]
    crossings = [
        met("right", "skipper", "failed", says="skipped"),
        met("skipper", "right", test="u"),
    ]
    assert statuses(decided(runs, *crossings))["skipper"] is FAILED
    rules = RULES.without(Rule.ONLY_PASSED_PASSES)
    assert statuses(decided(runs, *crossings, rules=rules))["skipper"] is PASSED


def test_only_a_proof_convicts():
    idle = proof(kind="none")
    runs = [answer("idle", idle), answer("right", proof("u"))]
    crossings = [met("idle", "right", "failed"), met("right", "idle", test="u")]
    assert statuses(decided(runs, *crossings))["right"] is PASSED
    rules = RULES.without(Rule.ONLY_PROOFS_CONVICT)
    assert statuses(decided(runs, *crossings, rules=rules))["right"] is FAILED


def test_the_test_of_an_answer_that_failed_convicts_nobody():
    runs = [answer("breaker", proof(), broken=("old",)), answer("right", proof("u"))]
    crossings = [met("breaker", "right", "failed"), met("right", "breaker", test="u")]
    assert statuses(decided(runs, *crossings)) == {"breaker": FAILED, "right": PASSED}
    rules = RULES.without(Rule.AUTHOR_STANDS)
    assert statuses(decided(runs, *crossings, rules=rules))["right"] is FAILED


def test_a_test_that_its_author_no_longer_passes_convicts_nobody():
    runs = [answer("moody", proof()), answer("right", proof("u"))]
    crossings = [met("moody", "right", "failed"), met("right", "moody", test="u")]
    again = (("moody", "t"),)
    assert statuses(decided(runs, *crossings, again=again))["right"] is PASSED
    rules = RULES.without(Rule.AUTHOR_PASSES_AGAIN)
    assert statuses(decided(runs, *crossings, again=again, rules=rules))["right"] is FAILED


def test_a_test_that_sleeps_on_others_convicts_nobody():
    runs = [answer("sleeper", proof()), answer("right", proof("u"))]
    crossings = [met("sleeper", "right", "slow"), met("right", "sleeper", test="u")]
    assert statuses(decided(runs, *crossings))["right"] is PASSED
    rules = RULES.without(Rule.ENDS_IN_TIME)
    assert statuses(decided(runs, *crossings, rules=rules))["right"] is FAILED


def test_hanging_on_the_test_of_another_is_no_acquittal():
    runs = [answer("hung", proof("u"), size=1), answer("right", proof(), size=9)]
    crossings = [met("right", "hung", "slow"), met("hung", "right", test="u")]
    decision = decided(runs, *crossings)
    assert statuses(decision) == {"hung": PASSED, "right": PASSED}
    hung, right = (decision.verdicts[RunId(handle)].evidence for handle in ("hung", "right"))
    assert (hung.support, hung.failures) == (1, 1)
    assert (right.support, right.failures) == (1, 0)
    assert [(q.kind, q.runs) for q in decision.questions] == [(QuestionKind.NOT_RUN, ("hung",))]


def test_nobody_is_convicted_for_lacking_names_that_only_the_author_chose():
    own = proof(symbols=("helper",))
    runs = [answer("namer", own), answer("right", proof("u"))]
    crossings = [
        met("namer", "right", "failed", is_behaviour=False),
        met("right", "namer", test="u"),
    ]
    assert statuses(decided(runs, *crossings))["right"] is PASSED
    rules = RULES.without(Rule.FOREIGN_NAMES_ACQUIT)
    assert statuses(decided(runs, *crossings, rules=rules))["right"] is FAILED


def test_more_support_wins_where_authors_fail_each_others_tests():
    runs = [answer("right", proof("u")), answer("wrong", proof()), answer("silent")]
    crossings = [
        met("wrong", "right", "failed"),
        met("wrong", "silent", "failed"),
        met("right", "wrong", "failed", "u"),
        met("right", "silent", test="u"),
    ]
    decision = decided(runs, *crossings)
    assert statuses(decision) == {"right": PASSED, "wrong": FAILED, "silent": PASSED}
    assert decision.questions == ()
    without = decided(runs, *crossings, rules=RULES.without(Rule.SUPPORT_DECIDES))
    assert statuses(without)["silent"] is not PASSED or without.questions


def test_equal_support_is_a_question_that_a_person_settles():
    runs = [answer("one", proof("u")), answer("other", proof())]
    crossings = [met("other", "one", "failed"), met("one", "other", "failed", "u")]
    decision = decided(runs, *crossings)
    [question] = decision.questions
    assert question.kind is QuestionKind.SUPPORT
    assert {choice.id for choice in question.choices} == {"one", "other", "reject"}
    assert set(question.runs) == {"one", "other"}
    settled = decided(runs, *crossings, said={question.key: "one"})
    assert statuses(settled) == {"one": PASSED, "other": FAILED}
    assert settled.questions == ()
    neither = decided(runs, *crossings, said={question.key: "reject"})
    assert set(statuses(neither).values()) == {FAILED}


def test_the_same_model_and_strategy_adds_no_support():
    runs = [
        answer("one", proof("u")),
        answer("other", proof(), model="m"),
        answer("copy", model="m", answer="another text"),
    ]
    crossings = [
        met("other", "one", "failed"),
        met("other", "copy"),
        met("one", "other", "failed", "u"),
        met("one", "copy", "failed", "u"),
    ]
    [question] = decided(runs, *crossings).questions
    assert question.kind is QuestionKind.SUPPORT


def test_a_plain_command_convicts_only_together_with_a_second_authors():
    command = proof("make test", kind="command")
    runs = [answer("one", command), answer("other", command), answer("wrong", proof())]
    crossings = [
        met("one", "wrong", "failed", "make test"),
        met("wrong", "one"),
        met("wrong", "other"),
    ]
    assert statuses(decided(runs, *crossings))["wrong"] is PASSED
    both = [*crossings, met("other", "wrong", "failed", "make test")]
    assert statuses(decided(runs, *both))["wrong"] is FAILED
    rules = RULES.without(Rule.COMMANDS_NEED_TWO)
    assert statuses(decided(runs, *crossings, rules=rules))["wrong"] is FAILED


def test_equal_patches_are_one_answer():
    runs = [answer("one", proof()), answer("two", proof(), answer="one")]
    decision = decided(runs)
    verdict = decision.verdicts[RunId("two")]
    assert (verdict.same_as, verdict.agreement, verdict.status) == ("one", 2, PASSED)
    assert decision.verdicts[RunId("one")].evidence.support == 1


def test_copies_of_a_wrong_answer_add_no_weight():
    wrong = [answer(name, proof("w"), model=name).examined for name in ("w1", "w2", "w3")]
    copies = [
        Candidate(RunId(f"w{n}"), f"w{n}", f"w{n}", one.model_copy(update={"answer": "same"}))
        for n, one in enumerate(wrong)
    ]
    runs = [*copies, answer("right", proof()), answer("silent")]
    crossings = [
        met("w0", "right", "failed", "w"),
        met("w0", "silent", "failed", "w"),
        met("right", "w0", "failed"),
        met("right", "silent"),
    ]
    decision = decided(runs, *crossings)
    assert {handle for handle, status in statuses(decision).items() if status is PASSED} == {
        "right",
        "silent",
    }


def test_what_could_not_be_run_is_a_question_and_no_acquittal():
    runs = [answer("right", proof()), answer("lucky", proof("u"))]
    crossings = [met("right", "lucky", "unknown"), met("lucky", "right", test="u")]
    decision = decided(runs, *crossings)
    assert decision.verdicts[RunId("lucky")].not_run == ("right::t",)
    [question] = decision.questions
    assert (question.kind, question.runs) == (QuestionKind.NOT_RUN, ("lucky",))
    rejected = decided(runs, *crossings, said={question.key: "reject"})
    assert statuses(rejected)["lucky"] is FAILED
    without = decided(runs, *crossings, rules=RULES.without(Rule.UNKNOWN_IS_A_QUESTION))
    assert without.questions == ()


def expects(now: str = "4", **more: object) -> OpenExpectation:
    facts = {"test": "old", "path": "tests/test_a.py", "before": "3", "now": now, **more}
    return OpenExpectation.model_validate(facts)


def changer(handle: str, now: str = "4", **more: object) -> Candidate:
    return answer(handle, broken=("old",), expectations=(expects(now, **more),))


def test_a_changed_expectation_by_one_is_a_question():
    decision = decided([changer("one")])
    [question] = decision.questions
    assert question.kind is QuestionKind.EXPECTATION
    assert statuses(decision) == {"one": UNPROVED}
    assert statuses(decided([changer("one")], said={question.key: "accept"})) == {"one": PASSED}
    assert statuses(decided([changer("one")], said={question.key: "reject"})) == {"one": FAILED}
    rules = RULES.without(Rule.EXPECTATIONS_NEED_A_REASON)
    assert statuses(decided([changer("one")], rules=rules)) == {"one": PASSED}


def test_a_changed_expectation_that_the_issue_gives_is_accepted():
    [verdict] = decided([changer("one", given=True)]).verdicts.values()
    assert (verdict.status, verdict.tied) == (PASSED, True)
    [changed] = verdict.evidence.changed_expectations
    assert (changed.before, changed.now, changed.accepted) == ("3", "4", True)
    assert "the issue" in changed.says


def test_two_independent_answers_accept_an_expectation_unless_one_that_passes_keeps_it():
    two = [changer("one"), changer("other")]
    assert set(statuses(decided(two)).values()) == {PASSED}
    same = [changer("one"), answer("copy", model="one", broken=("old",), expectations=(expects(),))]
    assert set(statuses(decided(same)).values()) == {UNPROVED}
    kept = decided([*two, answer("keeper", proof())])
    assert statuses(kept)["one"] is UNPROVED
    assert set(statuses(decided([changer("one"), changer("other", "5")])).values()) == {UNPROVED}


def test_whatever_proves_the_answer_that_keeps_the_old_value():
    two = [changer("one"), changer("other")]
    fixed = BaseProof(test="red", kind=ProofKind.BEHAVIOUR)
    assert statuses(decided([*two, answer("silent", fixed=(fixed,))]))["one"] is UNPROVED
    runs = [*two, answer("author", proof(), broken=("new",)), answer("silent")]
    crossings = [met("author", "silent")]
    assert statuses(decided(runs, *crossings))["one"] is PASSED
    runs[2] = answer("author", proof(), missing=())
    assert statuses(decided(runs, *crossings))["one"] is UNPROVED


def test_an_answer_that_keeps_the_old_value_and_is_convicted_does_not_count():
    judge = answer("judge", proof("u"), broken=("old",), expectations=(expects(given=True),))
    runs = [changer("one"), changer("other"), judge, answer("keeper", proof())]
    assert statuses(decided(runs))["one"] is UNPROVED
    convicted = decided(runs, met("judge", "keeper", "failed", "u"))
    assert (statuses(convicted)["one"], statuses(convicted)["keeper"]) == (PASSED, FAILED)


def test_an_answer_that_passes_a_test_as_another_edits_it_is_excused():
    runs = [changer("one"), answer("bare", broken=("old",))]
    excused = (("bare", expects(own=False)),)
    assert statuses(decided(runs, expectations=excused)) == {"one": PASSED, "bare": PASSED}
    assert statuses(decided(runs))["bare"] is FAILED


def test_a_proved_answer_that_would_change_an_expectation_is_not_passed_over():
    waiting = answer("waiting", proof(), broken=("old",), expectations=(expects(),))
    keeper = answer("keeper", proof("u"))
    crossings = [met("keeper", "waiting", test="u"), met("waiting", "keeper", "failed")]
    [question] = decided([waiting, keeper], *crossings).questions
    assert set(question.runs) == {"waiting", "keeper"}
    [other] = decided([changer("bare"), keeper]).questions
    assert other.runs == ("bare",)


def test_an_answer_that_waits_for_a_person_convicts_nobody_and_can_be_convicted():
    waiting = answer("waiting", proof(), broken=("old",), expectations=(expects(),))
    runs = [waiting, answer("right", proof("u"))]
    crossings = [met("waiting", "right", "failed"), met("right", "waiting", "failed", "u")]
    assert statuses(decided(runs, *crossings)) == {"waiting": FAILED, "right": PASSED}
    assert statuses(decided(runs, crossings[0])) == {"waiting": UNPROVED, "right": PASSED}


def test_a_test_without_a_patch_speaks_once_two_answers_pass_it():
    review = answer("review", proof(), tests_only=True)
    runs = [review, answer("one"), answer("other"), answer("wrong")]
    crossings = [met("review", "one"), met("review", "other"), met("review", "wrong", "failed")]
    found = decided(runs, *crossings)
    expected = {"review": NONE, "one": PASSED, "other": PASSED, "wrong": FAILED}
    assert (statuses(found), found.questions) == (expected, ())
    # A reviewer is no answer that agrees.
    assert found.verdicts[RunId("one")].evidence.support == 1
    alike = [review, answer("one", model="m"), answer("other", model="m"), answer("wrong")]
    assert statuses(decided(alike, *crossings))["wrong"] is UNPROVED


def test_a_test_without_a_patch_that_one_answer_passes_is_a_question():
    runs = [answer("review", proof(), tests_only=True), answer("right"), answer("wrong")]
    crossings = [met("review", "right"), met("review", "wrong", "failed")]
    found = decided(runs, *crossings)
    assert set(statuses(found).values()) == {NONE, UNPROVED}
    [question] = found.questions
    assert (question.kind, set(question.runs)) == (QuestionKind.TEST, {"right", "wrong"})
    accepted = decided(runs, *crossings, said={question.key: "accept"})
    assert statuses(accepted) == {"review": NONE, "right": PASSED, "wrong": FAILED}
    rejected = decided(runs, *crossings, said={question.key: "reject"})
    assert statuses(rejected) == {"review": NONE, "right": UNPROVED, "wrong": UNPROVED}
    assert rejected.questions == ()


def test_a_test_without_a_patch_proves_nothing_of_itself_and_must_not_tamper():
    assert statuses(decided([answer("review", proof(), tests_only=True)])) == {"review": NONE}
    tampered = answer("review", proof(), tests_only=True, tampered=("weakens",))
    assert statuses(decided([tampered])) == {"review": FAILED}
    odd = answer("review", proof(kind="none"), tests_only=True)
    assert decided([odd, answer("one")], met("review", "one", "failed")).questions == ()


def test_answers_that_pass_and_differ_are_asked_about_when_only_size_would_order_them():
    odd = proof("odd", kind="command")
    runs = [answer("one", proof(), odd), answer("other", proof("u"))]
    crossings = [
        met("one", "other"),
        met("other", "one", test="u"),
        met("one", "other", "failed", "odd"),
    ]
    assert statuses(decided(runs, *crossings)) == {"one": PASSED, "other": PASSED}


def test_commands_that_contradict_each_other_are_asked_about_whichever_is_tied():
    runs = [
        answer("wrong", proof("make", kind="command")),
        answer("right", proof("make", kind="command", tied=False)),
        answer("silent"),
    ]
    crossings = [
        met("wrong", "right", "failed", "make"),
        met("right", "wrong", "failed", "make"),
        met("wrong", "silent", "failed", "make"),
        met("right", "silent", test="make"),
    ]
    [question] = decided(runs, *crossings).questions
    assert (question.kind, question.runs) == (QuestionKind.BEHAVIOURS, ("right", "wrong"))
    # One that passes all tests of the other ranks ahead of it: there is nothing to ask.
    stub = [met("wrong", "right", test="make"), met("right", "wrong", "failed", "make")]
    assert decided(runs[:2], *stub).questions == ()
    without = decided(runs, *crossings, rules=RULES.without(Rule.DIFFERENCE_IS_A_QUESTION))
    assert without.questions == ()


def test_where_there_were_no_tests_those_of_others_speak():
    silent, stub = answer("silent", doubt=NO_TESTS), answer("stub", doubt=NO_TESTS)
    right = answer("right", proof())
    crossings = (met("right", "silent"), met("right", "stub", "failed"))
    found = statuses(decided([right, silent, stub], *crossings))
    assert found == {"right": PASSED, "silent": PASSED, "stub": FAILED}
    assert statuses(decided([silent]))["silent"] is VerdictStatus.UNVERIFIED
    unknown = decided([right, silent], met("right", "silent", "unknown"))
    assert statuses(unknown)["silent"] is VerdictStatus.UNVERIFIED


def test_a_test_that_was_joined_counts_while_it_proves():
    right, silent = answer("right", proof()), answer("silent")
    joined = JoinedTest(run_id=RunId("silent"), author="right", test="t")
    for said, expected in (("passed", "right::t"), ("failed", "")):
        examination = Examination(crossings=(met("right", "silent", said),), joined=(joined,))
        verdicts = decide([right, silent], examination).verdicts
        assert verdicts[RunId("silent")].evidence.joined == expected
        assert verdicts[RunId("right")].evidence.joined == ""


def test_a_person_ties_an_interface_to_the_issue_but_no_refactoring():
    new = proof(kind=ProofKind.INTERFACE, symbols=("helper",), tied=False)
    for one, tied in (
        (answer("a", new), True),
        (answer("a", is_asked_without_proof="the issue asks for a refactoring"), False),
    ):
        [question] = decided([one]).questions
        accepted = decided([one], said={question.key: "accept"})
        verdict = accepted.verdicts[RunId("a")]
        assert (verdict.status, verdict.tied) == (PASSED, tied)


def test_a_hang_that_ends_is_behaviour():
    red = Failure(kind=FailureKind.TIMEOUT)
    [verdict] = decided([answer("one", proof(red=red))]).verdicts.values()
    assert verdict.status is PASSED


RIGHT_TESTS = ("r1", "r2")


@st.composite
def solves(draw: st.DrawFn) -> tuple[list[Candidate], list[Crossing], Candidate, list[Crossing]]:
    """Right answers pass all right tests; each wrong one fails one, and its own test is its own."""
    rights = draw(st.integers(1, 3))
    wrongs = draw(st.integers(0, 3))
    brings = draw(st.lists(st.booleans(), min_size=wrongs + 1, max_size=wrongs + 1))
    right = [answer(f"right{n}", *([proof("t")] if n == 0 else [])) for n in range(rights)]
    wrong = [answer(f"wrong{n}", *([proof("w")] if brings[n] else [])) for n in range(wrongs + 1)]

    def crossings(some: list[Candidate]) -> list[Crossing]:
        found: list[Crossing] = []
        for author in some:
            for test in author.examined.own:
                for target in some:
                    if target is author:
                        continue
                    both_right = author in right and target in right
                    said = "passed" if both_right else "failed"
                    found.append(met(author.handle, target.handle, said, test.id))
        return found

    before = [*right, *wrong[:-1]]
    return before, crossings(before), wrong[-1], crossings([*before, wrong[-1]])


def champions(decision: Decision) -> set[str]:
    asked = {run_id for question in decision.questions for run_id in question.runs}
    return {
        str(run_id)
        for run_id, verdict in decision.verdicts.items()
        if verdict.status is PASSED and run_id not in asked
    }


@given(solves())
def test_adding_a_wrong_contestant_never_makes_a_wrong_champion(facts):
    before, crossings, added, more = facts
    assert all(name.startswith("right") for name in champions(decided(before, *crossings)))
    after = champions(decided([*before, added], *more))
    assert all(name.startswith("right") for name in after)


@given(solves(), st.randoms(use_true_random=False))
def test_order_does_not_matter(facts, random):
    before, _, added, more = facts
    one = decided([*before, added], *more)
    shuffled, met_shuffled = [*before, added], [*more]
    random.shuffle(shuffled)
    random.shuffle(met_shuffled)
    other = decided(shuffled, *met_shuffled)
    assert statuses(one) == statuses(other)
    assert {q.key for q in one.questions} == {q.key for q in other.questions}


@given(solves())
def test_a_duplicate_adds_no_weight(facts):
    before, crossings, _, _ = facts
    plain = decided(before, *crossings)
    for candidate in before:
        copy = Candidate(RunId("copy"), "copy", candidate.independence, candidate.examined)
        doubled = decided([*before, copy], *crossings)
        assert {h: s for h, s in statuses(doubled).items() if h != "copy"} == statuses(plain)
        assert {q.key for q in doubled.questions} == {q.key for q in plain.questions}


def test_only_an_accepted_interface_closes_the_issue_an_accepted_refactoring_does_not():
    refactoring = answer("one", is_asked_without_proof="the issue asks for a refactoring")
    helper = answer("one", proof(kind=ProofKind.INTERFACE, tied=False, symbols=("helper",)))
    found: dict[QuestionKind, tuple[VerdictStatus, bool]] = {}
    for candidate in (refactoring, helper):
        [question] = decided([candidate]).questions
        verdict = decided([candidate], said={question.key: "accept"}).verdicts[RunId("one")]
        found[question.kind] = (verdict.status, is_closing(verdict))
    assert found == {
        QuestionKind.NO_PROOF: (PASSED, False),
        QuestionKind.INTERFACE: (PASSED, True),
    }


def test_a_handle_that_reads_like_a_refusal_can_be_chosen_and_refused():
    pair = [answer("reject", proof("r")), answer("none", proof("n"))]
    fails = (met("reject", "none", "failed", "r"), met("none", "reject", "failed", "n"))
    [question] = decided(pair, *fails).questions
    assert [choice.id for choice in question.choices] == ["none", "reject", "none-2"]
    said = {choice.id: choice.id for choice in question.choices}
    chosen = {one: statuses(decided(pair, *fails, said={question.key: one})) for one in said}
    assert chosen == {
        "none": {"reject": FAILED, "none": PASSED},
        "reject": {"reject": PASSED, "none": FAILED},
        "none-2": {"reject": FAILED, "none": FAILED},
    }


def test_a_question_says_how_a_test_failed_and_what_a_patch_without_proof_changes():
    pair = [answer("one", proof("x")), answer("two", proof("y"))]
    fails = (
        met("one", "two", "failed", "x", message="AssertionError: assert 3 == 4"),
        met("two", "one", "failed", "y"),
    )
    [support] = decided(pair, *fails).questions
    assert support.kind is QuestionKind.SUPPORT
    assert support.detail.splitlines() == [
        "two fails one::x (passed by 1): AssertionError: assert 3 == 4",
        "one fails two::y (passed by 1)",
    ]
    red = Failure(kind=FailureKind.EXCEPTION, type="TypeError", message="no\nkeyword total")
    helper = proof(kind=ProofKind.INTERFACE, tied=False, symbols=("total",), red=red)
    [interface] = decided([answer("one", helper)]).questions
    assert interface.detail == "t, on the base: TypeError: no keyword total"
    silent = answer("one", is_asked_without_proof="it is a refactoring", size=3, executed=12)
    [unproved] = decided([silent]).questions
    assert unproved.detail == (
        "3 lines of code changed; 12 tests of the base ran, and none is broken"
    )


def test_other_words_of_the_right_exception_convict_nobody():
    right, other = answer("right", proof(is_worded=True)), answer("other", proof("other's"))
    agreed = met("other", "right", test="other's")
    reworded = met("right", "other", "failed", is_wording=True)
    assert statuses(decided([right, other], agreed, reworded))["other"] is PASSED
    found = decided([right, other], agreed, reworded.model_copy(update={"is_wording": False}))
    assert statuses(found)["other"] is FAILED
    without = RULES.without(Rule.SUBJECTS_PROVE_NOTHING)
    assert statuses(decided([right, other], agreed, reworded, rules=without))["other"] is FAILED
    asked = answer("right", proof())
    assert statuses(decided([asked, other], agreed, reworded))["other"] is FAILED
