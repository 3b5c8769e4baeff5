"""A real machine at Prime Intellect, where PRIME_API_KEY is set."""

import os
import uuid
from pathlib import Path

import pytest

from tests.support.clouds.prime_scene import machine_spec
from yudai.sandboxes.backends.prime.cloud import PrimeCloud
from yudai.sandboxes.backends.remote.cloud import INSTALLATION, SANDBOX_TAG

IMAGE = "python:3.12-bookworm"
HALF_AN_HOUR_S = 1800


@pytest.mark.live
@pytest.mark.timeout(HALF_AN_HOUR_S)
@pytest.mark.skipif(not os.environ.get("PRIME_API_KEY"), reason="needs PRIME_API_KEY")
async def test_a_machine_from_its_making_to_its_end(tmp_path: Path) -> None:
    us = f"live-{uuid.uuid4().hex[:12]}"
    key, home = os.environ["PRIME_API_KEY"], tmp_path / "home"
    url = os.environ.get("PRIME_API_BASE_URL")
    cloud = PrimeCloud(api_key=key, image=IMAGE, home=home, base_url=url)
    try:
        await cloud.examine()
        machine = await cloud.create(
            machine_spec(f"{us}-1", tags={INSTALLATION: us, SANDBOX_TAG: f"{us}-1"})
        )
        await machine.put("/home/it", b"it")
        said = await machine.run("id -un; cat /home/it; exit 3", timeout_s=60)
        assert (said.exit_code, said.output) == (3, b"root\nit")
        closed = "python3 -c 'import socket; socket.create_connection((\"1.1.1.1\", 443), 5)'"
        assert (await machine.run(closed, timeout_s=60)).exit_code != 0
        image = await cloud.snapshot(machine, "base")
        copy = await cloud.create(
            machine_spec(f"{us}-2", image=image, tags={INSTALLATION: us, SANDBOX_TAG: f"{us}-2"})
        )
        assert (await copy.run("cat /home/it", timeout_s=60)).output == b"it"
        assert {f.id for f in await cloud.list(us)} == {machine.id, copy.id}
        assert await cloud.kill(copy.id)
        assert await cloud.kill(machine.id)
        assert await cloud.remove_snapshot(image)
    finally:
        for found in await cloud.list(us):
            await cloud.kill(found.id)
        await cloud.close()
