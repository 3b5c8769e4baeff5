"""Proofs that a patch solves the issue: their kinds, and the tests that give them."""

import re
from collections.abc import Sequence
from enum import StrEnum
from statistics import median
from typing import NamedTuple

from yudai.kit.value import Value
from yudai.testing.domain.report import Failure

ROUNDS = 5
_FACTOR = 2.0
# Shorter times are noise of the machine.
_LEAST_S = 0.05
_WAITS = re.compile(r"\b(?:sleep|setTimeout|setInterval|setImmediate)\b|\bAtomics\s*\.\s*wait\b")


class ProofKind(StrEnum):
    """The kinds of proof, the strongest first."""

    BEHAVIOUR = "behaviour"
    """Code that exists in base behaves differently."""
    INTERFACE = "interface"
    """The patch adds something to call that base lacks."""
    COMMAND = "command"
    """A plain command fails on base and succeeds on the patch; only its exit code is known."""
    NONE = "none"


class Subject(StrEnum):
    """What a test can check instead of the product's behaviour."""

    SOURCE_TEXT = "source text"
    DOCUMENT = "a document"
    DATA_FILE = "a data file"
    PRIVATE_NAME = "a private name"
    WORDING = "wording"
    TIMING = "timing"


class OwnTest(Value):
    """A new test that a patch adds and passes."""

    id: str
    kind: ProofKind = ProofKind.NONE
    named: bool = False
    """Whether the issue names the new definitions that it uses."""
    symbols: tuple[str, ...] = ()
    """New definitions that the test uses and the issue does not name."""
    loads: tuple[str, ...] = ()
    """New definitions that only its file needs, to be loaded."""
    subjects: tuple[Subject, ...] = ()
    """What it checks although the issue does not ask for it; such a test proves nothing."""
    tied: bool = False
    """It calls what the issue names, with something that the issue gives."""
    is_worded: bool = False
    """Whether it also checks an exception's message: another answer may word it differently."""
    seconds: float = 0.0
    """How long it took on its author's patch."""
    red: Failure | None = None
    """How it failed on base."""
    text: str = ""
    """Its normalised source: equal tests are one proof."""

    @property
    def proves(self) -> bool:
        if self.subjects:
            return False
        return self.kind in {ProofKind.BEHAVIOUR, ProofKind.COMMAND} or (
            self.kind is ProofKind.INTERFACE and self.named
        )


class Faster(Value):
    """A proof by speed: a test that passes on base and patch, and its seconds on both."""

    test: str
    base_s: float
    patch_s: float
    """Both times are medians."""
    tied: bool = False
    """It calls what the issue names, with something that the issue gives."""


class Pair(NamedTuple):
    """A test's seconds on base, and on the patch right after that."""

    base_s: float
    patch_s: float

    @property
    def is_faster(self) -> bool:
        return self.base_s >= _LEAST_S and self.base_s >= _FACTOR * self.patch_s


def faster(test: str, pairs: Sequence[Pair], *, tied: bool) -> Faster | None:
    """The proof by speed, if each pair shows it: one fast run is no proof."""
    if len(pairs) < ROUNDS or not all(pair.is_faster for pair in pairs):
        return None
    return Faster(
        test=test,
        base_s=round(median(pair.base_s for pair in pairs), 3),
        patch_s=round(median(pair.patch_s for pair in pairs), 3),
        tied=tied,
    )


def waits_by_itself(source: str) -> bool:
    """Whether the test waits or sleeps itself, so that its time shows nothing."""
    return _WAITS.search(source) is not None
