"""Queries of users, their tokens, logins and keys."""

from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

from sqlalchemy import ColumnElement, Delete, Select, Table, delete, func, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from yudai.accounts.tables import KeyRow, LoginAttemptRow, LoginRow, TokenRow, UserRow
from yudai.conversations.tables import ConversationRow
from yudai.forge.domain.repository import Account
from yudai.kit.ids import ConversationId, RunId, SolveId
from yudai.runs.tables import RunRow
from yudai.solves.tables import SolveRow
from yudai.store.connections import is_sqlite, upsert
from yudai.store.database import LOCKS
from yudai.store.rows import insert_row

if TYPE_CHECKING:
    from sqlalchemy.engine import CursorResult

Lets = TypeVar("Lets", LoginRow, KeyRow, TokenRow)
Held = TypeVar("Held", TokenRow, LoginAttemptRow)
_TOKENS = cast("Table", TokenRow.__table__)


async def keep_user(
    db: AsyncSession, account: Account, *, forge: str, new_id: str, at: float
) -> UserRow:
    """Store a user by the forge's number: a login can be renamed and reused."""
    new = UserRow(
        id=new_id,
        forge=forge,
        forge_id=account.id,
        login=account.login,
        name=account.name,
        created_at=at,
        seen_at=at,
    )
    await insert_row(db, new)
    is_theirs = (UserRow.forge == forge, UserRow.forge_id == account.id)
    changed = {"login": account.login, "name": account.name, "seen_at": at}
    await db.execute(update(UserRow).where(*is_theirs).values(changed))
    return (await db.scalars(select(UserRow).where(*is_theirs))).one()


async def user(db: AsyncSession, user_id: str) -> UserRow | None:
    return await db.get(UserRow, user_id)


async def login_of(db: AsyncSession, user_id: str) -> str:
    """The user's login; "" for an unknown user."""
    found = await user(db, user_id)
    return "" if found is None else found.login


async def keep_token(db: AsyncSession, row: TokenRow) -> None:
    """Store the token, replacing an earlier one."""
    columns = {column.name: getattr(row, column.name) for column in _TOKENS.columns}
    await db.execute(upsert(_TOKENS, db.get_bind().dialect).values(columns))


async def token(db: AsyncSession, user_id: str) -> tuple[TokenRow, UserRow] | None:
    return await _with_user(db, TokenRow, TokenRow.user_id == user_id)


async def hold_token(db: AsyncSession, user_id: str) -> TokenRow | None:
    """Lock the token until the commit: a refresh token can be used only once."""
    return await _hold(db, select(TokenRow).where(TokenRow.user_id == user_id))


async def token_owners(db: AsyncSession) -> list[str]:
    return list(await db.scalars(select(TokenRow.user_id).order_by(TokenRow.user_id)))


async def drop_token(db: AsyncSession, user_id: str) -> bool:
    return await _drop(db, delete(TokenRow).where(TokenRow.user_id == user_id)) > 0


async def add_expiring(db: AsyncSession, row: LoginRow | LoginAttemptRow) -> None:
    """Add a login or a started one, and remove all expired ones of its kind."""
    kind = type(row)
    await db.execute(delete(kind).where(kind.expires_at <= row.created_at))
    db.add(row)
    await db.flush()


async def login(db: AsyncSession, hash_: str) -> tuple[LoginRow, UserRow] | None:
    return await _with_user(db, LoginRow, LoginRow.hash == hash_)


async def touch_login(db: AsyncSession, hash_: str, *, at: float) -> None:
    await db.execute(update(LoginRow).where(LoginRow.hash == hash_).values(seen_at=at))


async def logins_of(db: AsyncSession, user_id: str) -> list[LoginRow]:
    """Logins of a user, last seen first."""
    query = select(LoginRow).where(LoginRow.user_id == user_id)
    return list(await db.scalars(query.order_by(LoginRow.seen_at.desc(), LoginRow.hash)))


async def drop_login(db: AsyncSession, hash_: str) -> bool:
    return await _drop(db, delete(LoginRow).where(LoginRow.hash == hash_)) > 0


async def drop_logins(db: AsyncSession, user_id: str, *, starting: str = "") -> int:
    """Remove all logins of a user, or the one whose hash has this prefix."""
    which: list[ColumnElement[bool]] = [LoginRow.user_id == user_id]
    if starting:
        which.append(LoginRow.hash.startswith(starting, autoescape=True))
    return await _drop(db, delete(LoginRow).where(*which))


