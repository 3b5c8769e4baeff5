from typing import TYPE_CHECKING, Any, cast

import pytest

from tests.support.verified_repo import Files, Ground
from yudai.kit.causes import Cause
from yudai.kit.concurrency import gather
from yudai.kit.errors import RefusedError, SandboxError
from yudai.patches.patch import parse_patch
from yudai.verification.clean_sandboxes import UNREADABLE, CleanSandboxes, apply_patch, read_texts

if TYPE_CHECKING:
    from yudai.sandboxes.port import Backend

BASE: Files = {
    "a.txt": "one\ntwo\n",
    "crlf.txt": b"one\r\ntwo\r\n",
    "gone.txt": "x\n",
    "run.sh": "#!/bin/sh\n",
    "bytes.bin": bytes(range(256)),
    "open end": "no newline",
}
CHANGE = r"""
    printf 'one\nthree\n' > a.txt
    printf 'one\r\nthree\r\n' > crlf.txt
    rm gone.txt
    chmod +x run.sh
    printf '\000\377\001' > bytes.bin
    printf 'another end' > 'open end'
    : > empty
    ln -s a.txt link
    mkdir -p 'deep/ü "q" \ x'
    printf 'caf\351\n' > 'deep/ü "q" \ x/latin	tab.txt'
    printf 'x\n' > "$(printf 'odd-\377')"
"""


@pytest.mark.parametrize("attributes", ["", "* text=auto\n", "*.txt text eol=crlf\n"])
async def test_a_patch_makes_the_same_tree_again(ground: Ground, attributes: str):
    files: Files = {**BASE, ".gitattributes": attributes} if attributes else BASE
    async with ground.sandbox(files) as sandbox:
        done = await sandbox.exec(CHANGE)
        assert done.exit_code == 0, done.text
        tree, text = await sandbox.tree(), await sandbox.diff()
    sandboxes = CleanSandboxes(ground.backend, await ground.base(files), "test")
    async with sandboxes.open(parse_patch(text)) as copy:
        assert await copy.tree() == tree


async def test_parts_applied_one_after_the_other_make_the_whole(ground: Ground):
    patch = parse_patch(ground.patch(BASE, {"a.txt": "1\n", "tests/t.py": "x\n", "gone.txt": None}))
    sandboxes = CleanSandboxes(ground.backend, await ground.base(BASE), "test")
    async with sandboxes.open(patch) as whole, sandboxes.open(patch.source, patch.tests) as parts:
        assert await whole.tree() == await parts.tree()


async def test_a_patch_that_does_not_fit_is_refused_and_the_box_is_gone(ground: Ground):
    patch = parse_patch(ground.patch({"a.txt": "other\n"}, {"a.txt": "text\n"}))
    sandboxes = CleanSandboxes(ground.backend, await ground.base(BASE), "test")
    with pytest.raises(RefusedError, match="the patch does not apply"):
        async with sandboxes.open(patch):
            pytest.fail("it was applied")
    assert await ground.backend.list() == []


async def test_boxes_that_are_alike_are_asked_for_together(ground: Ground):
    sandboxes = CleanSandboxes(ground.backend, await ground.base(BASE), "test")
    async with sandboxes.open_many(2) as [one, two]:
        await one.exec("echo changed >a.txt")
        await one.destroy()
        assert (await two.exec("cat a.txt")).text == BASE["a.txt"]
    assert await ground.backend.list() == []


@pytest.mark.parametrize("broken", [0, 1])
async def test_one_that_fails_takes_the_others_with_it(ground: Ground, broken: int):
    base = await ground.base(BASE)

    class Half:
        """One of its sandboxes cannot be made."""

        async def spawn(self, *words: Any, **options: Any):
            made = list(await ground.backend.spawn(*words, **options))
            unmade, made[broken] = made[broken], SandboxError("no room")
            assert not isinstance(unmade, SandboxError)
            await unmade.destroy()
            return made

    sandboxes = CleanSandboxes(cast("Backend", Half()), base, "test")
    with pytest.raises(SandboxError, match="no room"):
        async with sandboxes.open_many(2):
            pytest.fail("one was missing")
    assert await ground.backend.list() == []


async def test_a_box_without_git_is_our_trouble(ground: Ground):
    patch = parse_patch(ground.patch(BASE, {"a.txt": "1\n"}))
    async with ground.sandbox(BASE) as sandbox:

        class Poor:
            """The same sandbox, where no git is to be found."""

            async def exec(self, command: str, **_options: object):
                return await sandbox.exec(f"PATH=/nowhere; {command}")

        with pytest.raises(SandboxError) as caught:
            await apply_patch(Poor(), patch)  # pyright: ignore[reportArgumentType] - all it uses
    assert caught.value.cause is Cause.VERIFICATION_FAILED


async def test_texts_are_read_or_marked(ground: Ground):
    async with ground.sandbox({"a": "x\n", "latin": b"\xe9", "long": b"x" * (3 << 20)}) as sandbox:
        await sandbox.exec("mkdir folder")
        texts = await read_texts(sandbox, ["a", "latin", "long", "folder", "missing"])
    assert texts == {
        "a": "x\n",
        "latin": "\udce9",
        "long": UNREADABLE,
        "folder": UNREADABLE,
        "missing": UNREADABLE,
    }


async def test_work_done_together_ends_with_a_plain_error():
    async def answer(number: int) -> int:
        if number == 2:
            raise SandboxError("two")
        return number

    assert await gather(answer(n) for n in (1, 3)) == [1, 3]
    with pytest.raises(SandboxError, match="two"):
        await gather(answer(n) for n in (1, 2, 3))
