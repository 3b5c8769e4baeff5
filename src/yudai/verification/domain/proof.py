"""What shows that a patch solves the issue: the kinds of proof, and the tests that give it."""

import re
from collections.abc import Sequence
from enum import StrEnum
from statistics import median
from typing import NamedTuple

from yudai.kit.value import Value
from yudai.testing.domain.report import Failure

ROUNDS = 5
_FACTOR = 2.0
# What is shorter is noise of the machine.
_LEAST_S = 0.05
_WAITS = re.compile(r"\b(?:sleep|setTimeout|setInterval|setImmediate)\b|\bAtomics\s*\.\s*wait\b")


class ProofKind(StrEnum):
    """The strongest first."""

    BEHAVIOUR = "behaviour"
    """Code that base already had did something else."""
    INTERFACE = "interface"
    """Something can be called that base did not have."""
    COMMAND = "command"
    """A plain command failed on base and succeeds: there is one exit code and no more."""
    NONE = "none"


class Subject(StrEnum):
    """What a test can be about that shows no behaviour of the product."""

    SOURCE_TEXT = "source text"
    DOCUMENT = "a document"
    DATA_FILE = "a data file"
    PRIVATE_NAME = "a private name"
    WORDING = "wording"
    TIMING = "timing"


class OwnTest(Value):
    """A new test that a patch brought and that is green on it."""

    id: str
    kind: ProofKind = ProofKind.NONE
    named: bool = False
    """The issue names what it uses and base lacks."""
    symbols: tuple[str, ...] = ()
    """What the patch introduced and the test uses, as far as the issue does not name it."""
    loads: tuple[str, ...] = ()
    """What only its file needs of that, to be loaded."""
    subjects: tuple[Subject, ...] = ()
    """What it is about that the issue does not ask for: such a test proves nothing."""
    tied: bool = False
    """It calls what the issue names, with something that the issue gives."""
    is_worded: bool = False
    """It also asks for an exception's words: another answer may say them differently."""
    seconds: float = 0.0
    """How long it took on its author's patch."""
    red: Failure | None = None
    """How it failed on base."""
    text: str = ""
    """Its source, normalised: equal tests are one proof."""

    @property
    def proves(self) -> bool:
        if self.subjects:
            return False
        return self.kind in {ProofKind.BEHAVIOUR, ProofKind.COMMAND} or (
            self.kind is ProofKind.INTERFACE and self.named
        )


class Faster(Value):
    """A proof by time: a test that passes on base and patch, and the seconds that it takes."""

    test: str
    base_s: float
    patch_s: float
    """Both are medians."""
    tied: bool = False
    """It calls what the issue names, with something that the issue gives."""


class Pair(NamedTuple):
    """One run on base, and the one on the patch that followed it."""

    base_s: float
    patch_s: float

    @property
    def is_faster(self) -> bool:
        return self.base_s >= _LEAST_S and self.base_s >= _FACTOR * self.patch_s


def faster(test: str, pairs: Sequence[Pair], *, tied: bool) -> Faster | None:
    """Every pair has to show it: one lucky run is no proof."""
    if len(pairs) < ROUNDS or not all(pair.is_faster for pair in pairs):
        return None
    return Faster(
        test=test,
        base_s=round(median(pair.base_s for pair in pairs), 3),
        patch_s=round(median(pair.patch_s for pair in pairs), 3),
        tied=tied,
    )


def waits_by_itself(source: str) -> bool:
    """Such a test can take its time wherever it wants."""
    return _WAITS.search(source) is not None
