"""Artifacts in a folder: what the disk does to them, and which addresses are taken."""

import asyncio
import errno
import hashlib
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from pydantic import SecretStr

from yudai.artifacts.adapters.object_store import ObjectStoreArtifacts, make_artifacts
from yudai.artifacts.port import ArtifactError, ArtifactKind, ArtifactRef
from yudai.kit.causes import Cause
from yudai.kit.errors import NotFoundError, RefusedError

CONTENT = b"some content" * 100_000


@pytest.fixture
def artifacts(tmp_path: Path) -> ObjectStoreArtifacts:
    return make_artifacts(None, home=tmp_path)


def files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def object_of(folder: Path, ref: ArtifactRef) -> Path:
    return folder / "artifacts" / ref.sha256[:2] / ref.sha256


async def stream(*chunks: bytes) -> AsyncIterator[bytes]:
    for chunk in chunks:
        yield chunk


async def test_what_an_older_version_stored_is_found(
    artifacts: ObjectStoreArtifacts, tmp_path: Path
):
    digest = hashlib.sha256(b"old").hexdigest()
    file = tmp_path / "artifacts" / digest[:2] / digest
    file.parent.mkdir(parents=True)
    file.write_bytes(b"old")
    ref = ArtifactRef(kind=ArtifactKind.PATCH, sha256=digest, size=3)
    assert await artifacts.get(ref) == b"old"


async def test_what_is_there_is_not_written_again(artifacts: ObjectStoreArtifacts, tmp_path: Path):
    ref = await artifacts.put(ArtifactKind.PATCH, CONTENT)
    before = object_of(tmp_path, ref).stat()
    assert await artifacts.put(ArtifactKind.PATCH, CONTENT) == ref
    assert await artifacts.put(ArtifactKind.PATCH, stream(CONTENT)) == ref
    after = object_of(tmp_path, ref).stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert files(tmp_path) == [object_of(tmp_path, ref)]


async def test_what_was_cut_short_is_damaged_until_it_is_put_again(
    artifacts: ObjectStoreArtifacts, tmp_path: Path
):
    ref = await artifacts.put(ArtifactKind.PATCH, CONTENT)
    os.truncate(object_of(tmp_path, ref), 5)
    with pytest.raises(ArtifactError, match="the stored patch is damaged"):
        await artifacts.get(ref)
    await artifacts.put(ArtifactKind.PATCH, CONTENT)
    assert await artifacts.get(ref) == CONTENT


async def test_a_changed_byte_is_an_error_and_no_one_gets_all_of_it(
    artifacts: ObjectStoreArtifacts, tmp_path: Path
):
    ref = await artifacts.put(ArtifactKind.TEST_LOG, CONTENT)
    with object_of(tmp_path, ref).open("r+b") as file:
        file.write(b"S")
    with pytest.raises(ArtifactError, match="the stored test log is damaged") as raised:
        await artifacts.get(ref)
    assert raised.value.cause is Cause.STORE_FAILED
    chunks = await artifacts.stream(ref)
    got = len(await anext(chunks))
    with pytest.raises(ArtifactError, match="damaged"):
        got += sum([len(chunk) async for chunk in chunks])
    assert 0 < got < ref.size
    with pytest.raises(ArtifactError, match="damaged"):
        await artifacts.save(ref, tmp_path / "saved" / "log")
    assert files(tmp_path / "saved") == []


