"""What came onto a branch since."""

from yudai.forge.adapters.github.context import Place, moment
from yudai.forge.adapters.github.messages import Ask
from yudai.forge.adapters.github.pulls import told
from yudai.forge.adapters.github.responses import Commit, Pull
from yudai.forge.domain.repository import ForgeCommit, PullRequest, RepoRef
from yudai.forge.ports.remote import Credential


class GitHubHistory:
    def __init__(self, place: Place) -> None:
        self._place = place

    async def commits(
        self, repo: RepoRef, branch: str, *, since: float, by: Credential
    ) -> tuple[ForgeCommit, ...]:
        params = {"sha": branch, "since": moment(since), "per_page": "100"}
        ask = Ask(self._place.path(repo, "/commits"), params=params)
        found = await self._place.client.every(Commit, ask, by=self._place.identity(by, repo))
        unique = {one.sha: _commit(one) for one in reversed(found)}
        return tuple(unique.values())

    async def merged_since(
        self, repo: RepoRef, base: str, since: float, *, by: Credential
    ) -> tuple[PullRequest, ...]:
        params = {
            "state": "closed",
            "base": base,
            "sort": "updated",
            "direction": "desc",
            "per_page": "50",
        }
        ask = Ask(self._place.path(repo, "/pulls"), params=params)
        found: dict[int, PullRequest] = {}
        async for page in self._place.client.pages(
            list[Pull], ask, by=self._place.identity(by, repo)
        ):
            found.update({one.number: told(self._place, repo, one) for one in page})
            # Whatever was merged since was changed since.
            if any(one.updated_at < since for one in page):
                break
        merged = [
            (pull.merged_at, pull.number)
            for pull in found.values()
            if pull.merged_at is not None and pull.merged_at >= since and pull.base_branch == base
        ]
        return tuple(found[number] for _, number in sorted(merged))


def _commit(commit: Commit) -> ForgeCommit:
    committer = commit.commit.committer
    return ForgeCommit(
        sha=commit.sha,
        message=commit.commit.message,
        at=(committer.date if committer else None) or 0.0,
        author=commit.author_name,
    )
