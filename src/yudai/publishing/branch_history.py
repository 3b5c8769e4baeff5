"""Detects what happened to our changes on their base branch: landed, reverted, reapplied."""

from dataclasses import dataclass, field
from typing import NamedTuple

from sqlalchemy.ext.asyncio import AsyncSession

from yudai.artifacts.context import Context
from yudai.artifacts.port import ArtifactKind
from yudai.artifacts.queries import artifact_of
from yudai.forge.domain.repository import ForgeCommit, PullRequest, PullState, RepoRef
from yudai.forge.ports.remote import Credential, Landed, Mirrors, RemoteForge
from yudai.kit.errors import NotFoundError
from yudai.kit.ids import SolveId
from yudai.kit.untyped import as_count, as_text
from yudai.patches.patch import parse_patch
from yudai.publishing import outcome_queries as outcomes
from yudai.publishing import queries as publications
from yudai.publishing.confirm_revert import REVERSALS
from yudai.publishing.domain.branch_history import (
    Act,
    Change,
    Landing,
    LandingSign,
    acts_of,
    find_landing,
)
from yudai.publishing.domain.publication import OutcomeKind
from yudai.publishing.domain.reverts import (
    MOST_LEFT,
    Reading,
    Reversal,
    Sign,
    has_enough,
    read_history,
    telling_lines,
)
from yudai.publishing.tables import OutcomeRow, PublicationRow
from yudai.solves import queries as solves
from yudai.store.rows import Data

_KEY = 128


class TrackedPublication(NamedTuple):
    """A publication with its outcomes so far."""

    row: PublicationRow
    kept: tuple[OutcomeRow, ...]

    @property
    def reversals(self) -> tuple[Reversal, ...]:
        return tuple(_reversal(row) for row in self.kept if row.kind in REVERSALS)

    def last(self, kind: OutcomeKind) -> OutcomeRow | None:
        return next((row for row in reversed(self.kept) if row.kind is kind), None)


def _reversal(row: OutcomeRow) -> Reversal:
    return Reversal(
        kind=row.kind,
        sha=row.key,
        at=row.at,
        sign=Sign(as_text(row.evidence.get("sign")) or Sign.CONTENT),
        number=as_count(row.evidence.get("by_pull")) or None,
    )


def act_row(
    ours: TrackedPublication, kind: OutcomeKind, act: Act | Reversal, sign: Sign
) -> OutcomeRow:
    event_data: Data = {"sign": sign, "commit": act.sha, "by_pull": act.number}
    return _row(ours, kind, act.sha, at=act.at, by=act.by, evidence=event_data)


def lines_gone_row(ours: TrackedPublication, *, at: float) -> OutcomeRow:
    """One suspicion for each time that our change came to the branch."""
    event_data: Data = {"sign": Sign.CONTENT, "reason": "most lines of the change are gone"}
    kind = OutcomeKind.SUSPECTED_REVERT
    return _row(ours, kind, f"lines-{len(ours.reversals)}", at=at, by="", evidence=event_data)


def landing_row(ours: TrackedPublication, found: Landing) -> OutcomeRow:
    event_data: Data = {"sign": found.sign, "commit": found.act.sha}
    kind, act = OutcomeKind.LANDED, found.act
    return _row(ours, kind, act.sha, at=act.at, by=act.by, evidence=event_data)


def _row(
    ours: TrackedPublication, kind: OutcomeKind, key: str, *, at: float, by: str, evidence: Data
) -> OutcomeRow:
    return OutcomeRow(
        solve_id=ours.row.solve_id,
        run_id=ours.row.run_id,
        kind=kind,
        key=key[:_KEY],
        at=at,
        seen_at=at,
        by=by,
        evidence={"pull": ours.row.pull_number, **evidence},
    )


# A merge and the next commit may have the same second.
_SLACK_S = 1.0
_PAGE = 500
_PAGES = 5


class ForgeAccess(NamedTuple):
    repo: RepoRef
    by: Credential


class _Branch(NamedTuple):
    since: float
    commits: tuple[ForgeCommit, ...]
    merged: tuple[PullRequest, ...]


