"""What came onto a base branch after a change of ours, and what that means for it."""

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
from yudai.publishing.confirm_revert import TURNS
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
    Sign,
    Turn,
    has_enough,
    read_history,
    telling_lines,
)
from yudai.publishing.tables import OutcomeRow, PublicationRow
from yudai.solves import queries as solves
from yudai.store.rows import Data

_KEY = 128


class Ours(NamedTuple):
    """A publication with what is kept of it so far."""

    row: PublicationRow
    kept: tuple[OutcomeRow, ...]

    @property
    def turns(self) -> tuple[Turn, ...]:
        return tuple(_turn(row) for row in self.kept if row.kind in TURNS)

    def last(self, kind: OutcomeKind) -> OutcomeRow | None:
        return next((row for row in reversed(self.kept) if row.kind is kind), None)


def _turn(row: OutcomeRow) -> Turn:
    return Turn(
        kind=row.kind,
        sha=row.key,
        at=row.at,
        sign=Sign(as_text(row.evidence.get("sign")) or Sign.CONTENT),
        number=as_count(row.evidence.get("by_pull")) or None,
    )


def turn_row(ours: Ours, turn: Turn) -> OutcomeRow:
    told: Data = {"sign": turn.sign, "commit": turn.sha, "by_pull": turn.number}
    return _row(ours, turn.kind, turn.sha, at=turn.at, by=turn.by, evidence=told)


def suspicion_row(ours: Ours, act: Act) -> OutcomeRow:
    told: Data = {"sign": Sign.CONTENT, "commit": act.sha, "by_pull": act.number}
    kind = OutcomeKind.SUSPECTED_REVERT
    return _row(ours, kind, act.sha, at=act.at, by=act.by, evidence=told)


def lines_gone_row(ours: Ours, *, at: float) -> OutcomeRow:
    """Once for each time that our change came there."""
    told: Data = {"sign": Sign.CONTENT, "reason": "most lines of the change are gone"}
    kind = OutcomeKind.SUSPECTED_REVERT
    return _row(ours, kind, f"lines-{len(ours.turns)}", at=at, by="", evidence=told)


def landing_row(ours: Ours, found: Landing) -> OutcomeRow:
    told: Data = {"sign": found.sign, "commit": found.act.sha}
    kind, act = OutcomeKind.LANDED, found.act
    return _row(ours, kind, act.sha, at=act.at, by=act.by, evidence=told)


