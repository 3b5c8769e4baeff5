"""Solves and runs of a server, over HTTP; a watched one is polled, also after a break."""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from rich.console import Console
from rich.text import Text

from yudai import __version__
from yudai.artifacts.port import ArtifactKind
from yudai.cli import console
from yudai.cli.http.client import AwayError, Remote, open_remote
from yudai.cli.records.source import KnownSolve, PolledSolve, Source
from yudai.gateway.domain.models import Model
from yudai.kit.errors import NotFoundError, RefusedError, YudaiError
from yudai.kit.ids import RunId, SolveId, short
from yudai.publishing.views import OutcomeList
from yudai.runs.domain.trajectory.foreign_files import read_trajectory
from yudai.runs.domain.trajectory.trajectory import TrajectoryMessage
from yudai.solves.domain.states import RESTING
from yudai.views.domain.document import SolveDocument
from yudai.views.models import ModelList
from yudai.views.runs import PlanView, RunDetail
from yudai.views.solves import SolvePage, SolveSummary
from yudai.views.updates import UpdatesView

_NEWEST = ("", "latest")
_ID_LENGTH = 36
_MIN_ENDING = 4
_PAGE = 100
# Endings are looked for among the newest: a whole id is found however old it is.
_LOOKED_THROUGH = 1000
_PATHS = {ArtifactKind.PATCH: "patch", ArtifactKind.TEST_LOG: "logs/test"}


@asynccontextmanager
async def open_server_records(
    url: str, *, home: Path | None = None
) -> AsyncGenerator["ServerRecords"]:
    async with open_remote(url, home=home) as remote:
        note_version(remote.url, await remote.version())
        yield ServerRecords(remote)


def note_version(url: str, version: str) -> None:
    if version and version != __version__:
        console.progress().print(
            f"The server {url} is version {version}, this is {__version__}.", style="yellow"
        )


@dataclass(frozen=True)
class ServerRecords:
    remote: Remote

    @property
    def server(self) -> str:
        return self.remote.url

    async def document(self, ending: str) -> SolveDocument:
        solve_id = await self._id(ending)
        return await self.remote.read(SolveDocument, f"/api/solves/{solve_id}")

    async def recent(self, limit: int) -> Sequence[SolveDocument]:
        ids = [entry.id async for entry in self._listed(limit)]
        return [await self.document(solve_id) for solve_id in ids]

    async def find(self, ending: str) -> SolveId:
        if ending in _NEWEST:
            async for entry in self._listed(_PAGE):
                if entry.state not in RESTING:
                    return entry.id
        return await self._id(ending)

    async def run(self, ending: str) -> RunDetail:
        run_id = ending if len(ending) == _ID_LENGTH else await self._run_id(ending)
        return await self.remote.read(RunDetail, f"/api/runs/{run_id}")

    async def messages(self, run_id: RunId) -> Sequence[TrajectoryMessage]:
        found = await self.trajectory(run_id)
        return read_trajectory(found, name=run_id).messages if found.get("messages") else ()

    async def trajectory(self, run_id: RunId) -> dict[str, Any]:
        return await self.remote.get(f"/api/runs/{run_id}/trajectory.json")

    async def artifact(self, run_id: RunId, kind: ArtifactKind) -> bytes:
        if kind is ArtifactKind.PLAN:
            plan = await self.remote.read(PlanView, f"/api/runs/{run_id}/plan")
            return json.dumps(plan.model_dump(mode="json", exclude={"run_id"})).encode()
        return await self.remote.get_bytes(f"/api/runs/{run_id}/{_PATHS[kind]}")

    async def cancel(self, solve_id: SolveId) -> None:
        await self.remote.post(f"/api/solves/{solve_id}/cancel")

    async def dismiss(self, solve_id: SolveId, reason: str) -> None:
        await self.remote.post(f"/api/solves/{solve_id}/dismiss", {"reason": reason})

    async def answer(self, solve_id: SolveId, question: str, choice: str) -> None:
        path = f"/api/solves/{solve_id}/questions/{quote(question, safe='')}"
        await self.remote.post(path, {"choice": choice})

    async def outcomes(self, solve_id: SolveId) -> OutcomeList | None:
        """None also from an older server, which has no outcomes."""
        try:
            return await self.remote.read(OutcomeList, f"/api/solves/{solve_id}/outcomes")
        except NotFoundError:
            return None

    async def remark(self, solve_id: SolveId) -> str:
        del solve_id
        return ""

    def watch(self, solve_id: SolveId) -> Source:
        return UpdatesSource(self.remote, solve_id, console.progress())

    async def models(self) -> list[Model]:
        found = await self.remote.read(ModelList, "/api/models")
        return [entry.model for entry in found.models]

    async def _id(self, ending: str) -> SolveId:
        if len(ending) == _ID_LENGTH:
            return SolveId(ending.lower())
        if ending in _NEWEST:
            async for entry in self._listed(1):
                return entry.id
            raise NotFoundError(f"there is no solve at {self.remote.url} yet")
        _check(ending, "solve")
        fitting = [
            entry.id
            async for entry in self._listed(_LOOKED_THROUGH)
            if entry.id.endswith(ending.lower())
        ]
        return SolveId(_only(fitting, ending, "solve"))

    async def _run_id(self, ending: str) -> RunId:
        """By its handle in the newest solve, else by the end of its id in any."""
        ids: list[RunId] = []
        is_newest = True
        async for entry in self._listed(_PAGE):
            for place in (await self.document(entry.id)).ranking:
                if is_newest and place.handle == ending:
                    return place.run_id
                if len(ending) >= _MIN_ENDING and place.run_id.endswith(ending.lower()):
                    ids.append(place.run_id)
            is_newest = False
        _check(ending, "run")
        return RunId(_only(ids, ending, "run"))

    async def _listed(self, limit: int) -> AsyncIterator[SolveSummary]:
        """Newest first."""
        params: dict[str, str | int] = {"limit": min(limit, _PAGE)}
        left = limit
        while left > 0:
            page = await self.remote.read(SolvePage, "/api/solves", **params)
            for entry in page.solves[:left]:
                yield entry
            left -= len(page.solves)
            if not page.cursor:
                return
            params["cursor"] = page.cursor


