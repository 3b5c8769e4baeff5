"""A forge's branch in a mirror of ours: fetched once, kept, and no more than is asked for."""

import asyncio
import multiprocessing
import os
import tarfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import SecretStr

from tests.support.forge.remote_repository import BY, FILES, FULL, Scene, set_scene
from tests.support.forge.repositories import Repository
from tests.support.servers.git_server import Held, Status, serving
from yudai.forge.adapters.git.mirror import Caps
from yudai.forge.adapters.mirrors.fetch import MirrorCaps
from yudai.forge.adapters.mirrors.locations import MirrorLocations
from yudai.forge.adapters.mirrors.mirrors import RemoteMirrors
from yudai.forge.adapters.mirrors.remote_git import Network
from yudai.forge.ports.remote import ANONYMOUS, Credential, CredentialKind
from yudai.kit.errors import ForbiddenError, ForgeError, NotFoundError, RefusedError


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    with serving(tmp_path / "server") as server:
        yield set_scene(server, tmp_path / "home")


def names_in(archive: Path) -> list[str]:
    with tarfile.open(archive) as tar:
        return [member.name for member in tar.getmembers() if not member.isdir()]


async def test_a_snapshot_is_the_tree_and_nothing_else(scene: Scene):
    snapshot = await scene.mirrors.fetch(scene.repo, "main", by=BY)

    assert (snapshot.repo, snapshot.branch, snapshot.commit) == (FULL, "main", scene.work.head)
    assert snapshot.tree == scene.work.git("rev-parse", "HEAD^{tree}").strip()
    assert snapshot.root == scene.mirror
    assert not snapshot.dirty
    assert sorted(names_in(snapshot.source)) == sorted(FILES)
    assert await scene.mirrors.paths(snapshot) == tuple(sorted(FILES))
    assert await scene.mirrors.read(snapshot, "other.py") == b"OTHER = 1\n"
    with pytest.raises(FileNotFoundError):
        await scene.mirrors.read(snapshot, "missing")
    assert not (snapshot.root / "app.py").exists()


async def test_names_that_are_no_text_and_remarks(scene: Scene):
    (scene.work.root / "astray").symlink_to("/etc/passwd")
    (scene.work.root / os.fsdecode(b"n\xf6.txt")).write_text("x")
    scene.land({})

    snapshot = await scene.mirrors.fetch(scene.repo, "main", by=BY)
    assert "n\udcf6.txt" in await scene.mirrors.paths(snapshot)
    assert snapshot.notes == ("1 symbolic link leads outside the repository: astray",)


async def test_a_branch_that_moves_is_followed_also_when_it_was_rewritten(scene: Scene):
    first = await scene.mirrors.fetch(scene.repo, "main", by=BY)
    moved = scene.land({"more.py": "x\n"})
    assert (await scene.mirrors.fetch(scene.repo, "main", by=BY)).commit == moved
    scene.work.git("reset", "-q", "--hard", first.commit)
    rewritten = scene.land({"else.py": "y\n"})

    assert (await scene.mirrors.fetch(scene.repo, "main", by=BY)).commit == rewritten
    assert await scene.mirrors.read(first, "other.py") == b"OTHER = 1\n"


async def test_what_someone_works_with_survives_a_clean_up(scene: Scene):
    first = await scene.mirrors.fetch(scene.repo, "main", by=BY)
    scene.work.write({"other.py": "OTHER = 2\n"})
    scene.work.git("commit", "-q", "-a", "--amend", "-m", "another")
    scene.server.publish(scene.work)
    await scene.mirrors.fetch(scene.repo, "main", by=BY)

    Repository(scene.mirror).git("gc", "-q", "--prune=now")
    assert await scene.mirrors.read(first, "other.py") == b"OTHER = 1\n"


async def test_branches_of_any_name(scene: Scene):
    for name in ("main;touch x", "feature/ünï", "$(id)"):
        branch = name.replace(" ", "-")
        scene.work.git("branch", branch)
        scene.server.publish(scene.work, branch)

        snapshot = await scene.mirrors.fetch(scene.repo, branch, by=BY)
        assert snapshot.commit == scene.work.head
    # One is gone, and its name became a folder's.
    scene.work.git("push", "-q", "origin", ":feature/ünï")
    scene.work.git("push", "-q", "origin", "main:refs/heads/feature/ünï/deeper")
    assert await scene.mirrors.fetch(scene.repo, "feature/ünï/deeper", by=BY)


@pytest.mark.parametrize(
    "name", ["-x", "--upload-pack=touch x", "a b", "a..b", "a:b", "+a", "HEAD", "", "a\nb", "*"]
)
async def test_names_of_branches_are_checked_before_git_is_asked(scene: Scene, name: str):
    if name == "+a":
        with pytest.raises(NotFoundError):
            await scene.mirrors.fetch(scene.repo, name, by=BY)
        return
    for ask in (scene.mirrors.fetch, scene.mirrors.branch_head):
        with pytest.raises(RefusedError, match="is not a branch name"):
            await ask(scene.repo, name, by=BY)
    assert scene.server.asked == []


