"""Opens the bundled demo as an ordinary solve."""

import asyncio

from yudai import demo
from yudai.arena.open import SolveRequest
from yudai.arena.submit import IdempotencyKey, Submitted, Submitter
from yudai.projects.domain.project import Project
from yudai.ranking.domain.reducer import check_reducer
from yudai.settings import Settings
from yudai.solves.domain import defaults
from yudai.solves.domain.budget import Budget, enter
from yudai.wiring.components import own_env

PARALLEL = 4
_TEST_TIMEOUT_S = 120


def demo_request(
    settings: Settings,
    *,
    sandbox_backend: str,
    parallel: int = PARALLEL,
    reducer: str = defaults.REDUCER,
) -> SolveRequest:
    """The demo's request; archives the sample repository under our home if necessary."""
    check_reducer(reducer)
    budget = Budget(
        max_parallel=parallel,
        max_steps=demo.MAX_STEPS,
        max_contestants=settings.max_contestants,
        time_budget_s=settings.time_budget_s,
    )
    return SolveRequest(
        repo=demo.REPO,
        issue=demo.issue(),
        base=demo.base(settings.home, own_env()),
        entrants=enter(demo.matrix(), demo.models(), budget),
        project=Project(test_timeout_s=_TEST_TIMEOUT_S),
        reducer=reducer,
        sandbox_backend=sandbox_backend,
    )


async def open_demo(
    settings: Settings, submitter: Submitter, *, user_id: str, key: IdempotencyKey | None
) -> Submitted:
    async def request() -> SolveRequest:
        backend = submitter.sandbox_backend
        return await asyncio.to_thread(demo_request, settings, sandbox_backend=backend)

    return await submitter.open_once(request, user_id=user_id, key=key)
