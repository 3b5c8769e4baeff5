"""Artifacts on an S3 server: bounded memory, and every way in which a server fails."""

import asyncio
import os
import subprocess
import sys
import traceback
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tests.support.servers.s3_server import (
    IMPATIENT,
    KEY_ID,
    SECRET,
    Address,
    Talk,
    answering,
    artifacts_at,
    ask,
    forget_surroundings,
    listening,
    new_bucket,
    relaying,
    silent,
)
from yudai.artifacts.adapters.object_store import ObjectStoreArtifacts
from yudai.artifacts.port import ArtifactError, ArtifactKind, ArtifactRef
from yudai.kit.causes import Cause

pytestmark = pytest.mark.xdist_group("s3")

MIB = 1 << 20
SOON = IMPATIENT._replace(silence_s=30)
"""For what a busy machine answers slowly, but answers."""
REF = ArtifactRef(kind=ArtifactKind.PATCH, sha256="a" * 64, size=1)


@pytest.fixture(autouse=True)
def no_settings_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    forget_surroundings(monkeypatch)


@pytest.fixture
def address() -> Address:
    return new_bucket()


@pytest.fixture
def artifacts(address: Address, tmp_path: Path) -> ObjectStoreArtifacts:
    return artifacts_at(address, home=tmp_path)


def keys(address: Address) -> bytes:
    return ask("GET", f"/{address.bucket}?list-type=2")


def object_of(address: Address, ref: ArtifactRef) -> str:
    return f"/{address.bucket}/some/prefix/{ref.key}"


async def test_objects_lie_below_the_prefix(artifacts: ObjectStoreArtifacts, address: Address):
    ref = await artifacts.put(ArtifactKind.PATCH, b"patch")
    assert ask("GET", object_of(address, ref)) == b"patch"


async def test_what_is_there_is_not_uploaded_again(
    artifacts: ObjectStoreArtifacts, address: Address
):
    ref = await artifacts.put(ArtifactKind.PATCH, b"patch")
    before = keys(address)
    # Of equal length: would it be uploaded, this would be gone.
    ask("PUT", object_of(address, ref), b"PATCH")
    assert await artifacts.put(ArtifactKind.PATCH, b"patch") == ref
    assert ask("GET", object_of(address, ref)) == b"PATCH"
    assert before.count(b"<Key>") == keys(address).count(b"<Key>") == 1


async def test_what_was_changed_there_is_damaged(artifacts: ObjectStoreArtifacts, address: Address):
    ref = await artifacts.put(ArtifactKind.PATCH, b"patch")
    ask("PUT", object_of(address, ref), b"PATCH")
    with pytest.raises(ArtifactError, match=r"damaged: restore .* in s3://bucket-"):
        await artifacts.get(ref)
    ask("PUT", object_of(address, ref), b"much longer than it was")
    with pytest.raises(ArtifactError, match="damaged"):
        await artifacts.stream(ref)


async def test_the_same_large_content_put_at_once_is_stored_once(
    artifacts: ObjectStoreArtifacts, address: Address
):
    content = os.urandom(6 * MIB)
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(artifacts.put(ArtifactKind.PLAN, content)) for _ in range(4)]
    assert len({task.result().sha256 for task in tasks}) == 1
    assert keys(address).count(b"<Key>") == 1
    assert await artifacts.get(tasks[0].result()) == content


