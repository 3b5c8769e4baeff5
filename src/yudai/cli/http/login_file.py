"""Keys of servers that this person is logged in to: one file, readable only by them."""

import os
import secrets
from pathlib import Path

from pydantic import Field, SecretStr, ValidationError

from yudai.kit.errors import RefusedError
from yudai.kit.value import Value

FILE = "login.json"


class Entry(Value):
    login: str
    key: str


class _Content(Value):
    servers: dict[str, Entry] = Field(default_factory=dict[str, Entry])


class LoginFile:
    """A server is identified by its full URL, so that its key is sent only there."""

    def __init__(self, home: Path) -> None:
        self._file = home / FILE

    def entry(self, url: str) -> Entry | None:
        return self._read().servers.get(url)

    def key(self, url: str) -> SecretStr | None:
        found = self.entry(url)
        return None if found is None else SecretStr(found.key)

    def keep(self, url: str, entry: Entry) -> None:
        self._write({**self._read().servers, url: entry})

    def drop(self, url: str) -> bool:
        servers = dict(self._read().servers)
        if servers.pop(url, None) is None:
            return False
        self._write(servers)
        return True

    def _read(self) -> _Content:
        try:
            return _Content.model_validate_json(self._file.read_bytes())
        except FileNotFoundError:
            return _Content()
        except OSError as error:
            raise RefusedError(f"cannot read {self._file}: {error.strerror}") from None
        except ValidationError:
            raise RefusedError(f"{self._file} is damaged: remove it and log in again") from None

    def _write(self, servers: dict[str, Entry]) -> None:
        draft = self._file.with_name(f".{FILE}-{secrets.token_hex(8)}")
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "w") as file:
                file.write(_Content(servers=servers).model_dump_json(indent=2))
            draft.replace(self._file)
        except OSError as error:
            raise RefusedError(f"cannot write {self._file}: {error.strerror}") from None
        finally:
            draft.unlink(missing_ok=True)
