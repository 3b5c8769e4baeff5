"""What all publishing steps share: rows, credentials, and the order of writes to the forge."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy.ext.asyncio import AsyncSession

from yudai.artifacts.context import Context
from yudai.artifacts.port import ArtifactKind
from yudai.artifacts.queries import artifact_of
from yudai.forge.domain.repository import RepoRef, parse_target
from yudai.forge.ports.remote import Credential, CredentialKind, Credentials, RemoteForge
from yudai.kit.errors import ForbiddenError, RefusedError
from yudai.kit.ids import LOCAL_USER, RunId, short
from yudai.kit.redaction import Redact, as_it_is
from yudai.kit.value import from_attributes
from yudai.patches.inspection import Inspection, inspect, too_large
from yudai.patches.patch import Patch, parse_patch
from yudai.publishing import queries as publications
from yudai.publishing.domain.issue_comparison import IssueComparison
from yudai.publishing.domain.publication import PublicationEvent, PublicationState
from yudai.publishing.domain.summary import AskedQuestion, PublishedSolve, file_deltas
from yudai.publishing.tables import PublicationRow
from yudai.ranking.rank import places_of
from yudai.runs import queries as runs
from yudai.runs.tables import RunRow
from yudai.solves import queries as solves
from yudai.solves import timeline as events
from yudai.solves.domain.states import SolveState
from yudai.solves.tables import QuestionRow, SolveRow
from yudai.store import write_turns
from yudai.verification.domain.verdict import tally

# The real error may name our files and machines, and the forge is public.
_BROKE = "It failed before there was a result: the operator of Yudai can see why."


def published_solve(
    solve: SolveRow, rows: Sequence[RunRow], *, run_id: RunId | None, page: str = ""
) -> PublishedSolve:
    """The facts to publish; `run_id` names the published patch, None when there is none."""
    places = places_of(rows)
    champion = next((p for p in places if p.scorecard.run_id == run_id), None)
    verdict = None if champion is None else champion.scorecard.verdict
    return PublishedSolve(
        solve_id=solve.id,
        issue_number=solve.issue_number,
        issue_title=solve.issue_title,
        base_branch=solve.base_branch,
        base_commit=solve.base_commit,
        command=solve.test_command or ("" if solve.baseline is None else solve.baseline.command),
        champion=champion,
        tests=None if verdict is None else tally(verdict, solve.baseline),
        others=tuple(place for place in places if place is not champion),
        not_started=len(solve.not_started),
        cost_micros=sum(run.total_cost_micros for run in rows),
        reason=_BROKE if solve.state is SolveState.FAILED else solve.reason,
        page_url=f"{page}/solves/{solve.id}" if page else "",
    )


def with_patch(published: PublishedSolve, patch: Patch, inspection: Inspection) -> PublishedSolve:
    flags = tuple(dict.fromkeys(reason.text for reason in inspection.flags))
    return published.model_copy(update={"files": file_deltas(patch), "flags": flags})


def page_of(frontend_url: str | None, backend_url: str | None, domain: str | None = None) -> str:
    """URL of the page without a trailing slash; "" when none is configured."""
    backend = (backend_url or "").rstrip("/").removesuffix("/api")
    return (frontend_url or "").rstrip("/") or backend or (f"https://{domain}" if domain else "")


Sleep = Callable[[float], Awaitable[object]]


_COMMITTED = publications.KINDS[PublicationEvent.COMMITTED]


class DismissedError(RefusedError):
    """A person dismissed the solve, so there is no pull request and no comment."""


class Work(NamedTuple):
    """A publication with the data that its steps need."""

    row: PublicationRow
    solve: SolveRow
    runs: list[RunRow]
    repo: RepoRef
    by: Credential
    questions: tuple[AskedQuestion, ...] = ()
    comparison: IssueComparison = IssueComparison()


class Prepared(NamedTuple):
    published: PublishedSolve
    content: bytes
    """The patch, which may be published."""


@dataclass(frozen=True)
class PublishContext:
    context: Context
    forge: RemoteForge
    credentials: Credentials
    page: str = ""
    """URL of the page; "": none that could be linked to."""
    redact: Redact = as_it_is
    sleep: Sleep = asyncio.sleep

    async def work(self, row: PublicationRow) -> Work:
        async with self.context.store.read() as db:
            solve = await solves.get(db, row.solve_id)
            rows = await runs.of_solve(db, row.solve_id)
            asked = await solves.questions(db, row.solve_id)
            committed = await events.of_kinds(db, row.solve_id, (_COMMITTED,))
            # After PUSHED a pull request may exist that is not recorded yet: look for it first.
            if row.state is not PublicationState.PUSHED:
                await _check_wanted(db, row, solve)
        repo = parse_target(row.repo_url, forge=self.forge.url).repo
        by = await self._credential(repo, row.actor)
        comparison = _comparison(committed[-1].data) if committed else IssueComparison()
        return Work(row, solve, rows, repo, by, tuple(map(_asked, asked)), comparison)

    async def prepare(self, work: Work) -> Prepared:
        """RefusedError for a patch that may not be published."""
        run_id = RunId(work.row.run_id or "")
        content, inspection, published = await self._inspect_patch(work, run_id)
        inspection.check()
        return Prepared(published, content)

    async def published(self, work: Work) -> PublishedSolve:
        """The facts for a comment, also without a patch or with one that may not be published."""
        run_id = work.row.run_id or work.solve.champion_run_id
        facts = self._facts(work, run_id)
        if run_id is not None:
            # It may have been refused because the patch cannot be read.
            with suppress(RefusedError):
                facts = (await self._inspect_patch(work, run_id)).published
        return facts.model_copy(update={"questions": work.questions})

    async def write_turn(self, work: Work) -> None:
        """Wait for our turn to write: writes are spaced out over all processes.

        ClaimLostError when the publication was lost, DismissedError when the solve was dismissed.
        """
        clock, by = self.context.clock, work.by
        # An installation belongs to an owner, a token to its login.
        who = work.repo.owner.lower() if by.kind is CredentialKind.APP else by.login.lower()
        key = f"{by.kind} {who} {self.forge.url}"
        async with self.context.store.change() as db:
            await _check_ours(db, work.row)
            at = await write_turns.reserve(db, key, now=clock.now())
        if (wait_s := at - clock.now()) > 0:
            await self.sleep(wait_s)
            async with self.context.store.change() as db:
                await _check_ours(db, work.row)

    async def note(self, row: PublicationRow, **columns: object) -> None:
        """Store columns that the next write to the forge depends on."""
        now = self.context.clock.now()
        async with self.context.store.change() as db:
            changed = await publications.change(db, row.solve_id, row.holder, at=now, **columns)
        for name in columns:
            setattr(row, name, getattr(changed, name))

    async def _inspect_patch(self, work: Work, run_id: RunId) -> "_Inspected":
        published = self._facts(work, run_id)
        kind = ArtifactKind.JOINED_PATCH if published.joined_test else ArtifactKind.PATCH
        content = await artifact_of(self.context, run_id, kind)
        if reason := too_large(len(content)):
            return _Inspected(content, Inspection(blocks=(reason,)), published)
        # In a thread: megabytes take seconds, which would block the event loop.
        return await asyncio.to_thread(_read, content, published, work.solve.project.protected)

    def _facts(self, work: Work, run_id: RunId | None) -> PublishedSolve:
        facts = published_solve(work.solve, work.runs, run_id=run_id, page=self.page)
        return facts.model_copy(update={"comparison": work.comparison})

    async def _credential(self, repo: RepoRef, actor: str) -> Credential:
        """Read each time, so that a revoked right is not used.

        Users who may not push can still offer a change from a fork, with their own token.
        """
        try:
            return await self.credentials.writing(repo, user_id=actor)
        except ForbiddenError:
            own = await self.credentials.reading(repo, user_id=actor)
            if not is_own(own, actor):
                raise
            return own


def is_own(by: Credential, actor: str) -> bool:
    """Whether it is the actor's own; in local mode the server's token is."""
    if by.kind is CredentialKind.SERVER:
        return actor == LOCAL_USER
    return by.kind is CredentialKind.USER and bool(actor)


def _comparison(data: Mapping[str, object]) -> IssueComparison:
    known = {name: data[name] for name in IssueComparison.model_fields if name in data}
    return IssueComparison.model_validate(known)


def _asked(row: QuestionRow) -> AskedQuestion:
    return from_attributes(AskedQuestion, row, name=short(row.id))


class _Inspected(NamedTuple):
    content: bytes
    inspection: Inspection
    published: PublishedSolve


def _read(content: bytes, published: PublishedSolve, protected: tuple[str, ...]) -> _Inspected:
    patch = parse_patch(content.decode("utf-8", "surrogateescape"))
    inspection = inspect(patch, protected=protected)
    return _Inspected(content, inspection, with_patch(published, patch, inspection))


async def _check_ours(db: AsyncSession, row: PublicationRow) -> None:
    await publications.hold(db, row)
    await _check_wanted(db, row, await solves.hold(db, row.solve_id))


async def _check_wanted(db: AsyncSession, row: PublicationRow, solve: SolveRow) -> None:
    if row.pull_number is None and await publications.is_dismissed(db, solve):
        raise DismissedError(publications.DISMISSED)