@pytest.mark.parametrize("way", ["bytes", "stream", "file"])
async def test_a_full_disk_leaves_nothing_and_says_what_to_do(
    artifacts: ObjectStoreArtifacts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
):
    file = tmp_path / "file"
    file.write_bytes(CONTENT)

    def no_space(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", no_space)
    content = {"bytes": CONTENT, "stream": stream(CONTENT), "file": file}[way]
    with pytest.raises(ArtifactError, match=r"\(No space left on device\): free some space"):
        await artifacts.put(ArtifactKind.PATCH, content)
    assert files(tmp_path) == [file]


async def test_a_really_full_disk_is_said_so(tmp_path: Path):
    """/dev/full answers every write as a full disk does."""
    home = tmp_path / "home"
    artifacts = make_artifacts(None, home=home)
    with pytest.raises(ArtifactError, match="free some space"):
        await artifacts.put(ArtifactKind.SOURCE, _Full())
    assert files(home) == []


class _Full:
    """A stream during which the disk becomes full."""

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        [part] = [fd for fd in Path("/proc/self/fd").iterdir() if ".part-" in os.path.realpath(fd)]
        full = os.open("/dev/full", os.O_RDWR)
        os.dup2(full, int(part.name))
        os.close(full)
        return CONTENT


async def test_a_folder_that_is_a_file_is_an_error_of_ours(tmp_path: Path):
    (tmp_path / "artifacts").write_text("I was here first")
    artifacts = make_artifacts(None, home=tmp_path)
    with pytest.raises(ArtifactError, match=r"artifacts cannot be used \(File exists\)"):
        await artifacts.put(ArtifactKind.PATCH, b"x")
    with pytest.raises(ArtifactError, match="cannot be used"):
        await artifacts.check()


async def test_a_file_that_is_not_there_is_named(artifacts: ObjectStoreArtifacts, tmp_path: Path):
    with pytest.raises(ArtifactError, match=r"gone\.tar cannot be used \(No such file"):
        await artifacts.put(ArtifactKind.SOURCE, tmp_path / "gone.tar")


async def test_a_file_of_the_same_disk_gets_a_second_name_instead_of_a_copy(
    artifacts: ObjectStoreArtifacts, tmp_path: Path
):
    file, link = tmp_path / "source.tar", tmp_path / "link.tar"
    file.write_bytes(CONTENT)
    link.symlink_to(file)
    ref = await artifacts.put(ArtifactKind.SOURCE, link)
    assert object_of(tmp_path, ref).samefile(file)
    assert not object_of(tmp_path, ref).is_symlink()
    file.unlink()
    assert await artifacts.get(ref) == CONTENT


async def test_a_file_of_another_disk_is_copied(
    artifacts: ObjectStoreArtifacts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def other_disk(*_: object) -> None:
        raise OSError(errno.EXDEV, "Invalid cross-device link")

    monkeypatch.setattr("os.link", other_disk)
    file = tmp_path / "source.tar"
    file.write_bytes(CONTENT)
    ref = await artifacts.put(ArtifactKind.SOURCE, file)
    assert not object_of(tmp_path, ref).samefile(file)
    assert await artifacts.get(ref) == CONTENT


async def test_who_is_cancelled_in_the_middle_of_a_stream_leaves_nothing(
    artifacts: ObjectStoreArtifacts, tmp_path: Path
):
    begun = asyncio.Event()

    async def endless() -> AsyncIterator[bytes]:
        yield CONTENT
        begun.set()
        await asyncio.Event().wait()

    task = asyncio.create_task(artifacts.put(ArtifactKind.TRAJECTORY, endless()))
    await begun.wait()
    assert len(files(tmp_path)) == 1
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert files(tmp_path) == []


@pytest.mark.parametrize(
    ("url", "folder"),
    [
        (None, "home/artifacts"),
        ("", "home/artifacts"),
        ("{}/else where", "else where"),
        ("file://{}/else%20where", "else where"),
        ("file://localhost{}/x", "x"),
    ],
)
async def test_folders_that_are_taken(tmp_path: Path, url: str | None, folder: str):
    artifacts = make_artifacts(url and url.format(tmp_path), home=tmp_path / "home")
    ref = await artifacts.put(ArtifactKind.PATCH, b"x")
    assert files(tmp_path) == [tmp_path / folder / ref.key]


@pytest.mark.parametrize(
    "url",
    [
        "https://key:hunter2@example.com/x",
        "gs://bucket/hunter2",
        "s3:bucket/hunter2",
        "s3://",
        "s3:///hunter2",
        "s3://key:hunter2@bucket",
        "s3://bucket:hunter2",
        "s3://bucket/../hunter2",
        "s3://bucket/a//hunter2",
        "s3://bucket/x?hunter2",
        "s3://bucket/x#hunter2",
        "s3://[hunter2",
        "file://elsewhere/hunter2",
        "file:hunter2",
    ],
)
def test_other_addresses_are_refused_and_not_repeated(tmp_path: Path, url: str):
    with pytest.raises(RefusedError, match="ARTIFACTS_URL") as raised:
        make_artifacts(url, home=tmp_path)
    assert "hunter2" not in str(raised.value)


@pytest.mark.parametrize(
    ("given", "remedy"),
    [
        ({"endpoint": "http://me:hunter2@127.0.0.1:1"}, "holds a password"),
        ({"endpoint": "ftp://hunter2"}, "write https://"),
        ({"endpoint": "hunter2:9000"}, "write https://"),
        ({"endpoint": "http://hunter2:99999"}, "is not a URL"),
        ({"endpoint": "http://host?hunter2"}, "write https://"),
        ({"access_key_id": SecretStr("hunter2")}, "set both"),
        ({"secret_access_key": SecretStr("hunter2")}, "set both"),
    ],
)
def test_settings_that_cannot_be_right_are_refused_and_not_repeated(
    tmp_path: Path, given: dict[str, str | SecretStr], remedy: str
):
    with pytest.raises(RefusedError, match=remedy) as raised:
        make_artifacts("s3://bucket", home=tmp_path, **given)  # pyright: ignore[reportArgumentType]
    assert "hunter2" not in str(raised.value)


def test_obstore_is_imported_only_when_it_is_used(tmp_path: Path):
    program = (
        "import sys, pathlib\n"
        "from yudai.artifacts.adapters.object_store import make_artifacts\n"
        "make_artifacts('s3://bucket', home=pathlib.Path(sys.argv[1]))\n"
        "print('obstore' in sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"


async def test_a_missing_folder_holds_nothing(artifacts: ObjectStoreArtifacts):
    with pytest.raises(NotFoundError):
        await artifacts.get(ArtifactRef(kind=ArtifactKind.PATCH, sha256="a" * 64, size=1))
