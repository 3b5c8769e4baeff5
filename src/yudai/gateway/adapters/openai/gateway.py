"""Model calls to OpenRouter or any OpenAI-compatible endpoint, with bounded patience."""

import asyncio
import random
import re
import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

import structlog

from yudai.gateway.adapters.openai.dialect import Dialect, Dialects, request
from yudai.gateway.adapters.openai.endpoint import Endpoint
from yudai.gateway.adapters.openai.errors import Fault, Patience, one_line, pause, retry_after
from yudai.gateway.adapters.openai.replies import Reply, read_reply
from yudai.gateway.domain.models import Model
from yudai.gateway.port import Call, Completion
from yudai.kit.causes import Cause
from yudai.kit.errors import GatewayError

if TYPE_CHECKING:
    from yudai.gateway.adapters.openai.client import Client

log = structlog.get_logger()


_LEAST = 1024
"""Below this many tokens the context counts as full."""
_MARGIN = 64
_CONTEXT = re.compile(r"maximum context length is (\d{3,9})", re.IGNORECASE)
_USED = re.compile(r"(\d{1,9}) (?:in the messages|of (?:text|tool) input|input tokens)")
_SUM = re.compile(r"context limit: (\d{1,9}) \+ \d{1,9} > (\d{3,9})")


def fit_context(call: Call, fault: Fault) -> Call | None:
    """The same call with a shorter answer that fits, if its length was refused."""
    if not fault.is_about_form:
        return None
    left = _left(fault.text) - _MARGIN
    if not _LEAST <= left < call.max_output_tokens:
        return None
    return call.model_copy(update={"max_output_tokens": left})


def _left(text: str) -> int:
    if both := _SUM.search(text):
        return int(both[2]) - int(both[1])
    context, used = _CONTEXT.search(text), _USED.findall(text)
    return int(context[1]) - sum(map(int, used)) if context and used else 0


def error_message(
    fault: Fault, endpoint: Endpoint, call: Call, *, failures: int, asked_s: float | None
) -> str:
    status = f" ({fault.status})" if fault.status else ""
    if fault.cause is Cause.CONTEXT_OVERFLOW:
        what = f"the conversation outgrew the context of {call.model}{status}"
    elif fault.cause is Cause.MODEL_REFUSED:
        what = f"{endpoint.name} {_refusal(fault, endpoint)}{status}"
    else:
        times = "" if failures == 1 else f" {failures} times, at last"
        wait = "" if asked_s is None else f" and asks to wait for {asked_s:.0f} s"
        what = f"{endpoint.name} failed{times}{status}{wait}"
    return f"{what}: {fault.words}"


def _refusal(fault: Fault, endpoint: Endpoint) -> str:
    variable = endpoint.key_variable or "the settings"
    if fault.status in (401, 403) and not endpoint.key:
        return f"wants a key: set {variable}"
    if fault.status == 401:
        return f"refused the key in {variable}"
    if fault.status == 403:
        return f"refused the call with the key in {variable}"
    return "knows no such model or address" if fault.status == 404 else "refused the call"


# Without temperature, with another limit, with and without reasoning, shorter: no more than that.
_MOST_FORMS = 6
_PATIENCE = Patience()


class OpenAIGateway:
    def __init__(
        self,
        endpoint: Endpoint,
        *,
        patience: Patience = _PATIENCE,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        now: Callable[[], float] = time.time,
        dice: Callable[[], float] = random.random,
    ) -> None:
        self._endpoint = endpoint
        self._patience = patience
        self._sleep = sleep
        self._now = now
        self._dice = dice
        self._dialects = Dialects()
        self._client: Client | None = None
        self._opening = asyncio.Lock()

    def check(self, model: Model) -> None:
        del model
        self._endpoint.refuse_unusable()

    async def complete(self, call: Call) -> Completion:
        self._endpoint.refuse_unusable()
        failures = lost = 0
        while isinstance(result := await self._attempt(call), Fault):
            failures, lost = failures + 1, lost + result.lost
            asked_s = retry_after(result.retry_after, now=self._now())
            if self._is_over(result, failures, asked_s):
                raise GatewayError(
                    error_message(result, self._endpoint, call, failures=failures, asked_s=asked_s),
                    cause=result.cause or Cause.MODEL_FAILED,
                    lost_attempts=lost,
                )
            wait_s = pause(failures, asked_s=asked_s, dice=self._dice())
            log.info("gateway.failed", model=call.model, status=result.status, wait_s=wait_s)
            await self._sleep(wait_s)
        return result.model_copy(update={"lost_attempts": lost})

    async def close(self) -> None:
        if self._client is not None:
            client, self._client = self._client, None
            await client.close()

    def _is_over(self, fault: Fault, failures: int, asked_s: float | None) -> bool:
        return (
            fault.cause is not None
            or failures >= self._patience.attempts
            or (asked_s or 0.0) > self._patience.longest_wait_s
        )

    async def _attempt(self, call: Call, *, forms: int = _MOST_FORMS) -> Completion | Fault:
        """Make the call; if only its format is refused, retry at once in another format."""
        dialect = self._dialects.of(call)
        result = await self._ask(call, dialect)
        if isinstance(result, Completion) or not result.is_about_form or forms == 1:
            return result
        better = self._dialects.of(call).corrected(result)
        if better != dialect:
            self._dialects.learn(call, better)
            return await self._attempt(call, forms=forms - 1)
        shorter = fit_context(call, result)
        return await self._attempt(shorter, forms=forms - 1) if shorter else result

    async def _ask(self, call: Call, dialect: Dialect) -> Completion | Fault:
        client = await self._opened()
        with_cost = self._endpoint.reports_cost
        wish = {"usage": {"include": True}} if with_cost else {}
        answer = await client.post(request(call, dialect) | wish)
        if isinstance(answer, Fault):
            return answer
        reply = read_reply(answer, call, with_cost=with_cost)
        if isinstance(reply, Fault):
            return reply
        return self._learn(call, dialect, reply)

    def _learn(self, call: Call, dialect: Dialect, reply: Reply) -> Completion:
        known = self._dialects.of(call)
        self._dialects.learn(call, known.after(reply.completion, reply.fields))
        used = call.temperature if dialect.has_temperature else None
        return reply.completion.model_copy(update={"temperature_used": used})

    async def _opened(self) -> "Client":
        async with self._opening:
            if self._client is None:
                # In a thread, because it takes a second and must not block other runs.
                self._client = await asyncio.to_thread(_open, self._endpoint, self._patience)
            return self._client


def _open(endpoint: Endpoint, patience: Patience) -> "Client":
    from yudai.gateway.adapters.openai.client import Client  # noqa: PLC0415  it imports openai

    try:
        return Client(endpoint, patience)
    except (ImportError, OSError, ValueError) as error:
        # A proxy or a file of certificates, named by the environment, that cannot be used.
        words = one_line(str(error))
    raise GatewayError(
        f"no call to {endpoint.name} can be made: {words}", cause=Cause.MODEL_REFUSED
    )
