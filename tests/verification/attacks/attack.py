"""One attack on the verdict: who tries what, and which rule stands in its way."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from tests.support.verified_repo import Files
from yudai.verification.domain.rules import Rule


@dataclass(frozen=True)
class Scene:
    """A repository, an issue about it, and a right answer with a good test."""

    base: Files
    issue: str
    right: Files
    node: bool = False
    test: str = ""
    """The command; empty: what is detected."""

    def more(self, files: Files) -> Files:
        return {**self.base, **files}


@dataclass(frozen=True)
class Attack:
    """`answers` without the handle `right` get it in a second line-up, where it has to win."""

    name: str
    scene: Scene
    answers: Mapping[str, Files]
    rule: Rule | None = None
    """Without it the attack wins. None: no rule but the pipeline itself stops it."""
    behind: tuple[Rule, ...] = ()
    """Rules that would stop it, too, if the first one were not there."""
    wins: str = "wrong"
    """Who is champion without the rule; empty: nobody, so a right answer has lost."""
    base: Files = field(default_factory=dict[str, str | bytes | None])
    """More files of the base."""
    issue: str = ""
    models: Mapping[str, str] = field(default_factory=dict[str, str])
    timeout_s: float = 60.0
    asks: bool = False
    """A person decides, although a right answer brought a test."""
    always: bool = False
    """In `make test`, and not only in `make test-real`."""

    @property
    def line_ups(self) -> list[Mapping[str, Files]]:
        if "right" in self.answers:
            return [self.answers]
        return [self.answers, {**self.answers, "right": self.scene.right}]


RIGHT = frozenset({"right", "silent", "other"})
"""Handles of right answers; all others are wrong."""
