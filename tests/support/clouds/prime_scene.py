"""Orders for the fake Prime, and a cloud that waits for nothing long."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.support.clouds.fake_prime_sandboxes import KEY, FakePrime
from yudai.sandboxes.backends.prime.account import Timings
from yudai.sandboxes.backends.prime.cloud import PrimeCloud
from yudai.sandboxes.backends.prime.readiness import Patience
from yudai.sandboxes.backends.remote.cloud import INSTALLATION, SANDBOX_TAG, Machine, MachineSpec
from yudai.sandboxes.port import SandboxLimits

IMAGE = "python:3.12"
TAGS = {
    "owner": "run-1",
    "solve": "solve-1",
    "run": "run-1",
    "conversation": "talk-1",
    "issue": "octo/repo#1",
    "user": "ada",
}


def timings(*, call_s: float = 20, ready_s: float = 60, image_s: float = 3000) -> Timings:
    """A fake is ready long before a real machine could be."""
    patience = Patience(ready_s, image_s, first_pause_s=0.02)
    return Timings(call_s=call_s, patience=patience, snapshot_s=20)


def cloud_at(prime: FakePrime, home: Path, *, key: str = KEY, **patience: float) -> PrimeCloud:
    return PrimeCloud(
        api_key=key, image=IMAGE, base_url=prime.url, home=home, timings=timings(**patience)
    )


def machine_spec(key: str = "box-1", **changes: Any) -> MachineSpec:
    tags = {INSTALLATION: "ours", SANDBOX_TAG: key, **TAGS}
    fields = {"key": key, "tags": tags, "limits": SandboxLimits(), "ttl_s": 900.0, **changes}
    return MachineSpec.model_validate(fields)


async def says(machine: Machine, line: str) -> str:
    return (await machine.run(line, timeout_s=20)).output.decode()


async def until(holds: Callable[[], bool], *, within_s: float = 30) -> None:
    """What the fake does by itself says nothing when it is done."""
    async with asyncio.timeout(within_s):
        while not holds():  # noqa: ASYNC110 - it is another thread's doing
            await asyncio.sleep(0.02)
