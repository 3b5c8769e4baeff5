"""Reads a repository at a forge and one of its issues before a solve is opened."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from yudai.forge.domain.closed_issue import closed_issue
from yudai.forge.domain.issue import Issue, IssueFacts
from yudai.forge.domain.issue_text import ContestantsIssue, Selection, take
from yudai.forge.domain.repository import (
    ForgeIssue,
    PullRequest,
    PullState,
    RepoRef,
    Repository,
    parse_target,
)
from yudai.forge.ports.remote import Credential, Credentials, Issues, Pulls, Repositories
from yudai.kit.clock import Clock
from yudai.kit.errors import NotFoundError, RefusedError, about
from yudai.kit.hints import BASE, ISSUE
from yudai.solves.domain.origin import PublishMode
from yudai.solves.domain.request import Remote, SolveAsk


class IssueSource(Repositories, Issues, Pulls, Protocol):
    """The parts of a forge that are read before a solve is opened."""


class Subject(NamedTuple):
    """Repository and issue of a solve at a forge."""

    repo: RepoRef
    base_branch: str
    issue: Issue
    facts: IssueFacts | None
    """None: the issue is given as text only."""
    publish: PublishMode


@dataclass(frozen=True)
class ForgeIssueReader:
    """Reads the repository's and the issue's facts; a worker fetches the code."""

    forge: IssueSource
    credentials: Credentials
    clock: Clock
    publish: PublishMode = PublishMode.AUTO
    """The default when the request does not say."""
    all_comments: bool = False

    async def subject(self, ask: SolveAsk, remote: Remote, *, user_id: str) -> Subject:
        """The issue as it is now; RefusedError names the field of what cannot be solved."""
        with about("repo_url"):
            target = parse_target(remote.url, forge=self.forge.url)
        try:
            return await self._subject(ask, target.repo, user_id=user_id)
        except NotFoundError as error:
            # A missing repository or issue is an invalid request, not a missing resource.
            raise RefusedError(*error.message, field=error.field) from error

    async def issue_of_folder(self, ask: SolveAsk, *, user_id: str) -> ContestantsIssue:
        """The issue of another repository than the solve's own, which is a folder."""
        with about("issue_repo"):
            repo = parse_target(ask.issue_repo, forge=self.forge.url).repo
        by = await self.credentials.reading(repo, user_id=user_id)
        selection = Selection(self.all_comments, ask.issue_text, ask.issue_title)
        number = ask.issue_number or 0
        with about("issue_number"):
            try:
                return await self.snapshot(repo, number, by=by, selection=selection)
            except NotFoundError as error:
                raise RefusedError(*error.message) from error

    async def _subject(self, ask: SolveAsk, repo: RepoRef, *, user_id: str) -> Subject:
        by = await self.credentials.reading(repo, user_id=user_id)
        with about("repo_url"):
            found = _usable(await self.forge.repository(repo, by=by))
        pulls = await self._pulls(ask, found.ref, by=by)
        issue, facts = await self._issue(ask, found.ref, pulls, by=by)
        return Subject(
            repo=found.ref,
            base_branch=ask.base_branch or _base_of(pulls) or found.default_branch,
            issue=issue,
            facts=facts,
            publish=self.publish if ask.publish is None else ask.publish,
        )

    async def _pulls(
        self, ask: SolveAsk, repo: RepoRef, *, by: Credential
    ) -> tuple[PullRequest, ...]:
        found: list[PullRequest] = []
        for at, patch in enumerate(ask.patches):
            if patch.pull is not None:
                with about(f"patches.{at}.pull"):
                    found.append(await self.forge.pull(repo, patch.pull, by=by))
        return tuple(found)

    async def _issue(
        self, ask: SolveAsk, repo: RepoRef, pulls: Sequence[PullRequest], *, by: Credential
    ) -> tuple[Issue, IssueFacts | None]:
        number = ask.issue_number
        if number is None and not ask.issue_text.strip() and pulls:
            number = _closed_by(pulls, repo)
            if number is None:
                return self._of_pull(pulls[0], ask)
        if number is None:
            return ask.issue, None
        selection = Selection(self.all_comments, ask.issue_text, ask.issue_title)
        with about("issue_number"):
            return await self.snapshot(repo, number, by=by, selection=selection)

    def _of_pull(self, pull: PullRequest, ask: SolveAsk) -> tuple[Issue, IssueFacts]:
        """A pull request's text as the issue. It has no issue number, and reviews are left out."""
        said = ForgeIssue(
            **pull.model_dump(include={"number", "title", "body", "url", "created_at"}),
            is_open=pull.state is PullState.OPEN,
            is_pull_request=True,
            author=pull.author,
            updated_at=pull.created_at,
        )
        selection = Selection(title=ask.issue_title)
        taken = take(said, (), at=self.clock.now(), selection=selection)
        return taken.issue.model_copy(update={"number": None}), taken.facts

    async def snapshot(
        self, repo: RepoRef, number: int, *, by: Credential, selection: Selection
    ) -> ContestantsIssue:
        found = await self.forge.issue(repo, number, by=by)
        if found.is_pull_request:
            raise RefusedError(
                f"{repo.full}#{number} is a pull request: give the number of an issue"
            )
        comments = await self.forge.comments(repo, number, by=by)
        taken = take(found, comments, at=self.clock.now(), selection=selection)
        # Build the URL when the forge did not give one.
        url = taken.facts.url or repo.issue_url(number)
        return ContestantsIssue(taken.issue, taken.facts.model_copy(update={"url": url}))


def _base_of(pulls: Sequence[PullRequest]) -> str:
    bases = sorted({pull.base_branch for pull in pulls})
    if len(bases) > 1:
        raise RefusedError(
            f"the pull requests are to several branches ({', '.join(bases)}): name one with ",
            BASE,
            field="base_branch",
        )
    return bases[0] if bases else ""


def _closed_by(pulls: Sequence[PullRequest], repo: RepoRef) -> int | None:
    """The issue that they close; None if the only pull request closes none and is its own issue."""
    closed = {closed_issue(pull.body, repo) for pull in pulls} - {None}
    if len(closed) == 1:
        return closed.pop()
    if not closed and len(pulls) == 1:
        return None
    said = "close several issues" if closed else "name no issue that they close"
    raise RefusedError(
        f"the pull requests {said}: say which one it is with ", ISSUE, field="issue_number"
    )


def _usable(found: Repository) -> Repository:
    if found.is_archived:
        raise RefusedError(f"{found.ref.full} is archived, without pull requests: unarchive it")
    return found
