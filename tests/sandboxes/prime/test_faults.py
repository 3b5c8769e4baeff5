"""Prime's service fails in every way that we know of: the right error, and nothing left."""

import asyncio
import time
from collections.abc import AsyncGenerator, Iterator
from pathlib import Path
from typing import Any

import pytest
from prime_sandboxes.core import client as sdk

from tests.support.clouds.prime_scene import cloud_at, machine_spec, says, until
from tests.support.clouds.prime_server import Breakage, FakePrime, Fault, prime_server
from yudai.kit.causes import POLICIES, Cause
from yudai.kit.errors import SandboxError
from yudai.sandboxes.backends.prime.cloud import PrimeCloud
from yudai.sandboxes.backends.remote.cloud import (
    BaseGoneError,
    BusyError,
    ConnectionCutError,
    DeniedError,
    GoneError,
)
from yudai.sandboxes.backends.remote.rate_limit import MachineRateLimit

CREATE = "POST /api/v1/sandbox"
LIST = "GET /api/v1/sandbox"
DELETE = "DELETE /api/v1/sandbox/sb.*"
STATUS = "POST /api/v1/sandbox/status:batchGet"
START = "POST /gateway/.*/Start"
CHECKPOINT = "POST /api/v1/sandbox/sb[0-9]*/checkpoints"
PENDING = ".*/checkpoints:batchGet"
MIB = 1 << 20


@pytest.fixture
def prime(tmp_path: Path) -> Iterator[FakePrime]:
    with prime_server(tmp_path / "prime") as server:
        yield server


@pytest.fixture
async def cloud(prime: FakePrime, tmp_path: Path) -> AsyncGenerator[PrimeCloud]:
    cloud = cloud_at(prime, tmp_path / "home")
    yield cloud
    await cloud.close()


@pytest.fixture
async def hasty(prime: FakePrime, tmp_path: Path) -> AsyncGenerator[PrimeCloud]:
    """One that soon gives up a call without an answer."""
    cloud = cloud_at(prime, tmp_path / "home", call_s=1)
    yield cloud
    await cloud.close()


@pytest.fixture
async def impatient(prime: FakePrime, tmp_path: Path) -> AsyncGenerator[PrimeCloud]:
    """For machines that are never ready."""
    cloud = cloud_at(prime, tmp_path / "home", ready_s=0.6)
    yield cloud
    await cloud.close()


