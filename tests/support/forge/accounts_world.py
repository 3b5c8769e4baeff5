"""People who log in: a forge in memory that lets them, a clock that moves, and all that follows."""

import asyncio
import itertools
import secrets
from dataclasses import dataclass, field
from typing import Any, NamedTuple, cast
from urllib.parse import parse_qs, urlencode, urlsplit

from pydantic import SecretStr

from tests.support.forge.forge_in_memory import MemoryForge
from yudai.accounts.access import Access
from yudai.accounts.adapters.vault import FernetVault, KeyedDigest, new_key
from yudai.accounts.api_keys import ApiKeys
from yudai.accounts.credentials import Keyring
from yudai.accounts.device_login import DeviceLogins
from yudai.accounts.logins import Callback, Finished, Logins, challenge_of
from yudai.accounts.people import Enroller, Person
from yudai.forge.ports.login import DeviceCode, DeviceState, Grant, GrantEndedError
from yudai.kit.clock import SystemClock
from yudai.kit.errors import RefusedError
from yudai.store.store import Store
from yudai.wiring.accounts import Accounts, LoginServices

HERE = "http://127.0.0.1:8000/auth/callback"
HOURS_8 = 8 * 3600.0
_DIGEST = KeyedDigest(SecretStr("k" * 32), SecretStr("salt"))


class MovingClock(SystemClock):
    """Stands until it is moved; its dice are real."""

    def __init__(self) -> None:
        self.time = 1_800_000_000.0

    def now(self) -> float:
        return self.time


class _Agreed(NamedTuple):
    login: str
    challenge: str
    redirect_uri: str


@dataclass
class MemoryProvider:
    """Keeps the promises of `LoginProvider`: codes and refresh tokens are good once."""

    forge: MemoryForge
    expires_in: float | None = HOURS_8
    refreshes: int = 0
    polls: int = 0
    refreshing: asyncio.Event = field(default_factory=asyncio.Event)
    hold: asyncio.Event | None = None
    """Refreshing waits for it."""
    _codes: dict[str, _Agreed] = field(default_factory=dict)
    _refresh: dict[str, str] = field(default_factory=dict)
    _devices: dict[str, str | DeviceState] = field(default_factory=dict)
    _numbers: itertools.count = field(default_factory=itertools.count)

    def authorize_url(self, state: str, challenge: str, redirect_uri: str) -> str:
        query = {"state": state, "challenge": challenge, "redirect_uri": redirect_uri}
        return f"https://forge.test/authorize?{urlencode(query)}"

    def agree(self, url: str, login: str) -> tuple[str, str]:
        """As the person does in the browser: what it comes back with, the code and the state."""
        query = {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
        code = secrets.token_hex(8)
        self._codes[code] = _Agreed(login, query["challenge"], query["redirect_uri"])
        return code, query["state"]

    async def exchange(self, code: str, verifier: str, redirect_uri: str) -> Grant:
        agreed = self._codes.pop(code, None)
        if agreed is None or agreed[1:] != (challenge_of(verifier), redirect_uri):
            raise RefusedError("the code is not good")
        return self.grant(agreed.login)

    async def refresh(self, refresh_token: SecretStr) -> Grant:
        self.refreshes += 1
        self.refreshing.set()
        login = self._refresh.pop(refresh_token.get_secret_value(), None)
        await (asyncio.sleep(0) if self.hold is None else self.hold.wait())
        if login is None:
            raise GrantEndedError("bad_refresh_token")
        return self.grant(login)

    async def device_begin(self) -> DeviceCode:
        code = f"device-{next(self._numbers)}"
        self._devices[code] = DeviceState.PENDING
        return DeviceCode(
            device_code=SecretStr(code),
            user_code="ABCD-1234",
            verification_url="https://forge.test/login/device",
            interval_s=5,
            expires_in=900,
        )

    def answer_device(self, answer: str | DeviceState) -> None:
        """The newest one's: a login agrees, or there is a state."""
        self._devices[list(self._devices)[-1]] = answer

    async def device_poll(self, device_code: SecretStr) -> Grant | DeviceState:
        self.polls += 1
        said = self._devices[device_code.get_secret_value()]
        return said if isinstance(said, DeviceState) else self.grant(said)

    async def close(self) -> None:
        pass

    def grant(self, login: str) -> Grant:
        number = next(self._numbers)
        access, refresh = f"access-{login}-{number}", f"refresh-{login}-{number}"
        self.forge.let_in(login, access)
        if self.expires_in is None:
            return Grant(access=SecretStr(access))
        self._refresh[refresh] = login
        return Grant(
            access=SecretStr(access),
            refresh=SecretStr(refresh),
            access_expires_in=self.expires_in,
            refresh_expires_in=180 * 86_400,
        )


@dataclass
class Crowd:
    """Everything about people, over one store."""

    store: Store
    forge: MemoryForge = field(default_factory=MemoryForge)
    clock: MovingClock = field(default_factory=MovingClock)
    vault: FernetVault = field(default_factory=lambda: FernetVault([SecretStr(new_key())]))
    server: SecretStr | None = None
    is_local: bool = False

    def __post_init__(self) -> None:
        self.provider = MemoryProvider(self.forge)
        self.keys = ApiKeys(self.store, self.clock, _DIGEST)
        self.enroller = Enroller(self.store, self.clock, self.vault, self.forge)
        self.keyring = self.new_keyring()
        self.logins = Logins(
            self.store, self.clock, self.vault, _DIGEST, self.provider, self.enroller
        )
        self.devices = DeviceLogins(
            self.store, self.clock, self.vault, _DIGEST, self.provider, self.enroller, self.keys
        )
        self.access = Access(self.store, self.clock, self.forge, self.keyring)
        self.accounts = Accounts(
            forge=cast("Any", self.forge),
            keys=self.keys,
            keyring=self.keyring,
            access=self.access,
            enroller=self.enroller,
            login_services=LoginServices(self.logins, self.devices),
        )

    def new_keyring(self) -> Keyring:
        """As another process has it."""
        return Keyring(
            store=self.store,
            clock=self.clock,
            vault=self.vault,
            forge=self.forge,
            provider=self.provider,
            server=self.server,
            is_local=self.is_local,
        )

    async def log_in(self, login: str, *, former: str = "", return_to: str = "/") -> Finished:
        begun = await self.logins.begin(return_to, redirect_uri=HERE)
        code, state = self.provider.agree(begun.url, login)
        back = Callback(begun.ticket.get_secret_value(), state, code)
        return await self.logins.finish(back, redirect_uri=HERE, former=former)

    async def person(self, login: str) -> Person:
        return (await self.log_in(login)).person
