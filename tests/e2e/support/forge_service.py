"""A service beside a fake GitHub: real processes, the real client, real git."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.e2e.support import small
from tests.e2e.support.service import SELDOM_S, Installation, Server, installed, until
from tests.support.servers.github_server import WEBHOOK_SECRET, GitHubServer, github_server

REPO = "octo/doubling"
TITLE, _, BODY = small.ISSUE.partition("\n")


@dataclass(frozen=True)
class ForgeHouse:
    github: GitHubServer
    house: Installation

    @property
    def server(self) -> Server:
        return self.house.server

    def solve_of(self, number: int) -> str:
        """The solve that an issue's trigger has opened."""

        def opened() -> str | None:
            found = self.server.get(f"/api/solves?repo={REPO}")["solves"]
            ids = [each["id"] for each in found if each["issue"].startswith(f"#{number} ")]
            return ids[0] if ids else None

        return until(opened, f"a solve of issue {number}", every_s=SELDOM_S)

    def publication(self, solve_id: str, *states: str) -> dict[str, Any]:
        """When it has come to one of these states."""

        def found() -> dict[str, Any] | None:
            answer = self.server.api.get(f"/api/solves/{solve_id}/publication")
            told = answer.json() if answer.status_code == 200 else {}
            return told if told.get("state") in states else None

        return until(found, f"publication {states} of {solve_id}", every_s=SELDOM_S)

    def wait_for_outcomes(self, solve_id: str, *kinds: str) -> None:
        until(
            lambda: self.outcomes(solve_id) == [*kinds],
            f"outcomes {kinds} of {solve_id}",
            every_s=SELDOM_S,
        )

    def outcomes(self, solve_id: str) -> list[str]:
        return [
            each["kind"] for each in self.server.get(f"/api/solves/{solve_id}/outcomes")["outcomes"]
        ]

    def ours(self, number: int) -> list[str]:
        """What the bot has said on an issue."""
        comments = self.github.items(repo=REPO)[number].comments
        return [each.body for each in comments if "yudai" in each.author.lower()]


@contextmanager
def forge_house(
    root: Path, url: str | None = None, *, serve: bool = True, **variables: str
) -> Generator[ForgeHouse]:
    """The App is installed; one scripted contestant is right."""
    with github_server(root / "github") as github:
        github.repository(REPO, files=small.FILES)
        key = root / "app.pem"
        key.write_text(github.app())
        app = github.state.world.app
        assert app is not None
        about = {
            "GITHUB_URL": github.url,
            "GITHUB_APP_ID": str(app.id),
            "GITHUB_APP_PRIVATE_KEY_PATH": str(key),
            "GITHUB_WEBHOOK_SECRET": WEBHOOK_SECRET,
            "GITHUB_MATRIX": "model=scripted/right temp=0 strategy=test-first edits=5",
            "GITHUB_POLL_SECONDS": "1",
            **variables,
        }
        with installed(root, url, **about) as house:
            small.right(house.arena)
            if serve:
                server = house.serve()
                github.webhooks(f"{server.said['url']}/api/webhooks/github")
            yield ForgeHouse(github, house)