@pytest.fixture
def no_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its client would wait 10 s and 30 s when it is told to slow down."""
    monkeypatch.setattr(sdk._PLATFORM_RETRY_WAIT, "_rate_limit_delays", (0.01, 0.01))


async def test_a_wrong_key(prime: FakePrime, tmp_path: Path) -> None:
    cloud = cloud_at(prime, tmp_path / "home", key="a-wrong-key")
    for asking in (
        cloud.examine(),
        cloud.create(machine_spec()),
        cloud.list("ours"),
        cloud.kill("x"),
    ):
        with pytest.raises(DeniedError, match="check PRIME_API_KEY") as caught:
            await asking
        assert caught.value.cause is Cause.SANDBOX_REFUSED
        assert "a-wrong-key" not in str(caught.value)
    await cloud.close()
    assert not prime.sandboxes


async def test_no_credit(cloud: PrimeCloud, prime: FakePrime) -> None:
    prime.faults.add(CREATE, Fault(status=402), times=None)
    with pytest.raises(DeniedError, match="billing"):
        await cloud.create(machine_spec())


async def test_a_quota_is_reported_at_once(cloud: PrimeCloud, prime: FakePrime) -> None:
    prime.most_sandboxes = 0
    with pytest.raises(BusyError) as caught:
        await cloud.create(machine_spec())
    assert caught.value.retry_after_s == 7
    assert prime.faults.count(CREATE) == 1
    prime.most_sandboxes = 1
    await cloud.create(machine_spec())
    assert len(prime.alive) == 1


@pytest.mark.usefixtures("no_waits")
async def test_a_storm_elsewhere_is_waited_out(cloud: PrimeCloud, prime: FakePrime) -> None:
    machine = await cloud.create(machine_spec())
    prime.faults.add(LIST, Fault(status=429), times=2)
    assert [f.id for f in await cloud.list("ours")] == [machine.id]
    prime.faults.add(LIST, Fault(status=429, headers={"Retry-After": "3"}), times=None)
    with pytest.raises(BusyError) as caught:
        await cloud.list("ours")
    assert caught.value.retry_after_s == 3


@pytest.mark.parametrize(
    ("fault", "times"),
    [
        (Fault(status=503), 2),
        (Fault(status=503, after=True), 3),
        (Fault(status=500), 1),
        (Fault(cut=True), 1),
        (Fault(cut=True, after=True), 1),
        (Fault(cut=True, after=True), 3),
        (Fault(hang=True, after=True), 1),
    ],
)
async def test_a_creation_that_goes_wrong_makes_one(
    hasty: PrimeCloud, prime: FakePrime, fault: Fault, times: int
) -> None:
    prime.faults.add(CREATE, fault, times=times)
    machine = await hasty.create(machine_spec())
    assert [sandbox.id for sandbox in prime.sandboxes.values()] == [machine.id]
    assert await says(machine, "echo here") == "here\n"


async def test_a_service_that_is_down_is_asked_again_as_it_says(
    cloud: PrimeCloud, prime: FakePrime
) -> None:
    fault = Fault(status=503, headers={"Retry-After": "7"})
    prime.faults.add(CREATE, fault, times=None)
    with pytest.raises(BusyError, match="HTTP 503") as caught:
        await cloud.create(machine_spec())
    assert caught.value.cause is Cause.SANDBOX_FAILED
    assert caught.value.retry_after_s == 7
    assert prime.faults.count(LIST) > 0


async def test_nor_does_it_matter_that_nothing_can_be_looked_up(
    cloud: PrimeCloud, prime: FakePrime
) -> None:
    """The order's key keeps it from being made twice."""
    prime.faults.add(CREATE, Fault(status=503, after=True), Fault(status=503), times=4)
    prime.faults.add(LIST, Fault(status=503), times=3)
    asked = machine_spec()
    machine = await MachineRateLimit(at_once=1, pause_s=0.01).make(lambda: cloud.create(asked))
    assert [sandbox.id for sandbox in prime.sandboxes.values()] == [machine.id]


async def test_a_base_that_is_gone_can_be_built_again(cloud: PrimeCloud) -> None:
    with pytest.raises(BaseGoneError, match="prepared base is gone") as caught:
        await cloud.create(machine_spec(image="ckpt-gone"))
    assert POLICIES[caught.value.cause].retry == "retry"


async def test_no_one_answers(tmp_path: Path, prime: FakePrime) -> None:
    gone = FakePrime(tmp_path, url="http://ada:canary@127.0.0.1:1")
    cloud = cloud_at(gone, tmp_path / "home")
    for ask in (cloud.examine, lambda: cloud.create(machine_spec())):
        with pytest.raises(SandboxError) as caught:
            await ask()
        assert str(caught.value) == (
            "Prime cannot be reached at http://127.0.0.1:1:"
            " check PRIME_API_BASE_URL and the network"
        )
        assert caught.value.cause is Cause.SANDBOX_FAILED
    await cloud.close()


async def test_one_that_is_never_ready_is_removed(impatient: PrimeCloud, prime: FakePrime) -> None:
    prime.ready_after_s = None
    with pytest.raises(SandboxError, match=r"not ready within 0\.6 s") as caught:
        await impatient.create(machine_spec())
    assert caught.value.cause is Cause.SANDBOX_FAILED
    assert len(prime.sandboxes) == 1
    assert not prime.alive


