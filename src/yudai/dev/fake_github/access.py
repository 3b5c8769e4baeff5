"""Callers, and what they may do in a repository."""

from dataclasses import dataclass

from yudai.dev.fake_github.errors import Refusal, not_found
from yudai.dev.fake_github.records import Repo, Token
from yudai.dev.fake_github.state import State, covers
from yudai.forge.domain.repository import Role

_NOT_BY_APP = "Resource not accessible by integration"


@dataclass(frozen=True)
class Caller:
    login: str = ""
    """The login; empty if not signed in."""
    token: Token | None = None
    is_app: bool = False
    """Signed in as the App itself, by its key."""

    @property
    def kind(self) -> str:
        return self.token.kind if self.token else ""


ANONYMOUS = Caller()


def caller_of(state: State, text: str) -> Caller:
    """By a token; 401 for one that is unknown or over."""
    token = state.world.tokens.get(text)
    if token is None or (token.expires_at is not None and token.expires_at <= state.now()):
        raise Refusal(401, "Bad credentials")
    return Caller(token.login, token)


def role_in(state: State, repo: Repo, login: str) -> Role:
    """What a person may do, whatever token they hold."""
    if login == repo.owner:
        return Role.ADMIN
    found = [repo.roles.get(login, Role.NONE)]
    owner = state.world.people.get(repo.owner)
    if not repo.private or (owner and login in owner.members):
        found.append(Role.READ)
    return max(found, key=list(Role).index)


def association(state: State, repo: Repo, login: str) -> str:
    owner = state.world.people.get(repo.owner)
    is_author = any(
        item.author == login and item.pull and item.pull.merge_sha for item in repo.items.values()
    )
    roles = {
        "OWNER": login == repo.owner,
        "MEMBER": owner is not None and login in owner.members,
        "COLLABORATOR": repo.roles.get(login, Role.NONE) != Role.NONE,
        "CONTRIBUTOR": is_author,
    }
    return next((name for name, holds in roles.items() if holds), "NONE")


def role_of(state: State, caller: Caller, repo: Repo) -> Role:
    public = Role.NONE if repo.private else Role.READ
    token = caller.token
    if token is None:
        return public
    if token.kind == "installation":
        if not _reaches(state, token, repo):
            return public
        return Role.WRITE if token.permissions.get("contents") == "write" else Role.READ
    if token.kind == "user" and state.installation_of(repo) is None:
        # Through an App, a person reaches only what the App reaches.
        return public
    return role_in(state, repo, token.login)


def seen(state: State, caller: Caller, full: str) -> Repo:
    """404 also for what is there and may not be seen."""
    repo = state.repo(full)
    if role_of(state, caller, repo) == Role.NONE:
        raise not_found()
    return repo


def require_read(state: State, caller: Caller, repo: Repo, permission: str) -> None:
    granted = _granted(state, caller, repo)
    if granted is not None and repo.private and permission not in granted:
        raise Refusal(403, _NOT_BY_APP)


def require(
    state: State, caller: Caller, repo: Repo, permission: str, role: Role = Role.READ
) -> None:
    """To change something: the person's role, and what the App was granted."""
    if not caller.login:
        raise Refusal(401, "Requires authentication")
    granted = _granted(state, caller, repo)
    if granted is not None and granted.get(permission) != "write":
        raise Refusal(403, _NOT_BY_APP)
    if caller.kind != "installation" and not role_of(state, caller, repo).allows(role):
        raise Refusal(403, f"Must have {role} access to Repository.")
    if repo.archived:
        raise Refusal(403, "Repository was archived so is read-only.")


def _granted(state: State, caller: Caller, repo: Repo) -> dict[str, str] | None:
    """None: a personal token may do all that its person may do."""
    token = caller.token
    if token is None or token.kind == "pat":
        return None
    if token.kind == "installation":
        return token.permissions if _reaches(state, token, repo) else {}
    installation = state.installation_of(repo)
    return installation.permissions if installation else {}


def _reaches(state: State, token: Token, repo: Repo) -> bool:
    installation = state.installation_of(repo)
    if installation is None or installation.id != token.installation:
        return False
    return covers(installation, repo) and (
        token.repositories is None or repo.full in token.repositories
    )
