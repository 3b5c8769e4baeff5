"""What has changed in a solve since its watcher looked last."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial

from sqlalchemy import Connection

from yudai.kit.clock import Clock
from yudai.kit.errors import NotFoundError, RefusedError
from yudai.store.read_thread import Lookout
from yudai.store.store import Store
from yudai.views import update_queries as lanes
from yudai.views.domain.cursor import Cursor, decode, epoch_of
from yudai.views.update_answer import Answer, Ask
from yudai.views.update_queries import Glance

MAX_OPEN = 16


@dataclass(frozen=True)
class Updates:
    lookout: Lookout
    clock: Clock

    async def poll(self, ask: Ask) -> bytes:
        """An UpdatesView as JSON text: its parts are written once, to be weighed and sent."""
        if len(ask.open) > MAX_OPEN:
            raise RefusedError(f"open at most {MAX_OPEN} runs at once")
        body = None
        if ask.solve_id.isascii() and ask.solve_id.isprintable():
            body = await self.lookout.look(partial(_look, ask=ask, now=self.clock.now()))
        if body is None:
            raise NotFoundError(f"there is no solve {ask.solve_id!a}")
        return body


@asynccontextmanager
async def open_updates(store: Store, clock: Clock) -> AsyncGenerator[Updates]:
    lookout = Lookout(store.database)
    try:
        yield Updates(lookout, clock)
    finally:
        await lookout.close()


def _look(db: Connection, *, ask: Ask, now: float) -> bytes | None:
    """Most looks find nothing new: one statement tells."""
    seen = lanes.glance(db, ask.solve_id)
    if seen is None or seen.user_id != ask.user_id:
        return None
    epoch = epoch_of(ask.solve_id, seen.created_at)
    cursor = decode(ask.cursor)
    is_reset = cursor is None or not _fits(cursor, seen, epoch)
    known = Cursor(epoch) if cursor is None or is_reset else cursor
    answer = Answer(ask, seen, known, now=now, is_reset=is_reset)
    if not answer.is_idle:
        answer.read(db)
    return answer.body()


def _fits(cursor: Cursor, seen: Glance, epoch: int) -> bool:
    """Not of another solve, nor of a future that a restored database has not had."""
    if cursor.epoch != epoch or cursor.rev > seen.rev or cursor.event > seen.event:
        return False
    if len(cursor.marks) > len(seen.lanes):
        return False
    return all(
        mark.attempt < lane.attempt
        or (mark.attempt == lane.attempt and max(mark.rev, mark.read_rev) <= lane.rev)
        for lane, mark in zip(seen.lanes, cursor.marks, strict=False)
    )
