import os
from collections.abc import Callable
from pathlib import Path
from subprocess import PIPE

import pytest

from tests.support.servers.preforked import Warm
from yudai.runs import messages as trajectories
from yudai.runs import queries as runs
from yudai.runs.domain.progress import Progress
from yudai.runs.domain.states import RunEvent, RunState
from yudai.runs.domain.trajectory.trajectory import TrajectoryMessage
from yudai.runs.message_writer import writer_of
from yudai.runs.tables import RunRow
from yudai.solves import timeline as events
from yudai.store.outages import WriteError
from yudai.store.store import Store

NewMessage = Callable[..., TrajectoryMessage]
NewProgress = Callable[[int], Progress]


async def test_messages_are_there_before_a_change_of_state(
    store: Store, run: RunRow, new_message: NewMessage, new_progress: NewProgress
) -> None:
    for seq in range(3):
        writer_of(store).append(run.id, 1, new_message(seq), new_progress(seq))
    async with store.change() as db:
        assert len(await trajectories.messages(db, run.id)) == 3
        row = await runs.advance(db, run.id, RunEvent.STARTED, at=1.0)
        assert (row.steps, row.message_count) == (2, 3)


async def test_closing_commits_what_is_pending(
    url: str, store: Store, run: RunRow, new_message: NewMessage, new_progress: NewProgress
) -> None:
    async with await Store.open(url) as other:
        writer_of(other).append(run.id, 1, new_message(0), new_progress(1))
    async with store.read() as db:
        assert len(await trajectories.messages(db, run.id)) == 1


async def test_a_closed_store_refuses(url: str) -> None:
    closed = await Store.open(url)
    await closed.close()
    await closed.close()
    with pytest.raises(WriteError, match="closed"):
        async with closed.change():
            pass


_KILLED = """
import asyncio, os, sys
from yudai.runs.domain.states import RunEvent
from yudai.runs.domain.trajectory.trajectory import TrajectoryMessage
from yudai.gateway.domain.models import Usage
from yudai.runs import queries as runs
from yudai.runs.domain.progress import Progress
from yudai.runs.message_writer import writer_of
from yudai.store.store import Store

async def main(url, run_id):
    store = await Store.open(url)
    for seq in range(100):
        message = TrajectoryMessage(seq=seq, step=seq, role="tool", at=1.0, body={"x": "y" * 4096})
        writer_of(store).append(run_id, 1, message, Progress(steps=seq, edits=0, usage=Usage()))
    await writer_of(store).flush()
    async with store.change() as db:
        await runs.advance(db, run_id, RunEvent.STARTED, at=1.0)
    os._exit(9)

asyncio.run(main(*sys.argv[1:]))
"""


def _start(folder: Path, text: str, url: str, run_id: str) -> Warm:
    program = folder / "program.py"
    program.write_text(text)
    return Warm([program, url, run_id], env=os.environ, stdin=PIPE, stdout=PIPE, bufsize=0)


async def test_what_was_flushed_survives_a_kill(
    url: str, store: Store, run: RunRow, tmp_path: Path
) -> None:
    await store.close()
    with _start(tmp_path, _KILLED, url, run.id) as killed:
        assert killed.wait() == 9
    async with await Store.open(url) as reopened, reopened.read() as db:
        row = await runs.get(db, run.id)
        assert (row.state, row.steps, row.message_count) == (RunState.RUNNING, 99, 100)
        assert len(await trajectories.messages(db, run.id)) == 100


_WRITING = """
import asyncio, sys
from yudai.runs.domain.states import RunEvent
from yudai.runs.domain.trajectory.trajectory import TrajectoryMessage
from yudai.gateway.domain.models import Usage
from yudai.runs import queries as runs
from yudai.runs.domain.progress import Progress
from yudai.runs.message_writer import writer_of
from yudai.solves import timeline as events
from yudai.store.store import Store

async def main(url, run_id):
    async with await Store.open(url) as store:
        print("ready", flush=True)
        sys.stdin.readline()
        async with store.change() as db:
            run = await runs.advance(db, run_id, RunEvent.STARTED, at=1.0)
        for seq in range(50):
            message = TrajectoryMessage(seq=seq, step=seq, role="tool", at=1.0, body={"n": seq})
            writer_of(store).append(run_id, 1, message, Progress(steps=seq, edits=0, usage=Usage()))
            if seq % 5 == 0:
                async with store.change() as db:
                    await events.append(db, run.solve_id, kind="noted", at=1.0, run_id=run_id)

asyncio.run(main(*sys.argv[1:]))
"""


async def test_two_processes_write_at_once(
    url: str, store: Store, run: RunRow, new_run: Callable[..., RunRow], tmp_path: Path
) -> None:
    async with store.change() as db:
        await runs.add_all(db, [new_run("second", position=1)])
    writers = [_start(tmp_path, _WRITING, url, run_id) for run_id in (run.id, "second")]
    for writer in writers:
        assert writer.stdout is not None
        assert writer.stdout.readline() == b"ready\n"
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write(b"go\n")
    for writer in writers:
        writer.communicate()
        assert writer.returncode == 0
    async with store.read() as db:
        rows = await runs.of_solve(db, run.solve_id)
        assert [(row.state, row.message_count) for row in rows] == [("running", 50)] * 2
        assert [len(await trajectories.messages(db, row.id)) for row in rows] == [50, 50]
        assert len(await events.after(db, run.solve_id)) == 2 * 11
