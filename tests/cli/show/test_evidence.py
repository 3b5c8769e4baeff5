"""What a person sees of a champion's proof, and of answers that are equal."""

import io
from collections.abc import Callable
from typing import Any

from rich.console import Console

from tests.cli.show.test_result import document, place
from yudai.cli.show.evidence import show_evidence, show_findings, show_reasons
from yudai.kit.ids import RunId
from yudai.verification.domain.proof import ProofKind
from yudai.verification.domain.verdict import (
    ChangedExpectation,
    Evidence,
    Verdict,
    VerdictStatus,
    Weighed,
)
from yudai.views.domain.document import PlaceEntry, SolveDocument

PROVED = Verdict(
    status=VerdictStatus.PASSED,
    proof=ProofKind.BEHAVIOUR,
    tied=True,
    rules=1,
    evidence=Evidence(proved_by=("t.py::red",)),
)


def answer(rank: int, handle: str, **changes: Any) -> PlaceEntry:
    fields: dict[str, Any] = {"verdict": PROVED, "why": f"why {rank}"}
    return place(rank=rank, handle=handle, run_id=RunId(f"run-{rank}"), **(fields | changes))


def printed(show: Callable[[SolveDocument, Console], None], *places: PlaceEntry) -> str:
    console = Console(file=io.StringIO(), width=100)
    show(document(*places), console)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def proof_of(**changes: Any) -> str:
    champion = answer(1, "a", verdict=PROVED.model_copy(update=changes))
    return printed(show_evidence, champion, answer(2, "b"), answer(3, "c"))


def test_the_kind_of_proof_and_who_agrees():
    lines = proof_of(agreement=2).splitlines()
    assert lines[1:] == [
        "Red on base, green with this patch: 1 test",
        "  t.py::red",
        "Proved by behaviour, about this issue; 2 of 3 contestants gave this answer",
    ]


def test_a_proof_that_is_not_about_the_issue_says_what_is_missing():
    text = proof_of(proof=ProofKind.COMMAND, tied=False)
    assert "\nProved by a plain command, not visibly about this issue\n" in text
    assert "It does not close the issue" in text


def test_a_verdict_from_before_the_rules_names_no_kind():
    assert proof_of(rules=0).splitlines()[-1] == "  t.py::red"


def test_changed_expectations_and_what_was_not_run():
    changed = ChangedExpectation(
        test="t.py::total", before="3", now="", says=("the issue",), accepted=True
    )
    evidence = Evidence(changed_expectations=(changed,) * 8)
    text = proof_of(evidence=evidence, not_run=("b::t.py::slow",))
    assert "Changed expectations: 8\n  t.py::total: 3 -> nothing (says the issue)\n" in text
    assert "  … and 2 more\nCould not be run here: 1\n  b::t.py::slow\n" in text


def test_what_was_found_about_one_run():
    weighed = (
        Weighed(test="t.py::red", kind=ProofKind.BEHAVIOUR),
        Weighed(test="t.py::\x1bnew", kind=ProofKind.INTERFACE, symbols=("--fast",)),
    )
    verdict = Verdict(
        status=VerdictStatus.FAILED,
        rules=1,
        proof=ProofKind.BEHAVIOUR,
        agreement=2,
        same_as="first",
        convicted_by=("b::t.py::x",),
        not_run=("c::t.py::y",),
        evidence=Evidence(weighed=weighed),
    )
    console = Console(file=io.StringIO(), width=100)
    show_findings(verdict, console)
    assert isinstance(console.file, io.StringIO)
    assert console.file.getvalue().splitlines() == [
        "2 contestants gave this answer",
        "Same answer as first, which was verified in its place",
        "Convicted by: 1",
        "  b::t.py::x",
        "Own tests that prove nothing: 1",
        "  t.py::\ufffdnew: uses --fast, which the patch introduced and the issue does not name",
        "Could not be run here: 1",
        "  c::t.py::y",
    ]


def test_equal_answers_are_one_group():
    text = printed(
        show_reasons,
        answer(1, "a", same_as="c"),
        answer(2, "b"),
        answer(3, "c"),
        answer(4, "d", same_as="c"),
    )
    assert text.splitlines()[1:] == [
        "Why",
        "  1. a: why 1",
        "  3, 4. c, d: same answer as a",
        "  2. b: why 2",
    ]


def test_hostile_text_reaches_no_terminal():
    words = "\x1b]0;owned\x07 \u202ex\ny"
    changed = ChangedExpectation(test=words, before=words, now=words, says=(words,))
    evidence = Evidence(proved_by=(words,), changed_expectations=(changed,))
    text = proof_of(evidence=evidence, not_run=(words,))
    text += printed(show_reasons, answer(1, words, why=words), answer(2, "b", same_as=words))
    assert not set(text) & set("\x1b\x07\u202e")
