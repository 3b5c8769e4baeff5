"""The model endpoint for agents in sandboxes: checks the run's token, meters, records, answers."""

import asyncio
import math
from collections.abc import Coroutine
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from yudai.agents.endpoint import responses as wire
from yudai.agents.endpoint.intake import (
    Caller,
    CallRequest,
    Intake,
    Session,
    SlowBodyError,
    to_its_end,
)
from yudai.agents.endpoint.port import (
    BodyTooLargeError,
    EndpointReport,
    EndpointToken,
    ModelAnswer,
    ReadBody,
)
from yudai.agents.endpoint.recorder import (
    MAX_REFUSED,
    AttemptState,
    EndpointRecorder,
    attempt_state,
    cap_of,
    used_up,
)
from yudai.agents.endpoint.tokens import AUDIENCE, RunClaims, RunTokens, check_run
from yudai.agents.endpoint.trajectory import Seen, bodies_of, redacted, reply_body
from yudai.gateway.port import Call, Completion, Gateway
from yudai.kit.causes import Cause
from yudai.kit.clock import Clock
from yudai.kit.errors import (
    ClaimLostError,
    ConflictError,
    GatewayError,
    InfrastructureError,
    NotFoundError,
    RefusedError,
    UnknownCallerError,
)
from yudai.kit.ids import RunId
from yudai.runs import messages as trajectories
from yudai.runs import queries as runs
from yudai.runs.spending.metered_gateway import MeteredGateway
from yudai.runs.spending.solve_cap import AttemptCap, SolveCap
from yudai.runs.tables import RunRow
from yudai.solves import queries as solves
from yudai.solves.tables import SolveRow
from yudai.store.store import Store

log: structlog.stdlib.BoundLogger = structlog.get_logger()

LEAVING_S = 5.0
"""Seconds that a report waits for calls that it has cancelled."""
OTHERS_S = 3.0
"""The same for calls in other processes."""
_UNCOUNTED = 10**18
"""A run's cap is counted in the database, together with its solve's."""
_OVER = "this token's run has ended"
_Key = tuple[RunId, int]


class TooManyError(Exception):
    """The attempt sent too many refused requests; further ones are not read."""


_REFUSALS: dict[type[Exception], wire.Refusal] = {
    BodyTooLargeError: wire.TOO_LARGE,
    SlowBodyError: wire.TOO_SLOW,
    TooManyError: wire.TOO_MANY,
    UnknownCallerError: wire.UNKNOWN_CALLER,
}


class _Begun(NamedTuple):
    """A checked call."""

    call: Call
    call_request: CallRequest
    session: Session
    step: int
    left_s: float


