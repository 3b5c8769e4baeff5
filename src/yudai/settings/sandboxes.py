"""Settings about sandboxes: who makes them, how big they are, what they may reach."""

from pathlib import Path
from typing import Annotated

from pydantic import Field, SecretStr, field_validator
from pydantic_settings import BaseSettings, NoDecode

from yudai.sandboxes.domain.allowed_hosts import parse
from yudai.sandboxes.domain.backends import BackendName, choices
from yudai.sandboxes.port import NetworkPolicy, SandboxLimits

Words = Annotated[tuple[str, ...], NoDecode]
_PACKAGE_HOSTS = (
    "pypi.org",
    "files.pythonhosted.org",
    "registry.npmjs.org",
    "registry.yarnpkg.com",
    "repo.yarnpkg.com",
)
_MIB = 1 << 20


class SandboxSettings(BaseSettings):
    sandbox_backend: BackendName | None = Field(
        default=None,
        validation_alias="SANDBOX_BACKEND",
        description=f"Where commands run: {choices('`')}.",
    )
    processors: float = Field(
        default=2,
        gt=0,
        le=256,
        validation_alias="SANDBOX_PROCESSORS",
        description="Processors of one sandbox.",
    )
    memory_mb: int = Field(
        default=4096,
        ge=64,
        validation_alias="SANDBOX_MEMORY_MB",
        description="Memory of one sandbox.",
    )
    processes: int = Field(
        default=512,
        ge=16,
        validation_alias="SANDBOX_PROCESSES",
        description="Processes in one sandbox.",
    )
    disk_mb: int = Field(
        default=4096,
        ge=16,
        validation_alias="SANDBOX_DISK_MB",
        description="Disk that one sandbox may write.",
    )
    lifetime_minutes: float = Field(
        default=60,
        gt=0,
        le=1440,
        validation_alias="SANDBOX_LIFETIME_MINUTES",
        description="Minutes after which a sandbox is ended; an agent's time ends a little before.",
    )
    setup_hosts: Words = Field(
        default=_PACKAGE_HOSTS,
        validation_alias="SANDBOX_SETUP_HOSTS",
        description="Hosts that set-up commands may reach, separated by commas: `host`, `*.domain`,"
        " either with `:port`; the package servers that your environment names are added. `*` is"
        " everything but private addresses.",
    )
    agent_hosts: Words = Field(
        default=(),
        validation_alias="SANDBOX_AGENT_HOSTS",
        description="Hosts that agents' commands may reach; unset: none.",
    )
    verification_hosts: Words = Field(
        default=(),
        validation_alias="SANDBOX_VERIFICATION_HOSTS",
        description="Hosts that tests may reach while a patch is proved; unset: none.",
    )
    bases_max_mb: int = Field(
        default=20_480,
        ge=0,
        validation_alias="BASES_MAX_MB",
        description="Disk for prepared bases; above it those not used for longest are removed.",
    )
    bases_max_days: float = Field(
        default=14,
        ge=0,
        validation_alias="BASES_MAX_DAYS",
        description="Days after which a base that nobody used is removed.",
    )
    e2b_api_key: SecretStr | None = Field(
        default=None,
        validation_alias="E2B_API_KEY",
        description="Key for sandboxes at E2B. Never in a sandbox.",
    )
    e2b_template_id: str | None = Field(
        default=None,
        validation_alias="E2B_TEMPLATE_ID",
        description="Template that sandboxes are made of; unset: `yudai`, as"
        " `yudai sandbox build-template` makes it.",
    )
    e2b_domain: str | None = Field(
        default=None,
        validation_alias="E2B_DOMAIN",
        description="Domain of your own E2B control plane; unset: E2B's.",
    )
    e2b_api_url: str | None = Field(
        default=None,
        validation_alias="E2B_API_URL",
        description="URL of its API, where that is not https://api.DOMAIN.",
    )
    e2b_sandbox_url: str | None = Field(
        default=None,
        validation_alias="E2B_SANDBOX_URL",
        description="URL of its sandboxes, where that is not below DOMAIN.",
    )
    e2b_max_sandboxes: int = Field(
        default=20,
        ge=2,
        validation_alias="E2B_MAX_SANDBOXES",
        description="Sandboxes at once, of all workers that share the database, as your plan"
        " allows: others wait. A proof takes two.",
    )
    e2b_creations_per_s: float = Field(
        default=1.0,
        gt=0,
        validation_alias="E2B_CREATIONS_PER_SECOND",
        description="Sandboxes that one worker makes in a second, as your plan allows: divide it"
        " when you run several.",
    )
    prime_api_key: SecretStr | None = Field(
        default=None,
        validation_alias="PRIME_API_KEY",
        description="Key for sandboxes at Prime Intellect. Never in a sandbox.",
    )
    prime_sandbox_image: str = Field(
        default="python:3.12-bookworm",
        validation_alias="PRIME_SANDBOX_IMAGE",
        description="Image that its sandboxes are made of; it needs Python 3.10 or newer and git.",
    )
    prime_api_base_url: str | None = Field(
        default=None,
        validation_alias="PRIME_API_BASE_URL",
        description="URL of its API, where that is not Prime Intellect's own.",
    )
    prime_max_sandboxes: int = Field(
        default=50,
        ge=2,
        validation_alias="PRIME_MAX_SANDBOXES",
        description="Sandboxes at once, of all workers that share the database, as your account"
        " allows: others wait. A proof takes two.",
    )
    container_engine: str | None = Field(
        default=None,
        validation_alias="CONTAINER_ENGINE",
        description="`podman`, `docker` or a path; unset: whichever answers.",
    )
    container_image: str = Field(
        default="localhost/yudai-sandbox:latest",
        validation_alias="CONTAINER_IMAGE",
        description="Image that containers are made of; deploy/sandbox builds it.",
    )
    command_agents: Path | None = Field(
        default=None,
        validation_alias="COMMAND_AGENTS",
        description="File that describes command-line agents; unset: there are none.",
    )
    model_endpoint_url: str | None = Field(
        default=None,
        validation_alias="MODEL_ENDPOINT_URL",
        description="How sandboxes that are elsewhere reach our model endpoint; unset:"
        " /api/model/v1 at BACKEND_URL.",
    )

    @field_validator("setup_hosts", "agent_hosts", "verification_hosts", mode="before")
    @classmethod
    def _words(cls, value: object) -> object:
        if isinstance(value, str):
            return tuple(word.strip().lower() for word in value.split(",") if word.strip())
        return value

    @field_validator("setup_hosts", "agent_hosts", "verification_hosts")
    @classmethod
    def _are_hosts(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        """Here, so that the message names the setting, whoever makes the sandboxes."""
        for entry in value:
            parse(entry)
        return value

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
