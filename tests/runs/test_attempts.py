"""Taking work up, giving an attempt up, and who may write after that."""

import pytest

from yudai.artifacts import queries as artifacts
from yudai.artifacts.port import ArtifactKind, ArtifactRef
from yudai.engine.guard import lost_claims
from yudai.gateway.domain.models import Usage
from yudai.kit.causes import Cause
from yudai.kit.errors import ClaimLostError, ConflictError
from yudai.kit.ids import WorkerId
from yudai.runs import attempts
from yudai.runs import queries as runs
from yudai.runs.domain.states import RunEvent, RunState
from yudai.runs.tables import RunRow
from yudai.solves import queries as solves
from yudai.solves import timeline as events
from yudai.solves.claims import Claim, claim_of
from yudai.solves.domain.matrix import patch_contestant
from yudai.solves.domain.states import SolveEvent, SolveState
from yudai.solves.tables import SolveRow
from yudai.store.store import Store

HERE, THERE = WorkerId("here"), WorkerId("there")
USAGE = Usage(input_tokens=10, cached_tokens=5, output_tokens=3, cost_micros=700)


async def take(store: Store, run: RunRow, worker_id: WorkerId, *, at: float) -> SolveRow | None:
    async with store.change() as db:
        return await attempts.take_solve(db, run.solve_id, worker_id, at=at)


async def begin(
    store: Store, run: RunRow, worker_id: WorkerId = HERE, *, at: float = 5.0
) -> RunRow:
    async with store.change() as db:
        row = await runs.hold(db, run.id)
        return await attempts.start(db, row, worker_id, at=at, time_budget_s=60)


async def test_a_solve_keeps_its_start_for_every_worker(store: Store, run: RunRow) -> None:
    first = await take(store, run, HERE, at=10.0)
    assert first is not None
    assert (first.state, first.attempt, first.worker_id) == (SolveState.RUNNING, 1, HERE)
    second = await take(store, run, THERE, at=20.0)
    assert second is not None
    assert (second.attempt, second.worker_id) == (2, THERE)
    assert first.started_at == second.started_at == 10.0
    async with store.read() as db:
        told = [event.kind for event in await events.after(db, run.solve_id)]
    assert told == ["solve.started", "solve.resumed"]


async def test_a_solve_at_rest_is_taken_up_by_no_one(store: Store, run: RunRow) -> None:
    async with store.change() as db:
        await solves.advance(db, run.solve_id, SolveEvent.CANCELLED, at=2.0)
    assert await take(store, run, HERE, at=10.0) is None


async def test_who_lost_a_solve_may_not_write(store: Store, run: RunRow) -> None:
    first = await take(store, run, HERE, at=10.0)
    assert first is not None
    old = claim_of(first)
    await take(store, run, THERE, at=20.0)
    with pytest.raises(ClaimLostError):
        async with store.change() as db:
            await solves.advance(db, run.solve_id, SolveEvent.ABSTAINED, at=21.0, claim=old)
    async with store.read() as db:
        assert (await solves.get(db, run.solve_id)).state is SolveState.RUNNING


async def test_a_patch_that_was_given_is_every_attempts_and_no_clock_runs_for_it(
    store: Store, run: RunRow
) -> None:
    async with store.change() as db:
        await runs.change(db, run.id, contestant=patch_contestant("codex"))
    row = await begin(store, run)
    assert row.deadline_at is None
    ref = ArtifactRef(kind=ArtifactKind.PATCH, sha256="0" * 64, size=3)
    async with store.change() as db:
        await artifacts.add(db, run.solve_id, run.id, ref, at=4.0)
        await attempts.give_up(db, row, Cause.WORKER_LOST, "gone", at=9.0)
    async with store.read() as db:
        assert await artifacts.of_run(db, run.id) == {ArtifactKind.PATCH: ref}


async def test_a_given_up_attempt_is_kept_and_the_next_one_begins_clean(
    store: Store, run: RunRow
) -> None:
    row = await begin(store, run)
    ref = ArtifactRef(kind=ArtifactKind.PATCH, sha256="0" * 64, size=3)
    async with store.change() as db:
        await artifacts.add(db, run.solve_id, run.id, ref, at=6.0)
        row = await runs.change(db, run.id, usage=USAGE, steps=4, message_count=9, sandbox_id="box")
        again = await attempts.give_up(db, row, Cause.SANDBOX_LOST, "it died", at=7.0)
    assert (again.state, again.attempt, again.steps, again.cost_micros) == (
        RunState.QUEUED,
        2,
        0,
        0,
    )
    assert (again.earlier_cost_micros, again.total_cost_micros) == (700, 700)
    assert (again.message_count, again.sandbox_id, again.started_at) == (0, "", None)
    async with store.read() as db:
        [kept] = await attempts.of_run(db, run.id)
        assert await artifacts.of_run(db, run.id) == {}
    assert (kept.number, kept.cause, kept.error) == (1, Cause.SANDBOX_LOST, "it died")
    assert (kept.steps, kept.cost_micros, kept.message_count) == (4, 700, 9)
    assert (kept.worker_id, kept.sandbox_id, kept.artifacts) == (HERE, "box", (ref,))


