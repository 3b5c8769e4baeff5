"""Settings by environment name; the only reader of the environment."""

from pathlib import Path
from typing import Literal, Self

from platformdirs import user_data_path
from pydantic import Field, SecretStr, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

_SQLITE = "sqlite+aiosqlite://"


class Settings(BaseSettings):
    model_config = SettingsConfigDict(frozen=True, extra="ignore", env_ignore_empty=True)

    home: Path = Field(
        default_factory=lambda: user_data_path("yudai"),
        validation_alias="YUDAI_HOME",
        description="Where state lives: database, artifacts, prepared bases, sandboxes.",
    )
    database_url: str | None = Field(
        default=None,
        validation_alias="DATABASE_URL",
        description="SQLAlchemy URL; unset: a SQLite file in YUDAI_HOME.",
    )
    sandbox_backend: Literal["bubblewrap", "process"] | None = Field(
        default=None,
        validation_alias="SANDBOX_BACKEND",
        description="Where commands run; unset: bubblewrap. `process` isolates nothing.",
    )
    time_budget_s: float = Field(
        default=5400,
        gt=0,
        validation_alias="SOLVER_TIME_BUDGET_SECONDS",
        description="Seconds after which a solve's agents stop; what they submitted is verified.",
    )
    max_contestants: int = Field(
        default=36,
        ge=1,
        validation_alias="SOLVER_ARENA_MAX_RUNS",
        description="Contestants per solve; above it a diverse selection starts.",
    )
    openrouter_api_key: SecretStr | None = Field(
        default=None,
        validation_alias="OPENROUTER_API_KEY",
        description="Key for models at OpenRouter. Never stored, never in a sandbox.",
    )
    openai_base_url: str | None = Field(
        default=None,
        validation_alias="OPENAI_BASE_URL",
        description="Any OpenAI-compatible server; models go there instead of to OpenRouter.",
    )
    openai_api_key: SecretStr | None = Field(
        default=None,
        validation_alias="OPENAI_API_KEY",
        description="Key for OPENAI_BASE_URL; may be unset for a local server.",
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

    @classmethod
    def at(cls, home: Path) -> Self:
        """Settings from the environment, but with this home."""
        return cls.model_validate({"YUDAI_HOME": home})

    @field_validator("home")
    @classmethod
    def _absolute(cls, home: Path) -> Path:
        return home.expanduser().absolute()

    @field_validator("database_url")
    @classmethod
    def _known_database(cls, url: str | None) -> str | None:
        if url is not None and not url.startswith(_SQLITE):
            raise ValueError(f"only {_SQLITE}/path/to/file is supported by this version")
        return url

    @property
    def store_url(self) -> str:
        return self.database_url or f"{_SQLITE}/{self.home / 'yudai.db'}"
