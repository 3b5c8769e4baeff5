"""Reads a repository at a forge and one of its issues before a solve is opened."""

from dataclasses import dataclass
from typing import NamedTuple, Protocol

from yudai.forge.domain.issue import Issue, IssueFacts
from yudai.forge.domain.issue_text import ContestantsIssue, Selection, take
from yudai.forge.domain.repository import RepoRef, Repository, parse_target
from yudai.forge.ports.remote import Credential, Credentials, Issues, Repositories
from yudai.kit.clock import Clock
from yudai.kit.errors import NotFoundError, RefusedError, about
from yudai.solves.domain.origin import PublishMode
from yudai.solves.domain.request import Remote, SolveAsk


class IssueSource(Repositories, Issues, Protocol):
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

    async def _subject(self, ask: SolveAsk, repo: RepoRef, *, user_id: str) -> Subject:
        by = await self.credentials.reading(repo, user_id=user_id)
        with about("repo_url"):
            found = _usable(await self.forge.repository(repo, by=by))
        if ask.issue_number is None:
            issue, facts = ask.issue, None
        else:
            selection = Selection(self.all_comments, ask.issue_text, ask.issue_title)
            with about("issue_number"):
                issue, facts = await self.snapshot(
                    found.ref, ask.issue_number, by=by, selection=selection
                )
        return Subject(
            repo=found.ref,
            base_branch=ask.base_branch or found.default_branch,
            issue=issue,
            facts=facts,
            publish=self.publish if ask.publish is None else ask.publish,
        )

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


def _usable(found: Repository) -> Repository:
    if found.is_archived:
        raise RefusedError(f"{found.ref.full} is archived, without pull requests: unarchive it")
    return found