def _row(
    ours: Ours, kind: OutcomeKind, key: str, *, at: float, by: str, evidence: Data
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


# A merge and what follows may be told to have happened in the same second.
_SLACK_S = 1.0
_PAGE = 500
_PAGES = 5


class Asked(NamedTuple):
    repo: RepoRef
    by: Credential


class _Branch(NamedTuple):
    since: float
    commits: tuple[ForgeCommit, ...]
    merged: tuple[PullRequest, ...]


@dataclass(frozen=True)
class Histories:
    """For one round of looking: a branch is asked for once, whoever has changes on it."""

    context: Context
    forge: RemoteForge
    mirrors: Mirrors
    _branches: dict[tuple[str, str, str], _Branch] = field(
        default_factory=dict[tuple[str, str, str], _Branch]
    )
    _landed: dict[tuple[str, ...], tuple[Landed, ...]] = field(
        default_factory=dict[tuple[str, ...], tuple[Landed, ...]]
    )

    async def note(self, solve_id: SolveId, asked: Asked) -> None:
        """Keep what has become of a change that was merged, or of one that was closed."""
        ours = await self._ours(solve_id)
        if ours is None:
            return
        change = _merged(ours, asked.repo)
        if change is None:
            ours = await self._land(ours, asked)
            change = None if ours is None else _landed(ours, asked.repo)
        if ours is not None and change is not None:
            await self._read(ours, change, asked)

    async def _land(self, ours: Ours, asked: Asked) -> Ours | None:
        """None: it was not brought there by hand, or it was merged and nobody knows where."""
        if ours.row.pull_state is not PullState.CLOSED:
            return None
        if ours.last(OutcomeKind.LANDED) is None:
            found = await self._landing(ours, asked)
            if found is None or not await self._keep(ours, [landing_row(ours, found)]):
                return None
        return await self._ours(ours.row.solve_id)

    async def _landing(self, ours: Ours, asked: Asked) -> Landing | None:
        row = ours.row
        change = _change(ours, asked.repo, (row.commit,), row.base_branch, row.created_at)
        branch = await self._branch(asked, change)
        landed = await self._landed_since(asked, row.base_branch, row.base_commit)
        return find_landing(change, _acts(change, branch, landed))

    async def _read(self, ours: Ours, change: Change, asked: Asked) -> None:
        branch = await self._branch(asked, change)
        if _is_still(branch, change):
            return
        landed = await self._landed_since(asked, change.base, change.shas[0])
        reading = read_history(change, _acts(change, branch, landed), kept=ours.turns)
        found = [turn_row(ours, turn) for turn in reading.turns]
        found += [suspicion_row(ours, act) for act in reading.suspicions]
        if await self._are_lines_gone(ours, reading, change, asked):
            found.append(lines_gone_row(ours, at=self.context.clock.now()))
        if found:
            await self._keep(ours, found)

    async def _are_lines_gone(
        self, ours: Ours, reading: Reading, change: Change, asked: Asked
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
        left = await self.mirrors.lines_left(asked.repo, change.base, lines, by=asked.by)
        return left <= MOST_LEFT

    async def _patch(self, ours: Ours) -> bytes:
        if ours.row.run_id is None:
            raise NotFoundError("only a comment was published")
        return await artifact_of(self.context, ours.row.run_id, ArtifactKind.PATCH)

    async def _branch(self, asked: Asked, change: Change) -> _Branch:
        """Since our change came there, not since we looked last.

        A commit has the time at which it was made: it may come onto the branch much later.
        """
        key = (asked.repo.url, change.base, asked.by.login)
        since = change.since - _SLACK_S
        known = self._branches.get(key)
        if known is not None and known.since <= since:
            return known
        commits = await self.forge.commits(asked.repo, change.base, since=since, by=asked.by)
        merged = await self.forge.merged_since(asked.repo, change.base, since, by=asked.by)
        self._branches[key] = _Branch(since, commits, merged)
        return self._branches[key]

    async def _landed_since(self, asked: Asked, base: str, commit: str) -> tuple[Landed, ...]:
        """Nothing where the commit is not on the branch any more: then its lines tell."""
        # Each asking is a fetch, and many changes are made from one commit.
        key = (asked.repo.url, base, commit, asked.by.kind, asked.by.login)
        if key not in self._landed:
            self._landed[key] = await self._fetch_landed(asked, base, commit)
        return self._landed[key]

    async def _fetch_landed(self, asked: Asked, base: str, commit: str) -> tuple[Landed, ...]:
        found: dict[str, Landed] = {}
        last = commit
        for _ in range(_PAGES):
            try:
                page = await self.mirrors.landed_since(asked.repo, base, last, by=asked.by)
            except NotFoundError:
                break
            found |= {one.sha: one for one in page}
            if len(page) < _PAGE:
                break
            last = page[-1].sha
        return tuple(found.values())

    async def _ours(self, solve_id: SolveId) -> Ours | None:
        async with self.context.store.read() as db:
            return await _read_ours(db, solve_id)

    async def _keep(self, ours: Ours, found: list[OutcomeRow]) -> bool:
        """Unless somebody else has kept something meanwhile: then it is read anew next time."""
        async with self.context.store.change() as db:
            await solves.hold(db, ours.row.solve_id)
            now = await _read_ours(db, ours.row.solve_id)
            if now is None or len(now.kept) != len(ours.kept):
                return False
            for outcome in found:
                outcome.seen_at = self.context.clock.now()
                await outcomes.add(db, outcome)
        return True


async def _read_ours(db: AsyncSession, solve_id: SolveId) -> Ours | None:
    row = await publications.find(db, solve_id)
    return None if row is None else Ours(row, tuple(await outcomes.of_solve(db, solve_id)))


def _merged(ours: Ours, repo: RepoRef) -> Change | None:
    row = ours.row
    if row.pull_state is not PullState.MERGED or not row.merge_commit or row.merged_at is None:
        return None
    kept = ours.last(OutcomeKind.MERGED)
    base = as_text(kept.evidence.get("base")) if kept else ""
    shas = (row.merge_commit, row.commit)
    return _change(ours, repo, shas, base or row.base_branch, row.merged_at)


def _landed(ours: Ours, repo: RepoRef) -> Change | None:
    kept = ours.last(OutcomeKind.LANDED)
    if kept is None:
        return None
    return _change(ours, repo, (kept.key, ours.row.commit), ours.row.base_branch, kept.at)


def _change(ours: Ours, repo: RepoRef, shas: tuple[str, ...], base: str, since: float) -> Change:
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
    """Git knows what came after our change; what a wrong clock says of it does not count."""
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
    """Whether our change is there and nothing came after it."""
    others = any(pull.number != change.number for pull in branch.merged)
    shas = {commit.sha for commit in branch.commits}
    return not others and bool(shas) and shas <= {*change.shas}


def _may_be_asked(ours: Ours) -> bool:
    """Only of what stands there as we wrote it, and not while another suspicion waits."""
    merged, landed = ours.last(OutcomeKind.MERGED), ours.last(OutcomeKind.LANDED)
    as_ours = bool(merged and merged.evidence.get("as_published")) or bool(
        landed and landed.evidence.get("sign") == LandingSign.PATCH
    )
    waits = any(
        row.kind is OutcomeKind.SUSPECTED_REVERT and row.confirmed is None for row in ours.kept
    )
    return as_ours and not waits
