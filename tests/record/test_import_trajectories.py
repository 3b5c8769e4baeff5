"""Trajectory files in, the same trajectory out; all of them or none."""

import json
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select

from tests.support.fakes import StillClock
from tests.support.rows_of_solve import rows_of_solve
from tests.support.scripted_agent import FINISH, Stage
from tests.support.trajectories import CHAT, DIFF, RESPONSES, TEXT, version_0, version_1, version_2
from yudai.artifacts.adapters.object_store import make_artifacts
from yudai.artifacts.context import Context
from yudai.artifacts.port import ArtifactKind
from yudai.artifacts.queries import ArtifactRow, artifact_of
from yudai.kit.errors import NotFoundError, RefusedError
from yudai.kit.ids import RunId
from yudai.record import import_trajectories
from yudai.record.import_trajectories import ImportedRun, import_files
from yudai.runs.domain.trajectory.trajectory import export
from yudai.runs.tables import MessageRow, RunRow
from yudai.solves.tables import EventRow, SolveRow
from yudai.store.store import Store
from yudai.views import documents
from yudai.views.documents import chosen_step


class ImportWorld:
    def __init__(self, store: Store, folder: Path) -> None:
        self.folder = folder
        self.store = store
        self.context = Context(store, make_artifacts(None, home=folder), StillClock())

    def file(self, value: object, name: str = "it.traj.json") -> Path:
        path = self.folder / name
        content = value if isinstance(value, bytes) else json.dumps(value, indent=2).encode()
        path.write_bytes(content)
        return path

    async def read(self, value: object) -> ImportedRun:
        [done] = await import_files(self.context, [self.file(value)])
        return done

    async def run(self, done: ImportedRun) -> RunRow:
        return (await rows_of_solve(self.context.store, done.solve_id)).runs[0]

    async def is_empty(self) -> bool:
        tables = (SolveRow, RunRow, MessageRow, EventRow, ArtifactRow)
        async with self.store.read() as db:
            counts = [
                (await db.scalars(select(func.count()).select_from(table))).one()
                for table in tables
            ]
        return not any(counts)


@pytest.fixture
async def world(tmp_path: Path, database_url: str) -> AsyncIterator[ImportWorld]:
    async with await Store.open(database_url) as store:
        yield ImportWorld(store, tmp_path)


async def test_a_file_becomes_a_finished_solve_with_one_run(world: ImportWorld):
    done = await world.read(version_2())
    assert done.is_new
    document = await documents.document(world.context, done.solve_id)
    assert (document.solve.state, document.solve.champion) == ("completed", None)
    assert (document.solve.repo, document.solve.issue) == ("vendor/toy", "x is wrong")
    assert (document.solve.cost_usd, document.solve.elapsed_s) == (0.0125, 10.0)
    [place] = document.ranking
    assert (place.state, place.verdict.status, place.files_changed) == (
        "completed",
        "unverified",
        1,
    )
    assert (place.lines_changed, place.latency_ms) == (2, 10_000)
    run = await world.run(done)
    assert (run.exit_status, run.steps, run.message_count) == ("Submitted", 2, len(CHAT))
    assert await artifact_of(world.context, done.run_id, ArtifactKind.PATCH) == DIFF.encode()
    messages = await documents.messages(world.context, done.run_id)
    assert [message.body for message in messages] == list(CHAT)
    assert (chosen_step(await documents.messages(world.context, done.run_id), 1)).actions[
        0
    ].output == "app.py\n"


@pytest.mark.parametrize(
    "value",
    [version_2(), version_2(*RESPONSES), version_1(), version_0(), list(TEXT)],
    ids=["2", "responses", "1", "0", "list"],
)
async def test_what_is_exported_again_is_the_file(world: ImportWorld, value: Any):
    done = await world.read(value)
    exported = await documents.trajectory(world.context, await world.run(done))
    assert exported["messages"] == (value if isinstance(value, list) else value["messages"])
    assert isinstance(value, list) or exported == value
    again = await world.read(exported)
    assert (again.solve_id, again.run_id, again.is_new) == (done.solve_id, done.run_id, False)


