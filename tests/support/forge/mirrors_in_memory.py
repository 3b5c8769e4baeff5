"""Git's side of a forge in memory, and everything around a publisher, with faults to order."""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from tests.support.forge.forge_in_memory import Faults, MemoryForge
from tests.support.solve_rows import Ring
from tests.support.trajectories import DIFF
from yudai.artifacts import queries as artifacts
from yudai.artifacts.adapters.locations import Folder
from yudai.artifacts.adapters.object_store import ObjectStoreArtifacts
from yudai.artifacts.context import Context
from yudai.artifacts.port import ArtifactKind
from yudai.forge.domain.change import Change, DiffText
from yudai.forge.domain.repository import RepoRef, Role
from yudai.forge.ports.folder import Snapshot
from yudai.forge.ports.remote import (
    BaseMove,
    Built,
    CommitText,
    Credential,
    CredentialKind,
    Landed,
    Rebased,
)
from yudai.kit.errors import ConflictError, ForbiddenError
from yudai.kit.ids import RunId, SolveId
from yudai.publishing import queries as publications
from yudai.publishing.branch import BranchWriter, Revalidate
from yudai.publishing.comment import IssueComment
from yudai.publishing.context import PublishContext
from yudai.publishing.publisher import LONGEST_PAUSE_S, Publisher
from yudai.publishing.requests import Publications
from yudai.publishing.tables import PublicationRow
from yudai.solves import timeline as events
from yudai.solves.domain.origin import PublishMode
from yudai.store.store import Store
from yudai.verification.domain.verdict import Verdict

if TYPE_CHECKING:
    from types import CoroutineType

P = ParamSpec("P")
T = TypeVar("T")
BASE_COMMIT = "1234567890abcdef1234567890abcdef12345678"


class KilledError(BaseException):
    """The process dies right here: nothing of ours catches it."""


class HandClock:
    """Moved by hand."""

    def __init__(self) -> None:
        self.time = 1_700_000_000.0
        self._ids = 0

    def now(self) -> float:
        return self.time

    def new_id(self) -> str:
        self._ids += 1
        return f"00000000-0000-7000-8000-{self._ids:012x}"

    def token(self) -> str:
        self._ids += 1
        return f"{self._ids:016x}"


def _faulty(
    act: Callable[Concatenate["MemoryMirrors", P], Awaitable[T]],
) -> Callable[Concatenate["MemoryMirrors", P], "CoroutineType[Any, Any, T]"]:
    name = act.__name__

    @wraps(act)
    async def struck(self: "MemoryMirrors", *args: P.args, **kwargs: P.kwargs) -> T:
        self.calls.append(name)
        await asyncio.sleep(0)
        self.faults.strike_before(name)
        answer = await act(self, *args, **kwargs)
        self.faults.strike_after(name)
        return answer

    return struck


@dataclass
class MemoryMirrors:
    """One machine's: a commit has to be built here before it can be pushed from here."""

    forge: MemoryForge
    faults: Faults = field(default_factory=Faults)
    calls: list[str] = field(default_factory=list[str])
    move: BaseMove = BaseMove.NONE
    refusal: Exception | None = None
    built: dict[str, CommitText] = field(default_factory=dict[str, CommitText])

    @property
    def folder(self) -> Path:
        return Path("/nonexistent")

    @_faulty
    async def change(
        self, repo: RepoRef, snapshot: Snapshot, change: Change, *, by: Credential
    ) -> bytes:
        """A text, as it is."""
        del repo, snapshot, by
        assert isinstance(change, DiffText)
        return change.content

    @_faulty
    async def build(
        self, repo: RepoRef, base_commit: str, patch: bytes, text: CommitText, *, by: Credential
    ) -> Built:
        del by
        if self.refusal is not None:
            raise self.refusal
        facts = f"{repo.full} {base_commit} {text!r}".encode() + patch
        commit = hashlib.sha1(facts).hexdigest()  # noqa: S324 - as git does
        self.built[commit] = text
        return Built(
            commit=commit,
            tree=commit[::-1],
            paths=("app.py",),
            patch_id="a" * 40,
            inverse_patch_id="b" * 40,
        )

    @_faulty
    async def push(self, to: RepoRef, commit: str, branch: str, *, by: Credential) -> None:
        del by
        assert commit in self.built, "it is not in this mirror"
        there = self._head(to, branch)
        if there not in (None, commit):
            raise ConflictError(f"{branch} is at another commit")
        if there is None:
            self.forge.push(to, branch, "ours", sha=commit)

    @_faulty
    async def branch_head(self, repo: RepoRef, branch: str, *, by: Credential) -> str | None:
        del by
        return self._head(repo, branch)

    @_faulty
    async def base_move(self, repo: RepoRef, base: str, commit: str, *, by: Credential) -> BaseMove:
        del repo, base, by
        assert commit in self.built
        return self.move

    async def rebased(self, repo: RepoRef, base: str, commit: str, *, by: Credential) -> Rebased:
        raise NotImplementedError

    def _head(self, repo: RepoRef, branch: str) -> str | None:
        commits = self.forge.held(repo).branches.get(branch)
        return commits[-1].sha if commits else None

    async def fetch(self, repo: RepoRef, base: str, *, by: Credential) -> Snapshot:
        raise NotImplementedError

    async def paths(self, snapshot: Snapshot) -> tuple[str, ...]:
        raise NotImplementedError

    async def read(self, snapshot: Snapshot, path: str, *, max_bytes: int = 1 << 20) -> bytes:
        raise NotImplementedError

    async def landed_since(
        self, repo: RepoRef, base: str, commit: str, *, by: Credential
    ) -> tuple[Landed, ...]:
        raise NotImplementedError

    async def lines_left(
        self, repo: RepoRef, base: str, added: Mapping[str, tuple[str, ...]], *, by: Credential
    ) -> float:
        raise NotImplementedError


