"""Locations of objects: a folder of this machine, or a bucket of an S3 server; and their errors.

An error becomes one line that says what to do. Nothing of what the server or obstore says is
repeated but S3's own code: the rest may hold keys.

Importing obstore costs start-up time that commands without artifacts need not pay: only the first
use of a place does it.
"""

import asyncio
import errno
import os
import re
import shutil
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple, cast

from pydantic import SecretStr

from yudai.artifacts.adapters.atomic_files import PartialFile, partial_file_in, sync
from yudai.artifacts.port import ArtifactError

if TYPE_CHECKING:
    from obstore.store import ClientConfig, LocalStore, RetryConfig, S3Config, S3Store

_PART_BYTES = 5 << 20
# Times the size of a part, this is an upload's memory.
_PARTS_AT_ONCE = 2
_KEYS = "check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and what the key may do there"
_REGION = "set AWS_REGION to the bucket's region"
_CODE = re.compile(r"<Code>(\w{1,64})</Code>")
_ERRNO = re.compile(r"\(os error (\d{1,4})\)")


class _Fault(NamedTuple):
    sign: str
    """Text in obstore's message."""
    what: str
    remedy: str


# The first match counts, so special cases come first.
_FAULTS = (
    _Fault("NoSuchBucket", "does not exist", "create the bucket or correct ARTIFACTS_URL"),
    _Fault(
        "/latest/api/token",
        "cannot be opened without a key",
        "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
    ),
    _Fault("ExpiredToken", "refused the key", "it has expired: renew it"),
    _Fault("RequestTimeTooSkewed", "refused the request", "set this machine's clock"),
    _Fault("PermanentRedirect", "is in another region", _REGION),
    _Fault("AuthorizationHeaderMalformed", "is in another region", _REGION),
    _Fault("BareRedirect", "is in another region", _REGION),
    _Fault("PermissionDenied", "refused access", _KEYS),
    _Fault("Unauthenticated", "refused access", _KEYS),
    _Fault("kind: Connect", "cannot be reached", "check the network and S3_ENDPOINT_URL"),
    _Fault("kind: Timeout", "does not answer", "try again later, or check S3_ENDPOINT_URL"),
)
_UNKNOWN = _Fault("", "failed", "try again later; if this persists, see the server's log")

_REMEDIES = {
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT), "free some space"),
    **dict.fromkeys(
        (errno.EACCES, errno.EPERM, errno.EROFS), "make it writable, or set ARTIFACTS_URL"
    ),
}


@contextmanager
def translated(place: str) -> Generator[None]:
    """Translate errors of the disk and of obstore into ArtifactError."""
    from obstore.exceptions import BaseError  # noqa: PLC0415 - see above

    try:
        yield
    except (BaseError, OSError) as error:
        number = _number(error)
        explained = _message(place, str(error)) if number is None else _disk(place, number)
        raise explained from None


def is_whole_location(error: FileNotFoundError) -> bool:
    """Whether the whole folder or bucket is missing, not only the object."""
    return "NoSuchBucket" in str(error)


def _number(error: Exception) -> int | None:
    if isinstance(error, OSError) and error.errno is not None:
        return error.errno
    found = _ERRNO.search(str(error))
    return int(found[1]) if found else None


def _message(place: str, text: str) -> ArtifactError:
    fault = next((fault for fault in _FAULTS if fault.sign in text), _UNKNOWN)
    code = _CODE.search(text)
    said = f" ({code[1]})" if code else ""
    return ArtifactError(f"{place} {fault.what}{said}: {fault.remedy}")


def _disk(place: str, number: int) -> ArtifactError:
    remedy = _REMEDIES.get(number, "check the disk")
    return ArtifactError(f"{place} cannot be used ({os.strerror(number)}): {remedy}")


@dataclass(frozen=True)
class Folder:
    root: Path

    @property
    def name(self) -> str:
        return str(self.root)

    @property
    def spool(self) -> Path:
        """Folder for streams until their digest is known."""
        return self.root

    @cached_property
    def store(self) -> "LocalStore":
        from obstore.store import LocalStore  # noqa: PLC0415 - see above

        self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
        return LocalStore(self.root)

    async def write(self, key: str, content: bytes | PartialFile | Path) -> None:
        """Write atomically; ourselves, because obstore does not sync."""
        await asyncio.to_thread(self._write, self.root / key, content)

    def _write(self, target: Path, content: bytes | PartialFile | Path) -> None:
        if isinstance(content, PartialFile):
            return content.commit(target)
        if isinstance(content, Path) and _link(content, target):
            return None
        with partial_file_in(self.root) as part:
            if isinstance(content, Path):
                with content.open("rb") as file:
                    shutil.copyfileobj(file, part.file, 1 << 20)
            else:
                part.file.write(content)
            return part.commit(target)


class S3Timeouts(NamedTuple):
    """Timeouts and retries for an S3 server."""

    connect_s: float = 5
    silence_s: float = 30
    retries: int = 8
    retrying_s: float = 60


class S3Access(NamedTuple):
    endpoint: str | None = None
    region: str | None = None
    access_key_id: SecretStr | None = None
    secret_access_key: SecretStr | None = None


@dataclass(frozen=True)
class Bucket:
    bucket: str
    prefix: str
    spool: Path
    access: S3Access
    timeouts: S3Timeouts

    @property
    def name(self) -> str:
        return f"s3://{self.bucket}/{self.prefix}".rstrip("/")

    @cached_property
    def store(self) -> "S3Store":
        from obstore.store import S3Store  # noqa: PLC0415 - see above

        return S3Store(
            self.bucket,
            prefix=self.prefix or None,
            config=self._config(),
            client_options=self._client(),
            retry_config=self._retries(),
        )

    async def write(self, key: str, content: bytes | PartialFile | Path) -> None:
        if isinstance(content, Path):
            with await asyncio.to_thread(content.open, "rb") as file:
                return await self._upload(key, file)
        if isinstance(content, PartialFile):
            await asyncio.to_thread(content.file.seek, 0)
            return await self._upload(key, content.file)
        return await self._upload(key, content)

    async def _upload(self, key: str, content: bytes | IO[bytes]) -> None:
        from obstore import put_async  # noqa: PLC0415 - see above

        await put_async(
            self.store, key, content, chunk_size=_PART_BYTES, max_concurrency=_PARTS_AT_ONCE
        )

    def _config(self) -> "S3Config":
        """Configuration. obstore finds unset values itself, including roles of cloud machines."""
        config = {
            name: value.get_secret_value() if isinstance(value, SecretStr) else value
            for name, value in self.access._asdict().items()
            if value is not None
        }
        return cast("S3Config", config)

    def _client(self) -> "ClientConfig":
        return {
            "allow_http": (self.access.endpoint or "").startswith("http://"),
            "connect_timeout": timedelta(seconds=self.timeouts.connect_s),
            "read_timeout": timedelta(seconds=self.timeouts.silence_s),
            # No limit for a whole transfer: a large one may be slow while bytes arrive.
            "timeout": timedelta(hours=1),
        }

    def _retries(self) -> "RetryConfig":
        return {
            "max_retries": self.timeouts.retries,
            "retry_timeout": timedelta(seconds=self.timeouts.retrying_s),
            "backoff": {"max_backoff": timedelta(seconds=5)},
        }


Location = Folder | Bucket


def _link(file: Path, target: Path) -> bool:
    """Hard-link a file of this disk instead of copying it."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with suppress(OSError):
        sync(file)
        os.link(file.resolve(), target)
        sync(target.parent)
        return True
    return False
