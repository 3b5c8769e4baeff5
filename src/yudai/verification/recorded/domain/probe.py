"""One assertion of a test, split into the computed expression and its expected value."""

from enum import StrEnum
from typing import NamedTuple

from yudai.verification.domain.expected.literals import Literal


class Language(StrEnum):
    PYTHON = "python"
    NODE = "node"


class Relation(StrEnum):
    EQUAL = "equal"
    DIFFERENT = "different"
    TRUE = "true"
    FALSE = "false"
    CONTAINS = "contains"
    """The computed value contains the expected one."""
    MEMBER = "member"
    RAISES = "raises"
    OPEN = "open"
    """The expected value is computed, too, so that only answers can be compared."""


class Expected(NamedTuple):
    relation: Relation
    value: Literal | None = None
    error: str = ""
    """The name of the exception's class; "" for any."""


OPEN = Expected(Relation.OPEN)


class Probe(NamedTuple):
    test: str
    path: str
    language: Language
    imports: tuple[str, ...]
    code: tuple[str, ...]
    """The statements before the assertion."""
    expression: str
    expected: Expected = OPEN

    @property
    def size(self) -> int:
        return len(self.expression) + sum(map(len, self.code))


class TakenApart(NamedTuple):
    probes: tuple[Probe, ...] = ()
    reason: str = ""
    """Why the test, or the rest of it, cannot run without its runner."""
