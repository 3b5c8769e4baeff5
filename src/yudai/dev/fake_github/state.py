"""The fake GitHub's state: a folder with one JSON document and bare git repositories."""

import os
import secrets
import tempfile
import threading
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from yudai.dev.fake_github.errors import not_found
from yudai.dev.fake_github.faults import Faults
from yudai.dev.fake_github.git_repositories import Clone, Signature
from yudai.dev.fake_github.records import App, Installation, Person, Repo, Token, World
from yudai.dev.fake_github.request_log import RequestLog
from yudai.dev.fake_github.webhook_sender import WebhookSender
from yudai.forge.domain.repository import Role
from yudai.kit.clock import Clock, SystemClock

PERMISSIONS = {
    "metadata": "read",
    "contents": "write",
    "issues": "write",
    "pull_requests": "write",
}
_PREFIXES = {"pat": "ghp_", "user": "ghu_", "installation": "ghs_"}
_DOCUMENT = "state.json"

T = TypeVar("T")


class State:
    """All records; hold `lock` to read or change them."""

    def __init__(self, folder: Path, *, clock: Clock | None = None) -> None:
        self.folder = folder
        self.clock: Clock = clock or SystemClock()
        self.url = ""
        """Where this is served; set before the first request."""
        self.lock = threading.RLock()
        self.faults = Faults()
        self.log = RequestLog()
        self.fork_looks = 0
        """Number of requests for a new fork before it has its branches."""
        self.signs_in = ""
        """Who the consent pages take for signed in, without asking; "" asks."""
        self.device_interval_s = 5.0
        """Seconds between two polls of a device."""
        self.world = self._load()
        self.webhooks = WebhookSender()

    def _load(self) -> World:
        try:
            text = (self.folder / _DOCUMENT).read_text(encoding="utf-8")
        except FileNotFoundError:
            return World()
        return World.model_validate_json(text)

    def save(self) -> None:
        """All or nothing: who starts next finds the old document or the new one."""
        with self.lock:
            self.folder.mkdir(parents=True, exist_ok=True)
            handle, part = tempfile.mkstemp(dir=self.folder, prefix=".state-")
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(self.world.model_dump_json())
            Path(part).replace(self.folder / _DOCUMENT)

    def close(self) -> None:
        self.webhooks.close()
        self.save()

    def now(self) -> float:
        return self.clock.now()

    def new_id(self) -> int:
        self.world.last_id += 1
        return self.world.last_id

    def add_user(self, login: str, *, name: str = "") -> Person:
        return self._add(login, name=name)

    def add_organisation(self, login: str, *, members: tuple[str, ...] = ()) -> Person:
        return self._add(login, kind="Organization", members=list(members))

    def _add(self, login: str, **facts: Any) -> Person:
        with self.lock:
            person = Person(id=self.new_id(), login=login, created_at=self.now(), **facts)
            return self.world.people.setdefault(login, person)

    def person(self, login: str) -> Person:
        return _named(self.world.people, login)

    def signature(self, login: str) -> Signature:
        who = self.person(login)
        email = f"{who.id}+{who.login}@users.noreply.github.com"
        return Signature(who.name or who.login, email, self.now())

    def add_repo(
        self,
        full: str,
        *,
        private: bool = False,
        roles: Mapping[str, Role] | None = None,
        protected: tuple[str, ...] = (),
        default_branch: str = "main",
    ) -> Repo:
        """Create an empty repository; unknown users in it are created."""
        with self.lock:
            owner, name = full.split("/")
            for login in (owner, *(roles or {})):
                self.add_user(login)
            now = self.now()
            repo = Repo(
                id=self.new_id(),
                owner=owner,
                name=name,
                private=private,
                roles=dict(roles or {}),
                protected=list(protected),
                default_branch=default_branch,
                created_at=now,
                updated_at=now,
                pushed_at=now,
            )
            self.clone(full).create(default_branch)
            self.world.repos[full] = repo
            return repo

    def repo(self, full: str) -> Repo:
        return _named(self.world.repos, full)

    def clone(self, full: str) -> Clone:
        return Clone(self.folder / "repositories" / f"{full}.git")

    def commit(
        self,
        full: str,
        files: Mapping[str, bytes | str | None],
        *,
        message: str,
        by: str,
        branch: str = "",
    ) -> str:
        """Commit files to a branch, as a push would; returns the commit."""
        with self.lock:
            repo, clone = self.repo(full), self.clone(full)
            branch = branch or repo.default_branch
            above = clone.branch(branch) or clone.branch(repo.default_branch)
            content = {k: v.encode() if isinstance(v, str) else v for k, v in files.items()}
            tree = clone.tree_with(above, content)
            sha = clone.write((above,) if above else (), tree, message, self.signature(by))
            clone.move(branch, sha)
            repo.pushed_at = self.now()
            return sha

    def add_token(self, token: Token) -> str:
        with self.lock:
            text = _PREFIXES[token.kind] + secrets.token_hex(18)
            self.world.tokens[text] = token
            return text

    def token(self, login: str) -> str:
        """A personal access token: it may do whatever its person may do."""
        self.person(login)
        return self.add_token(Token(kind="pat", login=login))

    def add_app(self, slug: str, public_key: str, *, owner: str) -> App:
        """With its bot account `<slug>[bot]`."""
        with self.lock:
            app = App(
                id=self.new_id(),
                slug=slug,
                name=slug.title(),
                owner=owner,
                client_id=f"Iv23{secrets.token_hex(8)}",
                client_secret=secrets.token_hex(20),
                public_key=public_key,
                permissions=dict(PERMISSIONS),
            )
            self.world.app = app
            self._add(f"{slug}[bot]", kind="Bot")
            return app

    def install(
        self,
        account: str,
        *,
        repositories: tuple[str, ...] | None = None,
        permissions: Mapping[str, str] | None = None,
    ) -> Installation:
        """The App on an account: on all of its repositories, or on these by full name."""
        with self.lock:
            app = self.the_app()
            installation = Installation(
                id=self.new_id(),
                account=account,
                repositories=None if repositories is None else list(repositories),
                permissions=dict(app.permissions if permissions is None else permissions),
            )
            app.installations.append(installation)
            return installation

    def the_app(self) -> App:
        if self.world.app is None:
            raise not_found()
        return self.world.app

    def installation_of(self, repo: Repo) -> Installation | None:
        app = self.world.app
        return next((i for i in (app.installations if app else ()) if covers(i, repo)), None)


def _named(things: Mapping[str, T], name: str) -> T:
    """In any case of its letters; 404 where there is none."""
    same = (thing for key, thing in things.items() if key.lower() == name.lower())
    found = things.get(name) or next(same, None)
    if found is None:
        raise not_found()
    return found


def covers(installation: Installation, repo: Repo) -> bool:
    if installation.suspended or installation.account != repo.owner:
        return False
    return installation.repositories is None or repo.full in installation.repositories


def iso(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def iso_or_none(at: float | None) -> str | None:
    return None if at is None else iso(at)


def from_iso(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()
