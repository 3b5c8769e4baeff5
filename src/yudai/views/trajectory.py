"""A run's trajectory, in pages or as a stream."""

import json
from collections.abc import AsyncGenerator, Sequence
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from pydantic import Field

from yudai.kit.ids import RunId
from yudai.kit.untyped import as_object, as_text
from yudai.kit.value import Value, from_attributes
from yudai.runs import messages as trajectories
from yudai.runs.domain.states import FINAL
from yudai.runs.domain.trajectory.kinds import DIFF, DIFF_TRUNCATED
from yudai.runs.domain.trajectory.steps import step_of, transcript_of
from yudai.runs.domain.trajectory.trajectory import FORMAT, TrajectoryMessage, export
from yudai.runs.messages import Stored
from yudai.runs.tables import RunRow
from yudai.store.store import Store
from yudai.views.documents import so_far
from yudai.views.live_runs import MessageView, body_of, message_view, run_url
from yudai.views.runs import NotYetError, StepPage, StepView, TrajectoryPage, Which, own_run

MAX_SEQ = (1 << 31) - 1

_PAGE_BYTES = 1024 * 1024
_PAGE_MESSAGES = 500
_STREAMED = 100


class Raw(NamedTuple):
    """Text in parts, mostly JSON."""

    tag: str
    """Changes with the content."""
    parts: AsyncGenerator[bytes]
    is_settled: bool = False
    """Whether it can no longer change, if the attempt is given."""


async def messages(store: Store, which: Which, *, before: int | None, limit: int) -> TrajectoryPage:
    """The last messages before that number, as many as fit."""
    async with store.read() as db:
        run = await own_run(db, which)
        attempt = which.attempt or run.attempt
        found = await trajectories.page_before(
            db, run.id, before=before, limit=limit, attempt=attempt
        )
    views = _fitting([message_view(one) for one in reversed(found)])[::-1]
    first = views[0].seq if views else 0
    here = f"{run_url(run.id)}/messages?attempt={attempt}&limit={limit}"
    return TrajectoryPage(
        run_id=run.id,
        attempt=attempt,
        messages=tuple(views),
        earlier=f"{here}&before={first}" if first else None,
    )


async def message(store: Store, which: Which, seq: int) -> Raw:
    """One message in full, as stored."""
    async with store.read() as db:
        run = await own_run(db, which)
        attempt = which.attempt or run.attempt
        found = await trajectories.page_after(db, run.id, after=seq - 1, limit=1, attempt=attempt)
    if not found or found[0].seq != seq:
        raise NotYetError(f"attempt {attempt} of this run has no message {seq} so far")
    return Raw(f"{attempt}-{seq}", _framed(found[0].body), is_settled=True)


async def steps(
    store: Store, which: Which, *, after: int | None, before: int | None, limit: int
) -> StepPage:
    is_up = after is None and before is not None
    async with store.read() as db:
        run = await own_run(db, which)
        attempt = which.attempt or run.attempt
        last = await trajectories.last_step(db, run.id, attempt=attempt)
        wanted = _numbers(after, before, limit=limit, last=last)
        found = await trajectories.of_steps(
            db, run.id, wanted, limit=_PAGE_MESSAGES, attempt=attempt, newest=is_up
        )
    views = _step_views(found, is_up=is_up)
    here = f"{run_url(run.id)}/steps?attempt={attempt}&limit={limit}"
    first, final = (views[0].number, views[-1].number) if views else (0, last)
    return StepPage(
        run_id=run.id,
        attempt=attempt,
        last=last,
        steps=tuple(views),
        earlier=f"{here}&before={first}" if first > 0 else None,
        later=f"{here}&after={final}" if final < last else None,
    )


async def step(store: Store, which: Which, number: int) -> Raw:
    """All messages of one step, as stored."""
    async with store.read() as db:
        run = await own_run(db, which)
        attempt = which.attempt or run.attempt
        last = await trajectories.last_step(db, run.id, attempt=attempt)
        found = await trajectories.of_steps(
            db, run.id, range(number, number + 1), limit=1, attempt=attempt
        )
    if not found:
        raise NotYetError(f"there is no step {number}: this run's last is {last}")
    is_ended = number < last or run.state in FINAL or attempt < run.attempt
    head = f'{{"step":{number},"messages":['
    stream = _bodies(store, run, attempt, after=found[0].seq - 1, step=number)
    tag = f"{attempt}-{number}" + ("" if is_ended else f"-{run.rev}")
    return Raw(tag, _framed(head, stream, "]}"), is_settled=is_ended)


async def trajectory(store: Store, which: Which) -> Raw:
    """In mini-SWE-agent's format, up to now."""
    async with store.read() as db:
        run = await own_run(db, which)
    document = export((), so_far(run))
    head = f'{{"info":{json.dumps(document["info"])},"messages":['
    stream = _bodies(store, run, run.attempt)
    tail = f'],"trajectory_format":{json.dumps(FORMAT)}}}'
    return Raw(f"{run.attempt}-{run.rev}", _framed(head, stream, tail))


async def transcript(store: Store, which: Which) -> Raw:
    """As plain text for people, up to now."""
    async with store.read() as db:
        run = await own_run(db, which)
    attempt = which.attempt or run.attempt
    return Raw(f"{attempt}-{run.rev}-text", _tell(store, run, attempt))


