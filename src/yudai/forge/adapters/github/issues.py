"""Issues, their comments and their label events."""

from yudai.forge.adapters.github.client import read
from yudai.forge.adapters.github.context import Place, moment
from yudai.forge.adapters.github.messages import ApiRequest
from yudai.forge.adapters.github.responses import (
    Issue,
    IssueComment,
    IssueEvent,
    IssueSearch,
    account,
)
from yudai.forge.domain.repository import Comment, ForgeIssue, Labelling, RepoRef
from yudai.forge.ports.remote import Credential, IssueQuery, Page
from yudai.kit.errors import NotFoundError, RefusedError

# GitHub takes no more than 256 characters of words.
_MAX_WORDS = 20
_MAX_CHARACTERS = 200


def search_words(text: str) -> tuple[str, ...]:
    """Search words, each quoted so that qualifiers (`repo:`) and operators are only text."""
    words: list[str] = []
    room = _MAX_CHARACTERS
    for raw in text.split():
        word = "".join(char for char in raw if char.isprintable() and char not in '"\\')
        room -= len(word) + 3
        if room < 0 or len(words) == _MAX_WORDS:
            break
        if any(char.isalnum() for char in word):
            words.append(word)
    return tuple(words)


def search_query(repo: RepoRef, query: IssueQuery, words: tuple[str, ...]) -> str:
    label = query.label.replace('"', "").replace("\\", "")
    parts = [
        f"repo:{repo.full}",
        "is:issue",
        "state:open" if query.is_open else "state:closed",
        *([f'label:"{label}"'] if label else []),
        *([f"updated:>={moment(query.since)}"] if query.since is not None else []),
        *(f'"{word}"' for word in words),
    ]
    return " ".join(parts)


# So that a page of the longest texts GitHub takes is within our bounds.
_PER_PAGE = "50"
_MAX_PER_PAGE = 100
_MAX_TURNS = 50


