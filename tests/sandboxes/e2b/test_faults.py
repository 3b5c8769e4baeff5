"""What goes wrong at E2B: the right error, nothing twice, and nothing left."""

import asyncio
import time
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from tests.support.clouds.e2b_scene import (
    HASTY,
    INSTALLED,
    SHORT,
    Scene,
    cloud_at,
    machine_spec,
    scene,
)
from tests.support.clouds.faults import Fault
from yudai.kit.causes import POLICIES, Cause
from yudai.kit.errors import SandboxError
from yudai.sandboxes.backends.e2b import create
from yudai.sandboxes.backends.e2b.account import Timings
from yudai.sandboxes.backends.e2b.cloud import E2BCloud
from yudai.sandboxes.backends.remote.cloud import (
    INSTALLATION,
    SANDBOX_TAG,
    BaseGoneError,
    BusyError,
    ConnectionCutError,
    DeniedError,
    FullError,
    GoneError,
)
from yudai.sandboxes.backends.remote.rate_limit import MachineRateLimit

CREATE = "POST /v2/sandboxes"
LIST = "GET /v2/sandboxes"
CONNECT = "POST /v2/sandboxes/.*/connect"
FORK = "POST /sandboxes/.*/fork"
LOST = [Fault(cut=True, after=True, status=201), Fault(status=500, after=True)]


@pytest.fixture
async def here(tmp_path: Path) -> AsyncGenerator[Scene]:
    async with scene(tmp_path / "e2b") as made:
        yield made


async def drained(here: Scene) -> None:
    """What was begun in the background is over."""
    await here.cloud.close()


async def test_a_wrong_key(here: Scene) -> None:
    wrong = cloud_at(here.e2b, api_key="e2b_not_this_one")
    for asked in (
        wrong.create(machine_spec()),
        wrong.list(INSTALLED),
        wrong.kill("x"),
        wrong.examine(),
    ):
        with pytest.raises(DeniedError, match="check E2B_API_KEY") as caught:
            await asked
        assert caught.value.cause is Cause.SANDBOX_REFUSED
        assert "not_this_one" not in f"{caught.value!r} {caught.value.__cause__!r}"
    assert POLICIES[Cause.SANDBOX_REFUSED][:2] == ("world", "final")
    assert here.e2b.sandboxes == {}


async def test_no_one_answers() -> None:
    url = "http://ada:canary@127.0.0.1:1"
    cloud = E2BCloud(api_key="e2b_key", template="yudai", api_url=url)
    for ask in (cloud.examine, lambda: cloud.create(machine_spec())):
        with pytest.raises(SandboxError) as caught:
            await ask()
        assert str(caught.value) == (
            "E2B cannot be reached at http://127.0.0.1:1: check E2B_API_URL and the network"
        )
        assert caught.value.cause is Cause.SANDBOX_FAILED
    await cloud.close()


@pytest.mark.parametrize("status", [400, 402, 403])
async def test_no_credit_is_not_asked_for_again(here: Scene, status: int) -> None:
    here.e2b.faults.add(CREATE, Fault(status=status, message="team is blocked: pay"), times=None)
    with pytest.raises(DeniedError, match="pay"):
        await here.cloud.create(machine_spec())
    assert here.e2b.faults.count(CREATE) == 1


async def test_no_such_template(here: Scene) -> None:
    cloud = cloud_at(here.e2b, template="nowhere")
    with pytest.raises(DeniedError, match="'nowhere' not found"):
        await cloud.create(machine_spec())


async def test_a_base_that_is_gone_can_be_built_again(here: Scene) -> None:
    with pytest.raises(BaseGoneError, match="prepared base is gone") as caught:
        await here.cloud.create(machine_spec(image="yudai-base-1"))
    assert POLICIES[caught.value.cause].retry == "retry"


async def test_a_full_disk_is_distinguished(here: Scene) -> None:
    machine = await here.cloud.create(machine_spec())
    here.e2b.faults.add("POST /files", Fault(status=507, message="not enough disk space"))
    with pytest.raises(FullError):
        await machine.put("/home/file", b"x")


async def test_a_file_that_no_one_takes(tmp_path: Path) -> None:
    async with scene(tmp_path / "e2b", timings=SHORT._replace(call_s=0.5)) as here:
        machine = await here.cloud.create(machine_spec())
        here.e2b.faults.add("POST /files", Fault(hang=True))
        with pytest.raises(ConnectionCutError):
            await machine.put("/home/file", b"x")


