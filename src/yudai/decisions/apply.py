"""Applies a run's patch: to the folder, or as a commit on a new branch."""

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from pydantic import ConfigDict, Field

from yudai.artifacts.context import Context
from yudai.artifacts.port import ArtifactKind
from yudai.artifacts.queries import artifact_of
from yudai.forge.ports.folder import Forge, Snapshot
from yudai.kit.errors import ConflictError, NotFoundError, RefusedError, about
from yudai.kit.hints import PATCH
from yudai.kit.ids import RunId, SolveId, short
from yudai.kit.value import Value
from yudai.patches.patch import forbidden, parse_patch, readable
from yudai.runs import queries as runs
from yudai.runs.tables import RunRow
from yudai.solves import queries as folders
from yudai.solves import queries as solves
from yudai.solves import timeline as events
from yudai.solves.domain.states import SolveEvent, SolveState
from yudai.solves.queries import issue_of
from yudai.solves.tables import SolveRow
from yudai.views.documents import find_run


class ApplyAsk(Value):
    """How a patch is applied."""

    model_config = ConfigDict(json_schema_extra={"examples": [{}, {"branch": "fix/leap-years"}]})

    run_id: str = Field(
        default="", max_length=64, description="Unset: the champion's; else any run with a patch."
    )
    branch: str = Field(
        default="",
        max_length=200,
        description="Set: one commit on this new branch; unset: the folder's files are changed.",
    )


class AppliedView(Value):
    run_id: RunId
    handle: str
    root: str
    paths: tuple[str, ...]
    branch: str
    commit: str


class DismissAsk(Value):
    model_config = ConfigDict(
        json_schema_extra={"examples": [{"reason": "It rewrites half of the parser."}, {}]}
    )

    reason: str = Field(default="", max_length=500, description="One line for the timeline.")


class _Answer(NamedTuple):
    solve: SolveRow
    run: RunRow
    snapshot: Snapshot
    patch: bytes


@dataclass(frozen=True)
class Applier:
    context: Context
    forge: Forge

    async def apply(self, target: str, *, here: Path | None = None) -> AppliedView:
        """Change the files of the solve's folder.

        Without a target, the newest solve of the current folder.
        """
        answer = await self._answer(target, here)
        await self.forge.apply(answer.snapshot, answer.patch)
        applied = _applied(answer)
        await self._settle(answer, {"applied": applied.root})
        return applied

    async def branch(self, target: str, name: str, *, here: Path | None = None) -> AppliedView:
        """Create one commit on a new branch; the folder's files do not change."""
        answer = await self._answer(target, here)
        with about("branch"):
            commit = await self.forge.branch(
                answer.snapshot, answer.patch, name=name, message=_message(answer)
            )
        await self._settle(answer, {"branch": name, "commit": commit})
        return _applied(answer, branch=name, commit=commit)

    async def take(self, solve_id: SolveId, ask: ApplyAsk, *, user_id: str) -> AppliedView:
        """Apply the champion's patch, or that of the named run, for a user of the API."""
        target = await self._target(solve_id, ask.run_id, user_id)
        try:
            if ask.branch:
                return await self.branch(target, ask.branch)
            return await self.apply(target)
        except NotFoundError as error:
            # A missing patch or folder is an invalid request; the solve itself exists.
            raise RefusedError(*error.message, field=error.field) from error

    async def _target(self, solve_id: SolveId, run_id: str, user_id: str) -> str:
        async with self.context.store.read() as db:
            solve = await solves.get(db, solve_id)
            ids = [run.id for run in await runs.of_solve(db, solve_id)]
        if solve.user_id != user_id:
            raise NotFoundError(f"there is no solve {solve_id}")
        if run_id and run_id not in ids:
            raise RefusedError(
                f"solve {short(solve_id)} has no run {run_id!a}: name one of its runs, or none",
                field="run_id",
            )
        if run_id or solve.champion_run_id:
            return run_id or str(solve.champion_run_id)
        raise ConflictError(
            f"solve {short(solve_id)} is {solve.state} and has no champion: name one of its runs",
            state=solve.state,
        )

    async def _answer(self, target: str, here: Path | None) -> _Answer:
        solve, run = await self._find(target or await self._newest(here))
        if solve.snapshot is None:
            raise RefusedError("this solve has no folder: use ", PATCH)
        with about("run_id"):
            patch = await artifact_of(self.context, RunId(run.id), ArtifactKind.PATCH)
            if not patch:
                raise NotFoundError(f"{run.handle} made no patch")
        if reasons := _reasons(patch, solve):
            raise RefusedError(f"this patch must not be applied: {'; '.join(reasons)}")
        return _Answer(solve, run, solve.snapshot, patch)

    async def _newest(self, here: Path | None) -> SolveId:
        """The newest solve of the current folder; other folders need a name."""
        async with self.context.store.read() as db:
            for solve in await folders.newest_first(db):
                if here is None or here.is_relative_to(solve.snapshot.root):
                    return solve.id
        where = "" if here is None else f" of {here}"
        raise NotFoundError(f"there is no solve{where} to apply: name one (`yudai list`)")

    async def _find(self, target: str) -> tuple[SolveRow, RunRow]:
        """The champion of a solve, or the named run."""
        try:
            async with self.context.store.read() as db:
                solve = await solves.find(db, target)
        except NotFoundError:
            run = await find_run(self.context, target)
            async with self.context.store.read() as db:
                return await solves.get(db, SolveId(run.solve_id)), run
        if solve.champion_run_id is None:
            raise NotFoundError("this solve has no champion: name one of its runs")
        return solve, await find_run(self.context, solve.champion_run_id)

    async def _settle(self, answer: _Answer, data: dict[str, object]) -> None:
        """Settle the solve. A second decision is only added to the timeline."""
        solve_id, now = SolveId(answer.solve.id), self.context.clock.now()
        facts = {"run": answer.run.id, **data}
        async with self.context.store.change() as db:
            solve = await solves.hold(db, solve_id)
            if solve.state == SolveState.AWAITING_REVIEW:
                await solves.advance(db, solve_id, SolveEvent.SETTLED, at=now, data=facts)
            else:
                await events.append(
                    db, solve_id, kind="patch.applied", at=now, run_id=answer.run.id, data=facts
                )


def _reasons(patch: bytes, solve: SolveRow) -> tuple[str, ...]:
    parsed = parse_patch(patch.decode("utf-8", "surrogateescape"))
    return forbidden(parsed, protected=solve.project.protected)


def _applied(answer: _Answer, *, branch: str = "", commit: str = "") -> AppliedView:
    patch = parse_patch(answer.patch.decode("utf-8", "surrogateescape"))
    return AppliedView(
        run_id=answer.run.id,
        handle=answer.run.handle,
        root=str(answer.snapshot.root),
        paths=tuple(readable(path) for path in sorted(patch.paths)),
        branch=branch,
        commit=commit,
    )


def _message(answer: _Answer) -> str:
    issue, run = issue_of(answer.solve), answer.run
    proof = "" if run.verdict is None else f"{run.verdict.summary}\n\n"
    return f"{issue.label}\n\n{proof}By {run.handle}, chosen by Yudai (solve {answer.solve.id}).\n"