async def test_what_is_not_there_is_said(scene: Scene):
    with pytest.raises(NotFoundError, match="has no branch nothing"):
        await scene.mirrors.fetch(scene.repo, "nothing", by=BY)
    with pytest.raises(NotFoundError, match=r"there is no http://.*/ada/none"):
        await scene.mirrors.fetch(scene.server.ref("ada/none"), "main", by=BY)
    with pytest.raises(NotFoundError):
        await scene.mirrors.branch_head(scene.server.ref("ada/none"), "main", by=BY)


async def test_who_may_not_see_it_gets_an_error_without_a_prompt(scene: Scene):
    bad = Credential(kind=CredentialKind.USER, token=SecretStr("bad-token-bad-token"))
    for by in (ANONYMOUS, bad):
        with pytest.raises(ForbiddenError, match="this token has no access"):
            await scene.mirrors.fetch(scene.repo, "main", by=by)


@pytest.mark.parametrize(
    ("code", "error"),
    [(500, ForgeError), (503, ForgeError), (429, ForgeError), (301, RefusedError)],
)
async def test_the_forge_s_own_troubles(scene: Scene, code: int, error: type[Exception]):
    scene.server.answer(lambda _: Status(code, {"Location": f"{scene.server.url}/x/y.git"}))

    with pytest.raises(error):
        await scene.mirrors.fetch(scene.repo, "main", by=BY)


async def test_a_forge_that_is_away(scene: Scene):
    repo = scene.repo.model_copy(update={"forge": "http://127.0.0.1:9"})

    with pytest.raises(ForgeError, match="could not be reached"):
        await scene.mirrors.fetch(repo, "main", by=BY)


async def test_a_forge_that_does_not_answer_is_given_up(scene: Scene):
    reached, until = threading.Event(), threading.Event()
    scene.server.answer(lambda _: Held(reached, until))
    mirrors = RemoteMirrors(scene.home, allow_http=True, network=Network(fetch_s=0.5, ask_s=0.5))
    try:
        with pytest.raises(ForgeError, match="took longer"):
            await mirrors.fetch(scene.repo, "main", by=BY)
        with pytest.raises(ForgeError, match="took longer"):
            await mirrors.branch_head(scene.repo, "main", by=BY)
    finally:
        until.set()


async def test_a_transfer_that_crawls_is_given_up(scene: Scene):
    until = threading.Event()
    scene.server.answer(lambda asked: Held(threading.Event(), until) if asked.is_fetch else None)
    mirrors = RemoteMirrors(scene.home, allow_http=True, network=Network(slow_s=1))
    try:
        with pytest.raises(ForgeError, match="could not be reached"):
            await mirrors.fetch(scene.repo, "main", by=BY)
    finally:
        until.set()


async def test_those_who_ask_at_once_share_one_fetch(scene: Scene):
    mirrors = scene.mirrors
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(mirrors.fetch(scene.repo, "main", by=BY)) for _ in range(5)]

    assert all(task.result() == tasks[0].result() for task in tasks)
    assert len([asked for asked in scene.server.asked if asked.method == "GET"]) == 1


async def test_no_one_shares_the_fetch_of_someone_who_may_see_more(scene: Scene):
    mirrors = scene.mirrors
    reached, until = threading.Event(), threading.Event()
    scene.server.answer(lambda asked: Held(reached, until) if asked.token else None)
    allowed = asyncio.create_task(mirrors.fetch(scene.repo, "main", by=BY))
    await asyncio.to_thread(reached.wait, 30)
    other = asyncio.create_task(mirrors.fetch(scene.repo, "main", by=ANONYMOUS))
    await asyncio.sleep(0)
    until.set()

    assert (await allowed).commit == scene.work.head
    with pytest.raises(ForbiddenError):
        await other


async def test_one_who_leaves_does_not_end_the_fetch_of_the_others(scene: Scene):
    mirrors = scene.mirrors
    reached, until = threading.Event(), threading.Event()
    scene.server.answer(lambda _: Held(reached, until))
    first, second = (
        asyncio.create_task(mirrors.fetch(scene.repo, "main", by=BY)) for _ in range(2)
    )
    await asyncio.to_thread(reached.wait, 30)
    first.cancel()
    until.set()

    assert (await second).commit == scene.work.head
    assert first.cancelled()


async def test_when_all_leave_git_is_ended(scene: Scene):
    mirrors = scene.mirrors
    reached, until = threading.Event(), threading.Event()
    scene.server.answer(lambda _: Held(reached, until))
    task = asyncio.create_task(mirrors.fetch(scene.repo, "main", by=BY))
    await asyncio.to_thread(reached.wait, 30)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    until.set()
    scene.server.answer(lambda _: None)

    assert mirrors._flights._tasks == {}
    assert (await mirrors.fetch(scene.repo, "main", by=BY)).commit == scene.work.head


