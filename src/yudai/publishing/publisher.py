"""Publishes a champion as one pull request and one comment, in steps that survive failures."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial

import structlog

from yudai.kit.errors import ClaimLostError, InfrastructureError, RefusedError, retry_after_s
from yudai.kit.ids import SolveId
from yudai.kit.retry import grown
from yudai.kit.text import line
from yudai.publishing import queries as publications
from yudai.publishing.branch import BranchWriter
from yudai.publishing.comment import IssueComment
from yudai.publishing.context import DismissedError, PublishContext
from yudai.publishing.domain.publication import PublicationEvent, PublicationState
from yudai.publishing.pull_request import open_pull_request
from yudai.publishing.queries import Move
from yudai.publishing.requests import may_comment, request_automatically
from yudai.publishing.tables import PublicationRow
from yudai.solves import timeline as events
from yudai.store.outages import StoreAwayError
from yudai.store.store import Store

log: structlog.stdlib.BoundLogger = structlog.get_logger()

LEASE_S = 60.0
"""A lease that is not renewed for this long expires, and another worker resumes."""
MAX_TRIES = 12
FIRST_PAUSE_S = 5.0
LONGEST_PAUSE_S = 900.0
_AT_ONCE = 4
_MOST = 100
_MAX_TEXT = 500
_FORGOTTEN_S = 24 * 3600.0
# Younger ones are about to be published by their own flow.
_GRACE_S = 10.0

_REFUSALS = (PublicationState.REFUSED, PublicationState.STALE)
# A comment has to say why, unless a person closed the pull request.
_OWING = (PublicationEvent.REFUSED, PublicationEvent.OUTDATED)
_CLEAR = {"tries": 0, "error": "", "due_at": 0.0}


@dataclass(frozen=True)
class Publisher:
    """Durable steps per solve: each result is stored before the next write."""

    publishing: PublishContext
    branch_writer: BranchWriter
    issue_comment: IssueComment
    holder: str
    """Id of this publisher, new at each start."""

    async def auto(self, solve_id: SolveId) -> None:
        """Publish a verified champion, or comment that there is none, if no request is needed."""
        forge, now = self.publishing.forge, self._now()
        comments_on = self.issue_comment.comments_on
        async with self._store.change() as db:
            row = await request_automatically(
                db, solve_id, comments_on=comments_on, forge=forge.url, at=now
            )
        if row is not None:
            await self.resume(solve_id)

    async def resume(self, solve_id: SolveId) -> None:
        """Execute the remaining steps, until it is done or has to wait."""
        row = await self._take(solve_id)
        if row is None:
            return
        structlog.contextvars.bind_contextvars(solve_id=solve_id)
        try:
            async with self._holding_lease(row):
                while publications.is_owed(row) and (stands := await self._step(row)):
                    row = stands
            await self._release(row)
        except ClaimLostError:
            log.warning("publication.taken", solve_id=solve_id)
        except asyncio.CancelledError:
            await self._release(row)
            raise

    async def sweep(self) -> int:
        """Resume all publications that are due and not held, also after a crash."""
        async with self._store.read() as db:
            found = await publications.due(
                db, forge=self.publishing.forge.url, at=self._now(), limit=_MOST
            )
        slots = asyncio.Semaphore(_AT_ONCE)

        async def resume_one(solve_id: SolveId) -> None:
            async with slots:
                await self.resume(solve_id)

        async with asyncio.TaskGroup() as group:
            for solve_id in found:
                group.create_task(resume_one(solve_id))
        return len(found)

    async def remember(self) -> int:
        """Publish for ended solves whose flow died before it published."""
        now = self._now()
        async with self._store.read() as db:
            found = await publications.forgotten(
                db,
                forge=self.publishing.forge.url,
                since=now - _FORGOTTEN_S,
                until=now - _GRACE_S,
                limit=5 * _MOST,
            )
        owed = [ended.solve_id for ended in found if may_comment(ended.publish, ended.origin)]
        for solve_id in owed:
            try:
                await self.auto(solve_id)
            except Exception as error:  # noqa: BLE001 - continue with the others
                log.warning("publishing.resume_failed", solve_id=solve_id, error=repr(error))
        return len(owed)

    async def _step(self, row: PublicationRow) -> PublicationRow | None:
        """Execute one step; None when it has to be tried again later."""
        try:
            move = await self._next(row)
        except (ClaimLostError, StoreAwayError):
            raise
        except DismissedError:
            return await self._refuse_dismissed(row)
        except RefusedError as error:
            return await self._give_up(row, str(error))
        except InfrastructureError as error:
            return await self._postpone(row, str(error), pause_s=retry_after_s(error))
        except Exception as error:
            log.exception("publication.broke", state=row.state)
            return await self._postpone(row, f"Yudai failed: {type(error).__name__}")
        return await self._write(row, move)

    async def _next(self, row: PublicationRow) -> Move:
        """Execute the next step. After RefusedError or ForgeError nothing has changed.

        Each one checks the forge first, so it can be repeated after a crash or a lost answer.
        """
        acts = {
            PublicationState.REQUESTED: self.branch_writer.commit
            if row.run_id
            else self.issue_comment.upsert,
            PublicationState.COMMITTED: self.branch_writer.push,
            PublicationState.PUSHED: partial(open_pull_request, self.publishing),
            PublicationState.OPENED: self.issue_comment.upsert,
            # Final, except for a comment that says why.
            PublicationState.REFUSED: self.issue_comment.upsert,
            PublicationState.STALE: self.issue_comment.upsert,
        }
        return await acts[row.state](await self.publishing.work(row))

    async def _write(self, row: PublicationRow, move: Move) -> PublicationRow:
        now, columns = self._now(), {**_CLEAR, **move.columns}
        if move.event in _OWING and "pull_number" not in columns:
            columns["due_at"] = now
        async with self._store.change() as db:
            if row.state not in _REFUSALS:
                return await publications.advance(db, row, move._replace(columns=columns), at=now)
            if move.data:
                kind, data = publications.KINDS[move.event], move.data
                await events.append(db, row.solve_id, kind=kind, at=now, data=data)
            return await publications.change(db, row.solve_id, row.holder, at=now, **columns)

    async def _refuse_dismissed(self, row: PublicationRow) -> PublicationRow:
        now = self._now()
        async with self._store.change() as db:
            if row.state in _REFUSALS:
                return await publications.change(db, row.solve_id, row.holder, at=now, **_CLEAR)
            why: dict[str, object] = {"reason": publications.DISMISSED}
            move = Move(PublicationEvent.REFUSED, {**_CLEAR, **why}, why)
            return await publications.advance(db, row, move, at=now)

    async def _give_up(self, row: PublicationRow, reason: str) -> PublicationRow:
        """Refuse the publication. If only the comment failed, it is done without the comment."""
        text = line(self.publishing.redact(reason), width=_MAX_TEXT)
        if row.state in _REFUSALS:
            async with self._store.change() as db:
                return await publications.change(
                    db, row.solve_id, row.holder, at=self._now(), due_at=0.0, error=text
                )
        if row.state is PublicationState.OPENED or row.run_id is None:
            done = {"error": text}
            return await self._write(
                row, Move(PublicationEvent.COMMENTED, {**done}, {**done}, kind="publication.done")
            )
        move = Move(PublicationEvent.REFUSED, {"reason": text}, {"reason": text})
        return await self._write(row, move)

    async def _postpone(
        self, row: PublicationRow, error: str, *, pause_s: float = 0.0
    ) -> PublicationRow | None:
        # A rate limit with a retry time does not count as a failed try.
        tries, now = row.tries + (pause_s <= 0), self._now()
        text = line(self.publishing.redact(error), width=_MAX_TEXT)
        if tries >= MAX_TRIES:
            return await self._give_up(row, f"given up after {tries} tries: {text}")
        wait_s = max(pause_s, grown(tries, FIRST_PAUSE_S, longest_s=LONGEST_PAUSE_S))
        log.warning("publication.put_off", state=row.state, error=text, wait_s=wait_s)
        columns = {"tries": tries, "error": text, "due_at": now + wait_s, "held_until": 0.0}
        async with self._store.change() as db:
            await publications.change(db, row.solve_id, row.holder, at=now, **columns)
        return None

    async def _take(self, solve_id: SolveId) -> PublicationRow | None:
        now, clock = self._now(), self.publishing.context.clock
        # A new holder each time, to tell apart two tasks of this process.
        holder = f"{self.holder}-{clock.token()}"[-64:]
        forge = self.publishing.forge.url
        async with self._store.change() as db:
            return await publications.take(
                db, solve_id, holder, forge=forge, at=now, until=now + LEASE_S
            )

    async def _release(self, row: PublicationRow) -> None:
        async with self._store.change() as db:
            await publications.renew(db, row.solve_id, row.holder, until=0.0)

    @asynccontextmanager
    async def _holding_lease(self, row: PublicationRow) -> AsyncGenerator[None]:
        """Renew the lease meanwhile. ClaimLostError interrupts the block when it is lost."""
        lease = asyncio.timeout(None)
        try:
            async with lease:
                renewing = asyncio.create_task(self._renew_while_ours(row, lease), name="renewing")
                try:
                    yield
                finally:
                    renewing.cancel()
                    await asyncio.wait([renewing])
        except TimeoutError:
            if not lease.expired():
                raise
            raise ClaimLostError(f"the publication of solve {row.solve_id} was lost") from None

    async def _renew_while_ours(self, row: PublicationRow, lease: asyncio.Timeout) -> None:
        """Renew until the lease is lost, or may be lost because it could not be renewed."""
        until, is_ours = row.held_until, True
        while is_ours:
            await asyncio.sleep(LEASE_S / 4)
            try:
                async with self._store.change() as db:
                    longer = self._now() + LEASE_S
                    is_ours = await publications.renew(db, row.solve_id, row.holder, until=longer)
                until = longer
            except StoreAwayError as error:
                log.warning("publication.not_renewed", solve_id=row.solve_id, error=str(error))
                is_ours = self._now() < until
        lease.reschedule(asyncio.get_running_loop().time())

    @property
    def _store(self) -> Store:
        return self.publishing.context.store

    def _now(self) -> float:
        return self.publishing.context.clock.now()
