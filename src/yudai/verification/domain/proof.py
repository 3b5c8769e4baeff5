"""What shows that a patch solves the issue: the kinds of proof, and the tests that give it."""

from enum import StrEnum

from yudai.kit.value import Value
from yudai.testing.domain.report import Failure


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
    subjects: tuple[Subject, ...] = ()
    """What it is about that the issue does not ask for: such a test proves nothing."""
    tied: bool = False
    """It calls what the issue names, with something that the issue gives."""
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
