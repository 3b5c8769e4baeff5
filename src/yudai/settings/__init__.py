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
from yudai.settings.variable import variable
from yudai.solves.domain.budget import MAX_SECONDS
from yudai.store.pool import Pool
from yudai.store.urls import normalise, postgresql_url, sqlite_url


class Settings(SandboxSettings, ForgeSettings):
    model_config = SettingsConfigDict(
        frozen=True, extra="ignore", env_ignore_empty=True, hide_input_in_errors=True
    )

    home: Path = Field(
        default_factory=lambda: user_data_path("yudai"),
        validation_alias="YUDAI_HOME",
        description="Folder for all data: database, artifacts, prepared bases, sandboxes.",
    )
    database_url: SecretStr | None = variable(
        "DATABASE_URL",
        None,
        "`postgresql://user:password@host:5432/database` or `sqlite:///path`; "
        "unset: from POSTGRES_DB, else a SQLite file in YUDAI_HOME.",
    )
    postgres_db: str | None = variable(
        "POSTGRES_DB", None, "Database on a PostgreSQL server, when DATABASE_URL is unset."
    )
    postgres_user: str | None = variable(
        "POSTGRES_USER", None, "Its user; unset: PostgreSQL's default."
    )
    postgres_password: SecretStr | None = variable(
        "POSTGRES_PASSWORD", None, "Its password. Never shown, never logged."
    )
    postgres_host: str = variable(
        "POSTGRES_HOST", "localhost", "Its host, or the folder of its socket."
    )
    postgres_port: int = variable("POSTGRES_PORT", 5432, "Its port.", ge=1, le=65535)
    database_pool_size: int = variable(
        "DATABASE_POOL_SIZE",
        5,
        "Connections to PostgreSQL that a process keeps open, besides one for writing messages.",
        ge=1,
    )
    database_pool_overflow: int = variable(
        "DATABASE_POOL_OVERFLOW",
        10,
        "Further connections that it opens while those are all in use.",
        ge=0,
    )
    database_pool_wait_s: float = variable(
        "DATABASE_POOL_WAIT_SECONDS", 30, "Seconds to wait for a free connection.", gt=0
    )
    database_connect_timeout_s: int = variable(
        "DATABASE_CONNECT_TIMEOUT_SECONDS", 10, "Seconds to wait for PostgreSQL to answer.", ge=2
    )
    database_statement_timeout_s: float = variable(
        "DATABASE_STATEMENT_TIMEOUT_SECONDS",
        60,
        "Seconds after which PostgreSQL aborts a statement; 0: no limit.",
        ge=0,
    )
    time_budget_s: float = variable(
        "SOLVER_TIME_BUDGET_SECONDS",
        5400,
        "Seconds after which a solve's agents stop; submitted patches are still verified.",
        gt=0,
        le=MAX_SECONDS,
    )
    max_contestants: int = variable(
        "SOLVER_ARENA_MAX_RUNS",
        36,
        "Contestants per solve; of a larger matrix, a varied selection starts.",
        ge=1,
    )
    host: str = variable(
        "HOST",
        "127.0.0.1",
        "Address that `yudai serve` listens on; loopback only without a login.",
    )
    port: int = variable("PORT", 8000, "Its port; 0: any free.", ge=0, le=65535)
    server: str | None = variable(
        "YUDAI_SERVER",
        None,
        "URL of the server that the command line uses; unset: the one that runs on "
        "YUDAI_HOME, if there is one.",
    )
    max_solves: int = variable(
        "SOLVER_MAX_PARALLEL", 4, "Solves at once, for all users together; others wait.", ge=1
    )
    user_max_solves: int = variable("SOLVER_USER_MAX_PARALLEL", 4, "Solves at once per user.", ge=1)
    user_day_usd: float | None = variable(
        "SOLVER_USER_DAY_BUDGET_USD",
        None,
        "Dollars that one user's solves may cost per day; unset: only the cap of each"
        " solve applies.",
        ge=0,
    )
    max_runs: int = variable(
        "SOLVER_MAX_RUNS", 200, "Runs at once, for all solves and workers together.", ge=1
    )
    worker_max_runs: int = variable(
        "WORKER_MAX_RUNS",
        100,
        "Runs at once per worker; the worker that started last sets it for all.",
        ge=1,
        le=1000,
    )
    model_max_parallel: int = variable(
        "MODEL_MAX_PARALLEL", 32, "Calls at once per model and worker; 0: no limit.", ge=0
    )
    trajectory_dir: Path | None = variable(
        "TRAJECTORY_STORAGE_DIR",
        None,
        "Folder for an extra copy of finished trajectories, in mini-SWE-agent's format.",
    )
    artifacts_url: str | None = variable(
        "ARTIFACTS_URL",
        None,
        "Where artifacts are stored: `s3://bucket/prefix` or a folder; unset: a folder "
        "in YUDAI_HOME.",
    )
    s3_endpoint: str | None = variable(
        "S3_ENDPOINT_URL", None, "An S3-compatible server other than Amazon's."
    )
    s3_region: str | None = variable("AWS_REGION", None, "The bucket's region.")
    s3_access_key_id: SecretStr | None = variable(
        "AWS_ACCESS_KEY_ID", None, "Access key for the bucket; unset: the machine's role."
    )
    s3_secret_access_key: SecretStr | None = variable(
        "AWS_SECRET_ACCESS_KEY", None, "Its secret. Never shown, never logged."
    )
    chat_model: str | None = variable(
        "CHAT_MODEL", None, "Model that answers free text in conversations; unset: no answers."
    )
    openrouter_api_key: SecretStr | None = variable(
        "OPENROUTER_API_KEY",
        None,
        "Key for models at OpenRouter. Never stored, never enters a sandbox.",
    )
    openai_base_url: str | None = variable(
        "OPENAI_BASE_URL",
        None,
        "URL of any OpenAI-compatible server, used instead of OpenRouter.",
    )
    openai_api_key: SecretStr | None = variable(
        "OPENAI_API_KEY", None, "Key for OPENAI_BASE_URL; may be unset for a local server."
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
        """Values of all secrets, for redaction only."""
        known = (value for name in type(self).model_fields if (value := getattr(self, name)))
        values = [one.get_secret_value() for one in known if isinstance(one, SecretStr)]
        keys = "" if self.token_keys is None else self.token_keys.get_secret_value()
        parts = [*values, *keys.split(","), urlsplit(self.store_url).password or ""]
        return tuple(
            part.strip() for part in parts if part and part not in (self.store_url, DEFAULT_SALT)
        )

    @property
    def store_url(self) -> str:
        """The database URL with its password; never show it."""
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
    """Settings from the environment; RefusedError names the invalid variable."""
    try:
        return Settings()
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = f"{first['loc'][0]}: " if first["loc"] else ""
        said = first["msg"].removeprefix("Value error, ")
        raise RefusedError(f"{where}{said}") from None


def surroundings() -> dict[str, str]:
    """The whole environment, for callers that pick known names from it."""
    return dict(os.environ)