def test_a_large_stream_is_never_held_whole(address: Address, tmp_path: Path):
    """In a process of its own, whose peak of memory is its alone."""
    done = subprocess.run(
        [sys.executable, __file__, address.endpoint, address.bucket, str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": os.pathsep.join(sys.path), "PATH": os.environ["PATH"]},
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 48 * MIB


async def _stream_much(address: Address, home: Path) -> int:
    """How much the peak of 128 MB, there and back, is above that of 20 MB: held whole, 108 MB."""
    artifacts, block = artifacts_at(address, home=home), os.urandom(MIB)

    async def much(blocks: int) -> AsyncIterator[bytes]:
        for number in range(blocks):
            yield number.to_bytes(8, "big") + block

    peaks: list[int] = []
    for blocks in (20, 128):
        ref = await artifacts.put(ArtifactKind.SOURCE, much(blocks))
        async for _ in await artifacts.stream(ref):
            pass
        await artifacts.save(ref, home / "saved")
        peaks.append(_peak())
    return peaks[1] - peaks[0]


def _peak() -> int:
    [line] = [x for x in Path("/proc/self/status").read_text().splitlines() if "VmHWM" in x]
    return int(line.split()[1]) << 10


async def test_a_bucket_that_is_not_there_is_not_a_missing_artifact(
    address: Address, tmp_path: Path
):
    artifacts = artifacts_at(address._replace(bucket="nobodys"), home=tmp_path)
    expected = r"s3://nobodys/some/prefix does not exist \(NoSuchBucket\): create the bucket"
    for attempt in (
        artifacts.get(REF),
        artifacts.stream(REF),
        artifacts.put(ArtifactKind.PATCH, b"x"),
        artifacts.put(ArtifactKind.PATCH, os.urandom(6 * MIB)),
        artifacts.check(),
    ):
        with pytest.raises(ArtifactError, match=expected):
            await attempt


@pytest.fixture
def strict_server(address: Address) -> Iterator[Address]:
    """From now on only keys that the server has given out are taken."""
    ask("POST", "/moto-api/reset-auth", b"0")
    yield address
    ask("POST", "/moto-api/reset-auth", b"inf")


@pytest.mark.usefixtures("strict_server")
async def test_a_wrong_key_is_refused_by_the_real_server(artifacts: ObjectStoreArtifacts):
    with pytest.raises(ArtifactError, match=r"refused access.*: check AWS_ACCESS_KEY_ID"):
        await artifacts.get(REF)
    with pytest.raises(ArtifactError, match="refused access"):
        await artifacts.put(ArtifactKind.PATCH, b"x")


async def test_a_server_that_is_gone_is_said_so_soon(tmp_path: Path):
    async with listening(silent) as endpoint:
        pass
    artifacts = artifacts_at(Address(endpoint, "bucket"), home=tmp_path, timeouts=IMPATIENT)
    async with asyncio.timeout(10):
        for attempt in (artifacts.get(REF), artifacts.put(ArtifactKind.PATCH, b"x")):
            with pytest.raises(ArtifactError, match="cannot be reached: check the network") as no:
                await attempt
            assert no.value.cause is Cause.STORE_FAILED


async def test_without_a_key_and_without_a_role_the_remedy_is_named(
    address: Address, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    async with listening(silent) as nobody:
        pass
    monkeypatch.setenv("AWS_METADATA_ENDPOINT", nobody)
    artifacts = artifacts_at(address, home=tmp_path, keys=False, timeouts=IMPATIENT)
    with pytest.raises(ArtifactError, match="without a key: set AWS_ACCESS_KEY_ID and AWS_SECRET"):
        await artifacts.get(REF)


def error(code: str) -> str:
    said = f"<AWSAccessKeyId>{KEY_ID}</AWSAccessKeyId><StringToSign>{SECRET}</StringToSign>"
    return f"<Error><Code>{code}</Code>{said}</Error>"


@pytest.mark.parametrize(
    ("talk", "told"),
    [
        (silent, "does not answer: try again later"),
        (answering("503 Slow Down", error("SlowDown")), r"failed \(SlowDown\): try again later"),
        (answering("500 Oops"), "failed: try again later"),
        (answering("403 No", error("SignatureDoesNotMatch")), r"refused access \(Signature"),
        (answering("403 No", error("RequestTimeTooSkewed")), "set this machine's clock"),
        (answering("401 No"), "refused access: check AWS_ACCESS_KEY_ID"),
        (answering("400 Bad", error("ExpiredToken")), "has expired: renew it"),
        (answering("301 Moved", error("PermanentRedirect")), "another region: set AWS_REGION"),
        (answering("400 Bad", error("AuthorizationHeaderMalformed")), "set AWS_REGION"),
    ],
)
async def test_faults_of_a_server_are_reported_in_one_line_without_its_words(
    talk: Talk, told: str, tmp_path: Path
):
    timeouts = IMPATIENT if talk is silent else SOON
    async with listening(talk) as endpoint:
        artifacts = artifacts_at(Address(endpoint, "bucket"), home=tmp_path, timeouts=timeouts)
        with pytest.raises(ArtifactError, match=told) as raised:
            await artifacts.get(REF)
    shown = "".join(traceback.format_exception(raised.value)) + repr(vars(artifacts))
    assert "\n" not in str(raised.value)
    assert SECRET not in shown
    assert KEY_ID not in shown


async def test_a_server_that_fails_once_is_asked_again(
    address: Address, artifacts: ObjectStoreArtifacts, tmp_path: Path
):
    ref = await artifacts.put(ArtifactKind.PATCH, b"patch")
    real = relaying(address)
    talks = iter([answering("503 Slow Down", error("SlowDown")), real])

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await next(talks)(reader, writer)

    async with listening(talk) as endpoint:
        again = artifacts_at(address._replace(endpoint=endpoint), home=tmp_path, timeouts=SOON)
        assert await again.get(ref) == b"patch"


async def test_a_download_that_is_cut_is_an_error_and_leaves_no_file(
    address: Address, artifacts: ObjectStoreArtifacts, tmp_path: Path
):
    ref = await artifacts.put(ArtifactKind.SOURCE, os.urandom(4 * MIB))
    async with listening(relaying(address, until=MIB)) as endpoint:
        cut = artifacts_at(address._replace(endpoint=endpoint), home=tmp_path, timeouts=SOON)
        with pytest.raises(ArtifactError, match="failed"):
            await cut.get(ref)
        with pytest.raises(ArtifactError, match="failed"):
            await cut.save(ref, tmp_path / "saved" / "source.tar")
    assert list((tmp_path / "saved").iterdir()) == []


async def test_an_upload_that_is_cut_leaves_no_object(address: Address, tmp_path: Path):
    content = os.urandom(7 * MIB)
    async with listening(relaying(address, never=b"partNumber=2")) as endpoint:
        cut = artifacts_at(address._replace(endpoint=endpoint), home=tmp_path, timeouts=IMPATIENT)
        with pytest.raises(ArtifactError, match="does not answer"):
            await cut.put(ArtifactKind.SOURCE, content)
    assert b"<Key>" not in keys(address)
    whole = artifacts_at(address, home=tmp_path)
    ref = await whole.put(ArtifactKind.SOURCE, content)
    assert await whole.get(ref) == content


async def test_who_is_cancelled_does_not_wait_for_the_server(tmp_path: Path):
    asked = asyncio.Event()

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.set()
        await silent(reader, writer)

    async with listening(talk) as endpoint:
        patient = IMPATIENT._replace(silence_s=60)
        artifacts = artifacts_at(Address(endpoint, "bucket"), home=tmp_path, timeouts=patient)
        task = asyncio.create_task(artifacts.get(REF))
        await asked.wait()
        task.cancel()
        async with asyncio.timeout(5):
            with pytest.raises(asyncio.CancelledError):
                await task


if __name__ == "__main__":
    print(asyncio.run(_stream_much(Address(*sys.argv[1:3]), Path(sys.argv[3]))))  # noqa: T201
