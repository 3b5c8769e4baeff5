"""Imports mini-SWE-agent trajectory files as runs: one solve per file, all or none."""

import asyncio
import hashlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from sqlalchemy.ext.asyncio import AsyncSession

from yudai.artifacts import queries as artifact_rows
from yudai.artifacts.context import Context
from yudai.artifacts.port import ArtifactKind, ArtifactRef
from yudai.kit.errors import RefusedError
from yudai.kit.ids import RunId, SolveId, uuid7
from yudai.kit.text import clean
from yudai.patches.patch import touched
from yudai.patches.test_paths import is_test_path
from yudai.runs import messages as trajectories
from yudai.runs import queries as runs
from yudai.runs.domain.trajectory.foreign_files import Imported, parse, read_trajectory
from yudai.runs.tables import RunRow
from yudai.sandboxes.port import BaseSpec
from yudai.solves import queries as solves
from yudai.solves import timeline as events
from yudai.solves.domain.budget import Budget
from yudai.solves.domain.matrix import Matrix
from yudai.solves.domain.states import SolveState
from yudai.solves.tables import SolveRow
from yudai.verification.domain.verdict import NOTHING, Verdict, VerdictStatus

MAX_FILE_BYTES = 64 << 20
MAX_TOTAL_BYTES = 256 << 20
SUFFIX = ".traj.json"
BACKEND = "imported"

_UNVERIFIED = Verdict(
    status=VerdictStatus.UNVERIFIED, summary="imported: its patch was never verified here"
)
_REASON = "no champion: this run was imported, nothing of it was verified here"


class ImportedRun(NamedTuple):
    """Result of one file."""

    path: Path
    solve_id: SolveId
    run_id: RunId
    handle: str
    issue: str
    is_new: bool
    """False: the same content was imported before."""


class _Read(NamedTuple):
    path: Path
    run: Imported
    blob: bytes
    solve_id: SolveId
    run_id: RunId


async def import_files(context: Context, paths: Sequence[Path]) -> list[ImportedRun]:
    """Read all files, then write them in one transaction. One bad file refuses all.

    A folder stands for the trajectory files in it. Equal content has the same ids.
    """
    read = await asyncio.to_thread(lambda: list(_read_all(_files(paths))))
    refs = [await _keep(context, one) for one in read]
    done: list[ImportedRun] = []
    async with context.store.change() as db:
        for one, kept in zip(read, refs, strict=True):
            is_new = await db.get(SolveRow, one.solve_id) is None
            if is_new:
                await _add(db, one, kept, now=context.clock.now())
            handle, issue = one.run.contestant.handle, one.run.issue.label
            done.append(ImportedRun(one.path, one.solve_id, one.run_id, handle, issue, is_new))
    return done


async def _keep(context: Context, read: _Read) -> list[ArtifactRef]:
    blobs = {
        ArtifactKind.TRAJECTORY: read.blob,
        ArtifactKind.PATCH: _encoded(read.run.patch),
    }
    return [await context.artifacts.put(kind, blob) for kind, blob in blobs.items() if blob]


async def _add(db: AsyncSession, read: _Read, refs: Sequence[ArtifactRef], *, now: float) -> None:
    await solves.add(db, _solve(read, now=now))
    await runs.add_all(db, [_run(read, now=now)])
    await trajectories.add_all(db, read.run_id, read.run.messages)
    for ref in refs:
        await artifact_rows.add(db, read.solve_id, read.run_id, ref, at=now)
    event_data: dict[str, object] = {"file": clean(read.path.name)}
    await events.append(db, read.solve_id, kind="solve.imported", at=now, data=event_data)


def _files(paths: Sequence[Path]) -> Iterator[Path]:
    for path in paths:
        if not path.is_dir():
            yield path
            continue
        found = sorted(path.rglob(f"*{SUFFIX}"))
        if not found:
            raise RefusedError(f"{path}: there is no *{SUFFIX} file in this folder")
        yield from found


def _read_all(paths: Iterator[Path]) -> Iterator[_Read]:
    total = 0
    for path in paths:
        content = _content(path)
        total += len(content)
        if total > MAX_TOTAL_BYTES:
            raise RefusedError(
                f"{path}: more than {MAX_TOTAL_BYTES >> 20} MB: import fewer at once"
            )
        try:
            run = read_trajectory(parse(content), name=path.name.removesuffix(SUFFIX))
        except RefusedError as error:
            raise RefusedError(f"{path}: {error}") from None
        yield _named(path, run)


def _content(path: Path) -> bytes:
    # A pipe or a device could be endless.
    if path.exists() and not path.is_file():
        raise RefusedError(f"{path}: it is not a file")
    try:
        with path.open("rb") as file:
            content = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise RefusedError(f"{path}: cannot be read: {error.strerror}") from None
    if len(content) > MAX_FILE_BYTES:
        raise RefusedError(f"{path}: it is larger than {MAX_FILE_BYTES >> 20} MB")
    return content


def _named(path: Path, run: Imported) -> _Read:
    """Ids derived from the content, so that a repeated import finds its runs."""
    blob = json.dumps(run.document).encode()
    digest = hashlib.sha256(blob).digest()
    unix_ms = int((run.started_at or 0.0) * 1000)
    solve_id = uuid7(unix_ms=unix_ms, entropy=int.from_bytes(digest[:16]))
    run_id = uuid7(unix_ms=unix_ms, entropy=int.from_bytes(digest[16:]))
    return _Read(path, run, blob, SolveId(solve_id), RunId(run_id))


def _encoded(patch: str) -> bytes:
    """Encode with lone surrogates as the original non-UTF-8 bytes, like our own export."""
    try:
        return patch.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return clean(patch).encode()


def _solve(read: _Read, *, now: float) -> SolveRow:
    run = read.run
    return SolveRow(
        id=read.solve_id,
        repo=run.repo,
        issue_title=run.issue.title,
        issue_body=run.issue.body,
        matrix=Matrix(models=(run.contestant.model,), temperatures=(run.contestant.temperature,)),
        budget=Budget(),
        reducer="simple",
        sandbox_backend=BACKEND,
        base=BaseSpec(key=f"{BACKEND}-{read.solve_id}", source=Path(BACKEND)),
        state=SolveState.COMPLETED,
        reason=_REASON,
        created_at=now,
        started_at=run.started_at or now,
        finished_at=run.finished_at or now,
    )


def _run(read: _Read, *, now: float) -> RunRow:
    run = read.run
    started, finished = run.started_at or now, run.finished_at or now
    source = [change for change in touched(run.patch) if not is_test_path(change.path)]
    return RunRow(
        id=read.run_id,
        solve_id=read.solve_id,
        position=0,
        handle=run.contestant.handle,
        contestant=run.contestant,
        state=run.state,
        cause=run.cause,
        queued_at=started,
        started_at=started,
        finished_at=finished,
        exit_status=run.exit_status,
        steps=run.steps,
        message_count=len(run.messages),
        files_changed=len(source),
        lines_changed=sum(change.lines for change in source),
        latency_ms=int((finished - started) * 1000),
        verdict=_UNVERIFIED if run.patch else NOTHING,
        rank=1,
        **run.usage.model_dump(),
    )
