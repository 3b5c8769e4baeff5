"""A solve that changes while somebody watches it, and the watcher that merges what it is sent."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from yudai.gateway.domain.models import Usage
from yudai.kit.causes import Cause
from yudai.kit.ids import RunId, SolveId
from yudai.runs import attempts
from yudai.runs import queries as runs
from yudai.runs.domain.progress import Progress
from yudai.runs.domain.states import RunEvent, RunState
from yudai.runs.domain.trajectory.trajectory import TrajectoryMessage
from yudai.runs.message_writer import writer_of
from yudai.runs.tables import RunRow
from yudai.sandboxes.port import BaseSpec
from yudai.solves import queries as solves
from yudai.solves.domain.budget import Budget
from yudai.solves.domain.matrix import Contestant, Matrix
from yudai.solves.domain.states import SolveState
from yudai.solves.domain.strategies import Strategy
from yudai.solves.tables import SolveRow
from yudai.store.store import Store
from yudai.views.updates import Ask, Updates, UpdatesView

NOW = 1_700_000_000.0


def solve_id(number: int = 0) -> SolveId:
    return SolveId(f"0190a000-0000-7000-8000-0000{number:04x}aaaa")


def run_id(place: int, number: int = 0) -> RunId:
    return RunId(f"0190a000-0000-7000-8000-0000{number:04x}{place:04x}")


@dataclass
class Scene:
    """A solve with running lanes; what happens in them is stored as workers store it."""

    store: Store
    number: int = 0
    counts: dict[int, int] = field(default_factory=dict)
    attempts: dict[int, int] = field(default_factory=dict)

    @property
    def id(self) -> SolveId:
        return solve_id(self.number)

    def run(self, place: int) -> RunId:
        return run_id(place, self.number)

    async def open(self, lanes: int = 2, **changes: Any) -> None:
        columns: dict[str, Any] = {
            "id": self.id,
            "repo": "toy",
            "issue_title": "x is wrong",
            "issue_body": "",
            "matrix": Matrix(models=("vendor/fast",)),
            "budget": Budget(max_steps=33),
            "reducer": "simple",
            "sandbox_backend": "bubblewrap",
            "base": BaseSpec(key="base-1", source=Path("source.tar")),
            "state": SolveState.RUNNING,
            "created_at": NOW,
            "started_at": NOW,
        }
        async with self.store.change() as db:
            await solves.add(db, SolveRow(**(columns | changes)))
            await runs.add_all(db, [self._row(place) for place in range(lanes)])

    def _row(self, place: int) -> RunRow:
        handle = f"fast-{place}"
        contestant = Contestant(
            agent="mini-swe-agent",
            model="vendor/fast",
            temperature=0.0,
            max_edits=5,
            strategy=Strategy.BALANCED,
            handle=handle,
        )
        return RunRow(
            id=self.run(place),
            solve_id=self.id,
            position=place,
            handle=handle,
            contestant=contestant,
            state=RunState.RUNNING,
            queued_at=NOW,
            started_at=NOW,
        )

    async def say(self, place: int, *texts: str, body: dict[str, Any] | None = None) -> None:
        """Messages of the lane's present attempt."""
        for text in texts:
            seq = self.counts.get(place, 0)
            self.counts[place] = seq + 1
            told = body or {"role": "tool", "content": text, "extra": {"raw_output": text}}
            message = TrajectoryMessage(
                seq=seq, step=seq, role=told["role"], at=NOW + seq, body=told
            )
            progress = Progress(steps=seq, edits=0, usage=Usage(input_tokens=seq))
            attempt = self.attempts.get(place, 1)
            writer_of(self.store).append(self.run(place), attempt, message, progress)
        await writer_of(self.store).flush()

    async def retry(self, place: int) -> None:
        """Its worker died: the lane begins anew."""
        async with self.store.change() as db:
            run = await runs.get(db, self.run(place))
            await attempts.give_up(db, run, Cause.WORKER_LOST, "died", at=NOW)
            await runs.advance(db, run.id, RunEvent.STARTED, at=NOW)
        self.attempts[place] = self.attempts.get(place, 1) + 1
        self.counts[place] = 0

    async def change(self, place: int, **columns: Any) -> None:
        async with self.store.change() as db:
            await runs.change(db, self.run(place), **columns)

    async def stored(self) -> dict[RunId, RunRow]:
        async with self.store.read() as db:
            return {row.id: row for row in await runs.of_solve(db, self.id)}


@dataclass
class Watcher:
    """Merges as a page does, and is strict about what it may be sent."""

    updates: Updates
    solve_id: SolveId
    cursor: str = ""
    solve: dict[str, Any] | None = None
    lanes: dict[str, dict[str, Any]] = field(default_factory=dict)
    events: list[int] = field(default_factory=list)
    messages: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    answers: list[dict[str, Any]] = field(default_factory=list)

    async def poll(self, *opened: str, **ask: Any) -> dict[str, Any]:
        body = await self.updates.poll(Ask(self.solve_id, cursor=self.cursor, open=opened, **ask))
        answer = json.loads(body)
        assert UpdatesView.model_validate_json(body).model_dump(mode="json") == answer
        self.answers.append(answer)
        self._merge(answer)
        return answer

    async def catch_up(self, *opened: str, **ask: Any) -> list[dict[str, Any]]:
        """Poll as long as there is more; each time something has to come."""
        answers: list[dict[str, Any]] = []
        while not answers or answers[-1]["more"]:
            answers.append(await self.poll(*opened, **ask))
            assert len(answers) < 2000
        return answers

    def _merge(self, answer: dict[str, Any]) -> None:
        if answer["reset"]:
            self.lanes, self.events, self.messages, self.solve = {}, [], {}, None
        self.cursor = answer["cursor"]
        self.solve = answer["solve"] or self.solve
        for lane in answer["lanes"]:
            known = self.lanes.get(lane["id"])
            if known is not None:
                assert (lane["attempt"], lane["rev"]) > (known["attempt"], known["rev"])
                assert lane["attempt"] == known["attempt"] or lane["id"] in answer["resets"]
            self.lanes[lane["id"]] = lane
        for run in answer["resets"]:
            self.messages.pop(run, None)
        for event in answer["events"]:
            assert not self.events or event["id"] > self.events[-1]
            self.events.append(event["id"])
        for run, messages in answer["messages"].items():
            assert messages, "an empty list says nothing"
            self._extend(run, messages)

    def _extend(self, run: str, messages: list[dict[str, Any]]) -> None:
        held = self.messages.setdefault(run, [])
        for message in messages:
            assert message["attempt"] == self.lanes[run]["attempt"]
            # Neither lost nor doubled: one after the other.
            assert not held or message["seq"] == held[-1]["seq"] + 1
            held.append(message)

    def texts(self, run: str) -> list[str]:
        return [message["text"] for message in self.messages.get(run, [])]