@dataclass(frozen=True)
class BranchHistories:
    """Branch histories for one round of checks: each branch is requested once."""

    context: Context
    forge: RemoteForge
    mirrors: Mirrors
    _branches: dict[tuple[str, str, str], _Branch] = field(
        default_factory=dict[tuple[str, str, str], _Branch]
    )
    _landed: dict[tuple[str, ...], tuple[Landed, ...]] = field(
        default_factory=dict[tuple[str, ...], tuple[Landed, ...]]
    )

    async def note(self, solve_id: SolveId, access: ForgeAccess) -> None:
        """Record what happened to a change that was merged or closed."""
        ours = await self._ours(solve_id)
        if ours is None:
            return
        change = _merged(ours, access.repo)
        if change is None:
            ours = await self._land(ours, access)
            change = None if ours is None else _landed(ours, access.repo)
        if ours is not None and change is not None:
            await self._read(ours, change, access)

    async def _land(
        self, ours: TrackedPublication, access: ForgeAccess
    ) -> TrackedPublication | None:
        """The publication if its change was landed by hand; None otherwise."""
        if ours.row.pull_state is not PullState.CLOSED:
            return None
        if ours.last(OutcomeKind.LANDED) is None:
            found = await self._landing(ours, access)
            if found is None or not await self._keep(ours, [landing_row(ours, found)]):
                return None
        return await self._ours(ours.row.solve_id)

    async def _landing(self, ours: TrackedPublication, access: ForgeAccess) -> Landing | None:
        row = ours.row
        change = _change(ours, access.repo, (row.commit,), row.base_branch, row.created_at)
        branch = await self._branch(access, change)
        landed = await self._landed_since(access, row.base_branch, row.base_commit)
        return find_landing(change, _acts(change, branch, landed))

    async def _read(self, ours: TrackedPublication, change: Change, access: ForgeAccess) -> None:
        branch = await self._branch(access, change)
        if _is_still(branch, change):
            return
        landed = await self._landed_since(access, change.base, change.shas[0])
        reading = read_history(change, _acts(change, branch, landed), kept=ours.reversals)
        found = [act_row(ours, one.kind, one, one.sign) for one in reading.reversals]
        suspected = OutcomeKind.SUSPECTED_REVERT
        found += [act_row(ours, suspected, act, Sign.CONTENT) for act in reading.suspicions]
        if await self._are_lines_gone(ours, reading, change, access):
            found.append(lines_gone_row(ours, at=self.context.clock.now()))
        if found:
            await self._keep(ours, found)

    async def _are_lines_gone(
        self, ours: TrackedPublication, reading: Reading, change: Change, access: ForgeAccess
    ) -> bool:
        if not reading.is_there or reading.suspicions or not _may_be_asked(ours):
            return False
        try:
            patch = await self._patch(ours)
        except NotFoundError:
            return False
        lines = telling_lines(parse_patch(patch.decode("utf-8", "surrogateescape")))
        if not has_enough(lines):
            return False
        left = await self.mirrors.lines_left(access.repo, change.base, lines, by=access.by)
        return left <= MOST_LEFT

    async def _patch(self, ours: TrackedPublication) -> bytes:
        if ours.row.run_id is None:
            raise NotFoundError("only a comment was published")
        return await artifact_of(self.context, ours.row.run_id, ArtifactKind.PATCH)

    async def _branch(self, access: ForgeAccess, change: Change) -> _Branch:
        """The branch's history since our change came there, not since the last check.

        A commit may come to the branch long after its own time.
        """
        key = (access.repo.url, change.base, access.by.login)
        since = change.since - _SLACK_S
        known = self._branches.get(key)
        if known is not None and known.since <= since:
            return known
        commits = await self.forge.commits(access.repo, change.base, since=since, by=access.by)
        merged = await self.forge.merged_since(access.repo, change.base, since, by=access.by)
        self._branches[key] = _Branch(since, commits, merged)
        return self._branches[key]

    async def _landed_since(
        self, access: ForgeAccess, base: str, commit: str
    ) -> tuple[Landed, ...]:
        """Commits after this one; empty when it is no longer on the branch. Then lines decide."""
        # Each request is a fetch, and many changes start from one commit.
        key = (access.repo.url, base, commit, access.by.kind, access.by.login)
        if key not in self._landed:
            self._landed[key] = await self._fetch_landed(access, base, commit)
        return self._landed[key]

    async def _fetch_landed(
        self, access: ForgeAccess, base: str, commit: str
    ) -> tuple[Landed, ...]:
        found: dict[str, Landed] = {}
        last = commit
        for _ in range(_PAGES):
            try:
                page = await self.mirrors.landed_since(access.repo, base, last, by=access.by)
            except NotFoundError:
                break
            found |= {one.sha: one for one in page}
            if len(page) < _PAGE:
                break
            last = page[-1].sha
        return tuple(found.values())

    async def _ours(self, solve_id: SolveId) -> TrackedPublication | None:
        async with self.context.store.read() as db:
            return await _read_ours(db, solve_id)

    async def _keep(self, ours: TrackedPublication, found: list[OutcomeRow]) -> bool:
        """Store outcomes; False when others were stored meanwhile. The next round reads again."""
        async with self.context.store.change() as db:
            await solves.hold(db, ours.row.solve_id)
            now = await _read_ours(db, ours.row.solve_id)
            if now is None or len(now.kept) != len(ours.kept):
                return False
            for outcome in found:
                outcome.seen_at = self.context.clock.now()
                await outcomes.add(db, outcome)
        return True


