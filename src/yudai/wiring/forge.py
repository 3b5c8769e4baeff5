"""Builds what takes requests for solves and what talks to the remote forge about them."""

from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from urllib.request import proxy_bypass

import structlog
from pydantic import SecretStr

from yudai.accounts.queries import login_of
from yudai.arena.fetch import Fetcher
from yudai.arena.forge_issue import ForgeIssueReader
from yudai.arena.open import Solves
from yudai.arena.read_patches import PatchReader
from yudai.arena.submit import Submitter
from yudai.artifacts.context import Context
from yudai.engine.port import Engine
from yudai.forge.domain.repository import parse_target
from yudai.forge.ports.remote import Mirrors, RemoteForge
from yudai.gateway.port import Gateway
from yudai.kit.errors import RefusedError
from yudai.kit.ids import LOCAL_USER
from yudai.kit.money import MICROS_PER_USD
from yudai.kit.redaction import redactor
from yudai.publishing.branch import BranchWriter
from yudai.publishing.comment import IssueComment
from yudai.publishing.context import PublishContext, page_of
from yudai.publishing.publisher import Publisher
from yudai.publishing.revalidate import Revalidator
from yudai.publishing.settle import HISTORY_EVERY_S, OPEN_EVERY_S, Settler
from yudai.sandboxes.domain.backends import DEFAULT
from yudai.sandboxes.port import Backend
from yudai.settings import Settings, surroundings
from yudai.solves.domain.budget import Budget
from yudai.solves.domain.slash_command import read_options
from yudai.triggers.open_solves import Triggers
from yudai.triggers.webhooks import SETTLE_EVERY_S, Deliveries
from yudai.views.repositories import Browser
from yudai.wiring.accounts import Accounts, open_accounts
from yudai.wiring.command_agents import agent_names
from yudai.wiring.components import (
    make_answers,
    make_catalogue,
    make_shared_sources,
    make_stopper,
    own_env,
)

if TYPE_CHECKING:
    from yudai.forge.adapters.github.configuration import AppConfig
    from yudai.forge.adapters.mirrors.remote_git import Network

log: structlog.stdlib.BoundLogger = structlog.get_logger()


@dataclass(frozen=True)
class ForgeServices:
    forge: RemoteForge
    mirrors: Mirrors
    accounts: Accounts
    asks: ForgeIssueReader
    fetcher: Fetcher
    publisher: Publisher
    settler: Settler
    browser: Browser


@asynccontextmanager
async def open_forge_services(
    settings: Settings, context: Context, *, backend: Backend | None = None
) -> AsyncGenerator[ForgeServices]:
    """Open the services. Without a backend, patches whose base has changed are not published."""
    async with open_accounts(settings, context, app=_app(settings)) as accounts:
        yield _forge_services(settings, context, accounts, backend)


def _forge_services(
    settings: Settings, context: Context, accounts: Accounts, backend: Backend | None
) -> ForgeServices:
    from yudai.forge.adapters.mirrors.mirrors import RemoteMirrors

    forge, keyring = accounts.forge, accounts.keyring
    mirrors = RemoteMirrors(
        settings.home,
        allow_http=settings.github_url.startswith("http://"),
        network=_network(settings),
    )
    asks = ForgeIssueReader(
        forge=forge,
        credentials=keyring,
        clock=context.clock,
        publish=settings.github_publish,
        all_comments=settings.github_all_comments,
    )
    return ForgeServices(
        forge=forge,
        mirrors=mirrors,
        accounts=accounts,
        asks=asks,
        fetcher=Fetcher(
            context=context,
            mirrors=mirrors,
            credentials=keyring,
            forge_url=forge.url,
            own_env=own_env(),
            sources=make_shared_sources(settings, context),
        ),
        publisher=_publisher(settings, context, accounts, mirrors, backend),
        settler=Settler(
            context=context,
            forge=forge,
            mirrors=mirrors,
            credentials=keyring,
            login_of=login_of,
            # Scale with the polling interval of labels.
            open_every_s=min(OPEN_EVERY_S, 10 * settings.github_poll_s),
            history_every_s=min(HISTORY_EVERY_S, 60 * settings.github_poll_s),
        ),
        browser=Browser(
            asks,
            keyring,
            is_local=settings.auth_mode == "local",
            server=settings.github_token,
            has_app=bool(settings.github_app_id),
        ),
    )


