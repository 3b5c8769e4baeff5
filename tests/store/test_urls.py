from pathlib import Path

import pytest
from sqlalchemy import make_url

from yudai.store.urls import normalise, postgresql_url, show, sqlite_url


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg"])
def test_every_name_of_postgresql_means_our_driver(scheme: str) -> None:
    assert normalise(f"{scheme}://u:p@h:1/d?sslmode=require") == (
        "postgresql+psycopg://u:p@h:1/d?sslmode=require"
    )


@pytest.mark.parametrize("scheme", ["sqlite", "sqlite+aiosqlite"])
def test_every_name_of_sqlite_means_our_driver(scheme: str) -> None:
    assert normalise(f"{scheme}:////home/me/y.db") == "sqlite+aiosqlite:////home/me/y.db"


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("", "use sqlite:///"),
        ("geheim", "use sqlite:///"),
        ("mysql://u:geheim@h/d", "use sqlite:///"),
        ("postgresql+asyncpg://u:geheim@h/d", "use sqlite:///"),
        ("sqlite://", "name a file"),
        ("sqlite:///", "name a file"),
        ("sqlite+aiosqlite:///:memory:", "name a file"),
        ("postgresql://u:geheim@h:port/d", "cannot be read"),
        ("postgresql://u:ge@heim@h/d", "cannot be read"),
        ("postgresql://u:ge@heim:5@h:5/d", "cannot be read"),
    ],
)
def test_what_is_not_supported_is_refused_without_repeating_it(url: str, words: str) -> None:
    with pytest.raises(ValueError, match=words) as refused:
        normalise(url)
    assert "heim" not in str(refused.value)
    assert refused.value.__cause__ is None


@pytest.mark.parametrize("host", ["localhost", "db.example", "::1", "/var/run/my socket"])
def test_parts_come_back_out_of_the_url(host: str) -> None:
    hostile = "p@ss:w/o?r#d %&=ä"
    url = make_url(
        normalise(postgresql_url("d/b", user="u@x", password=hostile, host=host, port=6))
    )
    assert (url.username, url.password, url.database) == ("u@x", hostile, "d/b")
    assert (url.host or url.query["host"]) == host
    assert (url.port or url.query["port"]) in (6, "6")


def test_user_and_password_may_be_left_out() -> None:
    url = make_url(postgresql_url("d", user=None, password=None, host="h", port=5432))
    assert (url.username, url.password, url.host) == (None, None, "h")
    url = make_url(postgresql_url("d", user=None, password="p", host="h", port=5432))  # noqa: S106 - of nobody
    assert (url.username, url.password, url.host) == ("", "p", "h")


@pytest.mark.parametrize("path", ["/home/me/y.db", "/a b/c?d#e%20f/ä.db"])
def test_a_path_comes_back_out_of_the_url(path: str) -> None:
    assert make_url(sqlite_url(Path(path))).database == path
    assert show(make_url(sqlite_url(Path(path)))) == path


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://me:geheim@h:6/d?sslpassword=geheim",
        "postgresql://h:6/d?user=me&password=geheim",
        "postgresql://me:geheim@/d?host=/run/x",
    ],
)
def test_a_place_is_shown_without_its_secrets(url: str) -> None:
    parts = make_url(normalise(url))
    assert "geheim" not in show(parts)
    assert show(parts).endswith(("h:6/d", "@/run/x/d"))
    assert "geheim" not in repr(parts.set(query={}))
    assert parts.password == "geheim"  # noqa: S105 - of nobody