async def test_the_accounts_limit(here: Scene) -> None:
    here.e2b.control.max_sandboxes = 1
    await here.cloud.create(machine_spec())
    with pytest.raises(BusyError, match="maximum number of concurrent") as caught:
        await here.cloud.create(machine_spec())
    assert caught.value.cause is Cause.SANDBOX_FAILED
    assert POLICIES[caught.value.cause][:2] == ("world", "retry")
    assert len(here.e2b.sandboxes) == 1


async def test_rate_limit_is_waited_for(here: Scene) -> None:
    here.e2b.control.creations_per_s = 1
    await here.cloud.create(machine_spec())
    start = time.monotonic()
    await here.cloud.create(machine_spec())
    assert time.monotonic() - start > 0.5
    assert len(here.e2b.sandboxes) == 2


@pytest.mark.parametrize("fault", [Fault(status=429), Fault(status=503)])
async def test_a_storm(here: Scene, fault: Fault) -> None:
    here.e2b.faults.add(CREATE, fault, times=None)
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(_outcome(here.cloud)) for _ in range(8)]
    assert {type(task.result()) for task in tasks} == {BusyError}
    assert here.e2b.sandboxes == {}
    here.e2b.faults.clear()
    await here.cloud.create(machine_spec())


async def _outcome(cloud: E2BCloud) -> Exception | None:
    try:
        await cloud.create(machine_spec())
    except SandboxError as error:
        return error
    return None


@pytest.mark.parametrize("fault", LOST)
async def test_a_lost_answer_is_looked_up(here: Scene, fault: Fault) -> None:
    here.e2b.faults.add(CREATE, fault)
    asked = machine_spec()
    machine = await here.cloud.create(asked)
    assert {*here.e2b.sandboxes} == {machine.id}
    assert here.sandbox(machine).metadata[SANDBOX_TAG] == asked.key
    assert here.e2b.faults.count(CREATE) == 1
    assert (await machine.run("echo well", timeout_s=30)).output == b"well\n"


