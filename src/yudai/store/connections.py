"""Opens databases, and hides their differences."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from sqlalchemy import URL, Dialect, Engine, Insert, NullPool, Table, create_engine, make_url
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from yudai.kit.errors import RefusedError
from yudai.store import postgresql, sqlite, urls
from yudai.store.pool import Pool

if TYPE_CHECKING:
    from sqlalchemy.dialects.postgresql import dml as postgresql_dml
    from sqlalchemy.dialects.sqlite import dml as sqlite_dml


def make_engine(url: str, pool: Pool) -> AsyncEngine:
    """Engine for reads and for changes of state."""
    parts = make_url(url)
    engine = create_async_engine(parts, **_options(parts, pool), **_pooling(parts, pool))
    _set_up(engine.sync_engine, pool)
    return engine


def make_blocking_engine(url: str, pool: Pool) -> Engine:
    """Engine for the thread that writes messages."""
    parts = make_url(url)
    # PostgreSQL's driver is blocking or not by how it is opened; SQLite has two of them.
    if is_sqlite(parts.get_dialect()):
        parts = parts.set(drivername="sqlite")
    single = pool.model_copy(update={"size": 1, "overflow": 0})
    engine = create_engine(parts, **_options(parts, pool), **_pooling(parts, single))
    _set_up(engine, pool, lock_timeout_s=postgresql.LOCK_TIMEOUT_S)
    return engine


def make_migrating_engine(url: str) -> AsyncEngine:
    """For one transaction that may take its time."""
    parts, pool = make_url(url), Pool(statement_timeout_s=0, idle_timeout_s=0)
    pooling = {} if is_sqlite(parts.get_dialect()) else {"poolclass": NullPool}
    engine = create_async_engine(parts, **_options(parts, pool), **pooling)
    # SQLite changes a table by building a new one and dropping the old one.
    _set_up(engine.sync_engine, pool, foreign_keys=False)
    return engine


def _options(url: URL, pool: Pool) -> dict[str, Any]:
    # Parameters stay out of error messages: they are whole trajectories.
    own = sqlite.OPTIONS if is_sqlite(url.get_dialect()) else postgresql.options(url, pool)
    return {"hide_parameters": True, **own}


def _pooling(url: URL, pool: Pool) -> dict[str, Any]:
    return {} if is_sqlite(url.get_dialect()) else postgresql.pooling(pool)


def _set_up(
    engine: Engine, pool: Pool, *, lock_timeout_s: float = 0, foreign_keys: bool = True
) -> None:
    if is_sqlite(engine.dialect):
        sqlite.set_up(engine, foreign_keys=foreign_keys)
    else:
        postgresql.set_up(engine, pool, lock_timeout_s=lock_timeout_s)


def probe(engine: Engine) -> None:
    """Connect once, so that errors show at once. Switches SQLite to WAL."""
    if is_sqlite(engine.dialect):
        sqlite.switch_to_wal(engine)
        return
    with engine.connect() as connection:
        postgresql.refuse_encoding(connection)


def insert_new(table: Table, dialect: Dialect) -> Insert:
    """An INSERT that does nothing if the key exists."""
    return _insert(table, dialect).on_conflict_do_nothing()


def upsert(table: Table, dialect: Dialect) -> Insert:
    """An INSERT that replaces the row with the same primary key."""
    statement = _insert(table, dialect)
    keys = [column.name for column in table.primary_key]
    others = {name: new for name, new in statement.excluded.items() if name not in keys}
    return statement.on_conflict_do_update(index_elements=keys, set_=others)


def _insert(table: Table, dialect: Dialect) -> "sqlite_dml.Insert | postgresql_dml.Insert":
    # Only the dialect in use is loaded: each costs start-up time.
    if is_sqlite(dialect):
        from sqlalchemy.dialects.sqlite import insert  # noqa: PLC0415 - see above
    else:
        from sqlalchemy.dialects.postgresql import insert  # noqa: PLC0415 - see above
    return insert(table)


def is_sqlite(dialect: Dialect | type[Dialect]) -> bool:
    return dialect.name == "sqlite"


@contextmanager
def refusals(url: str) -> Generator[None]:
    """Turn an error into one line: the database, the cause, the remedy."""
    try:
        yield
    except DBAPIError as error:
        if postgresql.is_our_fault(error):
            raise
        parts = make_url(url)
        why = reason(error)
        hint = "" if is_sqlite(parts.get_dialect()) else f": {postgresql.remedy(why)}"
        message = f"cannot open the database {urls.show(parts)}: {why}{hint}"
        raise RefusedError(message) from error


def reason(error: Exception) -> str:
    """The driver's message in one line, without the statement that SQLAlchemy appends."""
    words = str(getattr(error, "orig", None) or error)
    return words.strip().partition("\n")[0]
