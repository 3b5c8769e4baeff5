"""`yudai solve` through a server: plan, ask, submit, watch; the server does the work."""

import asyncio
import secrets
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from rich.console import Console
from rich.text import Text

from yudai.arena.plan import FolderRequest
from yudai.cli import console
from yudai.cli.decide import take
from yudai.cli.exit_codes import INTERRUPTED
from yudai.cli.http.client import AwayError, Remote, open_remote, read_as
from yudai.cli.http.home_lock import known_owner
from yudai.cli.options import Options
from yudai.cli.publish import ServerDesk, publish
from yudai.cli.records.choose import Server
from yudai.cli.records.http_records import ServerRecords, note_version
from yudai.cli.show.result import exit_code, print_document, show_result
from yudai.cli.solve.plan import Entrants, agreed, print_sent_plan
from yudai.cli.solve.request import to_body, to_forge_ask, to_forge_body, to_request
from yudai.cli.solve.target import find_target
from yudai.cli.spinner import working
from yudai.cli.watch.display import show_race
from yudai.decisions.apply import Applier
from yudai.gateway.domain.models import SCRIPTED_PREFIX, free_names
from yudai.gateway.domain.routing import Listing, Routes, resolve
from yudai.kit.errors import RefusedError
from yudai.kit.ids import SolveId, short
from yudai.settings import Settings
from yudai.solves.domain.budget import admit
from yudai.solves.domain.matrix import check_size, expand
from yudai.views.domain.document import SolveDocument
from yudai.wiring import make_applier, open_library

# The key makes it one solve, however often it is sent.
_AGAIN_S = (0.5, 2.0)
_SUFFIXES = ("", ".yaml", ".yml", ".json")


class _Made(BaseModel):
    id: SolveId


async def send_solve(settings: Settings, options: Options, server: Server) -> int:
    _check(options, server)
    asked, body = _asked(options, settings)
    progress = console.progress()
    async with AsyncExitStack() as stack:
        remote = await stack.enter_async_context(open_remote(server.url, home=settings.home))
        if server.is_ours:
            remote.moves_to = partial(_owners_url, settings)
        note_version(remote.url, await remote.version() or server.version)
        applier = await _open_applier(settings, options, stack)
        if applier is not None and options.branch:
            await _check_branch(applier, asked)
        entrants = await _entrants(remote, asked)
        print_sent_plan(progress, asked, entrants, server=remote.url)
        if not options.yes and not entrants.are_free and not await agreed():
            return INTERRUPTED
        solve_id = await _submit(remote, body, progress)
        records = ServerRecords(remote)
        await _watch(records, solve_id, server, progress)
        document = await records.document(solve_id)
        if not options.json:
            where = "" if server.is_ours else remote.url
            await show_result(
                records, document, console.result(), server=where, has_pull=options.pr
            )
        await _take(records, document, options, applier)
        return exit_code(document)


def _check(options: Options, server: Server) -> None:
    """What only the process that does the work can choose, and what only its machine can do."""
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


def _asked(options: Options, settings: Settings) -> tuple[FolderRequest, dict[str, Any]]:
    """Which forge is asked is the server's own matter, unless it is named."""
    target = find_target(options.target)
    if target is None:
        asked = to_request(options, settings)
        placed = asked.model_copy(update={"target": str(Path(asked.target).absolute())})
        placed = _placed(placed)
        return placed, to_body(placed)
    ask = to_forge_ask(options, settings, target)
    ask = ask._replace(asked=_placed(ask.asked))
    return ask.asked, to_forge_body(ask)


def _owners_url(settings: Settings) -> str | None:
    owner = known_owner(settings.home)
    return None if owner is None else owner.url


def _placed(asked: FolderRequest) -> FolderRequest:
    """The server has another working directory: every path is told whole."""
    models = tuple(map(_whole, asked.matrix.models))
    return asked.model_copy(
        update={
            "env": None if asked.env is None else asked.env.absolute(),
            "matrix": asked.matrix.model_copy(update={"models": models}),
        }
    )


def _whole(model: str) -> str:
    name = model.removeprefix(SCRIPTED_PREFIX)
    if name == model:
        return model
    here = Path.cwd() / name
    is_here = any(here.with_name(here.name + suffix).is_file() for suffix in _SUFFIXES)
    return f"{SCRIPTED_PREFIX}{here}" if is_here else model


async def _open_applier(
    settings: Settings, options: Options, stack: AsyncExitStack
) -> Applier | None:
    if not options.apply and not options.branch:
        return None
    library = await stack.enter_async_context(open_library(settings))
    return make_applier(settings, library.reader)


async def _check_branch(applier: Applier, asked: FolderRequest) -> None:
    """Before anything is spent."""
    snapshot = await applier.forge.snapshot(asked.target, base=asked.base, dirty=asked.dirty)
    await applier.forge.check_branch(snapshot, asked.branch)


async def _entrants(remote: Remote, asked: FolderRequest) -> Entrants:
    """As the server will have them; its own cap on their number may be lower."""
    check_size(asked.matrix)
    models = resolve(
        asked.matrix.models,
        Listing(await ServerRecords(remote).models()),
        Routes(),
        prices=asked.prices,
    )
    named = asked.matrix.model_copy(update={"models": tuple(model.name for model in models)})
    lineup = expand(named, limit=asked.budget.max_contestants)
    admit(lineup, asked.budget, free_models=free_names(models))
    return Entrants(lineup, models, asked.budget)


async def _submit(remote: Remote, body: dict[str, Any], progress: Console) -> SolveId:
    key, what = secrets.token_hex(16), "folder" if "repo_path" in body else "issue"
    try:
        async with working(progress, f"the server looks at the {what}"):
            for pause_s in _AGAIN_S:
                try:
                    made = await remote.post("/api/solves", body, key=key)
                    break
                except AwayError:
                    await asyncio.sleep(pause_s)
            else:
                made = await remote.post("/api/solves", body, key=key)
    except asyncio.CancelledError:
        said = f"\nIt may have been submitted already: `{console.program()} list` shows it."
        progress.print(said, style="yellow")
        raise
    return read_as(_Made, made, remote.url).id


async def _watch(
    records: ServerRecords, solve_id: SolveId, server: Server, progress: Console
) -> None:
    name, program = short(solve_id), console.program()
    where = "" if server.is_ours else f" --server {server.url}"
    text = f"Solve {name} runs at {records.server}; Ctrl-C stops watching, not the solve."
    progress.print(Text(text), soft_wrap=True)
    try:
        await show_race(records.race(solve_id), progress)
    except asyncio.CancelledError:
        said = (
            f"\nNo longer watching; the solve goes on at the server. Watch it again:"
            f" `{program} watch {name}{where}`, end it: `{program} cancel {name}{where}`."
        )
        progress.print(Text(said, style="yellow"), soft_wrap=True)
        raise


async def _take(
    records: ServerRecords, document: SolveDocument, options: Options, applier: Applier | None
) -> None:
    solve_id = document.solve.id
    try:
        if applier is not None and document.solve.champion is not None:
            await take(applier, solve_id, branch=options.branch, console=console.progress())
        if options.pr and document.solve.champion is not None:
            await publish(ServerDesk(records.remote), solve_id, console.progress())
    finally:
        # The race has been paid for: its document is printed whatever becomes of the answer.
        if options.json:
            pull = await records.outcomes(solve_id) if options.pr else None
            print_document(await records.document(solve_id), pull)
