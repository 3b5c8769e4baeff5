"""A solve that a server runs: this process plans, asks and watches."""

import asyncio
import secrets
from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from yudai.cli import console
from yudai.cli.http.client import AwayError, Made, Remote, open_remote, read_as
from yudai.cli.http.home_lock import known_owner
from yudai.cli.options import Options
from yudai.cli.publish import ServerPublishClient
from yudai.cli.records.http_records import ServerRecords, note_version
from yudai.cli.records.records import Server
from yudai.cli.solve.client import Planned
from yudai.cli.solve.plan import print_sent_plan
from yudai.cli.spinner import working
from yudai.cli.text import safe
from yudai.cli.watch import show_runs
from yudai.decisions.apply import Applier
from yudai.gateway.domain.models import SCRIPT_SUFFIXES, SCRIPTED_PREFIX
from yudai.gateway.domain.routing import Listing, Routes, resolve
from yudai.kit.errors import RefusedError
from yudai.kit.ids import SolveId, short
from yudai.kit.retry import retry
from yudai.settings import Settings
from yudai.solves.domain.again import AgainAsk
from yudai.solves.domain.asked_patch import contestants_of
from yudai.solves.domain.budget import Budget, Entrants, enter
from yudai.solves.domain.matrix import DEFAULT_MAX_CONTESTANTS
from yudai.solves.domain.request import SolveAsk
from yudai.views.domain.document import SolveEntry
from yudai.wiring.components import make_applier, open_context

# The key makes it one solve, however often it is sent.
_AGAIN_S = (0.5, 2.0)


@dataclass(frozen=True)
class ServerClient:
    remote: Remote
    server: Server
    options: Options
    applier: Applier | None
    progress: Console

    @property
    def records(self) -> ServerRecords:
        return ServerRecords(self.remote)

    @property
    def where(self) -> str:
        return "" if self.server.is_ours else self.remote.url

    @property
    def publish_client(self) -> ServerPublishClient:
        return ServerPublishClient(self.remote)

    async def plan(self, asked: SolveAsk) -> Planned:
        """Check the request and print the plan; nothing is spent yet."""
        asked = _placed(asked)
        if self.applier is not None and self.options.branch:
            await _check_branch(self.applier, asked, self.options.branch)
        entrants = await _entrants(self.records, asked)
        print_sent_plan(self.progress, asked, entrants, server=self.remote.url)
        what = "folder" if asked.repo_path else "issue"
        body = asked.model_dump(mode="json", exclude_unset=True)
        opening = partial(self._open, "/api/solves", body, doing=f"the server checks the {what}")
        return Planned(entrants.pricing.is_free, opening)

    async def plan_again(self, earlier: SolveEntry, asked: AgainAsk) -> Planned:
        rows = f"{earlier.repo}: {earlier.issue}"
        text = f"All patches of solve {short(earlier.id)} are judged again ({safe(rows)})."
        self.progress.print(Text(text), soft_wrap=True)
        body = asked.model_dump(mode="json", exclude_none=True)
        path = f"/api/solves/{earlier.id}/judge"
        opening = partial(self._open, path, body, doing="the server looks at the patches")
        return Planned(is_free=True, open=opening)

    async def open_demo(self) -> SolveId:
        return await self._open("/api/demo", {}, doing="the server is starting the demo")

    async def follow(self, solve_id: SolveId) -> None:
        name, program = short(solve_id), console.program()
        where = f" --server {self.server.url}" if self.where else ""
        text = f"Solve {name} runs at {self.remote.url}; Ctrl-C stops watching, not the solve."
        self.progress.print(Text(text), soft_wrap=True)
        try:
            await show_runs(self.records.watch(solve_id), self.progress)
        except asyncio.CancelledError:
            said = (
                f"\nNo longer watching; the solve continues on the server. Watch it again:"
                f" `{program} watch {name}{where}`, end it: `{program} cancel {name}{where}`."
            )
            self.progress.print(Text(said, style="yellow"), soft_wrap=True)
            raise

    async def _open(self, path: str, body: Mapping[str, Any], *, doing: str) -> SolveId:
        key = secrets.token_hex(16)
        try:
            async with working(self.progress, doing):
                post = partial(self.remote.post, path, body, key=key)
                made = await retry(post, _AGAIN_S, on=AwayError)
        except asyncio.CancelledError:
            said = f"\nIt may have been submitted already: `{console.program()} list` shows it."
            self.progress.print(said, style="yellow")
            raise
        return read_as(Made, made, self.remote.url).id


@asynccontextmanager
async def open_server(
    settings: Settings, options: Options, server: Server
) -> AsyncGenerator[ServerClient]:
    async with AsyncExitStack() as stack:
        remote = await stack.enter_async_context(open_remote(server.url, home=settings.home))
        if server.is_ours:
            remote.moves_to = partial(_owners_url, settings)
        note_version(remote.url, await remote.version() or server.version)
        applier = await _open_applier(settings, options, stack)
        yield ServerClient(remote, server, options, applier, console.progress())


def check(options: Options, server: Server) -> None:
    """Refuse options that only the server's process or machine can choose."""
    given = (("--sandbox", options.sandbox), ("--base-url", options.base_url))
    for name, value in given:
        if value:
            raise RefusedError(
                f"{name} is for the server {server.url} to choose, when it is started: leave it"
                " out, or use another YUDAI_HOME"
            )
    wanted = "--apply" if options.apply else "--branch" if options.branch else ""
    if wanted and not server.is_ours:
        raise RefusedError(
            f"{wanted} needs the server of this YUDAI_HOME, not {server.url}: leave it out, then"
            f" `{console.program()} show --diff --server {server.url} | git apply`"
        )


def _owners_url(settings: Settings) -> str | None:
    owner = known_owner(settings.home)
    return None if owner is None else owner.url


def _placed(asked: SolveAsk) -> SolveAsk:
    """Make a script's path absolute, because the server has another working directory."""
    models = tuple(map(_whole, asked.matrix.models))
    if not models:
        return asked
    matrix = asked.matrix.model_copy(update={"models": models})
    return asked.model_copy(update={"matrix": matrix})


def _whole(model: str) -> str:
    name = model.removeprefix(SCRIPTED_PREFIX)
    if name == model:
        return model
    here = Path.cwd() / name
    is_here = any(here.with_name(here.name + suffix).is_file() for suffix in SCRIPT_SUFFIXES)
    return f"{SCRIPTED_PREFIX}{here}" if is_here else model


async def _open_applier(
    settings: Settings, options: Options, stack: AsyncExitStack
) -> Applier | None:
    if not options.apply and not options.branch:
        return None
    context = await stack.enter_async_context(open_context(settings))
    return make_applier(settings, context)


async def _check_branch(applier: Applier, asked: SolveAsk, branch: str) -> None:
    """Before anything is spent."""
    forge = applier.forge
    snapshot = await forge.snapshot(asked.repo_path, base=asked.base_branch, dirty=asked.dirty)
    await forge.check_branch(snapshot, branch)


async def _entrants(records: ServerRecords, asked: SolveAsk) -> Entrants:
    """The contestants as the server expands them. Its own cap may be lower."""
    listing = Listing(await records.models())
    models = resolve(asked.matrix.models, listing, Routes(), prices=asked.known_prices)
    most = asked.limits.max_runs or DEFAULT_MAX_CONTESTANTS
    budget = asked.limits.budget(Budget(max_contestants=most))
    return enter(asked.matrix, models, budget, patches=contestants_of(asked.patches))
