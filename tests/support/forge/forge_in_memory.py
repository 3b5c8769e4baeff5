"""A forge in memory, with faults to order: keeps the promises of `RemoteForge` without a server.

Who scripts it calls its plain methods (`add_issue`, `say`, `merge` ...); services call the port's:

    forge = MemoryForge()
    repo = forge.add_repository("ada/calc", roles={"ada": Role.ADMIN, "wim": Role.WRITE})
    number = forge.add_issue(repo, "It adds wrongly", by="rita")
    forge.add_label(repo, number, "yudai", by="wim")
    by = forge.credential("wim")
    forge.faults.after("open_pull")            # done, then LostAnswerError
    pull = await forge.open_pull(repo, new, by=by)
    forge.merge(repo, pull.number, by="ada")
    forge.revert(repo, pull.number, by="ada")
    assert forge.calls.count("open_pull") == 1
"""

import asyncio
import functools
import hashlib
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from pydantic import SecretStr

from yudai.forge.domain.repository import (
    Account,
    Association,
    Comment,
    ForgeCommit,
    ForgeIssue,
    Labelling,
    NewPull,
    PullRequest,
    PullState,
    RepoRef,
    Repository,
    Role,
    repo_ref,
)
from yudai.forge.ports.remote import Credential, CredentialKind, IssueQuery, Page
from yudai.kit.clock import Clock
from yudai.kit.errors import (
    ForbiddenError,
    ForgeError,
    LostAnswerError,
    NotFoundError,
    RefusedError,
    UnknownCallerError,
)

if TYPE_CHECKING:
    from types import CoroutineType

URL = "https://forge.test"
BOT = "yudai[bot]"
BOT_ID = 4242
START = 1_700_000_000.0

P = ParamSpec("P")
T = TypeVar("T")


class Faults:
    """`before`: it fails and nothing was done. `after`: it was done and the answer is lost."""

    def __init__(self) -> None:
        self._before: dict[str, list[BaseException]] = {}
        self._after: dict[str, list[BaseException]] = {}

    def before(self, name: str, *, times: int = 1, error: BaseException | None = None) -> None:
        fault = error or ForgeError(f"{name}: the forge does not answer, try again later")
        self._before.setdefault(name, []).extend([fault] * times)

    def after(self, name: str, *, times: int = 1, error: BaseException | None = None) -> None:
        fault = error or LostAnswerError(f"{name}: the answer was lost, look before asking again")
        self._after.setdefault(name, []).extend([fault] * times)

    def clear(self) -> None:
        self._before.clear()
        self._after.clear()

    def strike_before(self, name: str) -> None:
        if self._before.get(name):
            raise self._before[name].pop(0)

    def strike_after(self, name: str) -> None:
        if self._after.get(name):
            raise self._after[name].pop(0)


@dataclass
class MemoryRepository:
    ref: RepoRef
    default_branch: str = "main"
    is_private: bool = False
    is_archived: bool = False
    has_issues: bool = True
    roles: dict[str, Role] = field(default_factory=dict[str, Role])
    pushed_at: float = START
    last_number: int = 0
    issues: dict[int, ForgeIssue] = field(default_factory=dict[int, ForgeIssue])
    comments: dict[int, Comment] = field(default_factory=dict[int, Comment])
    labellings: dict[int, list[Labelling]] = field(default_factory=dict[int, list[Labelling]])
    pulls: dict[int, PullRequest] = field(default_factory=dict[int, PullRequest])
    branches: dict[str, list[ForgeCommit]] = field(default_factory=dict[str, list[ForgeCommit]])


def _faulty(
    act: Callable[Concatenate["MemoryForge", P], Awaitable[T]],
) -> Callable[Concatenate["MemoryForge", P], "CoroutineType[Any, Any, T]"]:
    name = act.__name__

    @functools.wraps(act)
    async def struck(self: "MemoryForge", *args: P.args, **kwargs: P.kwargs) -> T:
        self.calls.append(name)
        await asyncio.sleep(0)
        self.faults.strike_before(name)
        answer = await act(self, *args, **kwargs)
        self.faults.strike_after(name)
        return answer

    return struck


