"""A server that others reach refuses weak secrets, each by its name and never by its value."""

from pathlib import Path
from typing import Any

import pytest

from yudai.accounts.adapters.vault import new_key
from yudai.cli.serve.serve import ServeOptions, run_serve
from yudai.kit.errors import RefusedError
from yudai.settings import Settings
from yudai.wiring.production_checks import check_production, model_hosts, own_hosts

STRONG = "f3c1a9d2e8b74650f3c1a9d2e8b74650"
EVERYWHERE = "0.0.0.0"  # noqa: S104 - that is what is tested
PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\n"


@pytest.fixture
def good(tmp_path: Path) -> dict[str, Any]:
    key = tmp_path / "app.pem"
    key.write_text(PEM)
    return {
        "YUDAI_HOME": tmp_path,
        "AUTH_MODE": "github",
        "SECRET_KEY": STRONG,
        "SALT": "a salt of ours",
        "TOKEN_KEYS": f"{new_key()},{new_key()}",
        "GITHUB_APP_ID": "1",
        "GITHUB_APP_PRIVATE_KEY_PATH": key,
        "GITHUB_APP_CLIENT_ID": "Iv1.1",
        "GITHUB_APP_CLIENT_SECRET": "a-client-secret",
        "GITHUB_WEBHOOK_SECRET": STRONG,
        "POSTGRES_DB": "yudai",
        "POSTGRES_PASSWORD": STRONG,
        "JWT_SECRET": STRONG,
        "HOST": EVERYWHERE,
        "DOMAIN": "yudai.example",
        "BACKEND_URL": "https://yudai.example/api",
        "FRONTEND_URL": "https://app.yudai.example",
    }


def problem(values: dict[str, Any]) -> str:
    with pytest.raises(RefusedError) as refused:
        check_production(Settings.model_validate(values))
    return str(refused.value)


def test_what_is_strong_is_taken(good: dict[str, Any]):
    check_production(Settings.model_validate(good))


def test_local_mode_needs_none_of_it(tmp_path: Path):
    check_production(Settings.at(tmp_path))


def test_everything_that_is_missing_is_named_at_once(tmp_path: Path):
    said = problem({"YUDAI_HOME": tmp_path, "AUTH_MODE": "github"})
    for name in ("SECRET_KEY", "SALT", "TOKEN_KEYS", "GITHUB_APP_CLIENT_ID"):
        assert name in said
    assert "GITHUB_APP_CLIENT_SECRET" in said
    assert "\n" not in said
    for name in ("GITHUB_WEBHOOK_SECRET", "POSTGRES_PASSWORD", "JWT_SECRET"):
        assert name not in said, "nobody asked for it"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SECRET_KEY", "short-3f9a"),
        ("SECRET_KEY", "a" * 64),
        ("SECRET_KEY", "please-changeme-please-changeme-0123"),
        ("SALT", "yudai"),
        ("SALT", "salty"),
        ("TOKEN_KEYS", "not-a-fernet-key-4711"),
        ("TOKEN_KEYS", ","),
        ("GITHUB_WEBHOOK_SECRET", "hook-4711"),
        ("POSTGRES_PASSWORD", "postgres"),
        ("POSTGRES_PASSWORD", "hunter2-4711"[:11]),
        ("JWT_SECRET", "jwt-4711"),
        ("BACKEND_URL", "http://yudai.example"),
        ("FRONTEND_URL", "http://app.yudai.example"),
        ("GITHUB_REDIRECT_URI", "http://yudai.example/auth/callback"),
    ],
)
def test_what_is_weak_is_named_and_not_shown(good: dict[str, Any], name: str, value: str):
    said = problem(good | {name: value})
    assert f"{name} " in said
    assert value in ("yudai", ",") or value not in said or name.endswith("URL")
    others = set(good) - {name, "YUDAI_HOME"}
    assert not [other for other in others if f" {other} " in said]


def test_a_webhook_needs_its_secret_only_where_there_is_an_app(good: dict[str, Any]):
    del good["GITHUB_WEBHOOK_SECRET"]
    assert "GITHUB_WEBHOOK_SECRET is missing" in problem(good)
    del good["GITHUB_APP_ID"], good["GITHUB_APP_PRIVATE_KEY_PATH"]
    check_production(Settings.model_validate(good))


def test_a_private_key_has_to_be_there(good: dict[str, Any], tmp_path: Path):
    missing = good | {"GITHUB_APP_PRIVATE_KEY_PATH": tmp_path / "nothing.pem"}
    assert "GITHUB_APP_PRIVATE_KEY_PATH cannot be read" in problem(missing)
    (tmp_path / "other.pem").write_text("canary-4711")
    other = problem(good | {"GITHUB_APP_PRIVATE_KEY_PATH": tmp_path / "other.pem"})
    assert "GITHUB_APP_PRIVATE_KEY_PATH is not a private key" in other
    assert "canary" not in other


