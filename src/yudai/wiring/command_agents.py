"""Builds command-line agents from COMMAND_AGENTS, and the model endpoint that they call."""

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
from yudai.wiring.components import installation, is_shared

if TYPE_CHECKING:
    from yudai.agents.adapters.command.agent import EndpointAccess
    from yudai.agents.endpoint.endpoint import ModelEndpoint

_SETTING = "COMMAND_AGENTS"


def command_specs(settings: Settings) -> Mapping[str, CommandSpec]:
    """Configured agents, if any; RefusedError says what is wrong with the file."""
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
    """Names that a matrix may use."""
    return (DEFAULT_AGENT, *command_specs(settings))


def make_model_endpoint(
    settings: Settings, context: Context, gateway: Gateway
) -> "ModelEndpoint | None":
    """None without command agents; RefusedError without a strong JWT_SECRET."""
    if not command_specs(settings):
        return None
    from yudai.agents.endpoint.endpoint import ModelEndpoint
    from yudai.agents.endpoint.tokens import make_tokens

    # Servers and workers of one database may have different homes, but share the secret.
    issuer = "shared" if is_shared(settings) else installation(settings)
    tokens = make_tokens(settings.jwt_secret, issuer=issuer, clock=context.clock)
    return ModelEndpoint(store=context.store, gateway=gateway, clock=context.clock, tokens=tokens)


@asynccontextmanager
async def socket_path() -> AsyncGenerator[Path]:
    """Path for the endpoint's socket: short enough, and in a private folder."""
    with tempfile.TemporaryDirectory(prefix="yudai-") as folder:
        yield Path(folder) / "model"


@asynccontextmanager
async def open_endpoint_access(
    endpoint: "ModelEndpoint", settings: Settings, backend: str, socket: Path
) -> "AsyncGenerator[EndpointAccess]":
    """Open the way from this backend's sandboxes to the endpoint."""
    from yudai.agents.adapters.command.agent import EndpointAccess
    from yudai.agents.adapters.command.model_server import serve_on_loopback, serve_on_socket

    if backend in PROVIDERS:
        yield EndpointAccess(endpoint_url(settings))
        return
    served = (
        serve_on_loopback(endpoint) if backend in UNISOLATED else serve_on_socket(endpoint, socket)
    )
    async with served as url:
        yield EndpointAccess(url)


def make_command_agents(
    settings: Settings, endpoint: "ModelEndpoint", access: "EndpointAccess", clock: Clock
) -> dict[str, Agent]:
    from yudai.agents.adapters.command.agent import CommandAgent

    specs = command_specs(settings)
    return {name: CommandAgent(name, spec, endpoint, access, clock) for name, spec in specs.items()}


def endpoint_url(settings: Settings) -> str:
    """URL of the endpoint for remote sandboxes."""
    url = settings.model_endpoint_url
    if url is None and settings.backend_url:
        # BACKEND_URL may end with /api.
        url = f"{settings.backend_url.rstrip('/').removesuffix('/api')}/api/model/v1"
    if url is None or urlsplit(url).hostname is None:
        raise RefusedError(
            "sandboxes elsewhere cannot reach our model endpoint: set BACKEND_URL or"
            " MODEL_ENDPOINT_URL to an address where they reach this server"
        )
    return url.rstrip("/")


def endpoint_hosts(settings: Settings, backend: str) -> tuple[str, ...]:
    """Additional hosts for the agent phase; () when the sandbox uses a local socket."""
    if backend not in PROVIDERS or not command_specs(settings):
        return ()
    parts = urlsplit(endpoint_url(settings))
    port = parts.port or {"http": 80}.get(parts.scheme, 443)
    return (f"{parts.hostname}:{port}",)
