"""Artifacts as objects of a folder or a bucket, named by their content: `aa/<sha256>`."""

import asyncio
import hashlib
import re
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, unquote, urlsplit

from pydantic import SecretStr

from yudai.artifacts.adapters.atomic_files import PartialFile, partial_file_in
from yudai.artifacts.adapters.locations import (
    Bucket,
    Folder,
    Location,
    S3Access,
    S3Timeouts,
    is_whole_location,
    translated,
)
from yudai.artifacts.port import ArtifactError, ArtifactKind, ArtifactRef
from yudai.kit.errors import NotFoundError, RefusedError

if TYPE_CHECKING:
    from obstore import GetResult


_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
_BUCKET = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{1,62}")
_PREFIX = re.compile(r"[A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)*")
_HOW = "set ARTIFACTS_URL to s3://bucket/prefix or to a folder"
_TIMEOUTS = S3Timeouts()


def find_location(
    url: str | None, access: S3Access, *, home: Path, timeouts: S3Timeouts = _TIMEOUTS
) -> Location:
    if not url:
        return Folder(home / "artifacts")
    if not _SCHEME.match(url):
        return Folder(Path(url).expanduser().absolute())
    parts = _split(url)
    match parts.scheme:
        case "s3":
            return _bucket(parts, access, spool=home / "spool", timeouts=timeouts)
        case "file":
            return _folder(parts)
        case _:
            raise RefusedError(f"artifacts cannot be kept at a {parts.scheme} address: {_HOW}")


def _bucket(url: SplitResult, access: S3Access, *, spool: Path, timeouts: S3Timeouts) -> Bucket:
    prefix = url.path.strip("/")
    named = _BUCKET.fullmatch(url.netloc) and (not prefix or _PREFIX.fullmatch(prefix))
    if not named or url.query or url.fragment or {".", ".."} & set(prefix.split("/")):
        raise RefusedError(f"ARTIFACTS_URL has no bucket: {_HOW}, with letters, digits, . _ -")
    if (access.access_key_id is None) != (access.secret_access_key is None):
        raise RefusedError("set both AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or neither")
    if access.endpoint is not None:
        _check_endpoint(_split(access.endpoint))
    return Bucket(url.netloc, prefix, spool=spool, access=access, timeouts=timeouts)


def _folder(url: SplitResult) -> Folder:
    folder = Path(unquote(url.path))
    if url.netloc not in {"", "localhost"} or not folder.is_absolute() or url.query or url.fragment:
        raise RefusedError("ARTIFACTS_URL has no folder: write file:///folder/of/artifacts")
    return Folder(folder)


def _check_endpoint(url: SplitResult) -> None:
    if url.scheme not in {"http", "https"} or not url.hostname or url.query or url.fragment:
        raise RefusedError("S3_ENDPOINT_URL is not a URL: write https://server.example:9000")
    if "@" in url.netloc:
        raise RefusedError(
            "S3_ENDPOINT_URL holds a password: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
        )