async def test_one_of_many_that_is_never_ready_ends_alone(
    cloud: PrimeCloud, prime: FakePrime
) -> None:
    async def failing() -> None:
        with pytest.raises(DeniedError, match="no such image"):
            await cloud_with(cloud, "missing/image").create(machine_spec("bad"))

    async with asyncio.TaskGroup() as group:
        good = [group.create_task(cloud.create(machine_spec(f"good-{n}"))) for n in range(3)]
        group.create_task(failing())
    assert {sandbox.id for sandbox in prime.alive} == {task.result().id for task in good}


def cloud_with(cloud: PrimeCloud, image: str) -> PrimeCloud:
    """The same account, so that they wait together."""
    twin = PrimeCloud(api_key="", image=image, home=Path())
    twin.__dict__["_account"] = cloud._account
    return twin


async def test_questions_that_fail_do_not_end_the_waiting(
    cloud: PrimeCloud, prime: FakePrime
) -> None:
    prime.faults.add(STATUS, Fault(status=500), times=2)
    machine = await cloud.create(machine_spec())
    assert await says(machine, "echo here") == "here\n"


async def test_it_is_said_to_run_before_its_gateway_knows_it(
    cloud: PrimeCloud, prime: FakePrime
) -> None:
    prime.deaf = 2
    machine = await cloud.create(machine_spec())
    assert prime.deaf == 0
    assert [sandbox.id for sandbox in prime.alive] == [machine.id]


async def test_a_cancelled_creation_leaves_nothing(cloud: PrimeCloud, prime: FakePrime) -> None:
    prime.ready_after_s = None
    making = asyncio.create_task(cloud.create(machine_spec()))
    await until(lambda: prime.faults.count(STATUS) > 0)
    making.cancel()
    with pytest.raises(asyncio.CancelledError):
        await making
    assert len(prime.sandboxes) == 1
    assert not prime.alive


async def test_one_that_is_cancelled_before_its_answer_leaves_nothing(
    prime: FakePrime, tmp_path: Path
) -> None:
    cloud = cloud_at(prime, tmp_path / "home", call_s=1)
    prime.faults.add(CREATE, Fault(hang=True, after=True))
    making = asyncio.create_task(cloud.create(machine_spec()))
    await until(lambda: bool(prime.sandboxes))
    making.cancel()
    with pytest.raises(asyncio.CancelledError):
        await making
    assert prime.alive
    await cloud.close()
    assert not prime.alive


async def test_a_machine_that_dies_in_a_command(cloud: PrimeCloud, prime: FakePrime) -> None:
    machine = await cloud.create(machine_spec())
    prime.breakages.append(Breakage(after_bytes=1, dies=True))
    with pytest.raises(GoneError, match="OOM_KILLED") as caught:
        await machine.run("echo one; sleep 100", timeout_s=30)
    assert caught.value.cause is Cause.SANDBOX_LOST


async def test_a_line_that_breaks_does_not_end_the_command(
    cloud: PrimeCloud, prime: FakePrime
) -> None:
    machine = await cloud.create(machine_spec())
    prime.breakages.append(Breakage(after_bytes=1))
    with pytest.raises(ConnectionCutError) as caught:
        await machine.run("echo one; sleep 0.5; echo two >/home/done", timeout_s=30)
    assert caught.value.cause is Cause.SANDBOX_LOST
    waiting = "for _ in $(seq 500); do [ -e /home/done ] && break; sleep 0.02; done; cat /home/done"
    assert await says(machine, waiting) == "two\n"


async def test_a_lost_beginning_is_a_broken_line(cloud: PrimeCloud, prime: FakePrime) -> None:
    """The client attaches again and hears only the end: nothing was said, it seems."""
    machine = await cloud.create(machine_spec())
    prime.faults.add(START, Fault(cut=True, after=True))
    with pytest.raises(ConnectionCutError, match="beginning"):
        await machine.run("echo lost", timeout_s=30)


