"""One forge: its address, client and credentials."""

from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import quote

from yudai.forge.adapters.github.apps import Apps
from yudai.forge.adapters.github.client import Client
from yudai.forge.adapters.github.messages import Identity
from yudai.forge.adapters.github.retry import Sleep
from yudai.forge.domain.repository import RepoRef, repo_ref
from yudai.forge.ports.remote import Credential
from yudai.kit.errors import RefusedError


@dataclass(frozen=True)
class Place:
    url: str
    client: Client
    apps: Apps
    sleep: Sleep

    def path(self, repo: RepoRef, rest: str = "") -> str:
        """Path of the repository in the API."""
        if repo.forge != self.url:
            raise RefusedError(f"only repositories at {self.url} are supported, not this one")
        checked = repo_ref(self.url, repo.owner, repo.name)
        return f"/repos/{quote(checked.owner)}/{quote(checked.name)}{rest}"

    def identity(self, by: Credential, repo: RepoRef | None = None) -> Identity:
        return self.apps.identity(by, owner=repo.owner if repo else "")

    def address(self, address_in_response: str, otherwise: str = "") -> str:
        """The web address in a response, if it is at the forge itself."""
        return address_in_response if address_in_response.startswith(f"{self.url}/") else otherwise


def moment(at: float) -> str:
    """Time in the API's format: whole seconds, rounded down so that nothing is missed."""
    return datetime.fromtimestamp(int(max(0.0, at)), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
