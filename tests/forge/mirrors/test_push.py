"""A branch at the forge: made once, found again, never overwritten."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import SecretStr

from tests.support.forge.remote_repository import BRANCH, BY, FULL, Scene, set_scene
from tests.support.servers.git_server import Asked, Fault, Lost, Status, serving
from yudai.forge.adapters.mirrors.mirrors import RemoteMirrors
from yudai.forge.ports.remote import Credential, CredentialKind
from yudai.kit.errors import (
    ConflictError,
    ForbiddenError,
    ForgeError,
    LostAnswerError,
    NotFoundError,
    RefusedError,
)

REF = f"refs/heads/{BRANCH}"


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    with serving(tmp_path / "server") as server:
        yield set_scene(server, tmp_path / "home")


def pushes(scene: Scene) -> int:
    return sum(asked.is_push for asked in scene.server.asked)


async def test_it_is_made_and_the_second_time_found(scene: Scene):
    built = await scene.build()
    assert await scene.mirrors.branch_head(scene.repo, BRANCH, by=BY) is None

    for _ in range(2):
        await scene.mirrors.push(scene.repo, built.commit, BRANCH, by=BY)
    assert scene.server.refs(FULL)[REF] == built.commit
    assert await scene.mirrors.branch_head(scene.repo, BRANCH, by=BY) == built.commit
    assert pushes(scene) == 1


async def test_a_branch_that_a_person_edited_is_never_overwritten(scene: Scene):
    built = await scene.build()
    await scene.mirrors.push(scene.repo, built.commit, BRANCH, by=BY)
    scene.work.git("fetch", "-q", "origin", BRANCH)
    scene.work.git("checkout", "-q", "FETCH_HEAD")
    scene.work.write({"app.py": "# a person\n"})
    edited = scene.work.commit("a person's")
    scene.work.git("push", "-q", "origin", f"HEAD:{REF}")

    with pytest.raises(ConflictError, match="a person edited it"):
        await scene.mirrors.push(scene.repo, built.commit, BRANCH, by=BY)
    assert scene.server.refs(FULL)[REF] == edited


async def test_nor_one_that_is_made_between_the_look_and_the_push(scene: Scene):
    built = await scene.build()
    other = scene.work.head

    def make(asked: Asked) -> Fault:
        if "service=git-receive-pack" in asked.query and REF not in scene.server.refs(FULL):
            scene.server.git(FULL, "update-ref", REF, other)
        return None

    scene.server.answer(make)
    with pytest.raises(ConflictError, match="a person edited it"):
        await scene.mirrors.push(scene.repo, built.commit, BRANCH, by=BY)
    assert scene.server.refs(FULL)[REF] == other


async def test_an_answer_that_was_lost_is_found(scene: Scene):
    built = await scene.build()
    scene.server.answer(lambda asked: Lost() if asked.is_push else None)

    await scene.mirrors.push(scene.repo, built.commit, BRANCH, by=BY)
    assert scene.server.refs(FULL)[REF] == built.commit
    assert pushes(scene) == 1


async def test_an_answer_that_was_lost_with_the_forge_is_found_the_next_time(scene: Scene):
    built = await scene.build()
    is_away = False

    def go_away(asked: Asked) -> Fault:
        nonlocal is_away
        was_away, is_away = is_away, is_away or asked.is_push
        return Status(503) if was_away else Lost() if asked.is_push else None

    scene.server.answer(go_away)
    with pytest.raises(LostAnswerError, match="whether the branch was made is not known"):
        await scene.mirrors.push(scene.repo, built.commit, BRANCH, by=BY)
    scene.server.answer(lambda _: None)
    await scene.mirrors.push(scene.repo, built.commit, BRANCH, by=BY)
    assert scene.server.refs(FULL)[REF] == built.commit
    assert pushes(scene) == 1


async def test_a_forge_that_fails_before_it_acts(scene: Scene):
    built = await scene.build()
    scene.server.answer(lambda asked: Status(502) if asked.is_push else None)

    with pytest.raises(ForgeError) as failed:
        await scene.mirrors.push(scene.repo, built.commit, BRANCH, by=BY)
    assert not isinstance(failed.value, LostAnswerError)
    assert REF not in scene.server.refs(FULL)


REFUSALS = [
    ("GH006: Protected branch update failed for refs/heads/x.", "GH006: Protected branch"),
    (
        "refusing to allow a GitHub App to create or update workflow `.github/workflows/ci.yml` "
        "without `workflows` permission",
        "refusing to allow a GitHub App to create or update workflow",
    ),
    ("error: GH013: Repository rule violations found for refs/heads/x.", "GH013: Repository rule"),
    ("error: File big.bin is 200 MB; this exceeds GitHub's file size limit", "exceeds GitHub"),
]  # fmt: skip


@pytest.mark.parametrize(("said", "shown"), REFUSALS)
async def test_the_forge_s_own_refusal_is_reported(scene: Scene, said: str, shown: str):
    built = await scene.build()
    script = f"echo '' >&2; echo '----' >&2; cat >&2 <<'END'\n{said}\nEND\nexit 1"
    scene.server.hook(FULL, "pre-receive", script)

    with pytest.raises(RefusedError, match=f"refuses the branch: .*{shown}") as refused:
        await scene.mirrors.push(scene.repo, built.commit, BRANCH, by=BY)
    assert not isinstance(refused.value, (ConflictError, NotFoundError, ForbiddenError))
    assert "\n" not in str(refused.value)


async def test_what_a_forge_says_is_one_printable_line(scene: Scene):
    built = await scene.build()
    scene.server.hook(
        FULL, "pre-receive", "printf 'denied \\033[31m\\033]0;x\\007 %0999d\\n' 1 >&2; exit 1"
    )

    with pytest.raises(RefusedError) as refused:
        await scene.mirrors.push(scene.repo, built.commit, BRANCH, by=BY)
    assert str(refused.value).isprintable()
    assert len(str(refused.value)) < 500


async def test_who_may_only_read_is_forbidden(scene: Scene):
    built = await scene.build()
    reader = Credential(kind=CredentialKind.USER, token=SecretStr("reader"))

    with pytest.raises(ForbiddenError, match="does not allow this token"):
        await scene.mirrors.push(scene.repo, built.commit, BRANCH, by=reader)


async def test_to_a_fork(scene: Scene):
    scene.server.fork(FULL, "bot/sample")
    built = await scene.build()

    await scene.mirrors.push(scene.server.ref("bot/sample"), built.commit, BRANCH, by=BY)
    assert scene.server.refs("bot/sample")[REF] == built.commit
    assert REF not in scene.server.refs(FULL)


async def test_only_what_the_forge_lacks_is_sent(scene: Scene):
    for number in range(30):
        scene.work.write({"other.py": f"OTHER = {number}\n"})
        scene.work.commit(f"{number}")
    scene.server.publish(scene.work)
    built = await scene.build()
    # Nobody has told our mirror of this one.
    scene.land({"docs/guide.md": "new\n"})

    await scene.mirrors.push(scene.repo, built.commit, BRANCH, by=BY)
    assert [asked.size < 1500 for asked in scene.server.asked if asked.is_push] == [True]


@pytest.mark.parametrize("name", ["-x", "--mirror", "a b", "HEAD", "x:y", "+x", "x\n"])
async def test_names_of_branches_are_checked(scene: Scene, name: str):
    built = await scene.build()
    asked = len(scene.server.asked)
    if name == "+x":
        await scene.mirrors.push(scene.repo, built.commit, name, by=BY)
        assert scene.server.refs(FULL)["refs/heads/+x"] == built.commit
        return
    with pytest.raises(RefusedError, match="is not a branch name"):
        await scene.mirrors.push(scene.repo, built.commit, name, by=BY)
    assert len(scene.server.asked) == asked


async def test_only_what_was_built_here_is_pushed(scene: Scene, tmp_path: Path):
    built = await scene.build()

    for commit in (scene.work.head, "1" * 40, "main", "../../x", "*"):
        with pytest.raises(RefusedError, match="was not built here"):
            await scene.mirrors.push(scene.repo, commit, BRANCH, by=BY)
    with pytest.raises(NotFoundError, match="was not built here"):
        await RemoteMirrors(tmp_path / "other", allow_http=True).push(
            scene.repo, built.commit, BRANCH, by=BY
        )
