"""The forge issue to be solved; its text is never trusted."""

from pydantic import Field

from yudai.kit.value import Value


class Issue(Value):
    title: str = Field(min_length=1, max_length=500)
    body: str = Field(default="", max_length=200_000)
    number: int | None = Field(default=None, ge=1)

    @property
    def label(self) -> str:
        number = "" if self.number is None else f"#{self.number}"
        # An issue that was not fetched yet has only its number.
        return " ".join(dict.fromkeys(part for part in (number, self.title) if part))


def from_markdown(text: str) -> Issue:
    """First line (a heading or not) is the title, the rest the body."""
    head, _, rest = text.strip().partition("\n")
    return Issue(title=head.lstrip("# ").strip(), body=rest.strip())


class IssueFacts(Value):
    """What was removed from an issue's text when it was read from the forge."""

    url: str
    author: str
    taken_at: float
    comments_used: int = 0
    comments_left_out: int = 0
    """Not by collaborators, by bots, or too long together."""
    hidden_comments: int = 0
    """HTML comments that were stripped."""
    hidden_characters: int = 0
    """Zero-width, direction-changing and tag characters that were stripped."""
    was_cut: bool = False
