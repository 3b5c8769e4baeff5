"""Settings of sandboxes: backend, size and allowed hosts."""

from pathlib import Path

from pydantic import SecretStr, field_validator
from pydantic_settings import BaseSettings

from yudai.sandboxes.domain.allowed_hosts import parse
from yudai.sandboxes.domain.backends import BackendName, choices
from yudai.sandboxes.port import NetworkPolicy, SandboxLimits
from yudai.settings.variable import Words, variable

_PACKAGE_HOSTS = (
    "pypi.org",
    "files.pythonhosted.org",
    "registry.npmjs.org",
    "registry.yarnpkg.com",
    "repo.yarnpkg.com",
)
_MIB = 1 << 20


class SandboxSettings(BaseSettings):
    sandbox_backend: BackendName | None = variable(
        "SANDBOX_BACKEND", None, f"Where commands run: {choices('`')}."
    )
    processors: float = variable(
        "SANDBOX_PROCESSORS", 2, "Processors of one sandbox.", gt=0, le=256
    )
    memory_mb: int = variable("SANDBOX_MEMORY_MB", 4096, "Memory of one sandbox.", ge=64)
    processes: int = variable("SANDBOX_PROCESSES", 512, "Processes in one sandbox.", ge=16)
    disk_mb: int = variable("SANDBOX_DISK_MB", 4096, "Disk that one sandbox may write.", ge=16)
    lifetime_minutes: float = variable(
        "SANDBOX_LIFETIME_MINUTES",
        60,
        "Minutes after which a sandbox is removed; its agent is stopped a little earlier.",
        gt=0,
        le=1440,
    )
    setup_hosts: Words = variable(
        "SANDBOX_SETUP_HOSTS",
        _PACKAGE_HOSTS,
        "Hosts that set-up commands may reach, separated by commas: `host` or `*.domain`,"
        " optionally with `:port`. The package servers named in your environment are added."
        " `*` is every public address.",
    )
    agent_hosts: Words = variable(
        "SANDBOX_AGENT_HOSTS", (), "Hosts that agents' commands may reach; unset: none."
    )
    verification_hosts: Words = variable(
        "SANDBOX_VERIFICATION_HOSTS",
        (),
        "Hosts that tests may reach during verification; unset: none.",
    )
    bases_max_mb: int = variable(
        "BASES_MAX_MB",
        20_480,
        "Disk for prepared bases; above it, the least recently used are removed.",
        ge=0,
    )
    bases_max_days: float = variable(
        "BASES_MAX_DAYS", 14, "Days after which an unused base is removed.", ge=0
    )
    e2b_api_key: SecretStr | None = variable(
        "E2B_API_KEY", None, "Key for sandboxes at E2B. Never enters a sandbox."
    )
    e2b_template_id: str | None = variable(
        "E2B_TEMPLATE_ID",
        None,
        "Template that sandboxes start from; unset: `yudai`, which"
        " `yudai sandbox build-template` builds.",
    )
    e2b_domain: str | None = variable(
        "E2B_DOMAIN", None, "Domain of your own E2B control plane; unset: E2B's."
    )
    e2b_api_url: str | None = variable(
        "E2B_API_URL", None, "URL of its API, if it is not https://api.DOMAIN."
    )
    e2b_sandbox_url: str | None = variable(
        "E2B_SANDBOX_URL", None, "URL of its sandboxes, if it is not below DOMAIN."
    )
    e2b_max_sandboxes: int = variable(
        "E2B_MAX_SANDBOXES",
        20,
        "Sandboxes that your plan allows at once, for all workers that share the"
        " database; others wait. A verification takes two.",
        ge=2,
    )
    e2b_creations_per_s: float = variable(
        "E2B_CREATIONS_PER_SECOND",
        1.0,
        "Sandboxes that one worker creates per second. With several workers, divide"
        " what your plan allows.",
        gt=0,
    )
    prime_api_key: SecretStr | None = variable(
        "PRIME_API_KEY", None, "Key for sandboxes at Prime Intellect. Never enters a sandbox."
    )
    prime_sandbox_image: str = variable(
        "PRIME_SANDBOX_IMAGE",
        "python:3.12-bookworm",
        "Image that its sandboxes start from; it needs Python 3.10 or newer and git.",
    )
    prime_api_base_url: str | None = variable(
        "PRIME_API_BASE_URL", None, "URL of its API, if it is not Prime Intellect's own."
    )
    prime_max_sandboxes: int = variable(
        "PRIME_MAX_SANDBOXES",
        50,
        "Sandboxes that your account allows at once, for all workers that share the"
        " database; others wait. A verification takes two.",
        ge=2,
    )
    container_engine: str | None = variable(
        "CONTAINER_ENGINE", None, "`podman`, `docker` or a path; unset: the first that works."
    )
    container_image: str = variable(
        "CONTAINER_IMAGE",
        "localhost/yudai-sandbox:latest",
        "Image that containers start from; deploy/sandbox builds it.",
    )
    command_agents: Path | None = variable(
        "COMMAND_AGENTS", None, "File that describes command-line agents; unset: none."
    )
    model_endpoint_url: str | None = variable(
        "MODEL_ENDPOINT_URL",
        None,
        "URL under which remote sandboxes reach our model endpoint; unset:"
        " /api/model/v1 at BACKEND_URL.",
    )

    @field_validator("setup_hosts", "agent_hosts", "verification_hosts")
    @classmethod
    def _are_hosts(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        """Validated here, so that the message names the setting."""
        hosts = tuple(entry.lower() for entry in value)
        for host in hosts:
            parse(host)
        return hosts

    @property
    def limits(self) -> SandboxLimits:
        return SandboxLimits(
            processors=self.processors,
            memory_bytes=self.memory_mb * _MIB,
            processes=self.processes,
            disk_bytes=self.disk_mb * _MIB,
            lifetime_s=self.lifetime_minutes * 60,
        )

    @property
    def network(self) -> NetworkPolicy:
        return NetworkPolicy(
            setup=self.setup_hosts, agent=self.agent_hosts, verification=self.verification_hosts
        )