@pytest.mark.parametrize(
    ("where", "fault"),
    [
        (LIST, Fault(status=429)),
        (LIST, Fault(status=503)),
        (LIST, Fault(status=500)),
        (LIST, Fault(cut=True)),
        (CONNECT, Fault(status=429)),
        (CONNECT, Fault(status=503)),
    ],
)
async def test_nothing_is_made_again_before_it_was_looked_up(
    here: Scene, where: str, fault: Fault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(create, "_FIRST_PAUSE_S", 0.01)
    here.e2b.faults.add(CREATE, LOST[0])
    here.e2b.faults.add(where, fault, times=4)
    asked = machine_spec()
    machine = await MachineRateLimit(at_once=1).make(lambda: here.cloud.create(asked))
    assert {*here.e2b.sandboxes} == {machine.id}
    assert here.e2b.faults.count(CREATE) == 1


async def test_nor_when_no_one_answers_that(tmp_path: Path) -> None:
    """Nothing may be said of it then, so it is an error that nobody repeats at once."""
    async with scene(tmp_path / "e2b", timings=HASTY) as here:
        here.e2b.faults.add(CREATE, LOST[0])
        here.e2b.faults.add(LIST, Fault(status=429), times=None)
        with pytest.raises(SandboxError, match="the response to a creation was lost") as caught:
            await MachineRateLimit(at_once=1).make(lambda: here.cloud.create(machine_spec()))
        assert not isinstance(caught.value, BusyError)
        assert caught.value.cause is Cause.SANDBOX_FAILED
        assert here.e2b.faults.count(CREATE) == 1


async def test_another_persons_is_not_taken_for_it(here: Scene) -> None:
    asked = machine_spec()
    theirs = here.e2b.put_sandbox({INSTALLATION: "another", SANDBOX_TAG: asked.key})
    here.e2b.faults.add(CREATE, Fault(cut=True))
    machine = await here.cloud.create(asked)
    assert machine.id != theirs.id
    assert {*here.e2b.sandboxes} == {theirs.id, machine.id}


@pytest.mark.parametrize("fault", [Fault(cut=True), Fault(status=500)])
async def test_what_was_not_done_is_asked_for_once_more(here: Scene, fault: Fault) -> None:
    here.e2b.faults.add(CREATE, fault)
    machine = await here.cloud.create(machine_spec())
    assert {*here.e2b.sandboxes} == {machine.id}
    assert here.e2b.faults.count(CREATE) == 2
    here.e2b.faults.add(CREATE, fault, times=None)
    with pytest.raises(SandboxError) as caught:
        await here.cloud.create(machine_spec())
    assert caught.value.cause is Cause.SANDBOX_FAILED
    assert here.e2b.faults.count(CREATE) == 4


async def test_no_answer_in_time_is_not_asked_for_twice(tmp_path: Path) -> None:
    async with scene(tmp_path / "e2b", timings=HASTY) as here:
        here.e2b.faults.add(CREATE, Fault(hang=True))
        with pytest.raises(SandboxError) as caught:
            await here.cloud.create(machine_spec())
        assert caught.value.cause is Cause.SANDBOX_FAILED
        assert here.e2b.faults.count(CREATE) == 1
        here.e2b.faults.add(CREATE, Fault(hang=True, after=True))
        machine = await here.cloud.create(machine_spec())
        assert {*here.e2b.sandboxes} == {machine.id}


async def test_it_never_becomes_ready(tmp_path: Path) -> None:
    async with scene(tmp_path / "e2b", timings=Timings(ready_s=0.5)) as here:
        here.e2b.control.never_ready = 1
        with pytest.raises(SandboxError, match=r"did not answer within 0\.5 s") as caught:
            await here.cloud.create(machine_spec())
        assert caught.value.cause is Cause.SANDBOX_FAILED
        assert here.e2b.sandboxes == {}


async def test_it_is_not_ready_at_once(here: Scene) -> None:
    here.e2b.control.never_ready = 1
    task = asyncio.create_task(here.cloud.create(machine_spec()))
    async with asyncio.timeout(20):
        while not here.e2b.faults.count("GET /health"):  # noqa: ASYNC110 - another thread's
            await asyncio.sleep(0.02)
    [sandbox] = here.e2b.sandboxes.values()
    sandbox.is_ready = True
    assert (await task).id == sandbox.id


@pytest.mark.parametrize(
    "fault",
    [
        Fault(cut=True),
        Fault(status=429),
        Fault(status=500),
        Fault(status=502, message="the port is not open"),
        Fault(status=503),
    ],
)
async def test_a_bad_way_to_a_new_one_is_no_reason_to_give_it_up(here: Scene, fault: Fault) -> None:
    here.e2b.faults.add("GET /health", fault, times=2)
    machine = await here.cloud.create(machine_spec())
    assert {*here.e2b.sandboxes} == {machine.id}
    assert here.e2b.faults.count(CREATE) == 1


async def test_a_way_that_stays_bad_is_one_that_never_became_ready(tmp_path: Path) -> None:
    async with scene(tmp_path / "e2b", timings=Timings(ready_s=0.5)) as here:
        here.e2b.faults.add("GET /health", Fault(status=503), times=None)
        with pytest.raises(SandboxError, match=r"did not answer within 0\.5 s") as caught:
            await here.cloud.create(machine_spec())
        assert caught.value.cause is Cause.SANDBOX_FAILED
        assert here.e2b.sandboxes == {}


async def test_one_that_cannot_be_removed_does_not_hide_why(tmp_path: Path) -> None:
    async with scene(tmp_path / "e2b", timings=Timings(ready_s=0.5)) as here:
        here.e2b.control.never_ready = 1
        here.e2b.faults.add("DELETE /sandboxes/.*", Fault(status=403), times=None)
        with pytest.raises(SandboxError, match="did not answer"):
            await here.cloud.create(machine_spec())
        [left] = await here.cloud.list(INSTALLED)
        assert left.id in here.e2b.sandboxes


async def test_cancelled_while_it_is_made(here: Scene) -> None:
    here.e2b.control.never_ready = 1
    task = asyncio.create_task(here.cloud.create(machine_spec()))
    async with asyncio.timeout(20):
        while not here.e2b.sandboxes:  # noqa: ASYNC110 - another thread's
            await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    [sandbox] = here.e2b.sandboxes.values()
    sandbox.is_ready = True
    await drained(here)
    await drained(here)
    assert here.e2b.sandboxes == {}


@pytest.mark.parametrize("status", [403, 409, 500])
async def test_deletion_refused(here: Scene, status: int) -> None:
    machine = await here.cloud.create(machine_spec())
    fault = Fault(status=status, message="not now")
    here.e2b.faults.add("DELETE /sandboxes/.*", fault, times=None)
    with pytest.raises(SandboxError, match="not now"):
        await here.cloud.kill(machine.id)
    assert [one.id for one in await here.cloud.list(INSTALLED)] == [machine.id]
    here.e2b.faults.clear()
    assert await here.cloud.kill(machine.id) is True


async def test_a_lost_answer_to_a_deletion(here: Scene) -> None:
    machine = await here.cloud.create(machine_spec())
    here.e2b.faults.add("DELETE /sandboxes/.*", Fault(cut=True, after=True))
    assert await here.cloud.kill(machine.id) is True, "it was there, and we have ended it"
    assert here.e2b.sandboxes == {}
    assert await here.cloud.kill(machine.id) is False


@pytest.mark.parametrize("hours", [-7, 9])
async def test_a_clock_that_differs(here: Scene, hours: int) -> None:
    """Only what it says of the past is off by that: nothing ends sooner or later."""
    here.e2b.set_clock(hours * 3600)
    machine = await here.cloud.create(machine_spec(ttl_s=600))
    await machine.extend(700)
    [found] = await here.cloud.list(INSTALLED)
    assert found.started_at == pytest.approx(time.time() + hours * 3600, abs=30)
    assert here.sandbox(machine).ends - time.time() == pytest.approx(700, abs=10)
    assert (await machine.run("echo well", timeout_s=30)).output == b"well\n"


async def test_lost_forks_are_found_and_removed(here: Scene) -> None:
    source = await here.cloud.create(machine_spec())
    [kept] = await here.cloud.fork(source, [machine_spec()])
    assert not isinstance(kept, SandboxError)
    here.e2b.faults.add(FORK, Fault(cut=True, after=True, status=201))
    results = await here.cloud.fork(source, [machine_spec(), machine_spec()])
    assert all(isinstance(one, SandboxError) for one in results)
    assert {*here.e2b.sandboxes} == {source.id, kept.id}


async def test_forks_of_what_is_gone(here: Scene) -> None:
    source = await here.cloud.create(machine_spec())
    await here.cloud.kill(source.id)
    [result] = await here.cloud.fork(source, [machine_spec()])
    assert isinstance(result, GoneError)


async def test_a_control_plane_without_forks(here: Scene) -> None:
    source = await here.cloud.create(machine_spec())
    here.e2b.faults.add(FORK, Fault(status=501))
    with pytest.raises(NotImplementedError):
        await here.cloud.fork(source, [machine_spec()])


async def test_a_snapshot_that_is_cancelled_is_removed(tmp_path: Path) -> None:
    async with scene(tmp_path / "e2b", timings=HASTY) as here:
        machine = await here.cloud.create(machine_spec())
        here.e2b.faults.add("POST /sandboxes/.*/snapshots", Fault(hang=True, after=True))
        task = asyncio.create_task(here.cloud.snapshot(machine, "base-1"))
        async with asyncio.timeout(20):
            while not here.e2b.snapshots:  # noqa: ASYNC110 - another thread's
                await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await here.cloud.close()
        assert not here.e2b.snapshots


async def test_a_lost_snapshot_is_looked_up(here: Scene) -> None:
    machine = await here.cloud.create(machine_spec())
    here.e2b.faults.add("POST /sandboxes/.*/snapshots", Fault(cut=True, after=True))
    assert await here.cloud.snapshot(machine, "base-1") == "base-1"
    here.e2b.faults.add("POST /sandboxes/.*/snapshots", Fault(cut=True))
    with pytest.raises(SandboxError):
        await here.cloud.snapshot(machine, "base-2")
    assert [*here.e2b.snapshots] == ["base-1"]


async def test_a_page_that_fails_shows_no_half_of_the_list(here: Scene) -> None:
    for number in range(150):
        here.e2b.put_sandbox({INSTALLATION: INSTALLED, SANDBOX_TAG: f"b{number}"})
    here.e2b.faults.add("GET /v2/sandboxes", Fault(status=500))
    with pytest.raises(SandboxError):
        await here.cloud.list(INSTALLED)
    assert len(await here.cloud.list(INSTALLED)) == 150


async def test_hostile_messages_are_one_short_line(here: Scene) -> None:
    here.e2b.faults.add(CREATE, Fault(status=403, message="a\x1b[31m\nb" + "x" * 10_000))
    with pytest.raises(DeniedError) as caught:
        await here.cloud.create(machine_spec())
    text = str(caught.value)
    assert text.isprintable()
    assert len(text) < 400
