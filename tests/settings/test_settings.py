from pathlib import Path

import pytest
from pydantic import ValidationError

from yudai.settings import Settings
from yudai.store.pool import DEFAULT_POOL

SECRET = "a-password-like-no-other-word"  # noqa: S105 - of nobody
NAMES = (
    "DATABASE_URL",
    "POSTGRES_DB",
    "POSTGRES_USER",
    "POSTGRES_PASSWORD",
    "POSTGRES_HOST",
    "POSTGRES_PORT",
)


@pytest.fixture(autouse=True)
def no_database_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)


def test_without_a_database_it_is_a_file_in_the_home(tmp_path: Path) -> None:
    assert Settings.at(tmp_path).store_url == f"sqlite+aiosqlite:///{tmp_path}/yudai.db"


def test_a_url_is_normalised() -> None:
    settings = Settings.model_validate({"DATABASE_URL": f"postgres://u:{SECRET}@h/d"})
    assert settings.store_url == f"postgresql+psycopg://u:{SECRET}@h/d"


def test_the_url_is_built_from_its_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POSTGRES_DB", "yudai")
    assert Settings().store_url == "postgresql+psycopg://localhost:5432/yudai"
    monkeypatch.setenv("POSTGRES_USER", "me")
    monkeypatch.setenv("POSTGRES_PASSWORD", "a/b@c")
    monkeypatch.setenv("POSTGRES_HOST", "db.example")
    monkeypatch.setenv("POSTGRES_PORT", "6543")
    assert Settings().store_url == "postgresql+psycopg://me:a%2Fb%40c@db.example:6543/yudai"


def test_a_url_wins_over_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POSTGRES_DB", "yudai")
    monkeypatch.setenv("DATABASE_URL", "sqlite:////tmp/y.db")
    assert Settings().store_url == "sqlite+aiosqlite:////tmp/y.db"


def test_a_password_is_never_shown() -> None:
    settings = Settings.model_validate(
        {"DATABASE_URL": f"postgresql://u:{SECRET}@h/d", "POSTGRES_PASSWORD": SECRET}
    )
    assert SECRET not in f"{settings!r} {settings} {settings.model_dump()}"
    assert SECRET not in settings.model_dump_json()


@pytest.mark.parametrize("url", [f"mysql://u:{SECRET}@h/d", f"postgresql://u:{SECRET}@h:x/d"])
def test_an_error_names_the_setting_and_keeps_the_secret(url: str) -> None:
    with pytest.raises(ValidationError) as refused:
        Settings.model_validate({"DATABASE_URL": url})
    assert refused.value.errors()[0]["loc"] == ("DATABASE_URL",)
    assert SECRET not in str(refused.value)


def test_the_pool_is_the_stores_own_unless_it_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Settings().pool == DEFAULT_POOL
    monkeypatch.setenv("DATABASE_POOL_SIZE", "2")
    monkeypatch.setenv("DATABASE_STATEMENT_TIMEOUT_SECONDS", "0.5")
    assert (Settings().pool.size, Settings().pool.statement_timeout_s) == (2, 0.5)
