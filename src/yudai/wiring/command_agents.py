"""Command-line agents: from COMMAND_AGENTS to contestants, and to the endpoint that they call."""

import tempfile
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from yudai.agents.domain.command_spec import CommandSpec, read_command_agents
from yudai.agents.port import Agent
from yudai.artifacts.context import Context
from yudai.gateway.port import Gateway
from yudai.kit.clock import Clock
from yudai.kit.errors import RefusedError
from yudai.kit.yaml_files import MAX_BYTES
from yudai.sandboxes.domain.backends import PROVIDERS, UNISOLATED
from yudai.settings import Settings
from yudai.solves.domain.matrix import DEFAULT_AGENT
from yudai.wiring.components import is_shared
from yudai.wiring.home import installation

if TYPE_CHECKING:
    from yudai.agents.adapters.command.agent import Reach
    from yudai.agents.endpoint.endpoint import ModelDesk

_SETTING = "COMMAND_AGENTS"


def command_specs(settings: Settings) -> Mapping[str, CommandSpec]:
    """Nobody where nothing is set; RefusedError says what is wrong with the file."""
    path = settings.command_agents
    if path is None:
        return {}
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise RefusedError(f"{_SETTING}: cannot read {path}: {error.strerror}") from None
    return read_command_agents(content, name=str(path))


def agent_names(settings: Settings) -> tuple[str, ...]:
    """All that a matrix may name."""
    return (DEFAULT_AGENT, *command_specs(settings))


def make_desk(settings: Settings, context: Context, gateway: Gateway) -> "ModelDesk | None":
    """None where there are no command agents; RefusedError without a good JWT_SECRET."""
    if not command_specs(settings):
        return None
    from yudai.agents.endpoint.endpoint import ModelDesk
    from yudai.agents.endpoint.tokens import make_tokens

    # Servers and workers of one database may have a home each: the secret is what they share.
    issuer = "shared" if is_shared(settings) else installation(settings)
    tokens = make_tokens(settings.jwt_secret, issuer=issuer, clock=context.clock)
    return ModelDesk(store=context.store, gateway=gateway, clock=context.clock, tokens=tokens)


@asynccontextmanager
async def door_place() -> AsyncGenerator[Path]:
    """Where the desk's socket is to be: a path that is short enough for one, and ours alone."""
    with tempfile.TemporaryDirectory(prefix="yudai-") as folder:
        yield Path(folder) / "model"


@asynccontextmanager
async def open_reach(
    desk: "ModelDesk", settings: Settings, backend: str, socket: Path
) -> "AsyncGenerator[Reach]":
    """How sandboxes of this backend get to the desk, for as long as this is open."""
    from yudai.agents.adapters.command.agent import Reach
    from yudai.agents.adapters.command.model_server import door_on_loopback, door_on_socket

    if backend in PROVIDERS:
        yield Reach(endpoint_url(settings))
        return
    door = door_on_loopback(desk) if backend in UNISOLATED else door_on_socket(desk, socket)
    async with door as url:
        yield Reach(url)


def make_command_agents(
    settings: Settings, desk: "ModelDesk", reach: "Reach", clock: Clock
) -> dict[str, Agent]:
    from yudai.agents.adapters.command.agent import CommandAgent

    specs = command_specs(settings)
    return {name: CommandAgent(name, spec, desk, reach, clock) for name, spec in specs.items()}


def endpoint_url(settings: Settings) -> str:
    """Of the server, as sandboxes elsewhere know it."""
    url = settings.model_endpoint_url
    if url is None and settings.backend_url:
        # With /api or without it, as everywhere.
        url = f"{settings.backend_url.rstrip('/').removesuffix('/api')}/api/model/v1"
    if url is None or urlsplit(url).hostname is None:
        raise RefusedError(
            "sandboxes elsewhere cannot reach our model endpoint: set BACKEND_URL or"
            " MODEL_ENDPOINT_URL to where they find this server"
        )
    return url.rstrip("/")


def endpoint_hosts(settings: Settings, backend: str) -> tuple[str, ...]:
    """What the agent phase has to reach besides; () where a door of ours is used."""
    if backend not in PROVIDERS or not command_specs(settings):
        return ()
    parts = urlsplit(endpoint_url(settings))
    port = parts.port or {"http": 80}.get(parts.scheme, 443)
    return (f"{parts.hostname}:{port}",)
