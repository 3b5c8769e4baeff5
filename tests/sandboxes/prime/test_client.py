"""Prime's client neither reads nor writes what belongs to whoever runs us."""

import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.clouds.prime_scene import cloud_at, machine_spec, says
from tests.support.clouds.prime_server import KEY, FakePrime, prime_server
from yudai.sandboxes.backends.prime.client import make_client
from yudai.sandboxes.backends.remote.cloud import DeniedError

NOWHERE = "http://127.0.0.1:1"


@pytest.fixture
def prime(tmp_path: Path) -> Iterator[FakePrime]:
    with prime_server(tmp_path / "prime") as server:
        yield server


@pytest.fixture
def persons_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Of somebody who uses Prime's command line, with a team and a server of their own."""
    home = tmp_path / "person"
    (home / ".prime").mkdir(parents=True)
    theirs = {"api_key": "theirs", "base_url": NOWHERE, "team_id": "a-team"}
    (home / ".prime/config.json").write_text(json.dumps(theirs))
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PRIME_API_BASE_URL", NOWHERE)
    monkeypatch.setenv("PRIME_API_KEY", "theirs")
    return home


async def test_only_our_folder_has_its_tokens(
    prime: FakePrime, tmp_path: Path, persons_home: Path
) -> None:
    before = dict(os.environ)
    home = tmp_path / "ours"
    cloud = cloud_at(prime, home)
    machine = await cloud.create(machine_spec())
    assert await says(machine, "echo here") == "here\n"
    cache = home / ".prime/sandbox_auth_cache.json"
    assert prime.sandboxes[machine.id].token in cache.read_text()
    assert [_mode(p) for p in (home, home / ".prime", cache)] == [0o700, 0o700, 0o600]
    assert [p.name for p in persons_home.rglob("*")] == [".prime", "config.json"]
    assert "team_id" not in prime.sandboxes[machine.id].request
    await cloud.close()
    assert dict(os.environ) == before
    assert _mode(cache) == 0o600


async def test_a_folder_that_others_could_read_is_closed(prime: FakePrime, tmp_path: Path) -> None:
    home = tmp_path / "ours"
    (home / ".prime").mkdir(parents=True)
    home.chmod(0o755)
    cache = home / ".prime/sandbox_auth_cache.json"
    cache.write_text("{}")
    cache.chmod(0o644)
    await make_client(KEY, prime.url, home).aclose()
    assert [_mode(p) for p in (home, home / ".prime", cache)] == [0o700, 0o700, 0o600]


@pytest.mark.parametrize(
    ("given", "used"),
    [
        (None, "https://api.primeintellect.ai"),
        ("https://prime.example/", "https://prime.example"),
        ("https://prime.example/api/v1", "https://prime.example"),
    ],
)
async def test_its_url_is_ours_alone(
    tmp_path: Path, persons_home: Path, given: str | None, used: str
) -> None:
    client = make_client(KEY, given, tmp_path / "ours")
    assert client.client.base_url == used
    assert client.client.api_key == KEY
    assert client.client.config.team_id is None
    assert persons_home.exists()
    await client.aclose()


async def test_a_team_that_the_environment_names_is_charged(
    prime: FakePrime, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PRIME_TEAM_ID", "team-1")
    cloud = cloud_at(prime, tmp_path / "ours")
    machine = await cloud.create(machine_spec())
    assert prime.sandboxes[machine.id].request["team_id"] == "team-1"
    await cloud.close()


async def test_a_home_that_cannot_be_made(prime: FakePrime, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(DeniedError, match="cannot be set up"):
        await cloud_at(prime, tmp_path / "file").examine()


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)
