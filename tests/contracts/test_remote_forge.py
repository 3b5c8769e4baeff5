"""Every forge that is elsewhere keeps this: GitHub's adapter, and the one in memory."""

import time
from collections.abc import AsyncGenerator, Mapping
from pathlib import Path
from typing import Protocol

import pytest
from pydantic import SecretStr

from tests.support.fakes import StillClock
from tests.support.forge.forge_in_memory import MemoryForge
from tests.support.servers.github_server import GitHubServer, github_server
from yudai.forge.adapters.github.configuration import AppConfig
from yudai.forge.adapters.github.forge import GitHubForge
from yudai.forge.domain.repository import Association, NewPull, PullState, RepoRef, Role, repo_ref
from yudai.forge.ports.remote import ANONYMOUS, Credential, CredentialKind, IssueQuery, RemoteForge
from yudai.kit.errors import ForbiddenError, LostAnswerError, NotFoundError, RefusedError

ROLES = {"ada": Role.ADMIN, "bob": Role.WRITE, "carol": Role.READ}
FULL = "octo/calc"


class Ground(Protocol):
    """What people do at a forge, whichever it is."""

    @property
    def forge(self) -> RemoteForge: ...

    def repository(
        self, full: str = FULL, *, private: bool = False, roles: Mapping[str, Role] = ROLES
    ) -> RepoRef: ...

    def install(self, repo: RepoRef) -> None: ...
    def by(self, login: str) -> Credential: ...
    def issue(self, repo: RepoRef, title: str, *, by: str, body: str = "") -> int: ...
    def close_issue(self, repo: RepoRef, number: int) -> None: ...
    def label(self, repo: RepoRef, number: int, label: str, *, by: str) -> None: ...
    def unlabel(self, repo: RepoRef, number: int, label: str) -> None: ...
    def say(self, repo: RepoRef, number: int, body: str, *, by: str) -> int: ...
    def push(self, repo: RepoRef, branch: str, message: str) -> str: ...
    def merge(self, repo: RepoRef, number: int, *, by: str) -> None: ...
    def close_pull(self, repo: RepoRef, number: int) -> None: ...
    def revert(self, repo: RepoRef, number: int) -> int: ...
    def lose_next_answer(self, act: str) -> None: ...


class MemoryGround:
    def __init__(self) -> None:
        self.memory = MemoryForge(checks_heads=True)
        for login in ("ada", "bob", "carol", "mallory"):
            self.memory.person(login)

    @property
    def forge(self) -> RemoteForge:
        return self.memory

    def repository(
        self, full: str = FULL, *, private: bool = False, roles: Mapping[str, Role] = ROLES
    ) -> RepoRef:
        return self.memory.add_repository(full, is_private=private, roles=roles)

    def install(self, repo: RepoRef) -> None:
        self.memory.install(repo)

    def by(self, login: str) -> Credential:
        return self.memory.credential(login)

    def issue(self, repo: RepoRef, title: str, *, by: str, body: str = "") -> int:
        return self.memory.add_issue(repo, title, body=body, by=by)

    def close_issue(self, repo: RepoRef, number: int) -> None:
        self.memory.change_issue(repo, number, is_open=False)

    def label(self, repo: RepoRef, number: int, label: str, *, by: str) -> None:
        self.memory.add_label(repo, number, label, by=by)

    def unlabel(self, repo: RepoRef, number: int, label: str) -> None:
        self.memory.remove_label(repo, number, label)

    def say(self, repo: RepoRef, number: int, body: str, *, by: str) -> int:
        return self.memory.say(repo, number, body, by=by).id

    def push(self, repo: RepoRef, branch: str, message: str) -> str:
        return self.memory.push(repo, branch, message)

    def merge(self, repo: RepoRef, number: int, *, by: str) -> None:
        self.memory.merge(repo, number, by=by)

    def close_pull(self, repo: RepoRef, number: int) -> None:
        self.memory.close_pull(repo, number)

    def revert(self, repo: RepoRef, number: int) -> int:
        return self.memory.revert(repo, number).number

    def lose_next_answer(self, act: str) -> None:
        self.memory.faults.after(act)


class TickingClock(StillClock):
    """A second later each time, for a server that tells whole seconds."""

    def __init__(self) -> None:
        super().__init__()
        # An App's signature is made at the real time.
        self._now = float(int(time.time()))

    def now(self) -> float:
        self._now += 1
        return self._now


_PATHS = {"open_pull": r"/pulls$", "add_comment": r"/issues/\d+/comments$"}


