"""Conversations and their solves as they stand in the database, made without running anything."""

from collections.abc import AsyncGenerator, Sequence
from typing import Any

import pytest

from tests.support.solve_rows import SOLVE, failed, passed, run_id
from yudai.conversations import queries as conversations
from yudai.conversations.answer import to_message
from yudai.conversations.domain.conversation import ChatMessage, ChatRole
from yudai.conversations.tables import ChatMessageRow, ConversationRow
from yudai.kit.ids import ConversationId, MessageId, SolveId
from yudai.runs import queries as runs
from yudai.runs.domain.states import RunEvent
from yudai.runs.tables import RunRow
from yudai.solves import queries as solves
from yudai.solves import timeline as events
from yudai.solves.domain.budget import Budget
from yudai.solves.domain.matrix import Contestant, Matrix
from yudai.solves.domain.states import SolveEvent
from yudai.solves.domain.strategies import Strategy
from yudai.solves.tables import SolveRow
from yudai.store.store import Store
from yudai.verification.domain.verdict import Verdict

HERE = ConversationId("0190a000-0000-7000-8000-0000000c0001")
OTHER = ConversationId("0190a000-0000-7000-8000-0000000c0002")
START = 1_700_000_000.0


class ChatRows:
    """Where it is talked about solves."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._at = START

    async def open(self, conversation_id: ConversationId = HERE, **columns: Any) -> ConversationId:
        columns.setdefault("created_at", START)
        row = ConversationRow(id=conversation_id, **columns)
        async with self.store.change() as db:
            await conversations.add(db, row)
        return conversation_id

    async def say(
        self,
        text: str,
        *,
        role: ChatRole = ChatRole.USER,
        conversation_id: ConversationId = HERE,
        **columns: Any,
    ) -> MessageId:
        columns.setdefault("at", self.tick())
        row = ChatMessageRow(conversation_id=conversation_id, role=role, text=text, **columns)
        async with self.store.change() as db:
            return (await conversations.add_message(db, row)).id

    async def said(self, conversation_id: ConversationId = HERE) -> list[ChatMessage]:
        async with self.store.read() as db:
            rows = await conversations.messages_after(db, conversation_id, 0, limit=1000)
        return [to_message(row) for row in rows]

    async def solve(
        self,
        solve_id: SolveId = SOLVE,
        *,
        number_of_runs: int = 2,
        conversation_id: ConversationId | None = HERE,
        **columns: Any,
    ) -> SolveId:
        """A queued solve with its first event."""
        now = self.tick()
        values: dict[str, Any] = {
            "repo": "toy",
            "issue_title": "Sums are wrong",
            "issue_body": "",
            "issue_number": 12,
            "matrix": Matrix(models=("vendor/fast",)),
            "budget": Budget(),
            "reducer": "simple",
            "sandbox_backend": "bubblewrap",
            "created_at": now,
        }
        row = SolveRow(id=solve_id, conversation_id=conversation_id, **(values | columns))
        async with self.store.change() as db:
            await solves.add(db, row)
            await runs.add_all(db, [_run(row, position) for position in range(number_of_runs)])
            await events.append(db, solve_id, kind="solve.opened", at=now)
        return solve_id

    async def advance(self, event: SolveEvent, solve_id: SolveId = SOLVE, **changes: Any) -> None:
        async with self.store.change() as db:
            await solves.advance(db, solve_id, event, at=self.tick(), **changes)

    async def judge(self, position: int, verdict: Verdict, solve_id: SolveId = SOLVE) -> None:
        """Take a run from its queue to its verdict."""
        of = run_id(position, solve_id)
        async with self.store.change() as db:
            for event in (RunEvent.STARTED, RunEvent.SUBMITTED):
                await runs.advance(db, of, event, at=self.tick())
            await runs.advance(
                db,
                of,
                RunEvent.JUDGED,
                at=self.tick(),
                data={"status": verdict.status},
                verdict=verdict,
                cost_micros=2500,
                files_changed=1,
                lines_changed=2,
            )

    async def play(self, solve_id: SolveId = SOLVE) -> None:
        """A whole solve: the second run passes and is offered."""
        await self.advance(SolveEvent.STARTED, solve_id)
        await self.judge(0, failed(), solve_id)
        await self.judge(1, passed(), solve_id)
        await self.advance(
            SolveEvent.OFFERED,
            solve_id,
            champion_run_id=run_id(1, solve_id),
            reason="fast-1: red to green; ahead of 1 other run",
        )

    def tick(self) -> float:
        self._at += 1
        return self._at


def texts(messages: Sequence[ChatMessage]) -> list[str]:
    return [message.text for message in messages]


def _run(solve: SolveRow, position: int) -> RunRow:
    handle = f"fast-{position}"
    contestant = Contestant(
        agent="mini-swe-agent",
        model="vendor/fast",
        temperature=0.2,
        max_edits=5,
        strategy=Strategy.BALANCED,
        handle=handle,
    )
    return RunRow(
        id=run_id(position, solve.id),
        solve_id=solve.id,
        position=position,
        handle=handle,
        contestant=contestant,
        queued_at=solve.created_at,
    )


@pytest.fixture
async def chat_rows(database_url: str) -> AsyncGenerator[ChatRows]:
    async with await Store.open(database_url) as store:
        chat_rows = ChatRows(store)
        await chat_rows.open()
        yield chat_rows