async def test_a_run_of_ours_comes_back_as_it_was(world: ImportWorld, tmp_path: Path):
    stage = Stage(tmp_path / "stage")
    replies = [
        {"say": "<plan>\nlook\n</plan>", "run": [r"printf '\033[31m\377\0'", "seq 1 9000"]},
        {"say": "no tool call"},
        {"run": "echo 'x = 2' > app.py", "cost_usd": 0.25},
        {"run": [FINISH, "true"]},
    ]
    (tmp_path / "stage").mkdir(exist_ok=True)
    outcome = await stage.play(replies)
    exported = json.loads(json.dumps(export(stage.told.messages, outcome)))
    done = await world.read(exported)
    assert await documents.trajectory(world.context, await world.run(done)) == exported
    messages = await documents.messages(world.context, done.run_id)
    assert [message.step for message in messages] == [m.step for m in stage.told.messages]
    assert [message.role for message in messages] == stage.told.roles
    run = await world.run(done)
    assert (run.steps, run.cost_micros, run.exit_status) == (4, 250_000, "Submitted")
    assert (run.input_tokens, run.output_tokens) == (
        outcome.usage.input_tokens, outcome.usage.output_tokens,
    )  # fmt: skip
    patch = await artifact_of(world.context, done.run_id, ArtifactKind.PATCH)
    assert patch.decode() == outcome.patch
    assert (await documents.document(world.context, done.solve_id)).solve.issue == "x is wrong"


async def test_the_same_content_is_imported_once(world: ImportWorld):
    first, again, other = await import_files(
        world.context,
        [
            world.file(version_2(), "a.traj.json"),
            world.file(json.dumps(version_2()).encode(), "b.traj.json"),
            world.file(version_1(), "c.traj.json"),
        ],
    )
    assert (first.is_new, again.is_new, other.is_new) == (True, False, True)
    assert (first.solve_id, first.run_id) == (again.solve_id, again.run_id)
    assert len(await documents.recent(world.context, 10)) == 2


async def test_a_folder_stands_for_its_trajectories(world: ImportWorld):
    (world.folder / "runs" / "deep").mkdir(parents=True)
    world.file(version_2(), "runs/deep/a.traj.json")
    world.file(version_1(), "runs/b.traj.json")
    world.file(b"not one", "runs/preds.json")
    done = await import_files(world.context, [world.folder / "runs"])
    assert [one.path.name for one in done] == ["b.traj.json", "a.traj.json"]
    with pytest.raises(RefusedError, match=r"no \*\.traj\.json"):
        await import_files(world.context, [world.folder / "artifacts"])


@pytest.mark.parametrize(
    "bad", [b"{", b"\xff", b"[]", b'{"messages": [1]}', b"[" * 100_000, b'{"info": 3}']
)
async def test_one_bad_file_refuses_all_and_names_itself(world: ImportWorld, bad: bytes):
    good, wrong = world.file(version_2(), "good.json"), world.file(bad, "bad.json")
    with pytest.raises(RefusedError, match=r"bad\.json: its? ") as error:
        await import_files(world.context, [good, wrong])
    assert "\n" not in str(error.value)
    assert await world.is_empty()


