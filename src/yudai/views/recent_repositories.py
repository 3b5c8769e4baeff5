"""Repositories and folders that solves were of before: what a person is likely to mean again."""

from typing import NamedTuple

from pydantic import Field

from yudai.kit.text import clean
from yudai.kit.value import Value
from yudai.store.store import Store
from yudai.views import solve_queries as pages
from yudai.views.solve_queries import Used

MAX_REPOS = 50
LOOKED_THROUGH = 1000


class RecentRepo(Value):
    repo: str
    repo_path: str
    """A folder of this machine, or empty."""
    repo_url: str
    solves: int = Field(description=f"Of the newest {LOOKED_THROUGH:,}.")
    last_used_at: float


class RepoList(Value):
    repos: tuple[RecentRepo, ...]
    """Newest first, at most 50."""


class _Spot(NamedTuple):
    path: str
    url: str


async def recent_repositories(store: Store, *, user_id: str) -> RepoList:
    """The demo and imported runs are of no place that a solve could be of again."""
    async with store.read() as db:
        used = await pages.used(db, user_id, limit=LOOKED_THROUGH)
    found: dict[_Spot, list[Used]] = {}
    for one in used:
        spot = _spot(one)
        if any(spot):
            found.setdefault(spot, []).append(one)
    newest_first = list(found.items())[:MAX_REPOS]
    return RepoList(repos=tuple(_recent(spot, uses) for spot, uses in newest_first))


def _spot(used: Used) -> _Spot:
    snapshot = used.snapshot
    path = "" if snapshot is None else str(snapshot.root / snapshot.folder)
    return _Spot(clean(path), used.repo_url)


def _recent(spot: _Spot, uses: list[Used]) -> RecentRepo:
    newest = uses[0]
    return RecentRepo(
        repo=newest.repo,
        repo_path=spot.path,
        repo_url=spot.url,
        solves=len(uses),
        last_used_at=newest.at,
    )
