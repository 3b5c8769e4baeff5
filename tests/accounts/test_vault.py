"""Secrets at rest: sealed, rotated, hashed, and a key file that is made once."""

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from pydantic import SecretStr

from yudai.accounts.adapters.vault import FernetVault, KeyedDigest, made_once, new_key, split_keys
from yudai.accounts.vault import SealBrokenError
from yudai.kit.errors import RefusedError

TOKEN = SecretStr("ghu_0123456789abcdefghijklmnopqrstuvwxyz")


def keys(number: int) -> list[SecretStr]:
    return [SecretStr(new_key()) for _ in range(number)]


def test_what_is_sealed_is_opened_and_not_to_be_read():
    vault = FernetVault(keys(1))
    sealed = vault.seal(TOKEN)
    assert TOKEN.get_secret_value() not in sealed
    assert vault.open(sealed) == TOKEN
    assert vault.seal(TOKEN) != sealed
    assert len(sealed) <= 500


def test_the_newest_key_seals_and_the_old_ones_open():
    old, new = keys(2)
    sealed = FernetVault([old]).seal(TOKEN)
    both = FernetVault([new, old])
    assert both.open(sealed) == TOKEN
    rotated = both.rotate(sealed)
    assert FernetVault([new]).open(rotated) == TOKEN
    with pytest.raises(SealBrokenError):
        FernetVault([old]).open(rotated)
    with pytest.raises(SealBrokenError):
        FernetVault([new]).open(sealed)
    with pytest.raises(SealBrokenError):
        FernetVault([new]).rotate(sealed)


@pytest.mark.parametrize("change", ["", "not a token", "é", "\ud800"])
def test_what_was_tampered_with_is_not_opened(change: str):
    with pytest.raises(SealBrokenError):
        FernetVault(keys(1)).open(change)
    vault = FernetVault(keys(1))
    sealed = vault.seal(TOKEN)
    with pytest.raises(SealBrokenError):
        vault.open(sealed[:20] + ("A" if sealed[20] != "A" else "B") + sealed[21:])


@pytest.mark.parametrize(
    "bad", ["", "short", "not-base64-!!!", "8Jq1xW0pZ3vN8sKd5RtYbMc2Lf6Hg4Tz9Ua7EoPi"]
)
def test_a_bad_key_is_refused_by_its_name_and_never_shown(bad: str):
    with pytest.raises(RefusedError, match="TOKEN_KEYS") as refused:
        FernetVault([SecretStr(bad)])
    assert not bad or bad not in str(refused.value)
    with pytest.raises(RefusedError, match="TOKEN_KEYS"):
        FernetVault([])


def test_keys_are_split_newest_first():
    first, second = new_key(), new_key()
    found = split_keys(SecretStr(f" {first} ,, {second},"))
    assert [key.get_secret_value() for key in found] == [first, second]


def test_hashes_differ_by_purpose_key_and_salt():
    one = KeyedDigest(SecretStr("a" * 32), SecretStr("salt"))
    assert one.of("login", "x") == KeyedDigest(SecretStr("a" * 32), SecretStr("salt")).of(
        "login", "x"
    )
    others = {
        one.of("login", "x"),
        one.of("key", "x"),
        one.of("login", "y"),
        one.of("log", "inx"),
        KeyedDigest(SecretStr("b" * 32), SecretStr("salt")).of("login", "x"),
        KeyedDigest(SecretStr("a" * 32), SecretStr("other")).of("login", "x"),
    }
    assert len(others) == 6
    assert all(len(each) == 64 for each in others)


def test_a_key_file_is_made_once_and_for_its_owner_alone(tmp_path: Path):
    file = tmp_path / "home" / "token.key"
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda _: made_once(file, new_key).get_secret_value(), range(32)))
    assert set(made) == {file.read_text()}
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [path.name for path in file.parent.iterdir()] == ["token.key"]
    assert FernetVault([made_once(file, new_key)]).seal(TOKEN)


def test_a_key_file_that_others_can_read_is_refused(tmp_path: Path):
    file = tmp_path / "token.key"
    made_once(file, new_key)
    file.chmod(0o644)
    with pytest.raises(RefusedError, match="chmod 600"):
        made_once(file, new_key)


def test_a_key_file_that_cannot_be_made_is_one_line(tmp_path: Path):
    (tmp_path / "home").write_text("a file")
    with pytest.raises(RefusedError, match="YUDAI_HOME"):
        made_once(tmp_path / "home" / "token.key", new_key)
