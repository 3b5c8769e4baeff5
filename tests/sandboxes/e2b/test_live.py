"""The real E2B: one sandbox of your account, for some seconds. `E2B_API_KEY=... pytest -m live`."""

import os
import uuid

import pytest

from yudai.sandboxes.backends.e2b.cloud import E2BCloud
from yudai.sandboxes.backends.remote.cloud import INSTALLATION, SANDBOX_TAG, MachineSpec
from yudai.sandboxes.port import SandboxLimits

pytestmark = [
    pytest.mark.live,
    pytest.mark.skipif("E2B_API_KEY" not in os.environ, reason="E2B_API_KEY is not set"),
    pytest.mark.timeout(600),
]


async def test_one_sandbox_from_beginning_to_end() -> None:
    cloud = E2BCloud(
        api_key=os.environ["E2B_API_KEY"],
        template=os.environ.get("E2B_TEMPLATE_ID", "base"),
        domain=os.environ.get("E2B_DOMAIN"),
        api_url=os.environ.get("E2B_API_URL"),
        sandbox_url=os.environ.get("E2B_SANDBOX_URL"),
    )
    installation = f"live-{uuid.uuid4()}"
    tags = {INSTALLATION: installation, SANDBOX_TAG: "live", "run": "a / b = c"}
    machine_spec = MachineSpec(key=installation, tags=tags, limits=SandboxLimits(), ttl_s=120)
    assert (await cloud.examine()).isolated
    try:
        machine = await cloud.create(machine_spec)
        [found] = await cloud.list(installation)
        assert (found.id, dict(found.tags), found.state) == (machine.id, tags, "running")
        assert await machine.run("id -u; exit 3", timeout_s=60) == (3, b"0\n")
        await machine.put("/home/a", b"\x00\xff")
        assert (await machine.run("wc -c </home/a", timeout_s=60)).output.strip() == b"2"
        closed = await machine.run("exec 3<>/dev/tcp/1.1.1.1/443", timeout_s=60)
        assert closed.exit_code != 0
        with pytest.raises(TimeoutError):
            await machine.run("sleep 1000", timeout_s=2)
        await machine.extend(90)
        assert await cloud.kill(machine.id) is True
        assert await cloud.list(installation) == []
    finally:
        for left in await cloud.list(installation):
            await cloud.kill(left.id)
        await cloud.close()