def _hold(folder: Path, name: str, taken: object, until: object) -> None:
    import fcntl

    with (folder / f"{name}.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        taken.set()  # type: ignore[attr-defined]
        until.wait(60)  # type: ignore[attr-defined]


async def test_another_process_is_waited_for(scene: Scene):
    await scene.mirrors.fetch(scene.repo, "main", by=BY)
    context = multiprocessing.get_context("spawn")
    taken, until = context.Event(), context.Event()
    holder = context.Process(
        target=_hold, args=(scene.home / "remotes", scene.mirror.name, taken, until)
    )
    holder.start()
    try:
        assert await asyncio.to_thread(taken.wait, 60)
        asked = len(scene.server.asked)
        task = asyncio.create_task(scene.mirrors.fetch(scene.repo, "main", by=BY))
        done, _ = await asyncio.wait([task], timeout=0.3)
        assert not done
        assert len(scene.server.asked) == asked
        until.set()
        assert (await task).commit == scene.work.head
    finally:
        until.set()
        await asyncio.to_thread(holder.join)


async def test_writers_of_one_mirror_take_turns(tmp_path: Path, scene: Scene):
    locations = MirrorLocations(tmp_path / "remotes")
    mirror = locations.mirror(scene.repo)
    inside = most = 0

    async def write() -> None:
        nonlocal inside, most
        async with locations.writing(mirror):
            inside += 1
            most = max(most, inside)
            await asyncio.sleep(0)
            inside -= 1

    async with asyncio.TaskGroup() as group:
        for _ in range(5):
            group.create_task(write())
    assert most == 1


async def test_a_repository_that_is_too_big_for_its_mirror_is_refused_while_it_comes(scene: Scene):
    scene.land({"big.bin": os.urandom(3 << 20)})
    mirrors = RemoteMirrors(scene.home, allow_http=True, caps=MirrorCaps(mirror_bytes=1 << 20))

    with pytest.raises(RefusedError, match="is larger than the 1 MB that are kept"):
        await mirrors.fetch(scene.repo, "main", by=BY)
    left = sum(file.stat().st_size for file in scene.mirror.rglob("*") if file.is_file())
    assert left < 1 << 20


async def test_a_mirror_that_is_full_takes_no_more(scene: Scene):
    await scene.mirrors.fetch(scene.repo, "main", by=BY)
    mirrors = RemoteMirrors(scene.home, allow_http=True, caps=MirrorCaps(mirror_bytes=10))

    with pytest.raises(RefusedError, match=r"the mirror of .* is larger"):
        await mirrors.fetch(scene.repo, "main", by=BY)


@pytest.mark.parametrize("tree", [Caps(files=2), Caps(total_bytes=100)])
async def test_a_tree_that_is_too_big_is_refused(scene: Scene, tree: Caps):
    mirrors = RemoteMirrors(scene.home, allow_http=True, caps=MirrorCaps(tree=tree))

    with pytest.raises(RefusedError, match="the repository is too big"):
        await mirrors.fetch(scene.repo, "main", by=BY)


async def test_many_small_packs_become_few(scene: Scene):
    mirrors = RemoteMirrors(scene.home, allow_http=True, caps=MirrorCaps(packs=3))
    for number in range(6):
        scene.land({"other.py": f"OTHER = {number}\n"})
        await mirrors.fetch(scene.repo, "main", by=BY)

    assert len(list(scene.mirror.glob("objects/pack/*.pack"))) <= 4
    snapshot = await mirrors.fetch(scene.repo, "main", by=BY)
    assert await mirrors.read(snapshot, "other.py") == b"OTHER = 5\n"


async def test_names_of_any_case_are_one_mirror(scene: Scene):
    locations = MirrorLocations(scene.home)
    shouting = scene.repo.model_copy(update={"owner": "ADA"})

    assert locations.mirror(shouting).folder == locations.mirror(scene.repo).folder
    assert (
        locations.mirror(scene.server.ref("ada/other")).folder
        != locations.mirror(scene.repo).folder
    )


async def test_a_home_that_cannot_be_used_is_said(scene: Scene):
    scene.home.write_text("no folder")

    with pytest.raises(RefusedError, match="cannot use"):
        await scene.mirrors.fetch(scene.repo, "main", by=BY)


async def test_a_snapshot_of_elsewhere_is_not_read(scene: Scene):
    snapshot = await scene.mirrors.fetch(scene.repo, "main", by=BY)
    other = RemoteMirrors(scene.home / "other", allow_http=True)

    with pytest.raises(NotFoundError, match="is not stored here"):
        await other.paths(snapshot)
