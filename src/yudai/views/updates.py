"""Live updates: what changed in a solve since the cursor of a poll."""

import heapq
import json
from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from typing import NamedTuple

from sqlalchemy import Connection

from yudai.artifacts.context import Context
from yudai.kit.clock import Clock
from yudai.kit.errors import NotFoundError, RefusedError
from yudai.kit.ids import LOCAL_USER, RunId, SolveId
from yudai.kit.money import usd
from yudai.kit.text import line
from yudai.kit.value import Value, from_attributes
from yudai.runs import messages as trajectories
from yudai.runs.messages import MessageRange, Stored
from yudai.solves.domain.states import FINAL, SolveState
from yudai.store.read_thread import SnapshotReader
from yudai.store.store import Store
from yudai.views import update_queries as facts
from yudai.views.domain.cursor import UNSEEN, Cursor, Mark, decode, encode, epoch_of
from yudai.views.live_runs import LaneView, MessageView, WatchedSolve, lane_view, message_view
from yudai.views.solves import EventView, progress_of
from yudai.views.update_queries import EventFacts, Facts, RunVersion, SolveVersion


class UpdatesView(Value):
    """Merge lanes by `id`, events by `id`, messages by (run, `attempt`, `seq`)."""

    cursor: str
    """Cursor for the next request."""
    epoch: str
    """Identifies the database; a different one means that it was replaced."""
    server_time: float
    poll_ms: int
    """Milliseconds until the next poll; 0: the solve has ended."""
    terminal: bool
    """Whether the solve has ended."""
    reset: bool
    """The cursor was invalid: discard everything, this is the start of a snapshot."""
    more: bool
    """The response was full: poll again at once."""
    solve: WatchedSolve | None
    """null: unchanged."""
    lanes: tuple[LaneView, ...]
    """Runs that have changed."""
    events: tuple[EventView, ...]
    messages: dict[RunId, tuple[MessageView, ...]]
    """New messages of the open runs, each in the order of `seq`."""
    resets: tuple[RunId, ...]
    """Runs whose messages must be discarded before these are added."""
    unknown: tuple[str, ...]
    """Requested ids that are not runs of this solve."""


MAX_BYTES = 256 * 1024
TAIL = 50
"""Messages sent when a run is opened. Earlier ones have another route."""
FAR = 500
"""A client that is further behind gets the tail again instead."""
POLL_MS = {
    SolveState.QUEUED: 2000,
    SolveState.RUNNING: 2000,
    SolveState.AWAITING_REVIEW: 15_000,
} | dict.fromkeys(FINAL, 0)

_AT_ONCE_MS = 50
_MAX_RUNS = 400
_MAX_EVENTS = 200
_MAX_MESSAGES = 200
_MIN_MESSAGES = 12
_REASON_WIDTH = 2000


class Ask(NamedTuple):
    solve_id: SolveId
    user_id: str = LOCAL_USER
    cursor: str = ""
    open: tuple[str, ...] = ()
    """Runs whose messages are requested."""
    max_bytes: int = MAX_BYTES


