"""Money, time and number: what somebody can make us spend."""

import asyncio
from pathlib import Path

import pytest

from tests.support.scripted_agent import Stage
from yudai.gateway.domain.models import Price
from yudai.kit.causes import Cause
from yudai.kit.errors import GatewayError, RefusedError
from yudai.runs.spending import run_cap as caps
from yudai.runs.spending.run_cap import Quote, RunCap
from yudai.solves.domain import matrix as matrices
from yudai.solves.domain.matrix import Matrix

CAP = 10_000
CALL = 6_000
UNIT = Price(input_micros=0, output_micros=1_000_000)


async def spend_together(contestants: int) -> int:
    """What contestants who all call at once have spent of one cap."""
    run_cap = RunCap(CAP)
    at_once = asyncio.Barrier(contestants)

    async def contestant() -> None:
        await at_once.wait()
        quote = Quote(input_tokens=0, output_tokens=CALL, price=UNIT)
        try:
            async with run_cap.hold(quote) as hold:
                await asyncio.sleep(0)
                hold.cost_micros = hold.quote.micros
        except GatewayError as error:
            assert error.cause is Cause.OUT_OF_BUDGET  # noqa: PT017 - it ends the run

    async with asyncio.timeout(30), asyncio.TaskGroup() as group:
        for _ in range(contestants):
            group.create_task(contestant())
    return run_cap.spent_micros


async def test_twenty_at_once_overshoot_a_cap_by_less_than_one_call():
    assert await spend_together(20) < CAP + CALL


async def test_unreserved_all_twenty_are_paid_for(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(caps, "grant", lambda quote, **_: quote)
    assert await spend_together(20) == 20 * CALL


async def never_stop(tmp_path: Path, *, max_steps: int) -> int:
    """How often a model was called that never comes to an end."""
    stage = Stage(tmp_path / f"stage-{max_steps}")
    outcome = await stage.play([{"run": ["true"]}], repeat_last=True, max_steps=max_steps)
    assert outcome.cause is Cause.OUT_OF_STEPS
    return outcome.steps


async def test_an_endless_model_is_ended_by_its_steps(tmp_path: Path):
    assert await never_stop(tmp_path, max_steps=5) == 5


async def test_with_more_of_them_it_goes_on(tmp_path: Path):
    assert await never_stop(tmp_path, max_steps=30) == 30


VAST = Matrix(models=tuple(f"vendor/m{n}" for n in range(41)), max_edits=tuple(range(1, 26)))


def expand() -> int:
    """How many contestants of a vast matrix are listed."""
    try:
        lineup = matrices.expand(VAST)
    except RefusedError:
        return 0
    return len(lineup.contestants) + len(lineup.not_started)


def test_a_vast_matrix_is_refused():
    assert expand() == 0


def test_without_the_limit_it_is_counted_out(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(matrices, "MAX_CELLS", 1_000_000)
    assert expand() == 41 * 25