class MemoryForge:
    """`checks_heads`: a pull request needs its branch (`push`) as at the real forge."""

    def __init__(
        self, *, url: str = URL, clock: Clock | None = None, checks_heads: bool = False
    ) -> None:
        self.faults = Faults()
        self.calls: list[str] = []
        """Names of the port's methods, in the order they were called."""
        self.checks_heads = checks_heads
        self.is_closed = False
        self._url = url
        self._clock = clock
        self._ticks = 0
        self._last_id = 100
        self._people: dict[str, Account] = {}
        self._tokens: dict[str, str] = {}
        self._installed: set[str] = set()
        self._repositories: dict[str, MemoryRepository] = {}

    # Scripting: what people do there.

    def now(self) -> float:
        """The given clock's time, or one second later each time something happens."""
        return self._clock.now() if self._clock else START + self._ticks

    def person(self, login: str) -> Account:
        if login not in self._people:
            is_bot = login.endswith("[bot]")
            number = BOT_ID if login == BOT else self._new_id()
            self._people[login] = Account(id=number, login=login, is_bot=is_bot)
        return self._people[login]

    def credential(self, login: str, *, kind: CredentialKind = CredentialKind.USER) -> Credential:
        """A token of theirs that the forge takes; `let_in` makes it take another."""
        return self.let_in(login, f"token-of-{login}", kind=kind)

    def let_in(
        self, login: str, token: str, *, kind: CredentialKind = CredentialKind.USER
    ) -> Credential:
        self._tokens[token] = self.person(login).login
        return Credential(kind=kind, token=SecretStr(token), login=login)

    def shut_out(self, token: str) -> None:
        """It is not good any more."""
        self._tokens.pop(token, None)

    def add_repository(
        self, full: str, *, roles: Mapping[str, Role] | None = None, **changes: Any
    ) -> RepoRef:
        """`changes`: default_branch, is_private, is_archived, has_issues."""
        ref = repo_ref(self._url, *full.split("/", 1))
        held = MemoryRepository(ref=ref, roles=dict(roles or {}), pushed_at=self._tick(), **changes)
        self._repositories[full.lower()] = held
        for login in held.roles:
            self.person(login)
        self.push(ref, held.default_branch, "Begin")
        return ref

    def held(self, repo: RepoRef) -> MemoryRepository:
        """Everything about it, to look at or to change."""
        return self._repositories[repo.full.lower()]

    def give(self, repo: RepoRef, login: str, role: Role) -> None:
        self.held(repo).roles[self.person(login).login] = role

    def install(self, repo: RepoRef) -> None:
        """The App, there."""
        self._installed.add(repo.full.lower())

    def uninstall(self, repo: RepoRef) -> None:
        self._installed.discard(repo.full.lower())

    def add_issue(
        self,
        repo: RepoRef,
        title: str,
        *,
        body: str = "",
        by: str = "rita",
        labels: Iterable[str] = (),
    ) -> int:
        held = self.held(repo)
        number = self._next_number(held)
        at = self._tick()
        held.issues[number] = ForgeIssue(
            number=number,
            title=title,
            body=body,
            is_open=True,
            is_pull_request=False,
            author=self.person(by),
            created_at=at,
            updated_at=at,
            url=repo.issue_url(number),
        )
        for label in labels:
            self.add_label(repo, number, label, by=by)
        return number

    def change_issue(self, repo: RepoRef, number: int, **changes: Any) -> None:
        """`is_open`, `title`, `body` ..."""
        held = self.held(repo)
        changed = {**changes, "updated_at": self._tick()}
        held.issues[number] = held.issues[number].model_copy(update=changed)

    def add_label(self, repo: RepoRef, number: int, label: str, *, by: str) -> Labelling:
        labels = self.held(repo).issues[number].labels
        self.change_issue(repo, number, labels=(*dict.fromkeys((*labels, label)),))
        event = Labelling(id=self._new_id(), label=label, by=self.person(by), at=self.now())
        self.held(repo).labellings.setdefault(number, []).append(event)
        return event

    def remove_label(self, repo: RepoRef, number: int, label: str) -> None:
        labels = self.held(repo).issues[number].labels
        self.change_issue(repo, number, labels=tuple(one for one in labels if one != label))

    def say(self, repo: RepoRef, number: int, body: str, *, by: str) -> Comment:
        """A comment on an issue or pull request."""
        held = self.held(repo)
        at = self._tick()
        comment = Comment(
            id=self._new_id(),
            issue_number=number,
            author=self.person(by),
            association=self._association(held, by),
            body=body,
            created_at=at,
            updated_at=at,
            url=f"{repo.issue_url(number)}#issuecomment-{self._last_id}",
        )
        held.comments[comment.id] = comment
        if number in held.issues:
            count = held.issues[number].comments + 1
            self.change_issue(repo, number, comments=count)
        return comment

    def change_comment(self, repo: RepoRef, comment_id: int, body: str) -> Comment:
        held = self.held(repo)
        changes = {"body": body, "updated_at": self._tick()}
        held.comments[comment_id] = held.comments[comment_id].model_copy(update=changes)
        return held.comments[comment_id]

    def delete_comment(self, repo: RepoRef, comment_id: int) -> None:
        del self.held(repo).comments[comment_id]

    def push(self, repo: RepoRef, branch: str, message: str, *, sha: str = "") -> str:
        """One more commit on the branch, which is made from the default one where it is new."""
        held = self.held(repo)
        at = self._tick()
        made = sha or hashlib.sha1(f"{repo.full}{branch}{at}{self._ticks}".encode()).hexdigest()  # noqa: S324
        root = held.branches.get(held.default_branch, [])
        commits = held.branches.setdefault(branch, [*root])
        commits.append(ForgeCommit(sha=made, message=message, at=at, author="ada"))
        held.pushed_at = at
        return made

    def add_pull(self, repo: RepoRef, new: NewPull, *, by: str) -> PullRequest:
        """One that a person opens."""
        held = self.held(repo)
        owner, _, branch = new.head.rpartition(":")
        number = self._next_number(held)
        pull = PullRequest(
            number=number,
            url=f"{repo.url}/pull/{number}",
            title=new.title,
            body=new.body,
            state=PullState.OPEN,
            is_draft=new.draft,
            author=self.person(by),
            head_repo=f"{owner or repo.owner}/{repo.name}",
            head_branch=branch,
            head_commit=self._head(new, repo),
            base_branch=new.base,
            created_at=self._tick(),
        )
        held.pulls[number] = pull
        return pull

    def change_pull(self, repo: RepoRef, number: int, **changes: Any) -> PullRequest:
        held = self.held(repo)
        held.pulls[number] = held.pulls[number].model_copy(update=changes)
        return held.pulls[number]

    def merge(
        self, repo: RepoRef, number: int, *, by: str = "ada", message: str = ""
    ) -> PullRequest:
        """As a squash: one commit `title (#n)`, unless a message is given."""
        pull = self.held(repo).pulls[number]
        text = message or f"{pull.title} (#{number})"
        sha = self.push(repo, pull.base_branch, text)
        return self.change_pull(
            repo,
            number,
            state=PullState.MERGED,
            is_draft=False,
            merge_commit=sha,
            merged_by=self.person(by).login,
            merged_at=self.now(),
            closed_at=self.now(),
        )

    def close_pull(self, repo: RepoRef, number: int) -> PullRequest:
        return self.change_pull(
            repo, number, state=PullState.CLOSED, is_draft=False, closed_at=self._tick()
        )

    def revert(
        self, repo: RepoRef, number: int, *, by: str = "ada", merged: bool = True
    ) -> PullRequest:
        """By the forge's own button, which opens another pull request; merged unless said."""
        pull = self.held(repo).pulls[number]
        branch = f"revert-{number}-{pull.head_branch}"
        self.push(repo, branch, f'Revert "{pull.title}"')
        new = NewPull(
            title=f'Revert "{pull.title}"',
            body=f"Reverts {repo.full}#{number}",
            head=f"{repo.owner}:{branch}",
            base=pull.base_branch,
            draft=False,
        )
        made = self.add_pull(repo, new, by=by)
        if not merged:
            return made
        text = f"{new.title} (#{made.number})\n\nThis reverts commit {pull.merge_commit}."
        return self.merge(repo, made.number, by=by, message=text)

    # The port: Repositories.

    @property
    def url(self) -> str:
        return self._url

    @_faulty
    async def app_credential(self, repo: RepoRef) -> Credential | None:
        if repo.full.lower() not in self._installed:
            return None
        host = self._url.partition("://")[2]
        return Credential(
            kind=CredentialKind.APP,
            token=SecretStr(f"token-of-app-at-{repo.full.lower()}"),
            login=self.person(BOT).login,
            email=f"{BOT_ID}+{BOT}@users.noreply.{host}",
        )

    @_faulty
    async def whoami(self, *, by: Credential) -> Account:
        login = self._login(by)
        if not login:
            raise ForbiddenError("whoever has no token is nobody: log in")
        return self.person(login)

    @_faulty
    async def repository(self, repo: RepoRef, *, by: Credential) -> Repository:
        return self._shown(self._seen(repo, by), by)

    @_faulty
    async def repositories(self, *, by: Credential) -> tuple[Repository, ...]:
        login = self._login(by)
        if by.kind is CredentialKind.ANONYMOUS:
            raise ForbiddenError("whoever has no token has no repositories: log in")
        found = [
            self._shown(held, by)
            for held in self._repositories.values()
            if held.ref.full.lower() in self._installed
            or (by.kind is not CredentialKind.APP and login in held.roles)
        ]
        return tuple(sorted(found, key=lambda one: one.pushed_at or 0.0, reverse=True))

    @_faulty
    async def role(self, repo: RepoRef, login: str, *, by: Credential) -> Role:
        held = self._seen(repo, by)
        if login.lower() != self._login(by).lower():
            self._needs(held, by, Role.WRITE)
        return self._role(held, login) if login in self._people else Role.NONE

    # Issues.

    @_faulty
    async def issue(self, repo: RepoRef, number: int, *, by: Credential) -> ForgeIssue:
        held = self._seen(repo, by)
        if number in held.pulls:
            return self._as_issue(held.pulls[number])
        return self._one(held.issues, number, f"issue #{number}")

    @_faulty
    async def issues(self, repo: RepoRef, query: IssueQuery, *, by: Credential) -> Page:
        held = self._seen(repo, by)
        if not held.has_issues:
            raise RefusedError(f"{repo.full} has no issues: switch them on in its settings")
        found = [one for one in held.issues.values() if _matches(one, query)]
        found.sort(key=lambda one: (one.updated_at, one.number), reverse=True)
        first = (query.page - 1) * query.per_page
        page = found[first : first + query.per_page]
        return Page(issues=tuple(page), has_more=len(found) > first + query.per_page)

    @_faulty
    async def comments(self, repo: RepoRef, number: int, *, by: Credential) -> tuple[Comment, ...]:
        held = self._seen(repo, by)
        self._one({**held.issues, **held.pulls}, number, f"issue #{number}")
        found = [one for one in held.comments.values() if one.issue_number == number]
        return tuple(sorted(found, key=lambda one: (one.created_at, one.id)))

    @_faulty
    async def comments_since(
        self, repo: RepoRef, since: float, *, by: Credential
    ) -> tuple[Comment, ...]:
        held = self._seen(repo, by)
        found = [one for one in held.comments.values() if one.updated_at >= since]
        return tuple(sorted(found, key=lambda one: (one.updated_at, one.id)))

    @_faulty
    async def labellings(
        self, repo: RepoRef, number: int, *, by: Credential
    ) -> tuple[Labelling, ...]:
        held = self._seen(repo, by)
        self._one({**held.issues, **held.pulls}, number, f"issue #{number}")
        return tuple(held.labellings.get(number, ()))

    @_faulty
    async def add_comment(
        self, repo: RepoRef, number: int, body: str, *, by: Credential
    ) -> Comment:
        held = self._seen(repo, by)
        self._somebody(by)
        self._one({**held.issues, **held.pulls}, number, f"issue #{number}")
        return self.say(repo, number, body, by=self._login(by))

    @_faulty
    async def edit_comment(
        self, repo: RepoRef, comment_id: int, body: str, *, by: Credential
    ) -> Comment:
        held = self._seen(repo, by)
        comment = self._one(held.comments, comment_id, "comment")
        if comment.author.login != self._login(by):
            self._needs(held, by, Role.WRITE)
        return self.change_comment(repo, comment_id, body)

    # Pulls.

    @_faulty
    async def pull(self, repo: RepoRef, number: int, *, by: Credential) -> PullRequest:
        return self._one(self._seen(repo, by).pulls, number, f"pull request #{number}")

    @_faulty
    async def pulls_of(
        self, repo: RepoRef, head: str, base: str, *, by: Credential
    ) -> tuple[PullRequest, ...]:
        return tuple(
            pull
            for pull in self._seen(repo, by).pulls.values()
            if (f"{pull.head_repo.split('/')[0]}:{pull.head_branch}", pull.base_branch)
            == (head, base)
        )

    @_faulty
    async def open_pull(self, repo: RepoRef, new: NewPull, *, by: Credential) -> PullRequest:
        held = self._seen(repo, by)
        self._somebody(by)
        if self.checks_heads and not self._head(new, repo):
            raise RefusedError("the forge refuses: head is invalid")
        if any(
            pull.state is PullState.OPEN
            and f"{pull.head_repo.split('/')[0]}:{pull.head_branch}" == new.head
            and pull.base_branch == new.base
            for pull in held.pulls.values()
        ):
            raise RefusedError(f"the forge refuses: A pull request already exists for {new.head}.")
        return self.add_pull(repo, new, by=self._login(by))

    @_faulty
    async def fork(self, repo: RepoRef, *, by: Credential) -> RepoRef:
        held = self._seen(repo, by)
        self._somebody(by)
        if by.kind is CredentialKind.APP:
            raise ForbiddenError("an App cannot fork: log in")
        login = self._login(by)
        full = f"{login}/{repo.name}"
        if full.lower() not in self._repositories:
            roles = {login: Role.ADMIN}
            self.add_repository(full, roles=roles, default_branch=held.default_branch)
        return self._repositories[full.lower()].ref

    # History.

    @_faulty
    async def commits(
        self, repo: RepoRef, branch: str, *, since: float, by: Credential
    ) -> tuple[ForgeCommit, ...]:
        commits = self._one(self._seen(repo, by).branches, branch, f"branch {branch}")
        return tuple(one for one in commits if one.at >= since)

    @_faulty
    async def merged_since(
        self, repo: RepoRef, base: str, since: float, *, by: Credential
    ) -> tuple[PullRequest, ...]:
        found = [
            (pull.merged_at, pull.number, pull)
            for pull in self._seen(repo, by).pulls.values()
            if pull.base_branch == base and pull.merged_at is not None and pull.merged_at >= since
        ]
        return tuple(pull for _, _, pull in sorted(found, key=lambda one: one[:2]))

    async def close(self) -> None:
        self.is_closed = True

    # Who may what.

    def _login(self, by: Credential) -> str:
        if by.kind is CredentialKind.ANONYMOUS:
            return ""
        if by.kind is CredentialKind.APP:
            return BOT
        login = self._tokens.get(by.token.get_secret_value())
        if login is None:
            raise UnknownCallerError(f"the forge does not take the {by.kind} token: give another")
        return login

    def _role(self, held: MemoryRepository, login: str) -> Role:
        return held.roles.get(login, Role.NONE if held.is_private else Role.READ)

    def _role_by(self, held: MemoryRepository, by: Credential) -> Role:
        if by.kind is not CredentialKind.APP:
            return self._role(held, self._login(by))
        full = held.ref.full.lower()
        is_here = by.token.get_secret_value() == f"token-of-app-at-{full}"
        is_good = is_here and full in self._installed
        return Role.WRITE if is_good else Role.NONE if held.is_private else Role.READ

    def _seen(self, repo: RepoRef, by: Credential) -> MemoryRepository:
        held = self._repositories.get(repo.full.lower())
        if held is None or self._role_by(held, by) is Role.NONE:
            raise NotFoundError(f"there is no {repo.full}, or you may not see it")
        return held

    def _needs(self, held: MemoryRepository, by: Credential, role: Role) -> None:
        if not self._role_by(held, by).allows(role):
            raise ForbiddenError(f"this needs the role {role} in {held.ref.full}")

    def _somebody(self, by: Credential) -> None:
        if not self._login(by):
            raise ForbiddenError("this needs a token: log in")

    def _shown(self, held: MemoryRepository, by: Credential) -> Repository:
        return Repository(
            ref=held.ref,
            default_branch=held.default_branch,
            is_private=held.is_private,
            is_archived=held.is_archived,
            role=self._role_by(held, by),
            open_issues=sum(one.is_open for one in held.issues.values()),
            pushed_at=held.pushed_at,
        )

    # Small parts.

    def _tick(self) -> float:
        self._ticks += 1
        return self.now()

    def _new_id(self) -> int:
        self._last_id += 1
        return self._last_id

    @staticmethod
    def _next_number(held: MemoryRepository) -> int:
        held.last_number += 1
        return held.last_number

    @staticmethod
    def _one(things: Mapping[Any, T], key: int | str, name: str) -> T:
        if key not in things:
            raise NotFoundError(f"there is no {name}")
        return things[key]

    @staticmethod
    def _association(held: MemoryRepository, login: str) -> Association:
        if login == held.ref.owner:
            return Association.OWNER
        role = held.roles.get(login, Role.NONE)
        return Association.COLLABORATOR if role.allows(Role.TRIAGE) else Association.OTHER

    def _head(self, new: NewPull, repo: RepoRef) -> str:
        """The head's commit; of a branch that nobody pushed one by its name, or none."""
        owner, _, branch = new.head.rpartition(":")
        held = self._repositories.get(f"{owner or repo.owner}/{repo.name}".lower())
        commits = held.branches.get(branch) if held else None
        if commits:
            return commits[-1].sha
        return "" if self.checks_heads else hashlib.sha1(new.head.encode()).hexdigest()  # noqa: S324

    @staticmethod
    def _as_issue(pull: PullRequest) -> ForgeIssue:
        return ForgeIssue(
            number=pull.number,
            title=pull.title,
            body=pull.body,
            is_open=pull.state is PullState.OPEN,
            is_pull_request=True,
            author=pull.author,
            created_at=pull.created_at,
            updated_at=pull.closed_at or pull.created_at,
            url=pull.url,
        )


def _matches(issue: ForgeIssue, query: IssueQuery) -> bool:
    text = f"{issue.title} {issue.body}".lower()
    return (
        issue.is_open == query.is_open
        and (not query.label or query.label in issue.labels)
        and (query.since is None or issue.updated_at >= query.since)
        and all(word in text for word in query.words.lower().split())
    )
