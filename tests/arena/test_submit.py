"""From what was asked to a solve: on both databases, with real folders, once for each key."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select

from tests.support.api_client import Place, RecordingEngine, open_place
from tests.support.forge.repositories import Repository
from yudai.arena.submit import IdempotencyKey, KeyReusedError, SolveAsk
from yudai.artifacts import queries as artifacts
from yudai.artifacts.adapters.locations import Folder
from yudai.artifacts.adapters.object_store import ObjectStoreArtifacts
from yudai.artifacts.port import ArtifactKind
from yudai.artifacts.source_archives import Sources
from yudai.kit.errors import RefusedError
from yudai.kit.ids import ConversationId
from yudai.runs.tables import RunRow
from yudai.solves import queries as solves
from yudai.solves.domain.matrix import Matrix
from yudai.solves.tables import IdempotencyRow, SolveRow

MATRIX = Matrix(models=("gpt-4.1",), temperatures=(0.2, 0.8))
REMOTE = SolveAsk(repo_url="https://github.com/o/r", issue_number=3, matrix=MATRIX)
KEY = IdempotencyKey(key="k", fingerprint="f")


@pytest.fixture
def engine() -> RecordingEngine:
    return RecordingEngine()


@pytest.fixture
async def place(
    tmp_path: Path, database_url: str, engine: RecordingEngine
) -> AsyncGenerator[Place]:
    async with open_place(tmp_path / "home", database_url, engine) as opened:
        yield opened


@pytest.fixture
def folder(tmp_path: Path) -> SolveAsk:
    repository = Repository.create(tmp_path / "folder", {"calc.py": "x = 1\n"})
    return SolveAsk(repo_path=str(repository.root), issue_text="x is wrong", matrix=MATRIX)


async def count(place: Place, table: type[Any]) -> int:
    async with place.context.store.read() as db:
        return await db.scalar(select(func.count()).select_from(table)) or 0


async def test_a_solve_belongs_to_the_person_who_asked(place: Place, engine: RecordingEngine):
    talk = ConversationId("0190a000-0000-7000-8000-00000000cccc")
    solve_id, _ = await place.submitter.submit(REMOTE, user_id="ada", conversation_id=talk)
    async with place.context.store.read() as db:
        row = await solves.get(db, solve_id)
    assert (row.user_id, row.conversation_id, row.durable) == ("ada", talk, True)
    assert row.sandbox_backend == "bubblewrap"
    assert engine.started == [solve_id]


async def test_one_key_is_one_solve_however_many_ask_at_once(
    place: Place, engine: RecordingEngine, folder: SolveAsk
):
    async with asyncio.TaskGroup() as group:
        asked = [
            group.create_task(place.submitter.submit(folder, user_id="ada", key=KEY))
            for _ in range(4)
        ]
    assert len({task.result().solve_id for task in asked}) == 1
    assert await count(place, SolveRow) == await count(place, IdempotencyRow) == 1
    assert await count(place, RunRow) == 2
    assert engine.started == [asked[0].result().solve_id]


async def test_keys_of_two_users_are_two(place: Place):
    ada = await place.submitter.submit(REMOTE, user_id="ada", key=KEY)
    bob = await place.submitter.submit(REMOTE, user_id="bob", key=KEY)
    again = await place.submitter.submit(REMOTE, user_id="ada", key=KEY)
    assert ada.solve_id != bob.solve_id
    assert (ada.replayed, bob.replayed, again) == (False, False, (ada.solve_id, True))


async def test_a_key_for_another_request_is_refused_before_anything_is_done(place: Place):
    await place.submitter.submit(REMOTE, user_id="ada", key=KEY)
    other = KEY.model_copy(update={"fingerprint": "other"})
    with pytest.raises(KeyReusedError):
        await place.submitter.submit(REMOTE, user_id="ada", key=other)
    assert await count(place, SolveRow) == 1


async def test_a_replay_does_not_look_at_the_folder_again(place: Place, folder: SolveAsk):
    first, _ = await place.submitter.submit(folder, user_id="ada", key=KEY)
    gone = folder.model_copy(update={"repo_path": "/no/such/folder"})
    assert await place.submitter.submit(gone, user_id="ada", key=KEY) == (first, True)


async def test_the_archive_of_a_folder_goes_where_workers_find_it(
    place: Place, folder: SolveAsk, tmp_path: Path
):
    kept = ObjectStoreArtifacts(Folder(tmp_path / "kept"))
    submitter = replace(place.submitter, sources=Sources(kept, tmp_path / "sources"))
    solve_id, _ = await submitter.submit(folder, user_id="ada")
    async with place.context.store.read() as db:
        refs = await artifacts.of_solve(db, solve_id)
        row = await solves.get(db, solve_id)
    assert row.base is not None
    assert await kept.get(refs[ArtifactKind.SOURCE]) == row.base.source.read_bytes()
    await submitter.submit(REMOTE, user_id="ada")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"dirty": True}, "needs a folder"),
        ({"env": "/venv"}, "needs a folder"),
        ({"matrix": MATRIX.model_copy(update={"agents": ("robot",)})}, "there is no agent"),
        ({"issue_number": None}, "say what to solve"),
    ],
)
async def test_what_no_forge_has_is_refused(place: Place, change: dict[str, Any], words: str):
    with pytest.raises(RefusedError, match=words):
        await place.submitter.submit(REMOTE.model_copy(update=change), user_id="ada")
    assert await count(place, SolveRow) == 0


async def test_commands_are_kept_for_a_repository_that_is_fetched_later(place: Place):
    ask = REMOTE.model_copy(update={"setup": ("make", ""), "test": "make test"})
    solve_id, _ = await place.submitter.submit(ask, user_id="ada")
    async with place.context.store.read() as db:
        project = (await solves.get(db, solve_id)).project
    assert (project.setup, project.setup_from) == (("make",), "setup")
    assert (project.test, project.test_from) == ("make test", "test")
