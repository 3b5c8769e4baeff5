"""Few bytes that become many: patches that git unpacks, trees and bodies that are too big."""

from collections.abc import AsyncGenerator
from pathlib import Path

import httpx
import pytest

from tests.support.api_client import RecordingEngine, client_of, open_place
from tests.support.forge.remote_repository import BY, TEXT, Scene
from tests.support.resource_bombs import delta_bomb
from yudai.api.app import create_app
from yudai.api.security import request_guards
from yudai.forge.adapters.git.mirror import Caps
from yudai.forge.adapters.mirrors import build_commit
from yudai.forge.adapters.mirrors.fetch import MirrorCaps
from yudai.forge.adapters.mirrors.mirrors import RemoteMirrors
from yudai.kit.errors import RefusedError
from yudai.patches.inspection import Bounds

MIB = 1 << 20
CONTENT = bytes(range(256)) * 4000


async def detonate(scene: Scene, *, times: int, bounds: Bounds | None = None) -> int:
    """How many bytes a patch of some hundred has become in our mirror."""
    scene.land({"f": CONTENT})
    bomb = delta_bomb(CONTENT, times=times)
    assert len(bomb) < 1500
    mirrors = RemoteMirrors(scene.home, allow_http=True, bounds=bounds or Bounds())
    snapshot = await mirrors.fetch(scene.repo, "main", by=BY)
    try:
        built = await mirrors.build(scene.repo, snapshot.commit, bomb, TEXT, by=BY)
    except RefusedError:
        return 0
    mirror = mirrors._locations.mirror(scene.repo).git
    return int(await mirror.ask("cat-file", "-s", f"{built.commit}:f"))


async def test_a_bomb_in_a_patch_is_not_unpacked(scene: Scene):
    assert await detonate(scene, times=40) == 0


async def test_without_the_bound_on_what_is_unpacked_it_is(scene: Scene):
    big = Bounds(inflated_bytes=1 << 30)
    assert await detonate(scene, times=40, bounds=big) == 40 * len(CONTENT)


async def test_behind_that_bound_the_kernel_limits_git(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(build_commit, "_MEMORY", 64 * MIB)
    assert await detonate(scene, times=90, bounds=Bounds(inflated_bytes=1 << 30)) == 0


async def test_without_that_limit_it_does_not(scene: Scene, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(build_commit, "_MEMORY", 4 << 30)
    big = Bounds(inflated_bytes=1 << 30)
    assert await detonate(scene, times=90, bounds=big) == 90 * len(CONTENT)


async def fill(scene: Scene, caps: Caps) -> int:
    """How many bytes of a tree were written as an archive."""
    # Equal files are one object: a small repository that is a large tree.
    scene.land({f"copy-{number}": CONTENT for number in range(8)})
    mirrors = RemoteMirrors(scene.home, allow_http=True, caps=MirrorCaps(tree=caps))
    try:
        snapshot = await mirrors.fetch(scene.repo, "main", by=BY)
    except RefusedError:
        return 0
    return snapshot.source.stat().st_size


async def test_a_tree_that_is_too_large_is_not_written(scene: Scene):
    assert await fill(scene, Caps(total_bytes=4 * MIB)) == 0


async def test_without_its_cap_it_is(scene: Scene):
    assert await fill(scene, Caps()) > 8 * len(CONTENT)


@pytest.fixture
async def client(tmp_path: Path, database_url: str) -> AsyncGenerator[httpx.AsyncClient]:
    async with (
        open_place(tmp_path / "home", database_url, RecordingEngine()) as place,
        client_of(create_app(place)) as opened,
    ):
        yield opened


async def send_much(client: httpx.AsyncClient) -> int:
    """What became of a body of two megabytes that says nothing of its length."""

    async def parts() -> AsyncGenerator[bytes]:
        for _ in range(32):
            yield b" " * (64 << 10)

    answer = await client.post(
        "/api/conversations", content=parts(), headers={"Content-Type": "application/json"}
    )
    return answer.status_code


async def test_a_body_without_end_is_not_read_to_it(client: httpx.AsyncClient):
    assert await send_much(client) == 413


async def test_without_the_limit_it_is_read_and_looked_at(
    client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(request_guards, "MAX_BODY", 1 << 30)
    assert await send_much(client) in (400, 422)
