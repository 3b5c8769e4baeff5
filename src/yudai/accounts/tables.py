"""Tables of users, their tokens, logins and API keys."""

from sqlalchemy import BigInteger, Double, ForeignKey, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from yudai.store.columns import CleanText, ValueJson
from yudai.store.rows import Base, Id, Names, Url


class UserRow(Base, kw_only=True):
    __tablename__ = "users"
    __table_args__ = (UniqueConstraint("forge", "forge_id"),)

    id: Mapped[str] = mapped_column(Id, primary_key=True)
    forge: Mapped[str] = mapped_column(Url)
    forge_id: Mapped[int] = mapped_column(BigInteger)
    login: Mapped[str] = mapped_column(CleanText)
    name: Mapped[str] = mapped_column(CleanText, default="")
    created_at: Mapped[float] = mapped_column(Double)
    seen_at: Mapped[float] = mapped_column(Double)


class TokenRow(Base, kw_only=True):
    """A user's token at the forge, encrypted."""

    __tablename__ = "tokens"

    user_id: Mapped[str] = mapped_column(
        Id, ForeignKey("users.id", ondelete="CASCADE"), primary_key=True
    )
    access: Mapped[str] = mapped_column(Text)
    refresh: Mapped[str] = mapped_column(Text, default="")
    access_expires_at: Mapped[float | None] = mapped_column(Double, default=None)
    refresh_expires_at: Mapped[float | None] = mapped_column(Double, default=None)
    updated_at: Mapped[float] = mapped_column(Double)


class LoginRow(Base, kw_only=True):
    """A browser that is signed in: its cookie's hash, never the cookie."""

    __tablename__ = "logins"

    hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    user_id: Mapped[str] = mapped_column(Id, ForeignKey("users.id", ondelete="CASCADE"), index=True)
    agent: Mapped[str] = mapped_column(CleanText, default="")
    created_at: Mapped[float] = mapped_column(Double)
    seen_at: Mapped[float] = mapped_column(Double)
    expires_at: Mapped[float] = mapped_column(Double, index=True)


class LoginAttemptRow(Base, kw_only=True):
    """A started login: used once, or expired after minutes."""

    __tablename__ = "login_attempts"

    hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    """Hash of the ticket that the browser or the command line has."""
    state_hash: Mapped[str] = mapped_column(String(64), default="")
    secret: Mapped[str] = mapped_column(Text)
    """PKCE's verifier or the device's code, encrypted."""
    return_to: Mapped[str] = mapped_column(CleanText, default="")
    next_at: Mapped[float] = mapped_column(Double, default=0.0)
    """When the forge may next be asked about a device login."""
    created_at: Mapped[float] = mapped_column(Double)
    expires_at: Mapped[float] = mapped_column(Double, index=True)


class KeyRow(Base, kw_only=True):
    """A key for programs: its hash, its scopes; the key itself was shown once."""

    __tablename__ = "api_keys"

    id: Mapped[str] = mapped_column(Id, primary_key=True)
    user_id: Mapped[str] = mapped_column(Id, ForeignKey("users.id", ondelete="CASCADE"), index=True)
    hash: Mapped[str] = mapped_column(String(64))
    name: Mapped[str] = mapped_column(CleanText)
    scopes: Mapped[Names] = mapped_column(ValueJson(Names), default=())
    created_at: Mapped[float] = mapped_column(Double)
    expires_at: Mapped[float | None] = mapped_column(Double, default=None)
    used_at: Mapped[float | None] = mapped_column(Double, default=None)
