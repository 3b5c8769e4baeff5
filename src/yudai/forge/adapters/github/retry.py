"""Our retry rule. githubkit's own would repeat requests that were already executed."""

import math
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from yudai.forge.adapters.github.configuration import Bounds
from yudai.forge.adapters.github.messages import Answer, ApiRequest, NoResponse

Sleep = Callable[[float], Awaitable[None]]

_FIRST_PAUSE_S = 0.5
# What GitHub's guide says to wait when an answer does not say how long.
_UNSAID_WAIT_S = 60.0
_LIMITED = frozenset({403, 429})


class Outcome(NamedTuple):
    answer: Answer | NoResponse
    retry_after_s: float = 0.0
    """The delay that GitHub asks for, if it was too long to wait."""


async def persist(
    send: Callable[[], Awaitable[Answer | NoResponse]],
    ask: ApiRequest,
    *,
    bounds: Bounds,
    now: Callable[[], float],
    sleep: Sleep,
) -> Outcome:
    """The last response."""
    waited, repeats = 0.0, 0
    while True:
        answer = await send()
        wait = _wait(answer, ask, repeats, now())
        if wait is None:
            return Outcome(answer)
        if repeats == bounds.repeats or waited + wait > bounds.longest_wait_s:
            return Outcome(answer, retry_after_s=limit_wait(answer, now()) or 0.0)
        waited += wait
        repeats += 1
        await sleep(wait)


def limit_wait(answer: Answer | NoResponse, now: float) -> float | None:
    """Seconds until the rate limit allows a retry; None without a limit."""
    if isinstance(answer, NoResponse) or answer.status < 400:
        return None
    after = _number(answer.headers.get("retry-after", ""))
    is_spent = answer.headers.get("x-ratelimit-remaining") == "0"
    if answer.status >= 500:
        return after
    if answer.status not in _LIMITED:
        return None
    if after is not None:
        return max(0.0, after)
    if is_spent:
        reset = _number(answer.headers.get("x-ratelimit-reset", ""))
        return _UNSAID_WAIT_S if reset is None else max(1.0, reset - now)
    is_limit = answer.status == 429 or b"secondary rate limit" in answer.body.lower()
    return _UNSAID_WAIT_S if is_limit else None


def _wait(answer: Answer | NoResponse, ask: ApiRequest, repeats: int, now: float) -> float | None:
    """Seconds until the next attempt; None: no retry."""
    pause = _FIRST_PAUSE_S * 2**repeats
    if isinstance(answer, NoResponse):
        return pause if ask.may_repeat and not answer.is_final else None
    limit = limit_wait(answer, now)
    if answer.status >= 500:
        return (pause if limit is None else limit) if ask.may_repeat else None
    # A rate-limited request was not carried out: even a write may be repeated.
    return limit


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None
