"""Where objects lie: a folder of this machine, or a bucket of an S3 server.

Importing obstore costs start-up time that commands without artifacts need not pay: only the first
use of a place does it.
"""

import asyncio
import os
import shutil
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple, cast

from pydantic import SecretStr

from yudai.artifacts.adapters.atomic_files import Part, part_in, sync

if TYPE_CHECKING:
    from obstore.store import ClientConfig, LocalStore, RetryConfig, S3Config, S3Store

_PART_BYTES = 5 << 20
# Times the size of a part: what an upload holds in memory.
_PARTS_AT_ONCE = 2


@dataclass(frozen=True)
class Folder:
    root: Path

    @property
    def name(self) -> str:
        return str(self.root)

    @property
    def spool(self) -> Path:
        """Where a stream is written to until its digest is known."""
        return self.root

    @cached_property
    def store(self) -> "LocalStore":
        from obstore.store import LocalStore  # noqa: PLC0415 - see above

        self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
        return LocalStore(self.root)

    async def write(self, key: str, content: bytes | Part | Path) -> None:
        """All of it, or nothing under this key; by ourselves, for obstore does not sync."""
        await asyncio.to_thread(self._write, self.root / key, content)

    def _write(self, target: Path, content: bytes | Part | Path) -> None:
        if isinstance(content, Part):
            return content.become(target)
        if isinstance(content, Path) and _link(content, target):
            return None
        with part_in(self.root) as part:
            if isinstance(content, Path):
                with content.open("rb") as file:
                    shutil.copyfileobj(file, part.file, 1 << 20)
            else:
                part.file.write(content)
            return part.become(target)


class Patience(NamedTuple):
    """How long a server may be silent, and how often it is asked again."""

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
    patience: Patience

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

    async def write(self, key: str, content: bytes | Part | Path) -> None:
        if isinstance(content, Path):
            with await asyncio.to_thread(content.open, "rb") as file:
                return await self._upload(key, file)
        if isinstance(content, Part):
            await asyncio.to_thread(content.file.seek, 0)
            return await self._upload(key, content.file)
        return await self._upload(key, content)

    async def _upload(self, key: str, content: bytes | IO[bytes]) -> None:
        from obstore import put_async  # noqa: PLC0415 - see above

        await put_async(
            self.store, key, content, chunk_size=_PART_BYTES, max_concurrency=_PARTS_AT_ONCE
        )

    def _config(self) -> "S3Config":
        """What is unset is left to obstore, which also knows the roles of cloud machines."""
        config = {
            name: value.get_secret_value() if isinstance(value, SecretStr) else value
            for name, value in self.access._asdict().items()
            if value is not None
        }
        return cast("S3Config", config)

    def _client(self) -> "ClientConfig":
        return {
            "allow_http": (self.access.endpoint or "").startswith("http://"),
            "connect_timeout": timedelta(seconds=self.patience.connect_s),
            "read_timeout": timedelta(seconds=self.patience.silence_s),
            # Of a whole transfer: a large one over a slow line is no fault while bytes arrive.
            "timeout": timedelta(hours=1),
        }

    def _retries(self) -> "RetryConfig":
        return {
            "max_retries": self.patience.retries,
            "retry_timeout": timedelta(seconds=self.patience.retrying_s),
            "backoff": {"max_backoff": timedelta(seconds=5)},
        }


Place = Folder | Bucket


def _link(file: Path, target: Path) -> bool:
    """Give a file of this disk a second name: no copy, however large it is."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with suppress(OSError):
        sync(file)
        os.link(file.resolve(), target)
        sync(target.parent)
        return True
    return False
