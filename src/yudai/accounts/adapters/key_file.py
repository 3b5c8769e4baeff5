"""A secret of this installation in its own file, created once and readable only by its owner."""

import os
import secrets
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from pydantic import SecretStr

from yudai.kit.errors import RefusedError


def made_once(file: Path, make: Callable[[], str]) -> SecretStr:
    """The file's content. If several processes create it at once, the first one stays."""
    try:
        if not file.exists():
            _make(file, make())
        return SecretStr(_read(file))
    except OSError as error:
        raise RefusedError(
            f"cannot use {file} ({error.strerror}): set YUDAI_HOME to a folder of your own"
        ) from None


def _make(file: Path, content: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_name(f".{file.name}-{secrets.token_hex(8)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w") as opened:
            opened.write(content)
            opened.flush()
            os.fsync(opened.fileno())
        # A link appears atomically.
        with suppress(FileExistsError):
            file.hardlink_to(draft)
    finally:
        draft.unlink()


def _read(file: Path) -> str:
    with file.open() as opened:
        mode = os.fstat(opened.fileno()).st_mode
        if stat.S_IMODE(mode) & 0o077:
            raise RefusedError(f"others can read {file}: run `chmod 600 {file}`")
        return opened.read().strip()