async def test_a_gateway_that_does_not_know_a_living_machine(
    cloud: PrimeCloud, prime: FakePrime
) -> None:
    machine = await cloud.create(machine_spec())
    prime.deaf = 1
    with pytest.raises(ConnectionCutError):
        await machine.run("true", timeout_s=20)
    assert await says(machine, "echo here") == "here\n"


async def test_tokens_that_have_ended_are_renewed(cloud: PrimeCloud, prime: FakePrime) -> None:
    machine = await cloud.create(machine_spec())
    prime.sandboxes[machine.id].token = "another"  # noqa: S105 - of a fake
    assert await says(machine, "echo here") == "here\n"
    prime.sandboxes[machine.id].token = "a third"  # noqa: S105 - of a fake
    await machine.put("/home/it", b"it")
    assert await says(machine, "cat /home/it") == "it"


@pytest.mark.parametrize("hours", [-5, 5])
async def test_a_clock_that_differs(tmp_path: Path, hours: int) -> None:
    with prime_server(tmp_path / "prime", clock_off_s=hours * 3600) as prime:
        cloud = cloud_at(prime, tmp_path / "home")
        machine = await cloud.create(machine_spec())
        assert await says(machine, "echo here") == "here\n"
        [found] = await cloud.list("ours")
        assert found.started_at == pytest.approx(time.time() + hours * 3600, abs=600)
        await cloud.close()


async def test_a_gigabyte_is_not_kept(cloud: PrimeCloud) -> None:
    machine = await cloud.create(machine_spec())
    before = _peak_bytes(anew=True)
    with pytest.raises(SandboxError, match="more than 1000000 bytes"):
        await machine.run(
            "echo $$ >/home/pid; head -c 1G /dev/zero", timeout_s=60, max_bytes=1_000_000
        )
    assert _peak_bytes() - before < 64 * MIB
    await _is_dead(machine)


async def test_complaints_are_not_kept(cloud: PrimeCloud) -> None:
    machine = await cloud.create(machine_spec())
    before = _peak_bytes(anew=True)
    assert await says(machine, "head -c 100M /dev/zero >&2; echo done") == "done\n"
    assert _peak_bytes() - before < 64 * MIB


def _peak_bytes(*, anew: bool = False) -> int:
    """Of our memory; `anew` forgets what was before."""
    if anew:
        Path("/proc/self/clear_refs").write_text("5")
    [line] = [r for r in Path("/proc/self/status").read_text().splitlines() if "VmHWM" in r]
    return int(line.split()[1]) * 1024


async def test_time_ends_and_so_does_the_command(cloud: PrimeCloud) -> None:
    machine = await cloud.create(machine_spec())
    started = time.monotonic()
    with pytest.raises(TimeoutError):
        await machine.run("echo $$ >/home/pid; exec sleep 1000", timeout_s=1)
    assert time.monotonic() - started < 5
    await _is_dead(machine)


async def test_a_cancelled_command_is_ended(cloud: PrimeCloud) -> None:
    machine = await cloud.create(machine_spec())
    running = asyncio.create_task(
        machine.run("echo $$ >/home/pid; exec sleep 1000", timeout_s=1000)
    )
    assert await says(machine, "until [ -s /home/pid ]; do sleep 0.02; done; echo is") == "is\n"
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    await _is_dead(machine)


async def _is_dead(machine: Any) -> None:
    line = "for _ in $(seq 500); do kill -0 $(cat /home/pid) || exit 0; sleep 0.02; done; exit 1"
    assert (await machine.run(line, timeout_s=30)).exit_code == 0


async def test_a_gateway_that_is_silent(cloud: PrimeCloud, prime: FakePrime) -> None:
    machine = await cloud.create(machine_spec())
    prime.faults.add(START, Fault(hang=True), times=None)
    started = time.monotonic()
    with pytest.raises(TimeoutError):
        await machine.run("true", timeout_s=1)
    assert time.monotonic() - started < 5
    prime.faults.clear()
    assert await says(machine, "echo here") == "here\n"