async def _read_ours(db: AsyncSession, solve_id: SolveId) -> TrackedPublication | None:
    row = await publications.find(db, solve_id)
    if row is None:
        return None
    return TrackedPublication(row, tuple(await outcomes.of_solve(db, solve_id)))


def _merged(ours: TrackedPublication, repo: RepoRef) -> Change | None:
    row = ours.row
    if row.pull_state is not PullState.MERGED or not row.merge_commit or row.merged_at is None:
        return None
    kept = ours.last(OutcomeKind.MERGED)
    base = as_text(kept.evidence.get("base")) if kept else ""
    shas = (row.merge_commit, row.commit)
    return _change(ours, repo, shas, base or row.base_branch, row.merged_at)


def _landed(ours: TrackedPublication, repo: RepoRef) -> Change | None:
    kept = ours.last(OutcomeKind.LANDED)
    if kept is None:
        return None
    return _change(ours, repo, (kept.key, ours.row.commit), ours.row.base_branch, kept.at)


def _change(
    ours: TrackedPublication, repo: RepoRef, shas: tuple[str, ...], base: str, since: float
) -> Change:
    row = ours.row
    return Change(
        repo=repo.full,
        number=row.pull_number or 0,
        title=row.pull_title,
        base=base,
        shas=tuple(sha for sha in shas if sha),
        since=since,
        patch_id=row.patch_id,
        inverse_patch_id=row.inverse_patch_id,
    )


def _acts(change: Change, branch: _Branch, landed: tuple[Landed, ...]) -> tuple[Act, ...]:
    """Acts after our change, in git's order; commit times may be wrong."""
    authors = {commit.sha: commit.author for commit in branch.commits}
    here = [
        ForgeCommit(
            sha=one.sha,
            message=one.message,
            at=max(one.at, change.since),
            author=authors.get(one.sha, ""),
        )
        for one in landed
    ]
    seen = {one.sha for one in landed}
    here += [commit for commit in branch.commits if commit.sha not in seen]
    patch_ids = {one.sha: one.patch_id for one in landed}
    return acts_of(change.base, here, branch.merged, patch_ids=patch_ids)


def _is_still(branch: _Branch, change: Change) -> bool:
    """Whether our change is on the branch and nothing came after it."""
    others = any(pull.number != change.number for pull in branch.merged)
    shas = {commit.sha for commit in branch.commits}
    return not others and bool(shas) and shas <= {*change.shas}


def _may_be_asked(ours: TrackedPublication) -> bool:
    """Whether lines may raise a suspicion: the change landed as we wrote it, and none is open."""
    merged, landed = ours.last(OutcomeKind.MERGED), ours.last(OutcomeKind.LANDED)
    as_ours = bool(merged and merged.evidence.get("as_published")) or bool(
        landed and landed.evidence.get("sign") == LandingSign.PATCH
    )
    waits = any(
        row.kind is OutcomeKind.SUSPECTED_REVERT and row.confirmed is None for row in ours.kept
    )
    return as_ours and not waits
