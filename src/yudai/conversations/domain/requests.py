"""Requests to conversations, and the solve requests made from them."""

from pydantic import ConfigDict, Field

from yudai.conversations.domain.conversation import MAX_TITLE
from yudai.kit.errors import RefusedError
from yudai.kit.value import Value
from yudai.solves.domain.matrix import Matrix
from yudai.solves.domain.request import AskedMatrix, SolveAsk
from yudai.solves.domain.slash_command import Place

_LINE = r"^[^\x00-\x1f\x7f]*$"
_MAX_CHARS = 20_000


class ConversationAsk(Value):
    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"title": "Leap years", "repo_url": "https://github.com/owner/repo"},
                {"title": "My own folder", "repo_path": "/home/ada/passbook"},
            ]
        }
    )

    title: str = Field(default="", max_length=MAX_TITLE, pattern=_LINE)
    repo_url: str = Field(
        default="",
        max_length=1000,
        pattern=_LINE,
        description="The default repository of its solves.",
    )
    repo_path: str = Field(
        default="",
        max_length=4000,
        pattern=_LINE,
        description="In local mode instead of `repo_url`: the absolute path of a folder.",
    )
    solve_id: str = Field(
        default="",
        max_length=64,
        pattern=_LINE,
        description="A solve without a conversation, which joins this one.",
    )


class MessageAsk(Value):
    model_config = ConfigDict(
        json_schema_extra={"examples": [{"text": "/solve #12"}, {"text": "Why did no run pass?"}]}
    )

    text: str = Field(
        min_length=1,
        max_length=_MAX_CHARS,
        description="Free text, or a command: `/solve #12 model=gpt-4.1 temp=0.2,0.6 budget=2.50`.",
    )


class IssueAsk(SolveAsk):
    """A solve request; missing fields default to the conversation's, then to the service's."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"limits": {"budget_usd": 2.5}}, {}]})

    matrix: AskedMatrix | None = None  # pyright: ignore[reportIncompatibleVariableOverride]

    def _lacks_contestants(self) -> bool:
        return self.matrix is not None and super()._lacks_contestants()


def check_place(place: Place) -> None:
    """RefusedError for an invalid repository. None at all is allowed."""
    if any(place):
        _ = SolveAsk.model_construct(repo_url=place.repo_url, repo_path=place.repo_path).place


def from_issue(body: IssueAsk, number: int, *, place: Place, matrix: Matrix) -> SolveAsk:
    if body.issue_number not in (None, number):
        raise RefusedError(
            f"the path names issue {number} and the body {body.issue_number}: name it once"
        )
    asked = {name: getattr(body, name) for name in SolveAsk.model_fields}
    if not (body.repo_url or body.repo_path):
        asked |= place.named()
    return SolveAsk.model_validate(asked | {"issue_number": number, "matrix": matrix})
