"""The model endpoint for agents in sandboxes: checks the run's token, meters, records, answers."""

import asyncio
import math
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from weakref import WeakValueDictionary

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from yudai.domain.errors import (
    ConflictError,
    GatewayError,
    NotFoundError,
    RefusedError,
    TakenError,
    UnknownCallerError,
    WorldError,
)
from yudai.domain.failure import Cause
from yudai.domain.ids import RunId
from yudai.domain.runtoken import AUDIENCE, RunClaims, check_run
from yudai.ports.clock import Clock
from yudai.ports.gateway import Call, Completion, Gateway
from yudai.ports.modeldesk import BodyTooLargeError, DeskReport, ModelAnswer, ReadBody, Ticket
from yudai.services import model_desk_wire as wire
from yudai.services.metering import MeteredGateway
from yudai.services.model_desk_book import DeskBook, cap_of, used_up
from yudai.services.model_desk_record import Seen, bodies_of, reply_body
from yudai.services.model_desk_request import ChatRequest, read_request
from yudai.services.model_desk_session import Session
from yudai.services.purse import Purse
from yudai.services.run_tokens import RunTokens
from yudai.services.shared_purse import SharedPurse
from yudai.store import runs, solves, trajectories
from yudai.store.store import Store
from yudai.store.tables import RunRow, SolveRow

log: structlog.stdlib.BoundLogger = structlog.get_logger()

MAX_AT_ONCE = 8
"""Requests of one attempt that a process reads and answers together; further ones wait unread."""
LEAVING_S = 5.0
"""How long a report waits for calls that it has cancelled."""
_OVER = "this token's run is over"
_Key = tuple[RunId, int]


class _Begun(NamedTuple):
    """A call that may be made."""

    call: Call
    session: Session
    step: int
    left_s: float