@dataclass
class FakeCredentials:
    """Credentials as the port promises them: nobody's right is used for somebody else."""

    forge: MemoryForge
    people: dict[str, Credential] = field(default_factory=dict[str, Credential])
    server: Credential | None = None

    async def reading(self, repo: RepoRef, *, user_id: str) -> Credential:
        del repo
        found = self.people.get(user_id) or self.server
        assert found is not None
        return found

    async def writing(self, repo: RepoRef, *, user_id: str) -> Credential:
        own = self.people.get(user_id)
        if own is not None:
            role = (await self.forge.repository(repo, by=own)).role
            if not role.allows(Role.WRITE):
                raise ForbiddenError(f"{own.login} may not push to {repo.full}: ask there")
        elif user_id:
            raise ForbiddenError("your login is over: log in again")
        found = await self.forge.app_credential(repo) or own or self.server
        if found is None:
            raise ForbiddenError("nothing may push: install the App there")
        return found


class Press:
    """A repository with an issue, a solve of it at its end, and publishers at will."""

    def __init__(self, store: Store, folder: Path) -> None:
        self.store = store
        self.clock = HandClock()
        self.context = Context(store, ObjectStoreArtifacts(Folder(folder)), self.clock)
        self.ring = Ring(self.context)
        self.forge = MemoryForge(clock=self.clock, checks_heads=True)
        self.repo = self.forge.add_repository("acme/demo", roles={"ada": Role.WRITE})
        self.number = self.forge.add_issue(self.repo, "x is wrong")
        self.forge.install(self.repo)
        self.mirrors = MemoryMirrors(self.forge)
        self.credentials = FakeCredentials(self.forge)
        self.slept: list[float] = []
        self.solve_id = SolveId("")

    async def solve(self, *verdicts: Verdict | None, **changes: Any) -> SolveId:
        columns = {
            "repo": self.repo.full,
            "repo_url": self.repo.url,
            "issue_number": self.number,
            "issue_title": "x is wrong",
            "base_branch": "main",
            "base_commit": BASE_COMMIT,
            "publish": PublishMode.AUTO,
            "user_id": "",
            "test_command": "pytest -q",
        }
        self.solve_id = await self.ring.solve(*verdicts, **(columns | changes))
        return self.solve_id

    async def keep_patch(self, run_id: RunId, patch: str) -> None:
        ref = await self.context.artifacts.put(ArtifactKind.PATCH, patch.encode())
        async with self.store.change() as db:
            await artifacts.add(db, self.solve_id, run_id, ref, at=0.0)

    @property
    def publications(self) -> Publications:
        return Publications(self.store, self.clock, self.forge.url)

    def publisher(
        self,
        holder: str = "one",
        *,
        comments: bool = True,
        revalidate: Revalidate | None = None,
        mirrors: MemoryMirrors | None = None,
        page: str = "",
    ) -> Publisher:
        publishing = PublishContext(
            self.context,
            self.forge,
            self.credentials,
            page=page,
            sleep=self._sleep,
        )
        branch_writer = BranchWriter(publishing, mirrors or self.mirrors, revalidate)
        return Publisher(publishing, branch_writer, IssueComment(publishing, comments), holder)

    async def finish(self, *, turns: int = 15) -> None:
        """Other processes go on, each after all leases and pauses are over."""
        for turn in range(turns):
            self.clock.time += LONGEST_PAUSE_S
            # Another machine each time: nothing is in its mirror.
            elsewhere = MemoryMirrors(self.forge, faults=self.mirrors.faults)
            if not await self.publisher(f"later-{turn}", mirrors=elsewhere).sweep():
                return
        raise AssertionError("it never comes to rest")

    async def row(self) -> PublicationRow:
        async with self.store.read() as db:
            return await publications.get(db, self.solve_id)

    async def timeline(self) -> list[str]:
        async with self.store.read() as db:
            told = await events.after(db, self.solve_id)
        return [event.kind for event in told if event.kind.startswith("publication.")]

    @property
    def branches(self) -> list[str]:
        """All of ours, in all repositories."""
        return [
            f"{held.ref.full}:{name}"
            for held in self.forge._repositories.values()
            for name in held.branches
            if name.startswith("yudai/")
        ]

    @property
    def pulls(self) -> list[Any]:
        return list(self.forge.held(self.repo).pulls.values())

    @property
    def comments(self) -> list[Any]:
        return list(self.forge.held(self.repo).comments.values())

    async def _sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.clock.time += seconds


def server_credential(forge: MemoryForge, login: str) -> Credential:
    return forge.credential(login, kind=CredentialKind.SERVER)


LOCKED = DIFF.replace("app.py", "uv.lock")
WORKFLOW = DIFF.replace("app.py", ".github/workflows/ci.yml")