def _publisher(
    settings: Settings,
    context: Context,
    accounts: Accounts,
    mirrors: Mirrors,
    backend: Backend | None,
) -> Publisher:
    forge, keyring = accounts.forge, accounts.keyring
    publishing = PublishContext(
        context=context,
        forge=forge,
        credentials=keyring,
        page=page_of(settings.frontend_url, settings.backend_url, settings.domain),
        redact=redactor(settings.secrets),
    )
    revalidate = (
        None
        if backend is None
        else Revalidator(
            context=context,
            mirrors=mirrors,
            credentials=keyring,
            backend=backend,
            forge_url=forge.url,
            own_env=own_env(),
        )
    )
    return Publisher(
        publishing,
        BranchWriter(publishing, mirrors, revalidate),
        IssueComment(publishing, comments=settings.github_comment),
        holder=context.clock.new_id(),
    )


def make_submitter(
    settings: Settings,
    context: Context,
    forge_services: ForgeServices,
    *,
    engine: Engine,
    gateway: Gateway,
) -> Submitter:
    """Turns requests into solves; only in local mode may requests name files of this machine."""
    from yudai.forge.adapters.folder.forge import LocalForge

    is_ours, day_usd = settings.auth_mode == "local", settings.user_day_usd
    forge = LocalForge(settings.home, context.clock)
    return Submitter(
        forge=forge,
        own_env=own_env(),
        catalogue=make_catalogue(settings, context),
        solves=Solves(
            context.store,
            engine,
            context.clock,
            gateway,
            make_stopper(context),
            day_cap_micros=None if day_usd is None else round(day_usd * MICROS_PER_USD),
        ),
        store=context.store,
        clock=context.clock,
        defaults=Budget(
            max_contestants=settings.max_contestants, time_budget_s=settings.time_budget_s
        ),
        sandbox_backend=settings.sandbox_backend or DEFAULT,
        agents=agent_names(settings),
        sources=make_shared_sources(settings, context),
        remotes=forge_services.asks,
        patch_reader=PatchReader(context.artifacts, forge, forge_services.fetcher),
        takes_folders=is_ours,
        takes_scripts=is_ours,
    )


def make_triggers(
    settings: Settings, forge_services: ForgeServices, submitter: Submitter
) -> Triggers:
    """Validate settings that are used later; RefusedError names an invalid one."""
    with _of("GITHUB_MATRIX"):
        read_options(settings.github_matrix)
    with _of("GITHUB_WATCH"):
        for name in settings.github_watch:
            parse_target(name, forge=forge_services.forge.url)
    return Triggers(
        store=submitter.store,
        clock=submitter.clock,
        forge=forge_services.forge,
        credentials=forge_services.accounts.keyring,
        submitter=submitter,
        catalogue=submitter.catalogue,
        answerer=make_answers(submitter.store, submitter.clock, submitter.solves.engine),
        label=settings.github_label,
        matrix=settings.github_matrix,
        publish=settings.github_publish,
        chat_model=settings.chat_model,
        unknown_user=LOCAL_USER,
        answers=settings.github_comment,
    )


def make_deliveries(
    settings: Settings, forge_services: ForgeServices, triggers: Triggers
) -> Deliveries:
    return Deliveries(
        store=triggers.store,
        clock=triggers.clock,
        forge_url=forge_services.forge.url,
        check_issue=triggers.check_issue,
        settle=forge_services.settler.check_pull,
        secret=settings.github_webhook_secret,
        settle_every_s=min(SETTLE_EVERY_S, settings.github_poll_s),
    )


@contextmanager
def _of(setting: str) -> Generator[None]:
    try:
        yield
    except RefusedError as error:
        raise RefusedError(f"{setting}: {error}") from None


def _app(settings: Settings) -> "AppConfig | None":
    from yudai.forge.adapters.github.configuration import AppConfig

    path = settings.github_app_private_key_path
    if settings.github_app_id is None or path is None:
        return None
    try:
        key = path.read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError) as error:
        raise RefusedError(f"GITHUB_APP_PRIVATE_KEY_PATH: cannot read {path}: {error}") from None
    return AppConfig(
        app_id=settings.github_app_id,
        private_key=SecretStr(key),
        installation_id=settings.github_app_installation_id,
    )


def _network(settings: Settings) -> "Network":
    """Proxy and certificates for git, like the API client's: git does not read the environment."""
    from yudai.forge.adapters.mirrors.remote_git import Network

    known = surroundings()
    proxy = known.get("HTTPS_PROXY") or known.get("https_proxy")
    if proxy_bypass(urlsplit(settings.github_url).hostname or ""):
        proxy = None
    ca_file = known.get("SSL_CERT_FILE")
    return Network(
        proxy=SecretStr(proxy) if proxy else None, ca_file=Path(ca_file) if ca_file else None
    )