@dataclass(frozen=True)
class ModelDesk:
    """One per process; any number of processes may answer for one run."""

    store: Store
    gateway: Gateway
    clock: Clock
    tokens: RunTokens
    _sessions: dict[_Key, Session] = field(default_factory=dict[_Key, Session], repr=False)
    _places: WeakValueDictionary[_Key, asyncio.Semaphore] = field(
        default_factory=WeakValueDictionary[_Key, asyncio.Semaphore], repr=False
    )
    """Each lives as long as somebody is in it, or waits for it."""

    @property
    def _book(self) -> DeskBook:
        return DeskBook(self.store, self.clock)

    async def complete(self, authorization: str, read: ReadBody) -> ModelAnswer:
        return await self._answered(self._complete(authorization, read))

    async def models(self, authorization: str) -> ModelAnswer:
        return await self._answered(self._models(authorization))

    async def admit(self, run_id: RunId, *, sandbox_id: str, seconds: float) -> Ticket:
        async with self.store.change() as db:
            run = await runs.get(db, run_id)
            solve = await solves.get(db, run.solve_id)
        # Only the present attempt's messages change its row: another one's sandbox is not there.
        if run.sandbox_id != sandbox_id:
            raise TakenError(f"run {run_id} was taken up by another worker")
        claims = RunClaims(
            iss=self.tokens.issuer,
            aud=AUDIENCE,
            exp=math.ceil(min(self.clock.now() + seconds, solve.deadline_at or math.inf)),
            run=run.id,
            solve=solve.id,
            attempt=run.attempt,
            model=run.contestant.model,
            cap_micros=solve.budget.run_cost_cap_micros,
        )
        return Ticket(run_id=run.id, attempt=run.attempt, token=self.tokens.sign(claims))

    async def report(self, ticket: Ticket) -> DeskReport:
        session = self._sessions.pop((ticket.run_id, ticket.attempt), None)
        if session is not None and session.tasks:
            session.leave()
            await asyncio.wait(set(session.tasks), timeout=LEAVING_S)
        return await self._book.report(ticket.run_id, ticket.attempt)

    def leave(self, ticket: Ticket) -> None:
        session = self._sessions.pop((ticket.run_id, ticket.attempt), None)
        if session is not None:
            session.leave()

    async def _answered(self, work: Coroutine[Any, Any, ModelAnswer]) -> ModelAnswer:
        """Every refusal in OpenAI's shape; none says more than the sandbox may know."""
        try:
            return await work
        except BodyTooLargeError as error:
            return wire.refused(wire.TOO_LARGE, str(error))
        except UnknownCallerError as error:
            return wire.refused(wire.UNKNOWN_CALLER, str(error))
        except (ConflictError, NotFoundError):
            # Taken up by another worker, or removed.
            return wire.refused(wire.UNKNOWN_CALLER, _OVER)
        except RefusedError as error:
            return wire.refused(wire.BAD_REQUEST, self.store.redact(str(error)))
        except WorldError as error:
            words = self.store.redact(str(error))
            log.warning("model_desk.refused", cause=error.cause, error=words)
            return wire.refused_for(error.cause)

    async def _models(self, authorization: str) -> ModelAnswer:
        claims = await self._claims(authorization)
        return wire.listed(claims.model)

    async def _claims(self, authorization: str) -> RunClaims:
        claims = self.tokens.read(authorization)
        async with self.store.read() as db:
            run = await runs.get(db, claims.run)
        check_run(claims, state=run.state, attempt=run.attempt)
        return claims

    async def _complete(self, authorization: str, read: ReadBody) -> ModelAnswer:
        claims = await self._claims(authorization)
        key = (claims.run, claims.attempt)
        places = self._places.setdefault(key, asyncio.Semaphore(MAX_AT_ONCE))
        async with places:
            return await self._served(claims, read)

    async def _served(self, claims: RunClaims, read: ReadBody) -> ModelAnswer:
        request = read_request(await read())
        begun = await self._begin(claims, request)
        if isinstance(begun, Cause):
            await self._book.note(claims, begun)
            return wire.refused_for(begun)
        with begun.session.under_way():
            completion = await self._made(claims, begun)
            await _to_its_end(self._finish(claims, begun, completion))
        reply = wire.Reply(self.clock.token(), begun.call.model, int(self.clock.now()))
        if request.is_streamed:
            return reply.streamed(completion, with_usage=request.with_usage)
        return reply.whole(completion)

    async def _begin(self, claims: RunClaims, request: ChatRequest) -> _Begun | Cause:
        """Count the step and record what is new, before the call is made."""
        now = self.clock.now()
        async with self.store.change() as db:
            run = await runs.hold(db, claims.run)
            check_run(claims, state=run.state, attempt=run.attempt)
            solve = await solves.get(db, run.solve_id)
            if (cause := used_up(solve, run, claims)) is not None:
                return cause
            session = await self._session(db, solve, run, claims)
            bodies = bodies_of(session.seen.unseen(request.messages), at=now)
            step = run.steps + 1
            changed = await self._book.keep(db, run, bodies, step=run.steps, steps=step)
        session.recorded(bodies, changed.message_count)
        call = Call(
            model=changed.contestant.model,
            temperature=changed.contestant.temperature,
            messages=request.messages,
            tools=request.tools,
            turn=step - 1,
        )
        if request.max_output_tokens is not None:
            most = min(call.max_output_tokens, request.max_output_tokens)
            call = call.model_copy(update={"max_output_tokens": most})
        return _Begun(call, session, step, claims.exp - now)

    async def _made(self, claims: RunClaims, begun: _Begun) -> Completion:
        timer = asyncio.timeout(begun.left_s)
        try:
            async with timer:
                return await begun.session.complete(begun.call)
        except TimeoutError:
            if not timer.expired():
                raise
            await self._book.note(claims, Cause.OUT_OF_TIME)
            raise GatewayError("the run's time is up", cause=Cause.OUT_OF_TIME) from None
        except GatewayError as error:
            await self._book.note(claims, error.cause)
            raise

    async def _finish(self, claims: RunClaims, begun: _Begun, completion: Completion) -> None:
        body = reply_body(completion, temperature=begun.call.temperature, at=self.clock.now())
        count = await self._book.finish(claims, body, step=begun.step, usage=completion.usage)
        if count is not None:
            begun.session.recorded([body], count)

    async def _session(
        self, db: AsyncSession, solve: SolveRow, run: RunRow, claims: RunClaims
    ) -> Session:
        key = (run.id, run.attempt)
        if key not in self._sessions:
            self._forget_ended()
            self._sessions[key] = self._new_session(solve, run, claims)
        session = self._sessions[key]
        # Another process may have answered for this run as well, or we before a restart.
        purse = session.purse
        purse.spent_micros = max(purse.spent_micros, run.total_cost_micros)
        if session.messages != run.message_count:
            session.seen = Seen(await trajectories.messages(db, run.id, attempt=run.attempt))
            session.messages = run.message_count
        return session

    def _new_session(self, solve: SolveRow, run: RunRow, claims: RunClaims) -> Session:
        cap = cap_of(solve, claims)
        shared = SharedPurse(
            self.store,
            self.clock,
            solve_id=solve.id,
            run_id=run.id,
            worker_id=run.worker_id,
            cap_micros=solve.budget.cost_cap_micros,
        )
        models = {model.name: model for model in solve.models}
        return Session(
            purse=Purse(cap, whose="run", spent_micros=run.total_cost_micros),
            make_gateway=lambda: MeteredGateway(self.gateway, shared, models, run_cap_micros=cap),
            ends_at=claims.exp,
        )

    def _forget_ended(self) -> None:
        now = self.clock.now()
        for key in [key for key, one in self._sessions.items() if one.ends_at <= now]:
            del self._sessions[key]


async def _to_its_end(work: Coroutine[Any, Any, None]) -> None:
    """Also when we are cancelled meanwhile: it was paid for."""
    task = asyncio.ensure_future(work)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        raise