def _split(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        raise RefusedError(f"ARTIFACTS_URL or S3_ENDPOINT_URL is not a URL: {_HOW}") from None
    return parts


_CHUNK_BYTES = 256 << 10
_MISSING = ArtifactRef(kind=ArtifactKind.PATCH, sha256="0" * 64, size=0)


class ObjectStoreArtifacts:
    def __init__(self, place: Location) -> None:
        self._place = place

    async def put(
        self, kind: ArtifactKind, content: bytes | AsyncIterator[bytes] | Path
    ) -> ArtifactRef:
        if isinstance(content, bytes | Path):
            return await self._put(kind, content)
        with ExitStack() as stack:
            return await self._put(kind, await self._spooled(content, stack))

    async def get(self, ref: ArtifactRef) -> bytes:
        found = await self._open(ref)
        with translated(self._place.name):
            content = (await found.bytes_async()).to_bytes()
        digest = await asyncio.to_thread(hashlib.sha256, content)
        self._check(ref, digest.hexdigest())
        return content

    async def stream(self, ref: ArtifactRef) -> AsyncIterator[bytes]:
        return self._chunks(ref, await self._open(ref))

    async def save(self, ref: ArtifactRef, target: Path) -> None:
        chunks = await self.stream(ref)
        with ExitStack() as stack:
            part = await self._spooled(chunks, stack, folder=target.parent)
            with translated(str(target)):
                await asyncio.to_thread(part.commit, target)

    async def check(self) -> None:
        try:
            await self._open(_MISSING)
        except NotFoundError:
            return

    async def _put(self, kind: ArtifactKind, content: bytes | Path | PartialFile) -> ArtifactRef:
        with translated(str(content) if isinstance(content, Path) else self._place.name):
            sha256, size = await asyncio.to_thread(_measure, content)
        ref = ArtifactRef(kind=kind, sha256=sha256, size=size)
        with translated(self._place.name):
            if not await self._has(ref):
                await self._place.write(ref.key, content)
        return ref

    async def _spooled(
        self, chunks: AsyncIterator[bytes], stack: ExitStack, *, folder: Path | None = None
    ) -> PartialFile:
        """Write the stream to disk until its digest is known; its own errors are raised as is."""
        folder = folder or self._place.spool
        with translated(str(folder)):
            part = stack.enter_context(partial_file_in(folder))
        async for chunk in chunks:
            with translated(str(folder)):
                await asyncio.to_thread(part.file.write, chunk)
        return part

    async def _has(self, ref: ArtifactRef) -> bool:
        """Whether the object exists with its full size; a truncated one is written again."""
        from obstore import head_async  # noqa: PLC0415 - see locations.py

        try:
            return (await head_async(self._place.store, ref.key))["size"] == ref.size
        except FileNotFoundError:
            return False

    async def _open(self, ref: ArtifactRef) -> "GetResult":
        from obstore import get_async  # noqa: PLC0415 - see locations.py

        with translated(self._place.name):
            try:
                found = await get_async(self._place.store, ref.key)
            except FileNotFoundError as error:
                if is_whole_location(error):
                    raise
                raise NotFoundError(
                    f"the {ref.kind.readable} is no longer stored (was it pruned?)"
                ) from None
        if found.meta["size"] != ref.size:
            raise self._damaged(ref)
        return found

    async def _chunks(self, ref: ArtifactRef, found: "GetResult") -> AsyncGenerator[bytes]:
        digest, last = hashlib.sha256(), b""
        rest = found.stream(min_chunk_size=_CHUNK_BYTES)
        while True:
            with translated(self._place.name):
                chunk = await anext(rest, b"")
            if not chunk:
                break
            digest.update(chunk)
            if last:
                yield last
            last = chunk
        # Check before the last chunk: a reader who ignores errors gets too little, not wrong data.
        self._check(ref, digest.hexdigest())
        if last:
            yield last

    def _check(self, ref: ArtifactRef, sha256: str) -> None:
        if sha256 != ref.sha256:
            raise self._damaged(ref)

    def _damaged(self, ref: ArtifactRef) -> ArtifactError:
        return ArtifactError(
            f"the stored {ref.kind.readable} is damaged: restore {ref.key} in {self._place.name} "
            "from a backup"
        )


def make_artifacts(
    url: str | None,
    *,
    home: Path,
    endpoint: str | None = None,
    region: str | None = None,
    access_key_id: SecretStr | None = None,
    secret_access_key: SecretStr | None = None,
) -> ObjectStoreArtifacts:
    """Create the store without opening it; RefusedError for invalid settings."""
    access = S3Access(endpoint, region, access_key_id, secret_access_key)
    return ObjectStoreArtifacts(find_location(url, access, home=home))


def _measure(content: bytes | PartialFile | Path) -> tuple[str, int]:
    """The digest and the size."""
    if isinstance(content, bytes):
        return hashlib.sha256(content).hexdigest(), len(content)
    if isinstance(content, Path):
        with content.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest(), file.tell()
    content.file.seek(0)
    return hashlib.file_digest(content.file, "sha256").hexdigest(), content.file.tell()
