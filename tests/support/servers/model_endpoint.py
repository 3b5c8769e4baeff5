"""A model endpoint with a run that calls it: a real database and a fake model."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from tests.support.fakes import AnsweringGateway
from tests.support.servers.databases import _migrated_file
from yudai.agents.endpoint.endpoint import ModelEndpoint
from yudai.agents.endpoint.port import EndpointToken, ModelAnswer
from yudai.agents.endpoint.tokens import RunTokens, make_tokens
from yudai.gateway.domain.models import Model, Price, Provider, Usage
from yudai.gateway.port import Call, Completion, Gateway, ToolCall
from yudai.kit.clock import SystemClock
from yudai.kit.ids import RunId, SolveId, WorkerId
from yudai.runs import messages as trajectories
from yudai.runs import queries as runs
from yudai.runs.domain.states import RunState
from yudai.runs.domain.trajectory.trajectory import TrajectoryMessage
from yudai.runs.tables import RunRow
from yudai.solves import queries as solves
from yudai.solves.domain.budget import Budget
from yudai.solves.domain.matrix import Contestant, Matrix
from yudai.solves.domain.states import SolveState
from yudai.solves.domain.strategies import Strategy
from yudai.solves.tables import SolveRow
from yudai.store.store import Store
from yudai.store.urls import sqlite_url

SOLVE = SolveId("0190a000-0000-7000-8000-00000000dddd")
RUN = RunId("0190a000-0000-7000-8000-00000000dd01")
OTHER = RunId("0190a000-0000-7000-8000-00000000dd02")
WORKER = WorkerId("a worker")
INSTALLATION = "this one"
SECRET = SecretStr("0123456789abcdefghijklmnopqrstuvwxyz")
MODEL = "vendor/paid"
PRICE = Price(input_micros=0, output_micros=1_000_000)
"""A micro-dollar for each token of the reply."""
SANDBOX = "box-1"
HELLO = [{"role": "system", "content": "Be good."}, {"role": "user", "content": "Fix it."}]


@dataclass
class MovableClock:
    """The real time, moved on by a test."""

    ahead_s: float = 0.0
    _real: SystemClock = field(default_factory=SystemClock)

    def now(self) -> float:
        return self._real.now() + self.ahead_s

    def new_id(self) -> str:
        return self._real.new_id()

    def token(self) -> str:
        return self._real.token()


def completion(text: str = "done", *, cost: int = 10, **changes: Any) -> Completion:
    facts: dict[str, Any] = {
        "content": text,
        "tool_calls": (),
        "finish_reason": "stop",
        "usage": Usage(input_tokens=7, output_tokens=cost),
        "temperature_used": 0.3,
    }
    return Completion(**facts | changes)


def bash(command: str, call_id: str = "call_1") -> ToolCall:
    return ToolCall(id=call_id, name="bash", arguments=json.dumps({"command": command}))


def answering(*replies: Completion) -> AnsweringGateway:
    """Each in its turn; the last again and again."""
    return AnsweringGateway(lambda call: replies[min(call.turn, len(replies) - 1)])


class WaitingGateway(AnsweringGateway):
    """Answers when it is let; knows how many wait, and were left."""

    def __init__(self, answer: Callable[[Call], Completion]) -> None:
        super().__init__(answer)
        self.go = asyncio.Event()
        self.asked = asyncio.Event()
        self.left = asyncio.Event()
        self.most = self._now = 0

    async def complete(self, call: Call) -> Completion:
        self._now += 1
        self.most = max(self.most, self._now)
        self.asked.set()
        try:
            await self.go.wait()
            return await super().complete(call)
        finally:
            self._now -= 1
            self.left.set()


@dataclass
class EndpointGround:
    store: Store
    gateway: Gateway
    clock: MovableClock
    tokens: RunTokens
    endpoint: ModelEndpoint

    async def open(self, **budget: Any) -> None:
        """A solve with two runs, whose agents work."""
        now = self.clock.now()
        facts = {"run_cost_cap_micros": 1000, "cost_cap_micros": 100_000, "max_steps": 50}
        solve = SolveRow(
            id=SOLVE,
            repo="toy",
            issue_title="x is wrong",
            issue_body="It is 1.",
            matrix=Matrix(models=(MODEL,)),
            budget=Budget(**facts | budget),
            reducer="simple",
            sandbox_backend="process",
            models=(Model(name=MODEL, provider=Provider.LOCAL, model_id="x", price=PRICE),),
            state=SolveState.RUNNING,
            created_at=now,
            deadline_at=now + 600,
        )
        async with self.store.change() as db:
            await solves.add(db, solve)
            await runs.add_all(db, [self._run(RUN, 0, now), self._run(OTHER, 1, now)])

    def _run(self, run_id: RunId, position: int, now: float) -> RunRow:
        handle = f"paid-{position}"
        return RunRow(
            id=run_id,
            solve_id=SOLVE,
            position=position,
            handle=handle,
            contestant=contestant(handle),
            state=RunState.RUNNING,
            worker_id=WORKER,
            queued_at=now,
            started_at=now,
            deadline_at=now + 300,
            sandbox_id=SANDBOX,
        )

    async def token(self, run_id: RunId = RUN) -> str:
        return (await self.endpoint_token(run_id)).token.get_secret_value()

    async def endpoint_token(self, run_id: RunId = RUN, seconds: float = 300) -> EndpointToken:
        return await self.endpoint.open(run_id, sandbox_id=SANDBOX, seconds=seconds)

    async def ask(self, token: str | None = None, **body: Any) -> ModelAnswer:
        content = json.dumps({"model": "whatever", "messages": HELLO} | body).encode()
        return await self.send(token or await self.token(), content)

    async def send(self, token: str, content: bytes) -> ModelAnswer:
        async def read() -> bytes:
            return content

        return await self.endpoint.complete(f"Bearer {token}", read)

    async def change(self, run_id: RunId = RUN, **changes: Any) -> None:
        state = changes.pop("state", None)
        async with self.store.change() as db:
            row = await runs.change(db, run_id, **changes)
            row.state = state or row.state

    async def run(self, run_id: RunId = RUN) -> RunRow:
        async with self.store.read() as db:
            return await runs.get(db, run_id)

    async def messages(self, run_id: RunId = RUN) -> list[TrajectoryMessage]:
        async with self.store.read() as db:
            return await trajectories.messages(db, run_id)

    def restarted(self) -> "EndpointGround":
        """Another process with the same database."""
        return make_ground(self.store, self.gateway, self.clock)


def contestant(handle: str = "paid", agent: str = "tiny") -> Contestant:
    return Contestant(
        agent=agent,
        model=MODEL,
        temperature=0.3,
        max_edits=5,
        strategy=Strategy.TEST_FIRST,
        handle=handle,
    )


def make_ground(
    store: Store, gateway: Gateway, clock: MovableClock | None = None
) -> EndpointGround:
    clock = clock or MovableClock()
    tokens = make_tokens(SECRET, issuer=INSTALLATION, clock=clock)
    endpoint = ModelEndpoint(store=store, gateway=gateway, clock=clock, tokens=tokens)
    return EndpointGround(store, gateway, clock, tokens, endpoint)


@asynccontextmanager
async def open_ground(
    folder: Path, gateway: Gateway, **budget: Any
) -> AsyncGenerator[EndpointGround]:
    file = folder / "yudai.db"
    file.write_bytes(_migrated_file())
    async with await Store.open(sqlite_url(file)) as store:
        ground = make_ground(store, gateway)
        await ground.open(**budget)
        yield ground


def error_of(answer: ModelAnswer) -> tuple[int, str]:
    return answer.status, json.loads(answer.content)["error"]["code"]


def text_of(answer: ModelAnswer) -> str:
    assert answer.status == 200, answer.content
    return json.loads(answer.content)["choices"][0]["message"]["content"]
