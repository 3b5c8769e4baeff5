"""Code from a forge: fetched once, pinned, kept where every worker finds it."""

from collections.abc import AsyncGenerator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.support.api_client import FakeCredentials
from tests.support.fakes import StillClock
from tests.support.forge.forge_in_memory import URL, MemoryForge
from tests.support.solve_rows import REPORT
from tests.support.updates_client import Scene
from yudai.arena.fetch import Fetcher
from yudai.arena.prepare import Preparer
from yudai.artifacts import queries as artifact_rows
from yudai.artifacts.adapters.object_store import make_artifacts
from yudai.artifacts.context import Context
from yudai.artifacts.port import ArtifactKind, Artifacts
from yudai.artifacts.source_archives import Sources
from yudai.forge.domain.change import Change
from yudai.forge.domain.repository import RepoRef
from yudai.forge.ports.folder import Snapshot
from yudai.forge.ports.remote import Credential
from yudai.kit.errors import ClaimLostError, ForgeError, NotFoundError, RefusedError
from yudai.kit.ids import WorkerId
from yudai.projects.domain.project import Project
from yudai.runs import attempts
from yudai.sandboxes.port import BaseRef, BaseSpec
from yudai.solves import queries as solves
from yudai.solves import timeline as events
from yudai.solves.claims import Claim, claim_of
from yudai.solves.tables import SolveRow
from yudai.solves.timeline import FETCHED
from yudai.store.store import Store
from yudai.testing.domain.report import Baseline

FILES = {"calc.py": b"x = 1\n", "test_calc.py": b"import unittest\n"}
WORKER = WorkerId("w1")


class Shelves:
    """A mirror with one branch, whose head can move."""

    def __init__(self, folder: Path, files: Mapping[str, bytes] = FILES) -> None:
        self.folder = folder
        self.files = dict(files)
        self.commit = "c1"
        self.fetched: list[tuple[str, str, str]] = []
        self.error: Exception | None = None

    async def fetch(self, repo: RepoRef, base: str, *, by: Credential) -> Snapshot:
        if self.error:
            raise self.error
        self.fetched.append((repo.full, base, by.login))
        source = self.folder / f"{self.commit}.tar"
        source.write_bytes(f"tree of {self.commit}".encode())
        return Snapshot(
            repo=repo.full,
            root=self.folder,
            branch=base,
            commit=self.commit,
            tree=f"tree-{self.commit}",
            source=source,
        )

    async def change(
        self, repo: RepoRef, snapshot: Snapshot, change: Change, *, by: Credential
    ) -> bytes:
        raise AssertionError(f"nobody gave a patch: {repo, snapshot, change, by}")

    async def paths(self, snapshot: Snapshot) -> tuple[str, ...]:
        assert snapshot.commit == self.commit
        return tuple(self.files)

    async def read(self, snapshot: Snapshot, path: str, *, max_bytes: int = 1 << 20) -> bytes:
        assert snapshot.commit == self.commit
        return self.files[path][:max_bytes]


class Backend:
    def __init__(self) -> None:
        self.prepared: list[BaseSpec] = []

    async def prepare(self, spec: BaseSpec, **_owner: str) -> BaseRef:
        self.prepared.append(spec)
        return BaseRef(key=spec.key)

    async def setup_log(self, base: BaseRef) -> bytes:
        del base
        return b"$ make\n"


class Bench:
    def __init__(self, store: Store, artifacts: Artifacts, folder: Path) -> None:
        self.store, self.scene = store, Scene(store)
        self.mirrors, self.backend = Shelves(folder), Backend()
        forge = MemoryForge()
        self.credentials = FakeCredentials(users={"ada": forge.credential("ada")})
        self.sources = Sources(artifacts, folder / "sources")
        context = Context(store, artifacts, StillClock())
        self.fetcher = Fetcher(
            context=context,
            mirrors=self.mirrors,
            credentials=self.credentials,
            forge_url=URL,
            own_env=Path("/env-of-ours"),
            sources=self.sources,
        )
        parts: dict[str, Any] = {"verifier": None, "backend": self.backend}
        self.preparer = Preparer(
            context=context,
            sources=self.sources,
            fetcher=self.fetcher,
            **parts,
        )

    async def open(self, **changes: Any) -> tuple[SolveRow, Claim]:
        measured = Baseline(first=REPORT, second=REPORT, command="pytest")
        columns: dict[str, Any] = {
            "user_id": "ada",
            "repo": "o/r",
            "repo_url": f"{URL}/o/r",
            "base": None,
            "base_branch": "trunk",
            "baseline": measured,
        }
        await self.scene.open(**(columns | changes))
        return await self.take(WORKER)

    async def take(self, worker: WorkerId) -> tuple[SolveRow, Claim]:
        async with self.store.change() as db:
            row = await attempts.take_solve(db, self.scene.id, worker, at=1.0)
        assert row is not None
        return row, claim_of(row)

    async def row(self) -> SolveRow:
        async with self.store.read() as db:
            return await solves.get(db, self.scene.id)

    async def happened(self) -> list[str]:
        async with self.store.read() as db:
            return [event.kind for event in await events.after(db, self.scene.id)]


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncGenerator[Bench]:
    artifacts = make_artifacts(str(tmp_path / "shared"), home=tmp_path)
    async with await Store.open(f"sqlite+aiosqlite:///{tmp_path / 'db'}") as store:
        yield Bench(store, artifacts, tmp_path)