class Answer:
    def __init__(
        self, ask: Ask, seen: SolveVersion, cursor: Cursor, *, now: float, is_reset: bool
    ) -> None:
        self._ask, self._seen, self._cursor, self._now = ask, seen, cursor, now
        self._is_reset = is_reset
        self._open = [run for run in seen.runs if run.id in ask.open]
        unseen = [UNSEEN] * (len(seen.runs) - len(cursor.marks))
        self._marks = [*cursor.marks, *unseen]
        self._places = {run.id: place for place, run in enumerate(seen.runs)}
        self._turn, self._event = 0, cursor.event
        self._room = _Room(ask.max_bytes)
        self._more = False
        self._solve = b"null"
        self._runs: list[bytes] = []
        self._events: list[bytes] = []
        self._messages: dict[RunId, list[bytes]] = {}
        self._resets: list[RunId] = []

    @property
    def is_idle(self) -> bool:
        """Whether nothing has changed since the cursor."""
        cursor, seen = self._cursor, self._seen
        return (
            (cursor.rev, cursor.event) == (seen.rev, seen.event)
            and all(map(_is_seen, self._marks, seen.runs))
            and all(map(self._is_read, self._open))
        )

    def read(self, db: Connection) -> None:
        """At most seven statements, however long the trajectories are."""
        solve = facts.solve(db, self._ask.solve_id)
        self._solve = _watched_solve(db, self._ask.solve_id, solve).model_dump_json().encode()
        self._room.takes(self._solve, is_first=True)
        self._read_runs(db, step_limit=solve.budget.max_steps)
        self._read_events(db)
        self._read_messages(db)

    def body(self) -> bytes:
        state = SolveState(self._seen.state)
        head = {
            "cursor": self._next_cursor(),
            "epoch": f"{self._cursor.epoch:08x}",
            "server_time": self._now,
            "poll_ms": _AT_ONCE_MS if self._more else POLL_MS[state],
            "terminal": state in FINAL and not self._more,
            "reset": self._is_reset,
            "more": self._more,
            "resets": self._resets,
            "unknown": [name for name in dict.fromkeys(self._ask.open) if name not in self._places],
        }
        messages = [b'"%s":[%s]' % (i.encode(), b",".join(m)) for i, m in self._messages.items()]
        return b'%s,"solve":%s,"lanes":[%s],"events":[%s],"messages":{%s}}' % (
            json.dumps(head)[:-1].encode(),
            self._solve,
            b",".join(self._runs),
            b",".join(self._events),
            b",".join(messages),
        )

    def _next_cursor(self) -> str:
        rev = self._seen.rev
        new = Cursor(self._cursor.epoch, rev, self._event, self._turn, tuple(self._marks))
        return self._ask.cursor if new == self._cursor and not self._is_reset else encode(new)

    def _mark(self, run: RunVersion) -> Mark:
        return self._marks[self._places[run.id]]

    def _is_read(self, run: RunVersion) -> bool:
        return self._mark(run).read_rev == run.rev

    def _read_runs(self, db: Connection, *, step_limit: int) -> None:
        # From where there was no room the last time, so that busy runs do not starve others.
        turn = self._cursor.turn
        ordered = [*self._seen.runs[turn:], *self._seen.runs[:turn]]
        changed = [run for run in ordered if not _is_seen(self._mark(run), run)]
        if not changed:
            return
        found = facts.runs(db, [run.id for run in changed[:_MAX_RUNS]])
        baseline = facts.baseline(db, self._ask.solve_id, found.values())
        for run in changed:
            one = found.get(run.id)
            view = one and lane_view(one, step_limit=step_limit, baseline=baseline, now=self._now)
            if view is None or not self._add(self._runs, view.model_dump_json().encode()):
                self._more, self._turn = True, self._places[run.id]
                return
            self._see(run)

    def _see(self, run: RunVersion) -> None:
        mark = self._mark(run)
        if mark.attempt and mark.attempt != run.attempt:
            self._resets.append(run.id)
        is_same = mark.attempt == run.attempt
        new = mark._replace(rev=run.rev) if is_same else Mark(run.attempt, run.rev)
        self._marks[self._places[run.id]] = new

    def _read_events(self, db: Connection) -> None:
        if self._event == self._seen.event:
            return
        solve_id = self._ask.solve_id
        found = facts.events(db, solve_id, after=self._event, limit=_MAX_EVENTS)
        for event in found:
            if not self._add(self._events, _event_view(event)):
                break
            self._event = event.id
        self._more |= self._event != self._seen.event

    def _read_messages(self, db: Connection) -> None:
        # A run whose new attempt was not sent yet has to wait for that.
        known = (run for run in self._open if self._mark(run).attempt == run.attempt)
        behind = [run for run in known if not self._is_read(run)]
        if not behind:
            return
        newest = trajectories.newest(db, [run.id for run in behind])
        most = min(TAIL, max(_MIN_MESSAGES, _MAX_MESSAGES // len(behind)))
        wanted = [self._message_range(run, newest[run.id], most) for run in behind]
        found = trajectories.in_ranges(db, [one for one in wanted if one.after < one.upto])
        for run, stretch, seq in zip(behind, wanted, self._send(wanted, found), strict=True):
            is_read = seq == newest[run.id]
            self._more |= not is_read
            read_rev = run.rev if is_read else self._mark(run).read_rev
            place = self._places[stretch.run_id]
            self._marks[place] = self._marks[place]._replace(seq=seq, read_rev=read_rev)

    def _message_range(self, run: RunVersion, newest: int, most: int) -> MessageRange:
        """The next range: after the last sent message, or from the start of the tail."""
        seq = self._mark(run).seq
        is_lost = seq > newest or newest - seq > FAR
        if seq >= 0 and is_lost:
            self._resets.append(run.id)
        if seq < 0 or is_lost:
            seq = max(newest - TAIL, -1)
        return MessageRange(run.id, run.attempt, seq, min(seq + most, newest))

    def _send(self, wanted: Sequence[MessageRange], found: Iterable[Stored]) -> list[int]:
        """Oldest first over all runs; returns how far each range got."""
        lines: dict[RunId, list[Stored]] = {one.run_id: [] for one in wanted}
        for message in sorted(found, key=attrgetter("seq")):
            lines[message.run_id].append(message)
        left = {run_id: len(messages) for run_id, messages in lines.items()}
        reached = {one.run_id: one.after for one in wanted}
        for message in heapq.merge(*lines.values(), key=attrgetter("at")):
            part = message_view(message).model_dump_json().encode()
            if not self._room.takes(part, is_first=not self._messages):
                break
            self._messages.setdefault(message.run_id, []).append(part)
            left[message.run_id] -= 1
            reached[message.run_id] = message.seq
        # To its end even if numbers are missing there: they would be waited for in vain.
        return [reached[one.run_id] if left[one.run_id] else one.upto for one in wanted]

    def _add(self, parts: list[bytes], part: bytes) -> bool:
        has_room = self._room.takes(part, is_first=not parts)
        if has_room:
            parts.append(part)
        return has_room


class _Room:
    """The remaining size. The first item of each kind always fits, so that all progress."""

    def __init__(self, max_bytes: int) -> None:
        self._left = max_bytes

    def takes(self, part: bytes, *, is_first: bool) -> bool:
        if len(part) >= self._left and not is_first:
            return False
        self._left -= len(part) + 1
        return True


def _is_seen(mark: Mark, run: RunVersion) -> bool:
    return mark.rev == run.rev and mark.attempt == run.attempt


def _watched_solve(db: Connection, solve_id: SolveId, solve: Facts) -> WatchedSolve:
    """The view of a row that `update_queries.solve` has read."""
    tally = facts.progress(db, solve_id)
    return from_attributes(
        WatchedSolve,
        solve,
        champion=solve.champion_run_id,
        cost_usd=usd(tally.cost_micros),
        cost_cap_usd=usd(solve.budget.cost_cap_micros),
        reason=line(solve.reason or solve.error, width=_REASON_WIDTH),
        progress=progress_of(tally),
    )


def _event_view(event: EventFacts) -> bytes:
    """An EventView whose data is already JSON text."""
    head = {name: value for name, value in event._asdict().items() if name != "data"}
    return f'{json.dumps(head)[:-1]},"data":{event.data}}}'.encode()


MAX_OPEN = 16


@dataclass(frozen=True)
class Updates:
    snapshot_reader: SnapshotReader
    clock: Clock

    async def poll(self, ask: Ask) -> bytes:
        """An UpdatesView as JSON text. Each part is serialised only once."""
        if len(ask.open) > MAX_OPEN:
            raise RefusedError(f"open at most {MAX_OPEN} runs at once")
        body = None
        if ask.solve_id.isascii() and ask.solve_id.isprintable():
            body = await self.snapshot_reader.run(partial(_look, ask=ask, now=self.clock.now()))
        return _known(body, ask)


async def poll_once(context: Context, ask: Ask) -> UpdatesView:
    """The same without a dedicated thread, for a process that polls a single solve."""
    look = partial(_look, ask=ask, now=context.clock.now())
    async with context.store.read() as db:
        body = await db.run_sync(lambda session: look(session.connection()))
    return UpdatesView.model_validate_json(_known(body, ask))


def _known(body: bytes | None, ask: Ask) -> bytes:
    if body is None:
        raise NotFoundError(f"there is no solve {ask.solve_id!a}")
    return body


@asynccontextmanager
async def open_updates(store: Store, clock: Clock) -> AsyncGenerator[Updates]:
    snapshot_reader = SnapshotReader(store.database)
    try:
        yield Updates(snapshot_reader, clock)
    finally:
        await snapshot_reader.close()


def _look(db: Connection, *, ask: Ask, now: float) -> bytes | None:
    """Most polls find nothing new, which one statement shows."""
    seen = facts.solve_version(db, ask.solve_id)
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


def _fits(cursor: Cursor, seen: SolveVersion, epoch: int) -> bool:
    """Whether the cursor is of this solve, and not newer than a restored database."""
    if cursor.epoch != epoch or cursor.rev > seen.rev or cursor.event > seen.event:
        return False
    if len(cursor.marks) > len(seen.runs):
        return False
    return all(
        mark.attempt < run.attempt
        or (mark.attempt == run.attempt and max(mark.rev, mark.read_rev) <= run.rev)
        for run, mark in zip(seen.runs, cursor.marks, strict=False)
    )
