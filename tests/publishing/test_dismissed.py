"""What becomes of a publication when a person decides about its solve meanwhile."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

from tests.support.forge.mirrors_in_memory import WORKFLOW, Press
from tests.support.solve_rows import failed, passed, run_id
from yudai.decisions.choose import Choice, choose_champion, dismiss_solve
from yudai.kit.errors import ConflictError, ForgeError
from yudai.publishing.domain.publication import PublicationState
from yudai.publishing.queries import DISMISSED
from yudai.solves import queries as solves
from yudai.solves.domain.origin import PublishMode
from yudai.solves.domain.states import SolveState
from yudai.store.store import Store

# Its queries meet both databases in test_queries.py, and in other tests of this package.
pytestmark = pytest.mark.real_on("postgresql")


@pytest.fixture
async def press(database_url: str, tmp_path: Path) -> AsyncGenerator[Press]:
    async with await Store.open(database_url) as store:
        press = Press(store, tmp_path / "artifacts")
        await press.solve(passed(), failed())
        yield press


async def _dismiss(press: Press) -> None:
    await dismiss_solve(press.context, press.solve_id, "no", user_id="")


async def _check_rests(press: Press) -> None:
    row = await press.row()
    assert (row.state, row.reason, row.due_at) == (PublicationState.REFUSED, DISMISSED, 0.0)
    assert (press.pulls, press.comments) == ([], [])
    assert (await press.timeline())[-1] == "publication.refused"
    press.clock.time += 10_000
    assert await press.publisher().sweep() == 0


async def test_dismissing_cancels_what_is_under_way(press: Press):
    press.mirrors.faults.before("push")
    await press.publisher().auto(press.solve_id)
    assert (await press.row()).state is PublicationState.COMMITTED
    await _dismiss(press)
    await _check_rests(press)
    assert press.branches == []


@pytest.mark.parametrize("act", ["build", "base_move", "branch_head"])
async def test_dismissed_in_the_midst_of_an_act(press: Press, act: str):
    _dismiss_during(press, press.mirrors, act)
    await press.publisher().auto(press.solve_id)
    await _check_rests(press)
    assert "push" not in press.mirrors.calls


async def test_dismissed_right_before_the_pull_request(press: Press):
    _dismiss_during(press, press.forge, "pulls_of")
    await press.publisher().auto(press.solve_id)
    assert "open_pull" not in press.forge.calls
    await _check_rests(press)


async def test_a_pull_request_that_was_opened_meanwhile_is_not_forgotten(press: Press):
    _dismiss_during(press, press.forge, "open_pull")
    await press.publisher().auto(press.solve_id)
    row = await press.row()
    assert (row.state, row.pull_number) == (PublicationState.DONE, press.pulls[0].number)


async def test_one_that_was_opened_before_stays(press: Press):
    await press.publisher().auto(press.solve_id)
    await _dismiss(press)
    assert (await press.row()).state is PublicationState.DONE


async def test_a_refusal_that_was_never_posted_is_not_posted(press: Press):
    await press.keep_patch(run_id(0), WORKFLOW)
    press.forge.faults.before("comments", error=ForgeError("away"))
    await press.publisher().auto(press.solve_id)
    assert (await press.row()).due_at > 0
    await _dismiss(press)
    row = await press.row()
    assert (row.state, row.due_at) == (PublicationState.REFUSED, 0.0)
    assert "workflows" in row.reason
    press.clock.time += 10_000
    assert await press.publisher().sweep() == 0
    assert press.comments == []


async def test_a_solve_that_was_cancelled_is_not_published(press: Press):
    """Where nobody has told its publication."""
    press.mirrors.faults.before("push")
    await press.publisher().auto(press.solve_id)
    async with press.store.change() as db:
        (await solves.get(db, press.solve_id)).state = SolveState.CANCELLED
    await press.finish()
    await _check_rests(press)


async def test_one_that_was_applied_is_still_published(press: Press):
    press.mirrors.faults.before("push")
    await press.publisher().auto(press.solve_id)
    async with press.store.change() as db:
        (await solves.get(db, press.solve_id)).state = SolveState.COMPLETED
    await press.finish()
    assert len(press.pulls) == 1


async def test_no_other_champion_is_chosen_while_one_is_published(press: Press):
    await press.solve(passed(), passed(), id="0190a000-0000-7000-8000-00000000bbbb")
    choice = Choice(run_id=run_id(1, press.solve_id), reason="it is shorter")
    press.forge.faults.before("pulls_of")
    await press.publisher().auto(press.solve_id)
    with pytest.raises(ConflictError, match="being published"):
        await choose_champion(press.context, press.solve_id, choice, user_id="")
    await press.finish()
    await choose_champion(press.context, press.solve_id, choice, user_id="")


async def test_dismissing_what_no_one_publishes(press: Press):
    await press.solve(passed(), id="0190a000-0000-7000-8000-00000000bbbb", publish=PublishMode.ASK)
    await _dismiss(press)
    assert await press.timeline() == []


def _dismiss_during(press: Press, of: Any, name: str) -> None:
    act = getattr(of, name)

    async def struck(*args: Any, **how: Any) -> Any:
        answer = await act(*args, **how)
        setattr(of, name, act)
        await _dismiss(press)
        return answer

    setattr(of, name, struck)
