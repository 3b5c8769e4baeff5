"""The questions that a person answers before there can be a champion."""

import hashlib
from collections.abc import Iterable
from enum import StrEnum
from itertools import chain, count

from yudai.kit.ids import RunId
from yudai.kit.value import Value


class QuestionKind(StrEnum):
    EXPECTATION = "expectation"
    """An answer is right only if a test of base changes its expected value."""
    BEHAVIOURS = "behaviours"
    """Two passing answers behave differently."""
    SUPPORT = "support"
    """Answers fail each other's tests, and the tests have equal support."""
    INTERFACE = "interface"
    """The only proof uses a new definition that the issue does not name."""
    NO_PROOF = "no_proof"
    """No test can show the change: a refactoring, documentation."""
    TEST = "test"
    """Too few answers pass a test that came without a patch."""
    NOT_RUN = "not_run"
    """A test that decides could not be run on an answer."""


class Choice(Value):
    id: str
    """The text of the answer: `accept`, `reject`, or a run's handle."""
    text: str


class Question(Value):
    """`key` is derived from the question's facts, so that a second ranking does not repeat it."""

    key: str
    kind: QuestionKind
    text: str
    """One sentence that ends with a question mark."""
    choices: tuple[Choice, ...]
    runs: tuple[RunId, ...] = ()
    """The answers that the question is about."""
    detail: str = ""
    """Details for the decision: the difference, the test, the issue's words."""


class PersonAnswer(Value):
    """A person's answer; `choice` is the id of one of the question's choices."""

    key: str
    choice: str


ACCEPT = Choice(id="accept", text="yes")
REJECT = Choice(id="reject", text="no")


def neither_of(handles: Iterable[str]) -> Choice:
    """The choice that refuses all handles, with an id that equals none of them."""
    taken = set(handles)
    ids = chain((REJECT.id, "none"), (f"none-{number}" for number in count(2)))
    return Choice(id=next(one for one in ids if one not in taken), text="none of them")


def key_of(kind: QuestionKind, *facts: str) -> str:
    """A key that depends only on the facts, not on their order."""
    text = "\n".join(sorted(facts))
    return f"{kind}-{hashlib.sha256(text.encode()).hexdigest()[:12]}"


def support_key(runs: Iterable[RunId]) -> str:
    return key_of(QuestionKind.SUPPORT, *runs)


def behaviours_key(one: RunId, other: RunId) -> str:
    return key_of(QuestionKind.BEHAVIOURS, one, other)


def test_key(run_id: RunId, test: str) -> str:
    return key_of(QuestionKind.TEST, run_id, test)


def not_run_key(run_id: RunId) -> str:
    return key_of(QuestionKind.NOT_RUN, run_id)