async def take_attempt(db: AsyncSession, hash_: str) -> LoginAttemptRow | None:
    """Take and remove it, so that it can be used only once."""
    taken = delete(LoginAttemptRow).where(LoginAttemptRow.hash == hash_).returning(LoginAttemptRow)
    return (await db.scalars(taken)).one_or_none()


async def hold_attempt(db: AsyncSession, hash_: str) -> LoginAttemptRow | None:
    return await _hold(db, select(LoginAttemptRow).where(LoginAttemptRow.hash == hash_))


async def _hold(db: AsyncSession, query: Select[Held]) -> Held | None:
    if not is_sqlite(db.get_bind().dialect):
        query = query.with_for_update()
    options = {LOCKS: True, "populate_existing": True}
    return (await db.scalars(query, execution_options=options)).one_or_none()


async def change_attempt(db: AsyncSession, hash_: str, **values: Any) -> None:
    await db.execute(update(LoginAttemptRow).where(LoginAttemptRow.hash == hash_).values(**values))


async def add_key(db: AsyncSession, row: KeyRow) -> None:
    db.add(row)
    await db.flush()


async def key(db: AsyncSession, key_id: str) -> tuple[KeyRow, UserRow] | None:
    return await _with_user(db, KeyRow, KeyRow.id == key_id)


async def touch_key(db: AsyncSession, key_id: str, *, at: float) -> None:
    await db.execute(update(KeyRow).where(KeyRow.id == key_id).values(used_at=at))


async def keys_of(db: AsyncSession, user_id: str) -> list[KeyRow]:
    """Keys of a user, newest first."""
    query = select(KeyRow).where(KeyRow.user_id == user_id)
    return list(await db.scalars(query.order_by(KeyRow.created_at.desc(), KeyRow.id)))


async def drop_key(db: AsyncSession, key_id: str, *, user_id: str) -> bool:
    mine = (KeyRow.id == key_id, KeyRow.user_id == user_id)
    return await _drop(db, delete(KeyRow).where(*mine)) > 0


async def _with_user(
    db: AsyncSession, kind: type[Lets], which: ColumnElement[bool]
) -> tuple[Lets, UserRow] | None:
    query = select(kind, UserRow).join(UserRow, UserRow.id == kind.user_id).where(which)
    found = (await db.execute(query)).one_or_none()
    return None if found is None else (found[0], found[1])


async def _drop(db: AsyncSession, statement: Delete) -> int:
    return cast("CursorResult[Any]", await db.execute(statement)).rowcount


async def user_id(db: AsyncSession, forge: str, account: Account) -> str | None:
    same = (UserRow.forge == forge) & (UserRow.forge_id == account.id)
    return await db.scalar(select(UserRow.id).where(same))


class Ownership(NamedTuple):
    owner_id: str
    repo_url: str
    """"" for a folder, the demo, or no repository."""


_OWNED = select(SolveRow.user_id, SolveRow.repo_url)


async def of_solve(db: AsyncSession, solve_id: SolveId) -> Ownership | None:
    return await _ownership(db, _OWNED.where(SolveRow.id == solve_id))


async def of_run(db: AsyncSession, run_id: RunId) -> Ownership | None:
    is_of = RunRow.solve_id == SolveRow.id
    return await _ownership(db, _OWNED.join(RunRow, is_of).where(RunRow.id == run_id))


async def _ownership(db: AsyncSession, query: Select[str, str]) -> Ownership | None:
    found = (await db.execute(query)).one_or_none()
    return None if found is None else Ownership(*found)


async def of_conversation(
    db: AsyncSession, conversation_id: ConversationId
) -> tuple[Ownership, str] | None:
    """A conversation's owner and repository, and its folder."""
    row = await db.get(ConversationRow, conversation_id)
    return None if row is None else (Ownership(row.user_id, row.repo_url), row.repo_path)


async def repo_urls(db: AsyncSession, *, limit: int) -> list[str]:
    """Repositories of all solves, last used first."""
    newest = func.max(SolveRow.created_at)
    query = select(SolveRow.repo_url).where(SolveRow.repo_url != "").group_by(SolveRow.repo_url)
    return list(await db.scalars(query.order_by(newest.desc()).limit(limit)))