class GitHubGround:
    def __init__(self, server: GitHubServer, forge: GitHubForge) -> None:
        self.server = server
        self.forge: RemoteForge = forge

    def repository(
        self, full: str = FULL, *, private: bool = False, roles: Mapping[str, Role] = ROLES
    ) -> RepoRef:
        made = self.server.repository(full, private=private, roles=roles)
        return repo_ref(self.server.url, made.owner, made.name)

    def install(self, repo: RepoRef) -> None:
        self.server.state.install(repo.owner, repositories=(repo.full,))

    def by(self, login: str) -> Credential:
        token = SecretStr(self.server.token(login))
        return Credential(kind=CredentialKind.USER, token=token, login=login)

    def issue(self, repo: RepoRef, title: str, *, by: str, body: str = "") -> int:
        return self.server.issue(title, body, repo=repo.full, by=by).number

    def close_issue(self, repo: RepoRef, number: int) -> None:
        self.server.close(number, repo=repo.full)

    def label(self, repo: RepoRef, number: int, label: str, *, by: str) -> None:
        self.server.label(number, label, by=by, repo=repo.full)

    def unlabel(self, repo: RepoRef, number: int, label: str) -> None:
        self.server.unlabel(number, label, repo=repo.full)

    def say(self, repo: RepoRef, number: int, body: str, *, by: str) -> int:
        return self.server.comment(number, body, by=by, repo=repo.full).id

    def push(self, repo: RepoRef, branch: str, message: str) -> str:
        return self.server.commit(
            {"src/ledger.py": f"# {message}\n"}, repo=repo.full, branch=branch, message=message
        )

    def merge(self, repo: RepoRef, number: int, *, by: str) -> None:
        self.server.merge(number, method="squash", by=by, repo=repo.full)

    def close_pull(self, repo: RepoRef, number: int) -> None:
        self.server.close(number, repo=repo.full)

    def revert(self, repo: RepoRef, number: int) -> int:
        return self.server.revert(number, repo=repo.full).number

    def lose_next_answer(self, act: str) -> None:
        self.server.fail(_PATHS[act], method="POST", after=True)