async def test_the_base_is_fetched_once_and_pinned(bench: Bench):
    solve, claim = await bench.open()
    await bench.preparer.prepare(solve, claim)
    row = await bench.row()
    assert (row.base_commit, row.base_branch, row.snapshot) == ("c1", "trunk", None)
    assert row.base is not None
    assert (row.base.env, row.base.setup) == (Path("/env-of-ours"), ())
    bench.mirrors.commit = "c2"
    # The same solve as it was taken up: a retry of the same part.
    await bench.preparer.prepare(solve, claim)
    prepared = await bench.preparer.find(await bench.row())
    assert (await bench.row()).base == row.base
    assert prepared.base.key == row.base.key
    assert bench.mirrors.fetched == [("o/r", "trunk", "ada")]
    assert (await bench.happened()).count(FETCHED) == 1


async def test_another_machine_finds_the_archive(bench: Bench):
    solve, claim = await bench.open()
    await bench.preparer.prepare(solve, claim)
    base = (await bench.row()).base
    assert base is not None
    base.source.unlink()
    await bench.preparer.find(await bench.row())
    again = bench.backend.prepared[-1]
    assert again.source != base.source
    assert again.source.read_bytes() == b"tree of c1"
    async with bench.store.read() as db:
        assert ArtifactKind.SOURCE in await artifact_rows.of_solve(db, solve.id)


async def test_what_was_given_goes_before_what_is_found(bench: Bench):
    bench.mirrors.files[".yudai.yml"] = b"setup: [make]\ntest: make test\n"
    given = Project(setup=("just",), setup_from="setup", test="just test", test_from="test")
    solve, claim = await bench.open(project=given)
    await bench.preparer.prepare(solve, claim)
    row = await bench.row()
    assert (row.project.setup, row.project.test) == (("just",), "just test")
    assert row.base is not None
    assert (row.base.setup, row.base.env) == (("just",), None)


async def test_the_repository_says_how_it_is_made_ready(bench: Bench):
    bench.mirrors.files[".yudai.yml"] = b"setup: [make]\ntest: make test\n"
    solve, claim = await bench.open()
    await bench.preparer.prepare(solve, claim)
    project = (await bench.row()).project
    assert (project.setup, project.setup_from, project.test) == (
        ("make",),
        ".yudai.yml",
        "make test",
    )


async def test_another_persons_solve_is_not_written_to(bench: Bench):
    solve, claim = await bench.open()
    _, newer = await bench.take(WorkerId("w2"))
    with pytest.raises(ClaimLostError):
        await bench.preparer.prepare(solve, claim)
    assert (await bench.row()).base is None
    await bench.preparer.prepare(await bench.row(), newer)
    assert (await bench.row()).base is not None


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (NotFoundError("there is no branch trunk"), RefusedError),
        (ForgeError("the forge does not answer"), ForgeError),
    ],
)
async def test_what_cannot_be_fetched_leaves_nothing(
    bench: Bench, error: Exception, kind: type[Exception]
):
    solve, claim = await bench.open()
    bench.mirrors.error = error
    with pytest.raises(kind, match=str(error)):
        await bench.preparer.prepare(solve, claim)
    assert ((await bench.row()).base, FETCHED in await bench.happened()) == (None, False)
    bench.mirrors.error = None
    await bench.preparer.prepare(solve, claim)
    assert (await bench.row()).base_commit == "c1"


async def test_a_repository_of_another_forge_is_not_fetched(bench: Bench):
    solve, claim = await bench.open(repo_url="https://elsewhere.org/o/r")
    with pytest.raises(RefusedError, match="only repositories at"):
        await bench.preparer.prepare(solve, claim)
    assert (bench.mirrors.fetched, bench.credentials.asked) == ([], [])


async def test_a_worker_without_a_forge_says_so(bench: Bench):
    solve, _ = await bench.open()
    with pytest.raises(RefusedError, match="cannot be fetched here"):
        await bench.preparer.find(solve)
