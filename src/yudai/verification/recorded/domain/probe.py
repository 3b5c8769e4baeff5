"""One assertion of a test, taken apart: what is computed, and what it is expected to be."""

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
    """What is computed contains what is expected."""
    MEMBER = "member"
    RAISES = "raises"
    OPEN = "open"
    """What is expected is computed, too: only answers can be compared with each other."""


class Expected(NamedTuple):
    relation: Relation
    value: Literal | None = None
    error: str = ""
    """The name of an exception's class; "" stands for any."""


OPEN = Expected(Relation.OPEN)


class Probe(NamedTuple):
    test: str
    path: str
    language: Language
    imports: tuple[str, ...]
    code: tuple[str, ...]
    """Statements that lead to the assertion, one by one."""
    expression: str
    expected: Expected = OPEN

    @property
    def size(self) -> int:
        return len(self.expression) + sum(map(len, self.code))


class TakenApart(NamedTuple):
    probes: tuple[Probe, ...] = ()
    reason: str = ""
    """Why the test, or the rest of it, cannot be repeated without its runner."""
