"""Reading and writing files of a sandbox."""

import errno
from pathlib import Path

import pytest

from yudai.sandboxes.port import Sandbox

# Prime has the warden of e2b, which is what these tests look at; `always` shows the way to it.
pytestmark = pytest.mark.real_on("prime")


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"", id="empty"),
        pytest.param(bytes(range(256)) * 100, id="any byte"),
        pytest.param(b"no newline at the end", id="no newline"),
        pytest.param(b"x" * 5_000_000, id="long"),
    ],
)
@pytest.mark.always
async def test_what_is_written_is_read(sandbox: Sandbox, content: bytes):
    await sandbox.write("some/new/file", content)

    assert await sandbox.read("some/new/file") == content
    assert await sandbox.read("/workspace/some/new/file") == content


@pytest.mark.parametrize("name", ["a b", "-n", "quote'\"s", "new\nline", "ü", "\udcff", "$(id)"])
async def test_names_are_only_names(sandbox: Sandbox, name: str):
    await sandbox.write(f"odd/{name}", b"content")

    assert await sandbox.read(f"odd/{name}") == b"content"
    assert (await sandbox.exec("ls odd | wc -l")).text.strip() == str(1 + name.count("\n"))


async def test_writing_replaces(sandbox: Sandbox):
    await sandbox.write("README.md", b"short")

    assert await sandbox.read("README.md") == b"short"
    assert (await sandbox.tree()).changed == ("README.md",)


async def test_a_missing_file(sandbox: Sandbox):
    with pytest.raises(FileNotFoundError) as missing:
        await sandbox.read("none")
    assert missing.value.filename == "none"
    await sandbox.exec("ln -s nowhere broken")
    with pytest.raises(FileNotFoundError):
        await sandbox.read("broken")
    with pytest.raises(FileNotFoundError):
        await sandbox.read("nul\0byte")


async def test_what_is_no_file(sandbox: Sandbox):
    await sandbox.exec("mkfifo pipe; ln -s /dev/zero endless")

    for path in ("src", "pipe", "endless"):
        with pytest.raises(IsADirectoryError):
            await sandbox.read(path)


async def test_a_file_that_is_too_long(sandbox: Sandbox):
    await sandbox.write("f", b"12345")

    assert await sandbox.read("f", max_bytes=5) == b"12345"
    with pytest.raises(OSError, match="f") as refused:
        await sandbox.read("f", max_bytes=4)
    assert refused.value.errno == errno.EFBIG


async def test_links_are_the_sandboxs_own(walled: Sandbox, tmp_path: Path):
    await walled.exec("ln -s /etc/passwd users; ln -s README.md alias; ln -s /tmp/out out")

    assert b"agent" in await walled.read("users")
    assert await walled.read("alias") == await walled.read("README.md")
    await walled.write("out", b"inside")
    assert (await walled.exec("cat /tmp/out")).text == "inside"
    with pytest.raises(OSError, match=r"Read-only|Permission"):
        await walled.write("users", b"root::0:0::/:/bin/sh\n")


async def test_writing_where_nothing_can_be_written(sandbox: Sandbox):
    with pytest.raises(OSError, match="README"):
        await sandbox.write("README.md/inner", b"x")
    with pytest.raises(OSError, match="src"):
        await sandbox.write("src", b"x")
