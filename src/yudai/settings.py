"""Settings by environment name; the only reader of the environment."""

from pathlib import Path
from typing import Literal

from platformdirs import user_data_path
from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict


class Settings(BaseSettings):
    model_config = SettingsConfigDict(
        frozen=True, extra="ignore", populate_by_name=True, env_ignore_empty=True
    )

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
        description="Seconds that a whole solve may take.",
    )
    max_contestants: int = Field(
        default=36,
        ge=1,
        validation_alias="SOLVER_ARENA_MAX_RUNS",
        description="Contestants per solve; above it a diverse selection starts.",
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

    @property
    def store_url(self) -> str:
        return self.database_url or f"sqlite+aiosqlite:///{self.home / 'yudai.db'}"
