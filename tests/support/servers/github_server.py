"""A fake GitHub for one test: `with github_server(folder) as github:`.

The people are those of the sample: ada (admin), bob (writer), carol (reader), mallory (nobody),
and the organisation octo, whose only member is ada. There is no repository before one is made.
"""

import asyncio
import socket
import threading
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import httpx

from yudai.cli.serve.listen import bind, url_of
from yudai.dev.fake_github import authenticate, issues, pulls
from yudai.dev.fake_github.faults import Fault
from yudai.dev.fake_github.pulls import Merging, Opening
from yudai.dev.fake_github.records import Comment, Delivery, Hook, Item, Repo
from yudai.dev.fake_github.request_log import Request
from yudai.dev.fake_github.server import answering
from yudai.dev.fake_github.state import State
from yudai.forge.domain.repository import Role
from yudai.kit.clock import Clock

ROLES = {"ada": Role.ADMIN, "bob": Role.WRITE, "carol": Role.READ}
REPO = "octo/passbook"
WEBHOOK_SECRET = "a webhook's secret"  # noqa: S105 - of a fake
FILES = {"README.md": "# passbook\n", "src/ledger.py": "def total(rows):\n    return sum(rows)\n"}


@dataclass(frozen=True)
class GitHubServer:
    url: str
    state: State
    clients: list[httpx.Client] = field(default_factory=list[httpx.Client])
    """Closed with it."""

    @property
    def api(self) -> str:
        return f"{self.url}/api/v3"

    def token(self, login: str) -> str:
        """A personal access token."""
        return self.state.token(login)

    def client(self, token: str = "", **options: Any) -> httpx.Client:
        headers = {"X-GitHub-Api-Version": "2022-11-28"}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        client = httpx.Client(
            base_url=self.api,
            headers=headers | options.pop("headers", {}),
            trust_env=False,
            timeout=30,
            **options,
        )
        self.clients.append(client)
        return client

    def repository(
        self,
        full: str = REPO,
        *,
        private: bool = False,
        roles: Mapping[str, Role] = ROLES,
        protected: tuple[str, ...] = (),
        files: Mapping[str, bytes | str | None] = FILES,
        default_branch: str = "main",
    ) -> Repo:
        """With one commit of these files, by ada."""
        repo = self.state.add_repo(
            full, private=private, roles=roles, protected=protected, default_branch=default_branch
        )
        self.state.commit(full, files, message="First commit", by="ada")
        return repo

    def path(self, full: str = REPO) -> Path:
        """The bare repository on disk."""
        return self.state.clone(full).path

    def git_url(self, full: str = REPO) -> str:
        return f"{self.url}/{full}.git"

    def commit(
        self,
        files: Mapping[str, bytes | str | None],
        *,
        repo: str = REPO,
        branch: str = "",
        message: str = "Change",
        by: str = "bob",
    ) -> str:
        """Upon a branch, made from the default one if there is none; returns the commit."""
        return self.state.commit(repo, files, message=message, by=by, branch=branch)

    def head(self, branch: str = "main", *, repo: str = REPO) -> str | None:
        return self.state.clone(repo).branch(branch)

    def issue(
        self,
        title: str = "It is wrong",
        body: str | None = "Please mend it.",
        *,
        repo: str = REPO,
        by: str = "carol",
        labels: tuple[str, ...] = (),
    ) -> Item:
        return issues.open_issue(self.state, repo, title=title, body=body, by=by, labels=labels)

    def comment(self, number: int, body: str, *, by: str, repo: str = REPO) -> Comment:
        return issues.add_comment(self.state, repo, number, body, by=by)

    def label(self, number: int, name: str = "yudai", *, by: str = "bob", repo: str = REPO) -> None:
        issues.add_label(self.state, repo, number, name, by=by)

    def unlabel(
        self, number: int, name: str = "yudai", *, by: str = "bob", repo: str = REPO
    ) -> None:
        issues.remove_label(self.state, repo, number, name, by=by)

    def close(self, number: int, *, by: str = "ada", repo: str = REPO) -> None:
        """An issue or a pull request."""
        issues.set_state(self.state, repo, number, "closed", by=by)

    def pull(
        self,
        branch: str,
        *,
        title: str = "Mend it",
        body: str | None = "",
        base: str = "main",
        by: str = "bob",
        draft: bool = False,
        repo: str = REPO,
    ) -> Item:
        """`branch` is of the same repository, or `owner:branch` of a fork."""
        new = Opening(title=title, body=body, head=branch, base=base, draft=draft)
        return pulls.open_pull(self.state, repo, new, by=by)

    def ready(self, number: int, *, repo: str = REPO) -> None:
        """A draft no longer."""
        with self.state.lock:
            _, pull = pulls.find_pull(self.state, self.state.repo(repo), number)
            pull.draft = False

    def merge(
        self, number: int, *, method: str = "merge", by: str = "ada", repo: str = REPO
    ) -> str:
        """A draft is made ready first, as a person would; returns the base's new commit."""
        self.ready(number, repo=repo)
        return pulls.merge(self.state, repo, number, Merging(method=method), by=by)

    def revert(self, number: int, *, by: str = "ada", repo: str = REPO) -> Item:
        """By GitHub's button, merged; of a revert it re-applies."""
        return pulls.revert(self.state, repo, number, by=by)

    def items(self, *, repo: str = REPO) -> dict[int, Item]:
        return self.state.repo(repo).items

    def pulls(self, *, repo: str = REPO) -> list[Item]:
        return [item for item in self.items(repo=repo).values() if item.pull is not None]

    def app(
        self,
        *,
        account: str = "octo",
        repositories: tuple[str, ...] | None = None,
        slug: str = "yudai",
    ) -> str:
        """Make the App and install it; returns its private key (PEM)."""
        private, public = app_key()
        self.state.add_app(slug, public, owner="ada")
        self.state.install(account, repositories=repositories)
        return private

    def webhooks(self, url: str = "", secret: str = WEBHOOK_SECRET) -> None:
        """Without an address they are only written down."""
        self.state.world.hook = Hook(url=url, secret=secret)

    @property
    def deliveries(self) -> list[Delivery]:
        """All that were sent, or would have been."""
        return self.state.world.deliveries

    def fail(self, path: str, **fault: Any) -> Fault:
        """As `Fault` says: status ("drop" by default), method, times, after, headers, skip."""
        return self.state.faults.add(Fault(path, **fault))

    def requests(self, method: str = "", path_end: str = "") -> list[Request]:
        return self.state.log.all(method, path_end)


@contextmanager
def github_server(folder: Path, *, clock: Clock | None = None) -> Generator[GitHubServer]:
    state = State(folder, clock=clock)
    listener = bind("127.0.0.1", 0)
    state.url = url_of(listener)
    if not state.world.people:
        for login in ("ada", "bob", "carol", "mallory"):
            state.add_user(login, name=login.title())
        state.add_organisation("octo", members=("ada",))
    with listener, _in_thread(state, listener):
        server = GitHubServer(state.url, state)
        try:
            yield server
        finally:
            for client in server.clients:
                client.close()
    state.close()


@cache
def app_key() -> tuple[str, str]:
    """One for the whole session: making it takes a while."""
    private, public = authenticate.new_key()
    return private.decode(), public


@contextmanager
def _in_thread(state: State, listener: socket.socket) -> Generator[None]:
    """For whoever has an event loop, or none, of their own; it listens already."""
    ended = threading.Event()

    async def serve() -> None:
        async with answering(state, listener):
            await asyncio.to_thread(ended.wait)

    thread = threading.Thread(target=lambda: asyncio.run(serve()), name="fake-github")
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