async def test_a_failure_in_the_middle_leaves_nothing(world: ImportWorld, monkeypatch):
    async def full(*_: object, **__: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(import_trajectories.artifact_rows, "add", full)
    with pytest.raises(OSError, match="disk full"):
        await world.read(version_2())
    assert await world.is_empty()


async def test_a_file_that_is_too_large_is_refused(world: ImportWorld, monkeypatch):
    monkeypatch.setattr(import_trajectories, "MAX_FILE_BYTES", 100)
    with pytest.raises(RefusedError, match="it is larger than"):
        await world.read(version_2())
    monkeypatch.setattr(import_trajectories, "MAX_FILE_BYTES", 1 << 20)
    monkeypatch.setattr(import_trajectories, "MAX_TOTAL_BYTES", 3000)
    with pytest.raises(RefusedError, match="import fewer at once"):
        await import_files(world.context, [world.file(version_2(), f"{n}.json") for n in range(4)])
    assert await world.is_empty()


async def test_what_is_no_file_is_refused(world: ImportWorld):
    os.mkfifo(world.folder / "pipe")
    with pytest.raises(RefusedError, match="pipe: it is not a file"):
        await import_files(world.context, [world.folder / "pipe"])
    with pytest.raises(RefusedError, match="nowhere: cannot be read"):
        await import_files(world.context, [world.folder / "nowhere"])


async def test_text_that_no_database_takes_is_kept_in_the_export(world: ImportWorld):
    odd = {"role": "assistant", "content": "\x00 \ud800", "\udcff": {"\x00": 1}}
    value = version_2(*CHAT, odd, exit_status="\x00\ud800")
    done = await world.read(value)
    run = await world.run(done)
    assert (await documents.trajectory(world.context, run))["messages"][-1] == odd
    stored = (await documents.messages(world.context, done.run_id))[-1].body
    assert stored["content"] == "\ufffd \ufffd"
    assert run.cause == "agent_failed"


async def test_a_patch_with_bytes_that_are_no_text_comes_back(world: ImportWorld):
    diff = DIFF.replace("x = 2", "x = '\udcff'")
    done = await world.read(version_2(submission=diff))
    patch = await artifact_of(world.context, done.run_id, ArtifactKind.PATCH)
    assert patch == diff.encode("utf-8", "surrogateescape")


async def test_a_patch_with_characters_that_no_file_holds_is_kept_as_text(world: ImportWorld):
    done = await world.read(version_2(submission=DIFF.replace("x = 2", "x = '\ud800'")))
    patch = await artifact_of(world.context, done.run_id, ArtifactKind.PATCH)
    assert "+x = '\ufffd'" in patch.decode()


async def test_a_run_without_a_diff_has_no_patch(world: ImportWorld):
    done = await world.read(version_0())
    with pytest.raises(NotFoundError, match="no patch"):
        await artifact_of(world.context, done.run_id, ArtifactKind.PATCH)
    run = await world.run(done)
    assert (run.state, run.cause, run.verdict and run.verdict.status) == (
        "failed", "out_of_steps", "none",
    )  # fmt: skip


async def test_secrets_of_a_file_reach_no_disk(world: ImportWorld):
    facts = version_2()
    facts["info"]["config"]["model"]["model_kwargs"]["api_key"] = "sk-very-secret"
    path = world.file(facts)
    await import_files(world.context, [path])
    path.unlink()
    await world.store.close()
    kept = [file.read_bytes() for file in world.folder.rglob("*") if file.is_file()]
    assert not any(b"sk-very-secret" in content for content in kept)


@pytest.mark.parametrize(("number", "found"), [(0, 0), (1, 1), (2, 2), (-1, 2), (-2, 1), (-3, 0)])
async def test_steps_are_counted_from_both_ends(world: ImportWorld, number: int, found: int):
    done = await world.read(version_2())
    assert (
        chosen_step(await documents.messages(world.context, done.run_id), number)
    ).number == found


@pytest.mark.parametrize("number", [3, -4, 99])
async def test_a_step_that_is_not_there_names_the_range(world: ImportWorld, number: int):
    done = await world.read(version_2())
    with pytest.raises(NotFoundError, match=f"no step {number}: this run has steps 0 to 2"):
        chosen_step(await documents.messages(world.context, done.run_id), number)


async def test_a_run_that_has_not_begun_has_no_steps(world: ImportWorld):
    with pytest.raises(NotFoundError, match="has no steps"):
        chosen_step(await documents.messages(world.context, RunId("none")), 0)
