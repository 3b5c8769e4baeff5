"""Builds logins, keys, credentials and rights from the settings."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from yudai.accounts.access import Access
from yudai.accounts.adapters.vault import (
    FernetVault,
    KeyedDigest,
    made_once,
    new_key,
    split_keys,
)
from yudai.accounts.api_keys import ApiKeys
from yudai.accounts.credentials import Keyring
from yudai.accounts.device_login import DeviceLogins
from yudai.accounts.logins import Logins
from yudai.accounts.people import Enroller
from yudai.accounts.vault import Digest, Vault
from yudai.artifacts.context import Context
from yudai.forge.ports.login import LoginProvider
from yudai.forge.ports.remote import RemoteForge
from yudai.kit.clock import Clock
from yudai.settings import Settings

if TYPE_CHECKING:
    from yudai.forge.adapters.github.configuration import AppConfig

TOKEN_KEY = "token.key"  # noqa: S105 - a file's name
SECRET_KEY = "secret.key"  # noqa: S105 - a file's name


@dataclass(frozen=True)
class LoginServices:
    """Login of browsers and of terminals."""

    logins: Logins
    devices: DeviceLogins


@dataclass(frozen=True)
class Accounts:
    forge: RemoteForge
    """The forge that knows the users."""
    keys: ApiKeys
    keyring: Keyring
    access: Access
    enroller: Enroller
    login_services: LoginServices | None
    """None: no login, because no App is configured at the forge."""


@asynccontextmanager
async def open_accounts(
    settings: Settings, context: Context, *, app: "AppConfig | None" = None
) -> AsyncGenerator[Accounts]:
    """Open accounts. A process that only identifies users, like the command line, needs no App."""
    from yudai.forge.adapters.github.forge import GitHubForge

    clock = context.clock
    async with AsyncExitStack() as stack:
        forge = GitHubForge(
            settings.github_url, api_url=settings.github_api_url, app=app, clock=clock
        )
        stack.push_async_callback(forge.close)
        provider = make_provider(settings, clock)
        if provider is not None:
            stack.push_async_callback(provider.close)
        yield make_accounts(settings, context, forge=forge, provider=provider)


def make_provider(settings: Settings, clock: Clock) -> LoginProvider | None:
    """None when no App is configured at the forge."""
    from yudai.forge.adapters.github.oauth import GitHubOAuth

    if not settings.github_app_client_id:
        return None
    return GitHubOAuth(
        settings.github_url,
        client_id=settings.github_app_client_id,
        client_secret=settings.github_app_client_secret,
        clock=clock,
    )


def make_accounts(
    settings: Settings,
    context: Context,
    *,
    forge: RemoteForge,
    provider: LoginProvider | None,
) -> Accounts:
    store, clock = context.store, context.clock
    vault, digest = make_vault(settings), make_digest(settings)
    keys = ApiKeys(store, clock, digest)
    let_in = frozenset(login.lower() for login in (*settings.users, *settings.admins))
    enroller = Enroller(store, clock, vault, forge, only=let_in if settings.users else None)
    keyring = Keyring(
        store=store,
        clock=clock,
        vault=vault,
        forge=forge,
        provider=provider,
        server=settings.github_token,
        is_local=settings.auth_mode == "local",
    )
    login_services = None
    if provider is not None:
        login_services = LoginServices(
            logins=Logins(store, clock, vault, digest, provider, enroller),
            devices=DeviceLogins(store, clock, vault, digest, provider, enroller, keys),
        )
    return Accounts(
        forge=forge,
        keys=keys,
        keyring=keyring,
        access=Access(store, clock, forge, keyring),
        enroller=enroller,
        login_services=login_services,
    )


def make_vault(settings: Settings) -> Vault:
    """In local mode a missing key is created when the first token is stored."""
    if settings.token_keys is not None:
        return FernetVault(split_keys(settings.token_keys))
    return FernetVault(lambda: [made_once(settings.home / TOKEN_KEY, new_key)])


def make_digest(settings: Settings) -> Digest:
    if settings.secret_key is not None:
        return KeyedDigest(settings.secret_key, settings.salt)
    file = settings.home / SECRET_KEY
    return KeyedDigest(lambda: made_once(file, new_key), settings.salt)
