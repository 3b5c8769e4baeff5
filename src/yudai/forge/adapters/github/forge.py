"""GitHub, or a GitHub Enterprise server, as a forge."""

import asyncio

from yudai.forge.adapters.github.apps import Apps
from yudai.forge.adapters.github.client import Client
from yudai.forge.adapters.github.configuration import BOUNDS, AppConfig, Bounds
from yudai.forge.adapters.github.context import Place
from yudai.forge.adapters.github.issues import GitHubIssues
from yudai.forge.adapters.github.pulls import GitHubPulls
from yudai.forge.adapters.github.repositories import GitHubRepositories
from yudai.forge.adapters.github.retry import Sleep
from yudai.kit.clock import Clock


class GitHubForge(GitHubRepositories, GitHubIssues, GitHubPulls):
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