class GitHubIssues:
    def __init__(self, place: Place) -> None:
        self._place = place

    async def issue(self, repo: RepoRef, number: int, *, by: Credential) -> ForgeIssue:
        ask = ApiRequest(self._place.path(repo, f"/issues/{number}"))
        found = await self._place.client.one(Issue, ask, by=self._place.identity(by, repo))
        return self._issue(repo, found)

    async def issues(self, repo: RepoRef, query: IssueQuery, *, by: Credential) -> Page:
        if words := search_words(query.words):
            return await self._search(repo, query, words, by=by)
        ask = ApiRequest(self._place.path(repo, "/issues"), params=_listing(query))
        by_whom = self._place.identity(by, repo)
        answer = await self._place.client.answer(ask, by=by_whom)
        return self._page(repo, read(list[Issue], ask, answer), has_more=bool(answer.next_url))

    async def comments(self, repo: RepoRef, number: int, *, by: Credential) -> tuple[Comment, ...]:
        path = self._place.path(repo, f"/issues/{number}/comments")
        ask = ApiRequest(path, params={"per_page": _PER_PAGE}, is_fresh=True)
        by_whom = self._place.identity(by, repo)
        found = {
            one.id: self._comment(one, number)
            for one in await self._place.client.every(IssueComment, ask, by=by_whom)
        }
        return tuple(sorted(found.values(), key=lambda one: (one.created_at, one.id)))

    async def comments_since(
        self, repo: RepoRef, since: float, *, by: Credential
    ) -> tuple[Comment, ...]:
        found: dict[int, Comment] = {}
        page, turns, has_more = 1, 0, True
        while has_more and turns < _MAX_TURNS:
            batch, has_more = await self._changed(repo, since, page, by=by)
            found.update({one.id: one for one in batch})
            # From the last one's time rather than by page numbers: a comment that is edited
            # meanwhile moves to the end, and the first of the next page into this one.
            latest = max((one.updated_at for one in batch), default=since)
            page = 1 if latest > since else page + 1
            since, turns = max(since, latest), turns + 1
        return tuple(sorted(found.values(), key=lambda one: (one.updated_at, one.id)))

    async def labellings(
        self, repo: RepoRef, number: int, *, by: Credential
    ) -> tuple[Labelling, ...]:
        path = self._place.path(repo, f"/issues/{number}/events")
        ask = ApiRequest(path, params={"per_page": "100"}, is_fresh=True)
        found = await self._place.client.every(IssueEvent, ask, by=self._place.identity(by, repo))
        found_values = [
            Labelling(id=one.id, label=one.label.name, by=account(one.actor), at=one.created_at)
            for one in found
            if one.event == "labeled" and one.label
        ]
        return tuple(sorted(found_values, key=lambda one: (one.at, one.id)))

    async def add_comment(
        self, repo: RepoRef, number: int, body: str, *, by: Credential
    ) -> Comment:
        path = self._place.path(repo, f"/issues/{number}/comments")
        ask = ApiRequest(path, method="POST", body={"body": body})
        made = await self._place.client.one(IssueComment, ask, by=self._place.identity(by, repo))
        return self._comment(made, number)

    async def edit_comment(
        self, repo: RepoRef, comment_id: int, body: str, *, by: Credential
    ) -> Comment:
        path = self._place.path(repo, f"/issues/comments/{comment_id}")
        ask = ApiRequest(path, method="PATCH", body={"body": body})
        made = await self._place.client.one(IssueComment, ask, by=self._place.identity(by, repo))
        return self._comment(made, made.issue_number)

    async def _search(
        self, repo: RepoRef, query: IssueQuery, words: tuple[str, ...], *, by: Credential
    ) -> Page:
        own = self._place.path(repo)
        params = {
            "q": search_query(repo, query, words),
            "sort": "updated",
            "order": "desc",
            **_numbering(query),
        }
        ask = ApiRequest("/search/issues", params=params)
        by_whom = self._place.identity(by, repo)
        try:
            answer = await self._place.client.answer(ask, by=by_whom)
        except NotFoundError:
            raise
        except RefusedError as error:
            if "cannot be searched" not in str(error):
                raise
            raise NotFoundError(f"there is no {repo.full}, or you may not see it") from None
        items = read(IssueSearch, ask, answer).items
        here = [one for one in items if _is_of(one, own)]
        return self._page(repo, here, has_more=bool(answer.next_url))

    async def _changed(
        self, repo: RepoRef, since: float, page: int, *, by: Credential
    ) -> tuple[list[Comment], bool]:
        params = {
            "since": moment(since),
            "sort": "updated",
            "direction": "asc",
            "per_page": _PER_PAGE,
            "page": str(page),
        }
        ask = ApiRequest(self._place.path(repo, "/issues/comments"), params=params, is_fresh=True)
        answer = await self._place.client.answer(ask, by=self._place.identity(by, repo))
        found = read(list[IssueComment], ask, answer)
        return [self._comment(one, one.issue_number) for one in found], bool(answer.next_url)

    def _page(self, repo: RepoRef, found: list[Issue], *, has_more: bool) -> Page:
        found_values = tuple(self._issue(repo, one) for one in found if one.pull_request is None)
        return Page(issues=found_values, has_more=has_more)

    def _issue(self, repo: RepoRef, issue: Issue) -> ForgeIssue:
        return ForgeIssue(
            number=issue.number,
            title=issue.title,
            body=issue.body,
            is_open=issue.state == "open",
            is_pull_request=issue.pull_request is not None,
            author=account(issue.user),
            labels=issue.label_names,
            comments=issue.comments,
            created_at=issue.created_at,
            updated_at=issue.updated_at,
            url=self._place.address(issue.html_url, repo.issue_url(issue.number)),
        )

    def _comment(self, comment: IssueComment, number: int) -> Comment:
        return Comment(
            id=comment.id,
            issue_number=number,
            author=account(comment.user),
            association=comment.association,
            body=comment.body,
            created_at=comment.created_at,
            updated_at=comment.updated_at,
            url=self._place.address(comment.html_url),
        )


def _numbering(query: IssueQuery) -> dict[str, str]:
    per_page = min(max(query.per_page, 1), _MAX_PER_PAGE)
    return {"page": str(max(query.page, 1)), "per_page": str(per_page)}


def _listing(query: IssueQuery) -> dict[str, str]:
    return {
        "state": "open" if query.is_open else "closed",
        "sort": "updated",
        "direction": "desc",
        **({"labels": query.label} if query.label else {}),
        **({"since": moment(query.since)} if query.since is not None else {}),
        **_numbering(query),
    }


def _is_of(issue: Issue, path: str) -> bool:
    found_values = issue.repository_url.lower()
    return not found_values or found_values.endswith(path.lower())
