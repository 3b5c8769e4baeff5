"""Stores a person and their sealed token from a forge's grant."""

from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncSession

from yudai.accounts import queries as accounts
from yudai.accounts.tables import TokenRow, UserRow
from yudai.accounts.vault import Vault
from yudai.forge.domain.repository import Account
from yudai.forge.ports.login import Grant
from yudai.forge.ports.remote import Credential, CredentialKind, Repositories
from yudai.kit.clock import Clock
from yudai.kit.errors import ForbiddenError, RefusedError
from yudai.kit.value import Value
from yudai.store.store import Store


class Person(Value):
    """A user."""

    id: str
    login: str
    name: str = ""


@dataclass(frozen=True)
class Enroller:
    store: Store
    clock: Clock
    vault: Vault
    forge: Repositories
    only: frozenset[str] | None = None
    """Allowed logins in lower case; None: all."""

    async def account(self, grant: Grant) -> Account:
        """The account of a grant, read from the forge."""
        asking = Credential(kind=CredentialKind.USER, token=grant.access)
        account = await self.forge.whoami(by=asking)
        if account.is_bot:
            raise RefusedError("this is a bot's account: log in as a person")
        if self.only is not None and account.login.lower() not in self.only:
            raise ForbiddenError(f"{account.login} may not use this server")
        return account

    async def keep(self, db: AsyncSession, account: Account, grant: Grant) -> Person:
        """Store the person in the transaction that logs them in."""
        return await self._keep(db, account, grant, new_id=self.clock.new_id())

    async def keep_as(self, user_id: str, account: Account, grant: Grant) -> Person:
        """Store the token for the user of local mode, who is no account of a forge."""
        # Not by the account's number: it may belong to a user who logs in.
        unlinked = account.model_copy(update={"id": 0})
        async with self.store.change() as db:
            return await self._keep(db, unlinked, grant, new_id=user_id)

    async def _keep(
        self, db: AsyncSession, account: Account, grant: Grant, *, new_id: str
    ) -> Person:
        at = self.clock.now()
        row = await accounts.keep_user(db, account, forge=self.forge.url, new_id=new_id, at=at)
        await accounts.keep_token(db, sealed(self.vault, row.id, grant, at=at))
        return person_of(row)


def sealed(vault: Vault, user_id: str, grant: Grant, *, at: float) -> TokenRow:
    return TokenRow(
        user_id=user_id,
        access=vault.seal(grant.access),
        refresh="" if grant.refresh is None else vault.seal(grant.refresh),
        access_expires_at=_moment(at, grant.access_expires_in),
        refresh_expires_at=_moment(at, grant.refresh_expires_in),
        updated_at=at,
    )


def person_of(row: UserRow) -> Person:
    return Person.model_validate(row, from_attributes=True)


def _moment(now: float, after_s: float | None) -> float | None:
    return None if after_s is None else now + after_s