def test_a_database_behind_a_socket_or_an_address_of_its_own_is_not_asked(good: dict[str, Any]):
    del good["POSTGRES_PASSWORD"]
    assert "POSTGRES_PASSWORD" in problem(good)
    check_production(Settings.model_validate(good | {"POSTGRES_HOST": "/run/postgresql"}))
    del good["POSTGRES_DB"]
    check_production(Settings.model_validate(good))


def test_a_server_for_others_knows_its_name(good: dict[str, Any]):
    del good["DOMAIN"], good["BACKEND_URL"]
    assert "DOMAIN is missing" in problem(good)
    # Others see the page: then they come to this server as well, by a proxy.
    assert "DOMAIN is missing" in problem(good | {"HOST": "127.0.0.1"})
    for name, value in (
        ("DOMAIN", "yudai.example"),
        ("BACKEND_URL", "https://yudai.example/api"),
        ("GITHUB_REDIRECT_URI", "https://yudai.example/auth/callback"),
    ):
        for host in ("127.0.0.1", EVERYWHERE, "192.0.2.1"):
            check_production(Settings.model_validate(good | {"HOST": host, name: value}))
    del good["FRONTEND_URL"]
    check_production(Settings.model_validate(good | {"HOST": "127.0.0.1"}))
    near = good | {"HOST": "127.0.0.1", "FRONTEND_URL": "http://localhost:5173"}
    check_production(Settings.model_validate(near))


def test_a_name_of_ones_own_machine_is_none_for_others(good: dict[str, Any]):
    """The cookie would go in the clear to whoever asks at the address itself."""
    del good["BACKEND_URL"], good["FRONTEND_URL"]
    assert "DOMAIN is missing" in problem(good | {"DOMAIN": "localhost", "HOST": "192.0.2.1"})
    check_production(Settings.model_validate(good | {"DOMAIN": "localhost"}))


def test_its_names_are_those_that_were_given(good: dict[str, Any], tmp_path: Path):
    hosts = own_hosts(Settings.model_validate(good))
    assert hosts == ("yudai.example", "app.yudai.example")
    local = Settings.model_validate({"YUDAI_HOME": tmp_path, "DOMAIN": "yudai.example"})
    assert own_hosts(local) == ()


def test_sandboxes_may_know_the_server_by_another_name(good: dict[str, Any], tmp_path: Path):
    """By which they ask for their models, and nobody for anything else."""
    elsewhere = {"MODEL_ENDPOINT_URL": "https://Model.example/api/model/v1"}
    assert model_hosts(Settings.model_validate(good | elsewhere)) == ()
    agents = {"COMMAND_AGENTS": str(tmp_path / "agents.yml")}
    assert model_hosts(Settings.model_validate(good | agents)) == ()
    assert model_hosts(Settings.model_validate(good | agents | elsewhere)) == ("model.example",)
    # A person's own machine has no name, but for its sandboxes elsewhere.
    tunnel = {"YUDAI_HOME": tmp_path, "BACKEND_URL": "https://tunnel.example/api"}
    local = Settings.model_validate(tunnel | agents)
    assert (own_hosts(local), model_hosts(local)) == ((), ("tunnel.example",))


async def test_it_is_checked_before_anything_is_opened(tmp_path: Path):
    settings = Settings.model_validate({"YUDAI_HOME": tmp_path / "home", "AUTH_MODE": "github"})
    with pytest.raises(RefusedError, match="SECRET_KEY is missing"):
        await run_serve(settings, ServeOptions())
    assert not (tmp_path / "home").exists()


async def test_the_host_that_was_typed_counts(good: dict[str, Any]):
    del good["DOMAIN"], good["BACKEND_URL"]
    settings = Settings.model_validate(good | {"HOST": "127.0.0.1"})
    with pytest.raises(RefusedError, match="DOMAIN is missing"):
        await run_serve(settings, ServeOptions(host=EVERYWHERE))


async def test_without_a_login_it_stays_on_loopback(tmp_path: Path):
    settings = Settings.model_validate({"YUDAI_HOME": tmp_path, "DATABASE_URL": "sqlite:///x.db"})
    with pytest.raises(RefusedError, match=r"without a login: use 127\.0\.0\.1"):
        await run_serve(settings, ServeOptions(host=EVERYWHERE, port=0))