@dataclass(frozen=True)
class ModelEndpoint:
    """The model endpoint of one process. Several processes may serve the same run."""

    store: Store
    gateway: Gateway
    clock: Clock
    tokens: RunTokens
    _sessions: dict[_Key, Session] = field(default_factory=dict[_Key, Session], repr=False)

    @cached_property
    def _recorder(self) -> EndpointRecorder:
        return EndpointRecorder(self.store, self.clock)

    @cached_property
    def _intake(self) -> Intake:
        return Intake(self._recorder)

    async def complete(self, authorization: str, read: ReadBody) -> ModelAnswer:
        return await self._answered(self._complete(authorization, read))

    async def models(self, authorization: str) -> ModelAnswer:
        return await self._answered(self._models(authorization))

    async def open(self, run_id: RunId, *, sandbox_id: str, seconds: float) -> EndpointToken:
        async with self.store.change() as db:
            run = await runs.get(db, run_id)
            solve = await solves.get(db, run.solve_id)
        # Only the present attempt's messages change its row: another one's sandbox is not there.
        if run.sandbox_id != sandbox_id:
            raise ClaimLostError(f"run {run_id} was taken over by another worker")
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
        return EndpointToken(run_id=run.id, attempt=run.attempt, token=self.tokens.sign(claims))

    async def report(self, endpoint_token: EndpointToken) -> EndpointReport:
        session = self._sessions.pop((endpoint_token.run_id, endpoint_token.attempt), None)
        await self._recorder.close(endpoint_token.run_id, endpoint_token.attempt)
        if session is not None and session.tasks:
            session.close()
            await asyncio.wait(set(session.tasks), timeout=LEAVING_S)
        await self._recorder.all_settled(endpoint_token.run_id, within_s=OTHERS_S)
        return await self._recorder.report(endpoint_token.run_id, endpoint_token.attempt)

    def close(self, endpoint_token: EndpointToken) -> None:
        session = self._sessions.pop((endpoint_token.run_id, endpoint_token.attempt), None)
        if session is not None:
            session.close()

    async def _answered(self, work: Coroutine[Any, Any, ModelAnswer]) -> ModelAnswer:
        """Turn every refusal into OpenAI's format, without details that a sandbox must not see."""
        try:
            return await work
        except tuple(_REFUSALS) as error:
            return wire.refused(_REFUSALS[type(error)], str(error))
        except (ConflictError, NotFoundError):
            # Taken up by another worker, or removed.
            return wire.refused(wire.UNKNOWN_CALLER, _OVER)
        except RefusedError as error:
            return wire.refused(wire.BAD_REQUEST, self.store.redact(str(error)))
        except InfrastructureError as error:
            words = self.store.redact(str(error))
            log.warning("model_endpoint.refused", cause=error.cause, error=words)
            return wire.refused_for(error.cause)

    async def _models(self, authorization: str) -> ModelAnswer:
        claims = await self._claims(authorization)
        return wire.listed(claims.model)

    async def _claims(self, authorization: str) -> RunClaims:
        claims = self.tokens.read(authorization)
        async with self.store.read() as db:
            endpoint = await _checked(db, claims, await runs.get(db, claims.run))
        if endpoint.refused >= MAX_REFUSED:
            raise TooManyError(f"more than {MAX_REFUSED} requests of this run were refused")
        return claims

    async def _complete(self, authorization: str, read: ReadBody) -> ModelAnswer:
        caller = Caller(await self._claims(authorization), authorization.rsplit(maxsplit=1)[-1])
        slots = self._intake.slots(caller)
        async with slots.answered:
            session = self._sessions.get(caller.key)
            seen = session.seen if session else Seen()
            call_request = await self._intake.call_request(caller, read, slots, seen)
            return await self._served(caller.claims, call_request)

    async def _served(self, claims: RunClaims, call_request: CallRequest) -> ModelAnswer:
        begun = await self._begin(claims, call_request)
        if isinstance(begun, Cause):
            await self._recorder.refuse(claims, begun)
            return wire.refused_for(begun)
        with begun.session.under_way():
            completion = await self._made(claims, begun)
            await to_its_end(self._finish(claims, begun, completion))
        reply = wire.Reply(self.clock.token(), begun.call.model, int(self.clock.now()))
        if call_request.request.is_streamed:
            return reply.streamed(completion, with_usage=call_request.request.with_usage)
        return reply.whole(completion)

    async def _begin(self, claims: RunClaims, call_request: CallRequest) -> _Begun | Cause:
        """Count the step and record new messages before the call is made."""
        now = self.clock.now()
        async with self.store.change() as db:
            run = await runs.hold(db, claims.run)
            await _checked(db, claims, run)
            solve = await solves.get(db, run.solve_id)
            if (cause := used_up(solve, run, claims)) is not None:
                return cause
            session = await self._session(db, solve, run, claims)
            new = session.seen.unseen(call_request.messages.prints)
            bodies = bodies_of(call_request.messages, new, at=now)
            step = run.steps + 1
            changed = await self._recorder.keep(db, run, bodies, step=run.steps, steps=step)
        session.recorded(bodies, changed.message_count)
        call = _call(changed, call_request, turn=step - 1)
        return _Begun(call, call_request, session, step, claims.exp - now)

    async def _made(self, claims: RunClaims, begun: _Begun) -> Completion:
        timer = asyncio.timeout(begun.left_s)
        try:
            async with timer:
                return await begun.session.complete(begun.call, begun.call_request.asked)
        except TimeoutError:
            if not timer.expired():
                raise
            await self._recorder.note(claims, Cause.OUT_OF_TIME)
            raise GatewayError("the run's time has ended", cause=Cause.OUT_OF_TIME) from None
        except GatewayError as error:
            await self._recorder.note(claims, error.cause)
            raise
        except RefusedError as error:
            # This server lacks a key or an address: nothing that a sandbox could do about.
            await self._recorder.note(claims, Cause.MODEL_REFUSED)
            raise GatewayError(str(error), cause=Cause.MODEL_REFUSED) from None

    async def _finish(self, claims: RunClaims, begun: _Begun, completion: Completion) -> None:
        said = reply_body(completion, temperature=begun.call.temperature, at=self.clock.now())
        body = await asyncio.to_thread(redacted, said, begun.call_request.redact)
        count = await self._recorder.finish(claims, body, step=begun.step, usage=completion.usage)
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
        if session.messages != run.message_count:
            session.seen = Seen(await trajectories.messages(db, run.id, attempt=run.attempt))
            session.messages = run.message_count
        return session

    def _new_session(self, solve: SolveRow, run: RunRow, claims: RunClaims) -> Session:
        solve_cap = SolveCap(
            self.store,
            self.clock,
            solve_id=solve.id,
            run_id=run.id,
            worker_id=run.worker_id,
            cap_micros=solve.budget.cost_cap_micros,
        )
        solve_cap.attempt_cap = AttemptCap(cap_of(solve, claims), run.attempt)
        models = {model.name: model for model in solve.models}
        return Session(
            lambda: MeteredGateway(self.gateway, solve_cap, models, run_cap_micros=_UNCOUNTED),
            ends_at=claims.exp,
        )

    def _forget_ended(self) -> None:
        now = self.clock.now()
        for key in [key for key, one in self._sessions.items() if one.ends_at <= now]:
            del self._sessions[key]


async def _checked(db: AsyncSession, claims: RunClaims, run: RunRow) -> AttemptState:
    """UnknownCallerError if its attempt has ended."""
    endpoint = await attempt_state(db, run.id, run.attempt)
    check_run(claims, state=run.state, attempt=run.attempt, is_closed=endpoint.is_closed)
    return endpoint


def _call(run: RunRow, call_request: CallRequest, *, turn: int) -> Call:
    request = call_request.request
    call = Call(
        model=run.contestant.model,
        temperature=run.contestant.temperature,
        messages=request.messages,
        tools=request.tools,
        turn=turn,
        learns_with=f"{run.id}/{run.attempt}",
    )
    if request.max_output_tokens is None:
        return call
    most = min(call.max_output_tokens, request.max_output_tokens)
    return call.model_copy(update={"max_output_tokens": most})
