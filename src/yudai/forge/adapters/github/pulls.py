"""Pull requests, forks, and the commits of a branch."""

from urllib.parse import quote

from yudai.forge.adapters.github.context import Place, moment
from yudai.forge.adapters.github.messages import ApiRequest
from yudai.forge.adapters.github.responses import Branch, Commit, Pull, Repo, account
from yudai.forge.domain.repository import (
    ForgeCommit,
    NewPull,
    PullRequest,
    PullState,
    RepoRef,
    repo_ref,
)
from yudai.forge.ports.remote import Credential
from yudai.kit.errors import ConflictError, ForgeError, NotFoundError, RefusedError

_PER_PAGE = "50"
_FORK_PAUSES_S = (1.0, 1.0, 2.0, 2.0, 4.0, 5.0, 5.0, 10.0, 10.0, 10.0, 10.0)


class GitHubPulls:
    def __init__(self, place: Place) -> None:
        self._place = place

    async def pull(self, repo: RepoRef, number: int, *, by: Credential) -> PullRequest:
        ask = ApiRequest(self._place.path(repo, f"/pulls/{number}"))
        found = await self._place.client.one(Pull, ask, by=self._place.identity(by, repo))
        return _pull_request(self._place, repo, found)

    async def pulls_of(
        self, repo: RepoRef, head: str, base: str, *, by: Credential
    ) -> tuple[PullRequest, ...]:
        params = {"state": "all", "head": head, "base": base, "per_page": _PER_PAGE}
        ask = ApiRequest(self._place.path(repo, "/pulls"), params=params, is_fresh=True)
        found = await self._place.client.every(Pull, ask, by=self._place.identity(by, repo))
        # A head that it does not understand is no filter to GitHub: it would give all there are.
        return tuple(
            _pull_request(self._place, repo, one) for one in found if _is_from(one, head, base)
        )

    async def open_pull(self, repo: RepoRef, new: NewPull, *, by: Credential) -> PullRequest:
        ask = ApiRequest(self._place.path(repo, "/pulls"), method="POST", body=new.model_dump())
        made = await self._place.client.one(Pull, ask, by=self._place.identity(by, repo))
        return _pull_request(self._place, repo, made)

    async def fork(self, repo: RepoRef, *, by: Credential) -> RepoRef:
        path = self._place.path(repo, "/forks")
        # Who has a copy is given that one.
        ask = ApiRequest(
            path, method="POST", body={"default_branch_only": True}, is_idempotent=True
        )
        by_whom = self._place.identity(by, repo)
        made = await self._place.client.one(Repo, ask, by=by_whom)
        if not made.fork or made.full_name.lower() == repo.full.lower():
            raise RefusedError(f"{made.full_name} is no copy of {repo.full}: fork it by hand")
        ref = repo_ref(self._place.url, *made.full_name.split("/", 1))
        branch = self._place.path(ref, f"/branches/{quote(made.default_branch, safe='')}")
        for pause in (*_FORK_PAUSES_S, None):
            if await self._is_there(ApiRequest(branch, is_fresh=True), ref, by=by):
                return ref
            if pause is not None:
                await self._place.sleep(pause)
        raise ForgeError(f"{ref.full} is not ready yet: try again later", retry_after_s=60.0)

    async def commits(
        self, repo: RepoRef, branch: str, *, since: float, by: Credential
    ) -> tuple[ForgeCommit, ...]:
        params = {"sha": branch, "since": moment(since), "per_page": "100"}
        ask = ApiRequest(self._place.path(repo, "/commits"), params=params)
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
        ask = ApiRequest(self._place.path(repo, "/pulls"), params=params)
        found: dict[int, PullRequest] = {}
        async for page in self._place.client.pages(
            list[Pull], ask, by=self._place.identity(by, repo)
        ):
            found.update({one.number: _pull_request(self._place, repo, one) for one in page})
            # Whatever was merged since was changed since.
            if any(one.updated_at < since for one in page):
                break
        merged = [
            (pull.merged_at, pull.number)
            for pull in found.values()
            if pull.merged_at is not None and pull.merged_at >= since and pull.base_branch == base
        ]
        return tuple(found[number] for _, number in sorted(merged))

    async def _is_there(self, ask: ApiRequest, ref: RepoRef, *, by: Credential) -> bool:
        try:
            await self._place.client.one(Branch, ask, by=self._place.identity(by, ref))
        except (NotFoundError, ConflictError):
            return False
        return True


def _pull_request(place: Place, repo: RepoRef, pull: Pull) -> PullRequest:
    is_merged = bool(pull.merged) or pull.merged_at is not None
    closed = PullState.MERGED if is_merged else PullState.CLOSED
    return PullRequest(
        number=pull.number,
        url=place.address(pull.html_url, f"{repo.url}/pull/{pull.number}"),
        title=pull.title,
        body=pull.body,
        state=PullState.OPEN if pull.state == "open" else closed,
        is_draft=bool(pull.draft),
        author=account(pull.user),
        head_repo=pull.head.repo.full_name if pull.head.repo else "",
        head_branch=pull.head.ref,
        head_commit=pull.head.sha,
        base_branch=pull.base.ref,
        # Before, this is a merge that GitHub has only tried.
        merge_commit=pull.merge_commit_sha if is_merged else "",
        merged_by=pull.merged_by.login if pull.merged_by else "",
        created_at=pull.created_at,
        merged_at=pull.merged_at,
        closed_at=pull.closed_at,
    )


def _is_from(pull: Pull, head: str, base: str) -> bool:
    owner, _, branch = head.partition(":")
    if pull.head.label:
        whose = pull.head.label.partition(":")[0]
    else:
        whose = pull.head.repo.full_name.partition("/")[0] if pull.head.repo else owner
    is_same = (pull.head.ref, pull.base.ref) == (branch, base)
    return is_same and whose.lower() == owner.lower()


def _commit(commit: Commit) -> ForgeCommit:
    committer = commit.commit.committer
    return ForgeCommit(
        sha=commit.sha,
        message=commit.commit.message,
        at=(committer.date if committer else None) or 0.0,
        author=commit.author_name,
    )