def _check(ending: str, noun: str) -> None:
    if len(ending) < _MIN_ENDING:
        raise RefusedError(f"give at least {_MIN_ENDING} characters of the {noun}'s id")


def _only(ids: Sequence[str], ending: str, noun: str) -> str:
    if len(ids) > 1:
        raise RefusedError(f"{ending} fits several, give more of one of: {', '.join(ids[:5])}")
    if not ids:
        raise NotFoundError(f"there is no {noun} {ending!a} among the server's newest")
    return ids[0]


_FIRST_WAIT_S = 2.0
_LONGEST_WAIT_S = 30.0
_PATIENCE_S = 600.0
# The server's own pace, but a person waits here: what is queued may start at any moment.
_SHORTEST_POLL_S = 0.2
_LONGEST_POLL_S = 2.0


@dataclass
class UpdatesSource:
    remote: Remote
    solve_id: SolveId
    progress: Console
    _: KW_ONLY
    first_wait_s: float = _FIRST_WAIT_S
    patience_s: float = _PATIENCE_S
    _known: KnownSolve = field(init=False)

    def __post_init__(self) -> None:
        self._known = KnownSolve(self.remote.url)

    async def poll(self) -> PolledSolve:
        updates = await self._ask()
        seen = self._known.update(updates)
        return PolledSolve(
            seen=seen,
            is_last=seen.solve.state in RESTING and not updates.more,
            wait_s=0 if updates.more else _pace(updates.poll_ms / 1000),
        )

    async def _ask(self) -> UpdatesView:
        """Poll once; while the server is away, retry with growing pauses."""
        loop = asyncio.get_running_loop()
        gone_at, wait_s = loop.time(), self.first_wait_s
        has_said = False
        while True:
            try:
                updates = await self._ask_once()
            except AwayError as error:
                if loop.time() - gone_at + wait_s > self.patience_s:
                    raise YudaiError(self._gave_up(error)) from None
                self._say(f"{error}; asking again in {wait_s:g} s")
                has_said = True
                await asyncio.sleep(wait_s)
                wait_s = min(wait_s * 2, _LONGEST_WAIT_S)
                continue
            if has_said:
                self._say(f"the server {self.remote.url} answers again")
            return updates

    async def _ask_once(self) -> UpdatesView:
        path = f"/api/solves/{self.solve_id}"
        known = self._known
        if known.issue is None:
            known.issue = str((await self.remote.get(path))["solve"]["issue"])
        params = {"cursor": known.cursor} if known.cursor else {}
        return await self.remote.read(UpdatesView, f"{path}/updates", **params)

    def _say(self, text: str) -> None:
        self.progress.print(Text(text, style="yellow"), soft_wrap=True)

    def _gave_up(self, error: AwayError) -> str:
        again = f"`{console.program()} watch {short(self.solve_id)}`"
        return f"{error}; the solve continues when the server is back: {again} follows it."


def _pace(poll_s: float) -> float:
    return min(max(poll_s, _SHORTEST_POLL_S), _LONGEST_POLL_S)
