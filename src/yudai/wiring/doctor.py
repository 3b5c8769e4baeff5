"""What this installation is and can do: `yudai doctor` and the page's settings."""

import os
import shutil
import sys
from contextlib import AsyncExitStack

from pydantic import Field

from yudai import __version__
from yudai.agents.domain.command_spec import WEAKER
from yudai.agents.endpoint.tokens import make_tokens
from yudai.artifacts.port import ArtifactError
from yudai.kit.clock import SystemClock
from yudai.kit.errors import RefusedError
from yudai.kit.value import Value
from yudai.sandboxes.domain.backends import BACKENDS
from yudai.settings import Settings
from yudai.solves.domain.origin import PublishMode
from yudai.wiring.backend_probe import BackendFinding, probe_backends
from yudai.wiring.command_agents import command_specs
from yudai.wiring.components import is_shared, make_artifacts, open_context

_IN_HOME = "in YUDAI_HOME"
# Secrets by the setting's field, the most common first.
_KEYS = {
    "openrouter_api_key": "models at OpenRouter",
    "openai_api_key": "models at OPENAI_BASE_URL; a local server may need none",
    "github_token": "repositories at GITHUB_URL, for users without their own token",
    "github_app_client_secret": "logins, through a GitHub App",
    "github_webhook_secret": "webhooks of GITHUB_URL; unset: none are accepted",
    "secret_key": "hashes of logins and keys; unset in local mode: made in YUDAI_HOME",
    "token_keys": "users' tokens, encrypted; unset in local mode: made in YUDAI_HOME",
    **{row.key: row.purpose for row in BACKENDS.values() if row.key},
    "jwt_secret": "command agents: signs what they call models with",
    "postgres_password": "the database, where it is PostgreSQL",
    "s3_access_key_id": "artifacts in S3; unset: the machine's role",
    "s3_secret_access_key": "artifacts in S3",
}
# Limits that users may want to change, by the setting's field.
_LIMITS = (
    "max_solves",
    "user_max_solves",
    "max_runs",
    "worker_max_runs",
    "max_contestants",
    "requests_per_minute",
    "time_budget_s",
    "model_max_parallel",
    "processors",
    "memory_mb",
    "processes",
    "disk_mb",
    "lifetime_minutes",
    "bases_max_mb",
    "bases_max_days",
)


class Finding(Value):
    name: str
    ok: bool
    detail: str


class Examination(Value):
    version: str
    ready: bool
    findings: tuple[Finding, ...]
    sandboxes: tuple[BackendFinding, ...]


class KeyFacts(Value):
    """A secret by its name; its value is never shown."""

    name: str
    present: bool
    purpose: str


class LimitFacts(Value):
    name: str = Field(description="The environment variable.")
    value: str
    description: str


class SettingsView(Value):
    version: str
    mode: str = Field(description="`local`: one person, no login; `github`: everyone signs in.")
    forge: str = Field(description="URL of the forge.")
    publish: PublishMode = Field(description="When a pull request is opened by default.")
    label: str = Field(description="The label that requests a solve.")
    watched: tuple[str, ...] = Field(description="Repositories that are polled.")
    home: str
    database: str = Field(description="`SQLite` or `PostgreSQL`; never its address.")
    artifacts: str
    keys: tuple[KeyFacts, ...]
    limits: tuple[LimitFacts, ...]


async def examine(settings: Settings, *, starts: bool = True) -> Examination:
    """Check everything that a solve needs; problems are findings, not errors.

    `starts=False` starts no sandbox that costs money.
    """
    findings = (
        _python(),
        _git(),
        await _home(settings),
        await _artifacts(settings),
        _forge(settings),
        *_command_agents(settings),
    )
    sandboxes = await _sandboxes(settings, starts=starts)
    has_sandbox = any(one.usable and one.default for one in sandboxes)
    return Examination(
        version=__version__,
        ready=has_sandbox and all(finding.ok for finding in findings),
        findings=findings,
        sandboxes=sandboxes,
    )


def describe(settings: Settings) -> SettingsView:
    fields = type(settings).model_fields
    keys = [
        KeyFacts(
            name=str(fields[name].validation_alias),
            present=getattr(settings, name) is not None,
            purpose=purpose,
        )
        for name, purpose in _KEYS.items()
    ]
    limits = [
        LimitFacts(
            name=str(fields[name].validation_alias),
            value=f"{getattr(settings, name):.15g}",
            description=fields[name].description or "",
        )
        for name in _LIMITS
    ]
    return SettingsView(
        version=__version__,
        mode=settings.auth_mode,
        forge=settings.github_url,
        publish=settings.github_publish,
        label=settings.github_label,
        watched=settings.github_watch,
        home=str(settings.home),
        database="PostgreSQL" if is_shared(settings) else "SQLite",
        artifacts=settings.artifacts_url or _IN_HOME,
        keys=tuple(keys),
        limits=tuple(limits),
    )


async def _artifacts(settings: Settings) -> Finding:
    try:
        await make_artifacts(settings).check()
    except (ArtifactError, RefusedError) as error:
        return Finding(name="artifacts", ok=False, detail=str(error))
    return Finding(name="artifacts", ok=True, detail=settings.artifacts_url or _IN_HOME)


def _python() -> Finding:
    version = ".".join(str(part) for part in sys.version_info[:3])
    return Finding(name="python", ok=sys.version_info >= (3, 11), detail=version)


def _git() -> Finding:
    path = shutil.which("git")
    return Finding(name="git", ok=path is not None, detail=path or "not found: install git")


def _forge(settings: Settings) -> Finding:
    """Credentials for the forge; sends no request."""
    dialing = {
        "an App": settings.github_app_id,
        "GITHUB_TOKEN": settings.github_token,
        "logins": settings.github_app_client_id,
    }
    known = " and ".join(way for way, is_set in dialing.items() if is_set)
    path = settings.github_app_private_key_path
    if path is not None and not os.access(path, os.R_OK):
        return Finding(
            name="github", ok=False, detail=f"GITHUB_APP_PRIVATE_KEY_PATH: cannot read {path}"
        )
    by = known or "without a token: public repositories only, few requests per hour, no publishing"
    return Finding(name="github", ok=True, detail=f"{settings.github_url}, {by}")


def _command_agents(settings: Settings) -> tuple[Finding, ...]:
    """No finding without command agents."""
    if settings.command_agents is None:
        return ()
    try:
        names = ", ".join(command_specs(settings))
        make_tokens(settings.jwt_secret, issuer="", clock=SystemClock())
    except RefusedError as error:
        return (Finding(name="command agents", ok=False, detail=str(error)),)
    return (Finding(name="command agents", ok=True, detail=f"{names}; {'; '.join(WEAKER)}"),)


async def _sandboxes(settings: Settings, *, starts: bool) -> tuple[BackendFinding, ...]:
    """Check backends, also without a database: a broken one has its own finding."""
    async with AsyncExitStack() as stack:
        try:
            context = await stack.enter_async_context(open_context(settings))
        except Exception:  # noqa: BLE001 - already reported above
            return await probe_backends(settings, None, starts=starts)
        return await probe_backends(settings, context.store, starts=starts)


async def _home(settings: Settings) -> Finding:
    try:
        async with open_context(settings):
            pass
    except Exception as error:  # noqa: BLE001 - doctor reports any error
        return Finding(name="home", ok=False, detail=f"{settings.home}: {error}")
    return Finding(name="home", ok=True, detail=str(settings.home))