async def test_costs_of_several_attempts_add_up_and_the_deadline_stays(
    store: Store, run: RunRow
) -> None:
    for number, at in enumerate((5.0, 15.0), start=1):
        row = await begin(store, run, at=at)
        assert row.deadline_at == 65.0
        async with store.change() as db:
            row = await runs.change(db, run.id, usage=USAGE)
            row = await attempts.give_up(db, row, Cause.MODEL_FAILED, "", at=at + 1)
        assert row.earlier_cost_micros == 700 * number
    async with store.read() as db:
        assert [kept.number for kept in await attempts.of_run(db, run.id)] == [1, 2]


async def test_an_attempt_is_never_kept_twice(store: Store, run: RunRow) -> None:
    row = await begin(store, run)
    async with store.change() as db:
        await attempts.give_up(db, row, Cause.SANDBOX_LOST, "", at=7.0)
    with pytest.raises(ConflictError):
        async with store.change() as db:
            await attempts.give_up(db, row, Cause.SANDBOX_LOST, "", at=8.0, claim=claim_of(row))
    async with store.read() as db:
        assert len(await attempts.of_run(db, run.id)) == 1


async def test_who_lost_a_run_may_not_write(store: Store, run: RunRow) -> None:
    frozen = claim_of(await begin(store, run))
    async with store.change() as db:
        row = await runs.hold(db, run.id)
        row = await attempts.give_up(db, row, Cause.WORKER_LOST, "", at=7.0)
        await attempts.start(db, row, THERE, at=8.0, time_budget_s=60)
    with pytest.raises(ClaimLostError):
        async with store.change() as db:
            await runs.change(db, run.id, claim=frozen, why="mine")
    with pytest.raises(ClaimLostError):
        async with store.change() as db:
            await runs.advance(db, run.id, RunEvent.SUBMITTED, at=9.0, claim=frozen)
    async with store.read() as db:
        now = await runs.get(db, run.id)
    assert (now.state, now.why, now.worker_id, now.attempt) == (RunState.RUNNING, "", THERE, 2)


async def test_claims_are_lost_by_an_end_a_takeover_and_a_removal(
    store: Store, run: RunRow
) -> None:
    solve = await take(store, run, HERE, at=10.0)
    assert solve is not None
    held = [claim_of(solve), claim_of(await begin(store, run))]
    gone = Claim("run", run.id[:-1] + "0", HERE, 1)  # pyright: ignore[reportArgumentType] - any text will do
    async with store.read() as db:
        assert await lost_claims(db, []) == []
        assert await lost_claims(db, held) == []
        assert await lost_claims(db, [gone]) == [gone]
    async with store.change() as db:
        await runs.advance(db, run.id, RunEvent.CANCELLED, at=11.0)
        await attempts.take_solve(db, run.solve_id, THERE, at=12.0)
    async with store.read() as db:
        assert set(await lost_claims(db, held)) == set(held)


async def test_every_change_grows_the_revision(store: Store, run: RunRow) -> None:
    revisions = [run.rev]
    revisions.append((await begin(store, run)).rev)
    async with store.change() as db:
        revisions.append((await runs.change(db, run.id, why="x")).rev)
        revisions.append((await runs.advance(db, run.id, RunEvent.SUBMITTED, at=6.0)).rev)
        solve = await solves.change(db, run.solve_id, reason="x")
    assert revisions == [0, 1, 2, 3]
    assert solve.rev == 1


async def test_what_a_stopped_worker_laid_down_is_no_chance_gone(store: Store, run: RunRow) -> None:
    await begin(store, run)
    async with store.change() as db:
        assert await attempts.requeue_runs_of(db, THERE, "stopped", at=7.0) == 0
        assert await attempts.requeue_runs_of(db, HERE, "stopped", at=7.0) == 1
        assert await attempts.used(db, run.id) == 0
    row = await begin(store, run, THERE)
    assert (row.attempt, row.state) == (2, RunState.RUNNING)
    async with store.change() as db:
        await attempts.give_up(db, row, Cause.WORKER_LOST, "", at=8.0)
        assert await attempts.used(db, run.id) == 1
        assert [kept.cause for kept in await attempts.of_run(db, run.id)] == [
            Cause.WORKER_LEFT,
            Cause.WORKER_LOST,
        ]
