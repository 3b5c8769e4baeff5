"""GitHub, or a GitHub Enterprise server, as a forge."""

import asyncio

from yudai.adapters.forges.github.apps import Apps
from yudai.adapters.forges.github.client import Client
from yudai.adapters.forges.github.configuration import BOUNDS, AppConfig, Bounds
from yudai.adapters.forges.github.history import GitHubHistory
from yudai.adapters.forges.github.issues import GitHubIssues
from yudai.adapters.forges.github.place import Place
from yudai.adapters.forges.github.pulls import GitHubPulls
from yudai.adapters.forges.github.repositories import GitHubRepositories
from yudai.adapters.forges.github.retrying import Sleep
from yudai.ports.clock import Clock


class GitHubForge(GitHubRepositories, GitHubIssues, GitHubPulls, GitHubHistory):
    def __init__(
        self,
        url: str,
        *,
        api_url: str,
        app: AppConfig | None,
        clock: Clock,
        sleep: Sleep = asyncio.sleep,
        bounds: Bounds = BOUNDS,
    ) -> None:
        self._client = Client(api_url, clock=clock, sleep=sleep, app=app, bounds=bounds)
        apps = Apps(self._client, app, clock=clock, url=url)
        super().__init__(Place(url=url, client=self._client, apps=apps, sleep=sleep))

    async def close(self) -> None:
        await self._client.close()
