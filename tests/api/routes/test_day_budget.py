"""What one person's solves may cost within a day, however many they are."""

import asyncio
from dataclasses import replace

import pytest

from tests.support.api_client import Place
from tests.support.forge.repositories import Repository
from yudai.arena.submit import Submitter
from yudai.kit.errors import RefusedError
from yudai.kit.ids import SolveId
from yudai.solves import queries as solves
from yudai.solves.domain.request import SolveAsk

USD = 1_000_000


def _limited(place: Place) -> Submitter:
    return replace(place.submitter, solves=replace(place.submitter.solves, day_cap_micros=3 * USD))


def _ask(repository: Repository, **more: object) -> SolveAsk:
    body = {
        "repo_path": str(repository.root),
        "issue_text": "It is wrong",
        "matrix": {"models": ["gpt-4.1"], "temps": [0.1, 0.2]},
        "limits": {"budget_usd": 2, "run_budget_usd": 2},
    }
    return SolveAsk.model_validate(body | more)


async def test_an_open_solve_counts_with_its_cap(place: Place, repository: Repository):
    submitter, ask = _limited(place), _ask(repository)
    first, _ = await submitter.submit(ask, user_id="ada")
    with pytest.raises(RefusedError, match=r"\$2.00, and \$1.00 is left") as refused:
        await submitter.submit(ask, user_id="ada")
    assert refused.value.field == "limits.budget_usd"
    await submitter.submit(ask, user_id="bob")
    await submitter.submit(_ask(repository, limits={"budget_usd": 1}), user_id="ada")

    # One that has ended counts with what it has cost.
    async with place.context.store.change() as db:
        await solves.change(db, SolveId(first), spent_micros=USD // 2, uncertain_micros=USD // 2)
    await place.submitter.solves.stopper.cancel(SolveId(first))
    await submitter.submit(_ask(repository, limits={"budget_usd": 1}), user_id="ada")
    with pytest.raises(RefusedError, match=r"\$0.00 is left"):
        await submitter.submit(_ask(repository, limits={"budget_usd": 0.5}), user_id="ada")


async def test_what_costs_nothing_is_not_counted(place: Place, repository: Repository):
    submitter = _limited(place)
    await submitter.submit(_ask(repository), user_id="ada")
    free = {"gpt-4.1": {"input_usd": 0, "output_usd": 0}}
    await submitter.submit(_ask(repository, prices=free), user_id="ada")


async def test_of_many_at_the_same_moment_those_open_that_fit(place: Place, repository: Repository):
    submitter, ask = _limited(place), _ask(repository)

    async def opened() -> bool:
        try:
            await submitter.submit(ask, user_id="ada")
        except RefusedError:
            return False
        return True

    async with asyncio.TaskGroup() as group:
        tries = [group.create_task(opened()) for _ in range(5)]
    assert sum(one.result() for one in tries) == 1