@pytest.fixture(params=["memory", "github"])
async def ground(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncGenerator[Ground]:
    if request.param == "memory":
        yield MemoryGround()
        return
    clock = TickingClock()
    with github_server(tmp_path, clock=clock) as server:
        key = server.app(account="mallory", repositories=())
        app = AppConfig(
            app_id=str(server.state.the_app().id), private_key=SecretStr(key), installation_id=None
        )
        forge = GitHubForge(server.url, api_url=server.api, app=app, clock=clock, sleep=_no_sleep)
        yield GitHubGround(server, forge)
        await forge.close()


async def _no_sleep(seconds: float) -> None:
    assert 0 <= seconds <= 60


async def test_a_known_person_is_who_they_are(ground: Ground) -> None:
    account = await ground.forge.whoami(by=ground.by("bob"))
    assert account.login == "bob"
    assert account.id > 0
    assert not account.is_bot


async def test_an_anonymous_caller_is_no_one(ground: Ground) -> None:
    with pytest.raises(ForbiddenError):
        await ground.forge.whoami(by=ANONYMOUS)
    with pytest.raises(ForbiddenError):
        await ground.forge.repositories(by=ANONYMOUS)


async def test_a_bad_token_is_reported_as_one(ground: Ground) -> None:
    repo = ground.repository()
    bad = Credential(kind=CredentialKind.SERVER, token=SecretStr("ghp_bad"))
    with pytest.raises(ForbiddenError) as caught:
        await ground.forge.repository(repo, by=bad)
    assert "ghp_bad" not in str(caught.value)


async def test_a_repository_says_what_its_asker_may_do(ground: Ground) -> None:
    repo = ground.repository()
    for login, role in [*ROLES.items(), ("mallory", Role.READ)]:
        found = await ground.forge.repository(repo, by=ground.by(login))
        assert (found.role, found.ref) == (role, repo)
    found = await ground.forge.repository(repo, by=ANONYMOUS)
    assert (found.role, found.default_branch, found.is_private) == (Role.READ, "main", False)


async def test_a_private_repository_is_not_there_for_others(ground: Ground) -> None:
    repo = ground.repository(private=True)
    assert (await ground.forge.repository(repo, by=ground.by("carol"))).is_private
    number = ground.issue(repo, "Secret", by="ada")
    for by in (ground.by("mallory"), ANONYMOUS):
        with pytest.raises(NotFoundError):
            await ground.forge.repository(repo, by=by)
        with pytest.raises(NotFoundError):
            await ground.forge.issue(repo, number, by=by)
        with pytest.raises(NotFoundError):
            await ground.forge.issues(repo, IssueQuery(words="Secret"), by=by)


async def test_names_are_found_however_they_are_written(ground: Ground) -> None:
    repo = ground.repository()
    other = repo_ref(repo.forge, "OCTO", "Calc")
    assert (await ground.forge.repository(other, by=ground.by("bob"))).ref == repo


async def test_repositories_of_someone_last_pushed_first(ground: Ground) -> None:
    first, second = ground.repository("octo/one"), ground.repository("octo/two")
    ground.repository("octo/three", roles={"ada": Role.ADMIN})
    ground.push(first, "main", "Later")
    found = await ground.forge.repositories(by=ground.by("bob"))
    assert [one.ref for one in found] == [first, second]
    assert {one.role for one in found} == {Role.WRITE}


async def test_what_others_may_do(ground: Ground) -> None:
    repo = ground.repository(private=True)
    by = ground.by("bob")
    expected = {**ROLES, "mallory": Role.NONE, "nobody-of-that-name": Role.NONE}
    for login, role in expected.items():
        assert await ground.forge.role(repo, login, by=by) == role
    public = ground.repository("octo/open")
    assert await ground.forge.role(public, "mallory", by=by) == Role.READ


async def test_readers_do_not_learn_what_others_may_do(ground: Ground) -> None:
    repo = ground.repository()
    with pytest.raises(ForbiddenError):
        await ground.forge.role(repo, "ada", by=ground.by("carol"))
    assert await ground.forge.role(repo, "carol", by=ground.by("carol")) == Role.READ


async def test_the_app_is_known_by_its_bot_where_it_is_installed(ground: Ground) -> None:
    repo, other = ground.repository(private=True), ground.repository("octo/other", private=True)
    assert await ground.forge.app_credential(repo) is None
    ground.install(repo)
    assert await ground.forge.app_credential(other) is None
    by = await ground.forge.app_credential(repo)
    assert by is not None
    assert by.kind == CredentialKind.APP
    assert by.login == "yudai[bot]"
    assert by.email.endswith("+yudai[bot]@users.noreply." + _host(ground.forge.url))
    assert by.email.partition("+")[0].isdecimal()
    assert (await ground.forge.repository(repo, by=by)).role == Role.WRITE
    with pytest.raises(NotFoundError):
        await ground.forge.repository(other, by=by)
    account = await ground.forge.whoami(by=by)
    assert (account.login, account.is_bot) == ("yudai[bot]", True)
    assert await ground.forge.role(repo, "carol", by=by) == Role.READ


async def test_the_app_s_repositories_are_those_where_it_is_installed(ground: Ground) -> None:
    one, two = ground.repository("octo/one"), ground.repository("ada/two", private=True)
    ground.repository("octo/other")
    ground.install(one)
    ground.install(two)
    by = Credential(kind=CredentialKind.APP)
    found = await ground.forge.repositories(by=by)
    assert sorted(each.ref.full for each in found) == [two.full, one.full]


async def test_an_issue_as_it_is(ground: Ground) -> None:
    repo = ground.repository()
    number = ground.issue(repo, "It <b>adds</b>\u202e wrongly", body="<!-- x -->", by="carol")
    ground.label(repo, number, "bug", by="bob")
    ground.say(repo, number, "Indeed", by="bob")
    issue = await ground.forge.issue(repo, number, by=ground.by("carol"))
    assert issue.title == "It <b>adds</b>\u202e wrongly"
    assert issue.body == "<!-- x -->"
    assert (issue.is_open, issue.is_pull_request) == (True, False)
    assert (issue.author.login, issue.labels, issue.comments) == ("carol", ("bug",), 1)
    assert issue.url == repo.issue_url(number)
    assert issue.updated_at > issue.created_at > 1_600_000_000
    with pytest.raises(NotFoundError):
        await ground.forge.issue(repo, 99, by=ground.by("carol"))


async def test_issues_are_found_by_label_state_time_and_words(ground: Ground) -> None:
    repo = ground.repository()
    by = ground.by("bob")
    numbers = [ground.issue(repo, f"Crash {n}", body="it fails", by="carol") for n in range(4)]
    ground.label(repo, numbers[1], "yudai", by="bob")
    ground.close_issue(repo, numbers[2])
    other = ground.issue(repo, "Typo", by="carol")
    ground.push(repo, "fix", "Fix it")
    await ground.forge.open_pull(repo, _new("octo:fix", title="Crash fixed"), by=by)

    async def found(**query: object) -> list[int]:
        page = await ground.forge.issues(repo, IssueQuery.model_validate(query), by=by)
        return [issue.number for issue in page.issues]

    assert await found() == [other, numbers[1], numbers[3], numbers[0]]
    assert await found(label="yudai") == [numbers[1]]
    assert await found(is_open=False) == [numbers[2]]
    assert await found(words="crash") == [numbers[1], numbers[3], numbers[0]]
    assert await found(words="repo:octo/other typo") == []
    changed = (await ground.forge.issue(repo, numbers[1], by=by)).updated_at
    assert await found(since=changed) == [other, numbers[1]]
    first = await ground.forge.issues(repo, IssueQuery(per_page=2), by=by)
    assert first.has_more
    rest = await ground.forge.issues(repo, IssueQuery(per_page=2, page=3), by=by)
    assert not rest.has_more


async def test_comments_oldest_first_with_who_wrote_them(ground: Ground) -> None:
    repo = ground.repository()
    number, other = ground.issue(repo, "One", by="carol"), ground.issue(repo, "Two", by="carol")
    ids = [ground.say(repo, number, f"say {n}", by="bob") for n in range(70)]
    ids.append(ground.say(repo, number, "me too", by="mallory"))
    last = ground.say(repo, other, "elsewhere", by="ada")
    by = ground.by("carol")
    found = await ground.forge.comments(repo, number, by=by)
    assert [one.id for one in found] == ids
    assert found[0].association is Association.COLLABORATOR
    assert not found[-1].association.is_trusted
    assert {one.issue_number for one in found} == {number}
    since = found[-1].updated_at
    changed = await ground.forge.comments_since(repo, since, by=by)
    assert [one.id for one in changed] == [ids[-1], last]
    assert changed[-1].issue_number == other
    assert len(await ground.forge.comments_since(repo, 0, by=by)) == 72
    with pytest.raises(NotFoundError):
        await ground.forge.comments(repo, 99, by=by)


async def test_a_comment_is_said_and_changed(ground: Ground) -> None:
    repo = ground.repository()
    number = ground.issue(repo, "One", by="carol")
    by = ground.by("bob")
    said = await ground.forge.add_comment(repo, number, "Working on it", by=by)
    changed = await ground.forge.edit_comment(repo, said.id, "Done", by=by)
    assert (changed.id, changed.body, changed.issue_number) == (said.id, "Done", number)
    found = await ground.forge.comments(repo, number, by=by)
    assert [(one.body, one.author.login) for one in found] == [("Done", "bob")]
    assert found[0].updated_at > found[0].created_at
    with pytest.raises(ForbiddenError):
        await ground.forge.edit_comment(repo, said.id, "Mine", by=ground.by("mallory"))
    with pytest.raises(NotFoundError):
        await ground.forge.edit_comment(repo, 999_999, "x", by=by)
    with pytest.raises(ForbiddenError):
        await ground.forge.add_comment(repo, number, "x", by=ANONYMOUS)


async def test_a_label_put_on_again_is_another_labelling(ground: Ground) -> None:
    repo = ground.repository()
    number = ground.issue(repo, "One", by="carol")
    ground.label(repo, number, "yudai", by="bob")
    ground.unlabel(repo, number, "yudai")
    ground.label(repo, number, "yudai", by="ada")
    found = await ground.forge.labellings(repo, number, by=ground.by("carol"))
    assert [(one.label, one.by.login) for one in found] == [("yudai", "bob"), ("yudai", "ada")]
    assert found[0].id != found[1].id
    assert found[0].at < found[1].at


async def test_a_pull_request_from_its_opening_to_its_revert(ground: Ground) -> None:
    repo = ground.repository()
    by = ground.by("bob")
    head = ground.push(repo, "yudai/issue-1", "Mend it")
    opened = await ground.forge.open_pull(repo, _new("octo:yudai/issue-1"), by=by)
    assert (opened.state, opened.is_draft, opened.merge_commit) == (PullState.OPEN, True, "")
    assert (opened.head_repo, opened.head_branch, opened.head_commit) == (
        repo.full,
        "yudai/issue-1",
        head,
    )
    assert opened.url == f"{repo.url}/pull/{opened.number}"
    assert (opened.author.login, opened.base_branch, opened.body) == ("bob", "main", "Body")
    assert (await ground.forge.issue(repo, opened.number, by=by)).is_pull_request
    ground.merge(repo, opened.number, by="ada")
    merged = await ground.forge.pull(repo, opened.number, by=by)
    assert (merged.state, merged.merged_by) == (PullState.MERGED, "ada")
    assert len(merged.merge_commit) == 40
    assert merged.merged_at is not None
    commits = await ground.forge.commits(repo, "main", since=merged.merged_at - 5, by=by)
    assert merged.merge_commit in [one.sha for one in commits]
    reverting = ground.revert(repo, opened.number)
    found = await ground.forge.merged_since(repo, "main", merged.merged_at, by=by)
    assert [one.number for one in found] == [opened.number, reverting]
    assert found[1].body == f"Reverts {repo.full}#{opened.number}"
    later = (found[1].merged_at or 0.0) + 1
    assert await ground.forge.merged_since(repo, "main", later, by=by) == ()
    assert await ground.forge.merged_since(repo, "other", 0, by=by) == ()


async def test_pull_requests_of_a_branch_open_and_closed(ground: Ground) -> None:
    repo = ground.repository()
    by = ground.by("bob")
    ground.push(repo, "one", "Mend one")
    ground.push(repo, "two", "Mend two")
    assert await ground.forge.pulls_of(repo, "octo:one", "main", by=by) == ()
    opened = await ground.forge.open_pull(repo, _new("octo:one"), by=by)
    await ground.forge.open_pull(repo, _new("octo:two"), by=by)
    found = await ground.forge.pulls_of(repo, "octo:one", "main", by=by)
    assert [one.number for one in found] == [opened.number]
    ground.close_pull(repo, opened.number)
    found = await ground.forge.pulls_of(repo, "octo:one", "main", by=by)
    assert [(one.number, one.state) for one in found] == [(opened.number, PullState.CLOSED)]
    assert await ground.forge.pulls_of(repo, "mallory:one", "main", by=by) == ()


async def test_what_cannot_be_opened_is_refused(ground: Ground) -> None:
    repo = ground.repository()
    by = ground.by("bob")
    with pytest.raises(RefusedError, match="head"):
        await ground.forge.open_pull(repo, _new("octo:nothing"), by=by)
    ground.push(repo, "one", "Mend one")
    await ground.forge.open_pull(repo, _new("octo:one"), by=by)
    with pytest.raises(RefusedError, match="already exists"):
        await ground.forge.open_pull(repo, _new("octo:one"), by=by)
    with pytest.raises(NotFoundError):
        await ground.forge.pull(repo, 99, by=by)


async def test_a_lost_answer_is_reported_and_the_act_is_done_once(ground: Ground) -> None:
    repo = ground.repository()
    by = ground.by("bob")
    number = ground.issue(repo, "One", by="carol")
    ground.push(repo, "one", "Mend one")
    ground.lose_next_answer("open_pull")
    with pytest.raises(LostAnswerError):
        await ground.forge.open_pull(repo, _new("octo:one"), by=by)
    assert len(await ground.forge.pulls_of(repo, "octo:one", "main", by=by)) == 1
    ground.lose_next_answer("add_comment")
    with pytest.raises(LostAnswerError):
        await ground.forge.add_comment(repo, number, "x", by=by)
    assert len(await ground.forge.comments(repo, number, by=by)) == 1


async def test_a_fork_is_one_s_own_and_made_once(ground: Ground) -> None:
    repo = ground.repository()
    by = ground.by("mallory")
    fork = await ground.forge.fork(repo, by=by)
    assert fork == repo_ref(repo.forge, "mallory", "calc")
    assert await ground.forge.fork(repo, by=by) == fork
    assert (await ground.forge.repository(fork, by=by)).role == Role.ADMIN
    head = ground.push(fork, "mend", "Mend it")
    opened = await ground.forge.open_pull(repo, _new("mallory:mend"), by=by)
    assert (opened.head_repo, opened.head_commit) == (fork.full, head)
    found = await ground.forge.pulls_of(repo, "mallory:mend", "main", by=by)
    assert [one.number for one in found] == [opened.number]
    assert await ground.forge.pulls_of(repo, "octo:mend", "main", by=by) == ()


async def test_commits_oldest_first(ground: Ground) -> None:
    repo = ground.repository()
    by = ground.by("bob")
    shas = [ground.push(repo, "main", f"Change {n}") for n in range(3)]
    found = await ground.forge.commits(repo, "main", since=0, by=by)
    assert [one.sha for one in found][-3:] == shas
    assert found[-1].message.strip() == "Change 2"
    recent = await ground.forge.commits(repo, "main", since=found[-2].at, by=by)
    assert [one.sha for one in recent] == shas[-2:]
    with pytest.raises(NotFoundError):
        await ground.forge.commits(repo, "nothing", since=0, by=by)


def _new(head: str, *, title: str = "Mend it") -> NewPull:
    return NewPull(title=title, body="Body", head=head, base="main")


def _host(url: str) -> str:
    return url.partition("://")[2].partition(":")[0]
