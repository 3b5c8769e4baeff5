"""Views of the user, keys and logins for the API and the command line."""

from enum import StrEnum

from pydantic import Field

from yudai.accounts.api_keys import KeyView, Scope
from yudai.accounts.logins import LoginView
from yudai.kit.value import Value
from yudai.solves.domain.origin import PublishMode


class Mode(StrEnum):
    LOCAL = "local"
    GITHUB = "github"


class Me(Value):
    mode: Mode = Field(description="`local`: one person, no login.")
    needs_login: bool = Field(description="Whether other requests need a login first.")
    user_id: str | None
    login: str | None = Field(description="At the forge.")
    is_admin: bool
    scopes: tuple[Scope, ...] = Field(description="All scopes, unless the request uses a key.")
    forge_url: str
    publish: PublishMode = Field(description="The default for solves.")


class DeviceView(Value):
    done: bool
    wait_s: float = Field(description="Seconds until the next poll.")
    login: str | None = None
    key: str | None = Field(default=None, description="Shown only once.")


class KeyList(Value):
    keys: tuple[KeyView, ...]


class LoginList(Value):
    logins: tuple[LoginView, ...]
