"""What a person is asked before there can be a champion."""

import hashlib
from collections.abc import Iterable
from enum import StrEnum
from itertools import chain, count

from yudai.kit.ids import RunId
from yudai.kit.value import Value


class QuestionKind(StrEnum):
    EXPECTATION = "expectation"
    """A test of base would have to expect something else."""
    BEHAVIOURS = "behaviours"
    """Two answers that pass behave differently."""
    SUPPORT = "support"
    """Authors fail each other's tests, and as many answers stand behind each."""
    INTERFACE = "interface"
    """The only proof uses something new that the issue does not name."""
    NO_PROOF = "no_proof"
    """A refactoring, documentation: nothing that a test could show."""
    TEST = "test"
    """A test without a patch that too few answers pass to be believed."""
    NOT_RUN = "not_run"
    """A test that decides could not be run here."""


class Choice(Value):
    id: str
    """What is given as the answer: `accept`, `reject`, or a run's handle."""
    text: str


class Question(Value):
    """`key` is made of what it is about, so that ranking again asks the same question once."""

    key: str
    kind: QuestionKind
    text: str
    """One sentence that ends with a question mark."""
    choices: tuple[Choice, ...]
    runs: tuple[RunId, ...] = ()
    """The answers that it is about."""
    detail: str = ""
    """What is needed to decide: the difference, the test, the issue's words."""


class PersonAnswer(Value):
    """What a person chose; `choice` is the id of one of the question's choices."""

    key: str
    choice: str


ACCEPT = Choice(id="accept", text="yes")
REJECT = Choice(id="reject", text="no")


def neither_of(handles: Iterable[str]) -> Choice:
    """Where handles are the choices, one of them may read like the refusal of all."""
    taken = set(handles)
    ids = chain((REJECT.id, "none"), (f"none-{number}" for number in count(2)))
    return Choice(id=next(one for one in ids if one not in taken), text="none of them")


def key_of(kind: QuestionKind, *facts: str) -> str:
    """The same for the same facts, in whatever order they were found."""
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
