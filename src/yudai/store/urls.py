"""Parses database URLs, and shows them without secrets."""

from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

if TYPE_CHECKING:
    from sqlalchemy import URL

SQLITE = "sqlite+aiosqlite"
POSTGRESQL = "postgresql+psycopg"
_DRIVERS = {
    "sqlite": SQLITE,
    SQLITE: SQLITE,
    "postgres": POSTGRESQL,
    "postgresql": POSTGRESQL,
    POSTGRESQL: POSTGRESQL,
}


def normalise(url: str) -> str:
    """The URL with our driver; ValueError if it is unsupported.

    The error never repeats the URL, which may contain a password.
    """
    scheme, _, rest = url.partition("://")
    driver = _DRIVERS.get(scheme)
    if driver is None:
        raise ValueError(
            "use sqlite:///path/to/file or postgresql://user:password@host:5432/database"
        )
    if driver == SQLITE and rest in ("", "/", "/:memory:"):
        raise ValueError("name a file: sqlite:///path/to/file")
    return _with_login(_parse(f"{driver}://{rest}")).render_as_string(hide_password=False)


def sqlite_url(file: Path) -> str:
    return f"{SQLITE}:///{quote(str(file))}"


def postgresql_url(
    database: str, *, user: str | None, password: str | None, host: str, port: int
) -> str:
    """A host that starts with a slash is the folder of a Unix socket."""
    secret = "" if password is None else f":{quote(password, safe='')}"
    login = f"{quote(user or '', safe='')}{secret}@" if user or secret else ""
    name = quote(database, safe="")
    if host.startswith("/"):
        return f"{POSTGRESQL}://{login}/{name}?host={quote(host, safe='')}&port={port}"
    address = f"[{host}]" if ":" in host else host
    return f"{POSTGRESQL}://{login}{address}:{port}/{name}"


def show(url: "URL") -> str:
    """The URL for display, without password and parameters, which may contain secrets."""
    if url.get_backend_name() == "sqlite":
        return url.database or ""
    host = url.host or url.query.get("host", "")
    port = f":{url.port}" if url.port else ""
    return f"postgresql://{url.username or ''}@{host}{port}/{url.database or ''}"


def _with_login(url: "URL") -> "URL":
    """Move a password from the parameters to where SQLAlchemy hides it."""
    password = url.query.get("password")
    if not isinstance(password, str):
        return url
    user = url.username or url.query.get("user", "")
    return url.difference_update_query(["user", "password"]).set(
        username=str(user), password=password
    )


def _parse(url: str) -> "URL":
    # Only for those who name a database: SQLAlchemy costs start-up time.
    from sqlalchemy.engine import make_url  # noqa: PLC0415 - see above
    from sqlalchemy.exc import ArgumentError  # noqa: PLC0415 - see above

    try:
        parts = make_url(url)
    except (ArgumentError, ValueError):
        parts = None
    if parts is None or "@" in (parts.host or ""):
        raise ValueError(
            "it cannot be read: write special characters of user and password as %XX (@ is %40)"
        )
    return parts
