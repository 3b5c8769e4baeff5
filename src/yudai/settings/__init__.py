"""Settings from environment variables; the only code that reads the environment.

`Settings` below is the whole; `forge.py` and `sandboxes.py` hold its larger groups.
"""

import os
from pathlib import Path
from typing import Self
from urllib.parse import urlsplit

from platformdirs import user_data_path
from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import SettingsConfigDict

from yudai.kit.errors import RefusedError
from yudai.settings.forge import DEFAULT_SALT, ForgeSettings
from yudai.settings.sandboxes import SandboxSettings
from yudai.store.pool import Pool
from yudai.store.urls import normalise, postgresql_url, sqlite_url


class Settings(SandboxSettings, ForgeSettings):
    model_config = SettingsConfigDict(
        frozen=True, extra="ignore", env_ignore_empty=True, hide_input_in_errors=True
    )

    home: Path = Field(
        default_factory=lambda: user_data_path("yudai"),
        validation_alias="YUDAI_HOME",
        description="Where state lives: database, artifacts, prepared bases, sandboxes.",
    )
    database_url: SecretStr | None = Field(
        default=None,
        validation_alias="DATABASE_URL",
        description="`postgresql://user:password@host:5432/database` or `sqlite:///path`; "
        "unset: from POSTGRES_DB, else a SQLite file in YUDAI_HOME.",
    )
    postgres_db: str | None = Field(
        default=None,
        validation_alias="POSTGRES_DB",
        description="Database on a PostgreSQL server, when DATABASE_URL is unset.",
    )
    postgres_user: str | None = Field(
        default=None,
        validation_alias="POSTGRES_USER",
        description="Its user; unset: as PostgreSQL's own tools find it.",
    )
    postgres_password: SecretStr | None = Field(
        default=None,
        validation_alias="POSTGRES_PASSWORD",
        description="Its password. Never shown, never logged.",
    )
    postgres_host: str = Field(
        default="localhost",
        validation_alias="POSTGRES_HOST",
        description="Its host, or the folder of its socket.",
    )
    postgres_port: int = Field(
        default=5432, ge=1, le=65535, validation_alias="POSTGRES_PORT", description="Its port."
    )
    database_pool_size: int = Field(
        default=5,
        ge=1,
        validation_alias="DATABASE_POOL_SIZE",
        description="Connections to PostgreSQL that a process keeps open, besides one for writing "
        "messages.",
    )
    database_pool_overflow: int = Field(
        default=10,
        ge=0,
        validation_alias="DATABASE_POOL_OVERFLOW",
        description="Connections that it opens for a moment when those are all in use.",
    )
    database_pool_wait_s: float = Field(
        default=30,
        gt=0,
        validation_alias="DATABASE_POOL_WAIT_SECONDS",
        description="Seconds to wait for a free connection.",
    )
    database_connect_timeout_s: int = Field(
        default=10,
        ge=2,
        validation_alias="DATABASE_CONNECT_TIMEOUT_SECONDS",
        description="Seconds to wait for PostgreSQL to answer.",
    )
    database_statement_timeout_s: float = Field(
        default=60,
        ge=0,
        validation_alias="DATABASE_STATEMENT_TIMEOUT_SECONDS",
        description="Seconds that PostgreSQL works at one statement; 0: no limit.",
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
    host: str = Field(
        default="127.0.0.1",
        validation_alias="HOST",
        description="Address that `yudai serve` listens on; only loopback while there is no login.",
    )
    port: int = Field(
        default=8000, ge=0, le=65535, validation_alias="PORT", description="Its port; 0: any free."
    )
    server: str | None = Field(
        default=None,
        validation_alias="YUDAI_SERVER",
        description="URL of a server that the command line works with; unset: the one that owns "
        "YUDAI_HOME, if one runs.",
    )
    max_solves: int = Field(
        default=4,
        ge=1,
        validation_alias="SOLVER_MAX_PARALLEL",
        description="Solves at once, of all users together; further ones wait.",
    )
    user_max_solves: int = Field(
        default=4,
        ge=1,
        validation_alias="SOLVER_USER_MAX_PARALLEL",
        description="Solves of one user at once.",
    )
    user_day_usd: float | None = Field(
        default=None,
        ge=0,
        validation_alias="SOLVER_USER_DAY_BUDGET_USD",
        description="Dollars that the solves of one user may cost within a day; unset: each solve"
        " has its own cap alone.",
    )
    max_runs: int = Field(
        default=200,
        ge=1,
        validation_alias="SOLVER_MAX_RUNS",
        description="Runs at once, of all solves and workers together.",
    )
    worker_max_runs: int = Field(
        default=100,
        ge=1,
        le=1000,
        validation_alias="WORKER_MAX_RUNS",
        description="Runs at once in one worker; the worker that started last sets it for all.",
    )
    model_max_parallel: int = Field(
        default=32,
        ge=0,
        validation_alias="MODEL_MAX_PARALLEL",
        description="Calls of one model at once, per worker; 0: no limit.",
    )
    trajectory_dir: Path | None = Field(
        default=None,
        validation_alias="TRAJECTORY_STORAGE_DIR",
        description="Folder that finished trajectories are written to as well, in mini-SWE-agent's "
        "format.",
    )
    artifacts_url: str | None = Field(
        default=None,
        validation_alias="ARTIFACTS_URL",
        description="Where artifacts are kept: `s3://bucket/prefix`, or a folder; unset: a folder "
        "in YUDAI_HOME.",
    )
    s3_endpoint: str | None = Field(
        default=None,
        validation_alias="S3_ENDPOINT_URL",
        description="An S3-compatible server other than Amazon's.",
    )
    s3_region: str | None = Field(
        default=None, validation_alias="AWS_REGION", description="The bucket's region."
    )
    s3_access_key_id: SecretStr | None = Field(
        default=None,
        validation_alias="AWS_ACCESS_KEY_ID",
        description="Key of the bucket; unset: what the machine's role gives.",
    )
    s3_secret_access_key: SecretStr | None = Field(
        default=None,
        validation_alias="AWS_SECRET_ACCESS_KEY",
        description="Its secret. Never shown, never logged.",
    )
    chat_model: str | None = Field(
        default=None,
        validation_alias="CHAT_MODEL",
        description="Model that answers free text in conversations; unset: nobody does.",
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
    def _known_database(cls, url: SecretStr | None) -> SecretStr | None:
        return None if url is None else SecretStr(normalise(url.get_secret_value()))

    @property
    def secrets(self) -> tuple[str, ...]:
        """Their values: for finding them where they do not belong, never for showing."""
        known = (value for name in type(self).model_fields if (value := getattr(self, name)))
        values = [one.get_secret_value() for one in known if isinstance(one, SecretStr)]
        keys = "" if self.token_keys is None else self.token_keys.get_secret_value()
        parts = [*values, *keys.split(","), urlsplit(self.store_url).password or ""]
        return tuple(
            part.strip() for part in parts if part and part not in (self.store_url, DEFAULT_SALT)
        )

    @property
    def store_url(self) -> str:
        """With its password: for opening, never for showing."""
        if self.database_url is not None:
            return self.database_url.get_secret_value()
        if self.postgres_db is None:
            return sqlite_url(self.home / "yudai.db")
        password = self.postgres_password
        return postgresql_url(
            self.postgres_db,
            user=self.postgres_user,
            password=None if password is None else password.get_secret_value(),
            host=self.postgres_host,
            port=self.postgres_port,
        )

    @property
    def pool(self) -> Pool:
        return Pool(
            size=self.database_pool_size,
            overflow=self.database_pool_overflow,
            wait_s=self.database_pool_wait_s,
            connect_timeout_s=self.database_connect_timeout_s,
            statement_timeout_s=self.database_statement_timeout_s,
        )


def read_settings() -> Settings:
    """From the environment; RefusedError names the variable that does not fit."""
    try:
        return Settings()
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = f"{first['loc'][0]}: " if first["loc"] else ""
        said = first["msg"].removeprefix("Value error, ")
        raise RefusedError(f"{where}{said}") from None


def surroundings() -> dict[str, str]:
    """All of the environment, for what has its own list of names that it takes from it."""
    return dict(os.environ)