async def _tell(store: Store, run: RunRow, attempt: int) -> AsyncGenerator[bytes]:
    """Step by step, so that only the messages of one page are in memory."""
    began_at: float | None = None
    open_step: list[TrajectoryMessage] = []
    async for one in _stream(store, run, attempt):
        began_at = one.at if began_at is None else began_at
        if open_step and open_step[0].step != one.step:
            yield _transcript(open_step, began_at)
            open_step = []
        open_step.append(from_attributes(TrajectoryMessage, one, body=body_of(one.body)))
    if open_step and began_at is not None:
        yield _transcript(open_step, began_at)


async def _bodies(
    store: Store, run: RunRow, attempt: int, *, after: int = -1, step: int | None = None
) -> AsyncGenerator[bytes]:
    comma = b""
    async for one in _stream(store, run, attempt, after=after, step=step):
        yield comma + one.body.encode()
        comma = b","


async def _stream(
    store: Store, run: RunRow, attempt: int, *, after: int = -1, step: int | None = None
) -> AsyncGenerator[Stored]:
    """Page by page, to save memory. Messages of one step stay together."""
    while True:
        async with store.read() as db:
            page = await trajectories.page_after(
                db, run.id, after=after, limit=_STREAMED, attempt=attempt
            )
        for one in page:
            if step not in (None, one.step):
                return
            yield one
        if len(page) < _STREAMED:
            return
        after = page[-1].seq


async def _framed(
    head: str, stream: AsyncGenerator[bytes] | None = None, tail: str = ""
) -> AsyncGenerator[bytes]:
    yield head.encode()
    if stream is not None:
        async for part in stream:
            yield part
    yield tail.encode()


def _transcript(messages: Sequence[TrajectoryMessage], began_at: float) -> bytes:
    return transcript_of(step_of(messages[0].step, messages), began_at=began_at).encode()


def _numbers(after: int | None, before: int | None, *, limit: int, last: int) -> range:
    """The range of steps: after one, before another, at most `limit`."""
    end = last + 1 if before is None else min(before, last + 1)
    if after is None and before is not None:
        return range(max(0, end - limit), end)
    start = 0 if after is None else after + 1
    return range(start, min(start + limit, end))


def _fitting(views: Sequence[MessageView]) -> list[MessageView]:
    """As many as fit on a page, at least one."""
    room, fitting = _PAGE_BYTES, list[MessageView]()
    for view in views:
        room -= len(view.text.encode()) + sum(len(command.encode()) for command in view.commands)
        if room < 0 and fitting:
            break
        fitting.append(view)
    return fitting


def _step_views(found: Sequence[Stored], *, is_up: bool) -> list[StepView]:
    """Whole steps, the first ones or (upwards) the last ones that fit."""
    steps = [list(group) for _, group in groupby(found, key=attrgetter("step"))]
    if len(found) == _PAGE_MESSAGES and len(steps) > 1:
        # The one at the far end may have lost some of its messages.
        steps = steps[1:] if is_up else steps[:-1]
    kept: list[StepView] = []
    room = _PAGE_BYTES
    for messages in reversed(steps) if is_up else steps:
        view = _step_view(messages, is_cut=len(messages) == _PAGE_MESSAGES)
        room -= len(view.model_dump_json())
        if room < 0 and kept:
            break
        kept.append(view)
    return kept[::-1] if is_up else kept


def _step_view(messages: Sequence[Stored], *, is_cut: bool) -> StepView:
    first = messages[0]
    views = _fitting([message_view(message) for message in messages])
    raw = f"{run_url(first.run_id)}/steps/{first.step}/raw?attempt={first.attempt}"
    return StepView(
        number=first.step,
        at=first.at,
        seconds=max(0.0, messages[-1].at - first.at),
        messages=tuple(views),
        truncated=is_cut or len(views) < len(messages),
        raw=raw,
    )


class DiffAt(Value):
    """The changes to the work tree after the newest edit up to a message."""

    run_id: RunId
    attempt: int
    seq: int = Field(description="The message with the newest edit; -1: no change yet.")
    edit: int = Field(description="The first edit is 1; 0: none yet.")
    patch: str
    truncated: bool = Field(description="The diff was too large to be stored in full.")


async def diff_at(store: Store, which: Which, seq: int) -> DiffAt:
    """The response never changes once the message is stored, because messages are in order."""
    async with store.read() as db:
        run = await own_run(db, which)
        attempt = which.attempt or run.attempt
        if not await trajectories.has(db, run.id, seq, attempt=attempt):
            raise NotYetError(f"attempt {attempt} of this run has no message {seq} so far")
        found = await trajectories.newest_edit(db, run.id, attempt=attempt, upto=seq)
        if found is None and (run.edits or run.files_changed):
            # Imported, or run by an earlier version: it would be wrong to say that none was.
            last = await trajectories.newest_edit(db, run.id, attempt=attempt)
            if last is None and attempt == run.attempt:
                raise NotYetError("the changes of each step of this run were not recorded")
    if found is None:
        return DiffAt(run_id=run.id, attempt=attempt, seq=-1, edit=0, patch="", truncated=False)
    extra = as_object(body_of(found.body).get("extra"))
    return DiffAt(
        run_id=run.id,
        attempt=attempt,
        seq=found.seq,
        edit=found.number,
        patch=as_text(extra.get(DIFF)),
        truncated=extra.get(DIFF_TRUNCATED) is True or DIFF not in extra,
    )