async def test_a_deletion_that_is_refused(cloud: PrimeCloud, prime: FakePrime) -> None:
    machine = await cloud.create(machine_spec())
    prime.faults.add(DELETE, Fault(status=403), times=None)
    with pytest.raises(SandboxError, match=f"{machine.id} could not be removed"):
        await cloud.kill(machine.id)
    assert prime.alive


async def test_a_deletion_whose_answer_is_lost(hasty: PrimeCloud, prime: FakePrime) -> None:
    machine = await hasty.create(machine_spec())
    prime.faults.add(DELETE, Fault(hang=True, after=True))
    assert await hasty.kill(machine.id), "it was there, and we have ended it"
    assert not prime.alive
    assert not await hasty.kill(machine.id)


async def test_a_failed_one_that_cannot_be_removed_is_no_other_error(
    impatient: PrimeCloud, prime: FakePrime
) -> None:
    prime.ready_after_s = None
    prime.faults.add(DELETE, Fault(status=403), times=None)
    with pytest.raises(SandboxError, match="not ready"):
        await impatient.create(machine_spec())


async def test_a_snapshot_whose_answer_is_lost_is_found(
    hasty: PrimeCloud, prime: FakePrime
) -> None:
    machine = await hasty.create(machine_spec())
    prime.faults.add(CHECKPOINT, Fault(hang=True, after=True))
    assert [await hasty.snapshot(machine, "base")] == list(prime.checkpoints)


async def test_a_snapshot_that_is_not_made(cloud: PrimeCloud, prime: FakePrime) -> None:
    machine = await cloud.create(machine_spec())
    prime.faults.add(CHECKPOINT, Fault(status=500))
    with pytest.raises(SandboxError, match="HTTP 500"):
        await cloud.snapshot(machine, "base")


async def test_a_snapshot_that_fails_is_removed(cloud: PrimeCloud, prime: FakePrime) -> None:
    machine = await cloud.create(machine_spec())
    prime.kept_as = "FAILED"
    with pytest.raises(SandboxError, match="FAILED"):
        await cloud.snapshot(machine, "base")
    assert not prime.checkpoints


async def test_a_snapshot_that_is_cancelled_before_its_answer_is_removed(
    prime: FakePrime, tmp_path: Path
) -> None:
    cloud = cloud_at(prime, tmp_path / "home", call_s=1)
    machine = await cloud.create(machine_spec())
    prime.faults.add(CHECKPOINT, Fault(hang=True, after=True))
    keeping = asyncio.create_task(cloud.snapshot(machine, "base"))
    await until(lambda: bool(prime.checkpoints))
    keeping.cancel()
    with pytest.raises(asyncio.CancelledError):
        await keeping
    assert prime.checkpoints
    await cloud.close()
    assert not prime.checkpoints


async def test_a_snapshot_that_is_cancelled_while_it_is_pending_is_removed(
    prime: FakePrime, tmp_path: Path
) -> None:
    cloud = cloud_at(prime, tmp_path / "home")
    machine = await cloud.create(machine_spec())
    prime.kept_as = "PENDING"
    keeping = asyncio.create_task(cloud.snapshot(machine, "base"))
    await until(lambda: prime.faults.count(PENDING) > 0)
    keeping.cancel()
    with pytest.raises(asyncio.CancelledError):
        await keeping
    assert prime.checkpoints
    prime.kept_as = "DURABLE"
    await cloud.close()
    assert not prime.checkpoints


async def test_what_prime_says_is_shown_short_and_harmless(
    cloud: PrimeCloud, prime: FakePrime
) -> None:
    prime.faults.add(LIST, Fault(status=400, message="\x1b[31m" + "x" * 5000), times=None)
    with pytest.raises(DeniedError) as caught:
        await cloud.list("ours")
    assert "\x1b" not in str(caught.value)
    assert len(str(caught.value)) < 400
