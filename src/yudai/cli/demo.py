"""`yudai demo --exit`: the bundled arena in the terminal, from beginning to end."""

import asyncio
import secrets
import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from rich.console import Console
from rich.text import Text

from yudai.arena.open import SolveRequest
from yudai.arena.submit import Submitter
from yudai.cli import console
from yudai.cli import console as consoles
from yudai.cli.exit_codes import OUR_FAULT
from yudai.cli.records.choose import Server, find_server
from yudai.cli.records.source import DatabaseSource
from yudai.cli.serve.serve import ServeOptions, make_api, open_parts, serving
from yudai.cli.show.result import exit_code, print_document, show_result
from yudai.cli.watch.display import follow, show_race
from yudai.forge.ports.folder import Forge
from yudai.kit.errors import ConflictError, RefusedError, SandboxError
from yudai.kit.ids import SolveId
from yudai.ranking.domain.reducer import check_reducer
from yudai.settings import Settings, surroundings
from yudai.solves.domain.request import SolveAsk
from yudai.views.domain.document import SolveDocument
from yudai.wiring import App, is_shared, open_app, scripted_gateway
from yudai.wiring.api_service import Service
from yudai.wiring.demo import PARALLEL, demo_request

if TYPE_CHECKING:
    from starlette.types import ASGIApp


async def run_demo(
    settings: Settings, *, sandbox: str | None, parallel: int, reducer: str, json: bool
) -> int:
    progress = console.progress()
    async with _open(settings, sandbox, progress) as app:
        backend = app.capabilities.backend
        request = demo_request(
            settings, sandbox_backend=backend, parallel=parallel, reducer=reducer
        )
        solve_id = await app.solves.open_solve(request)
        await follow(app, solve_id, progress)
        document = await app.reader.document(solve_id)
        if json:
            print_document(document)
        else:
            await show_result(app.reader, document, console.result())
        return exit_code(document)


@asynccontextmanager
async def _open(settings: Settings, sandbox: str | None, progress: Console) -> AsyncGenerator[App]:
    """Our own scripts may run as plain processes where no sandbox can start; said plainly."""
    async with AsyncExitStack() as stack:

        async def enter(chosen: str | None) -> App:
            opening = open_app(settings, gateway=scripted_gateway(), sandbox=chosen)
            return await stack.enter_async_context(opening)

        try:
            app = await enter(sandbox)
        except SandboxError as error:
            if sandbox or settings.sandbox_backend:
                raise
            say_no_sandbox(progress, error)
            app = await enter("process")
        yield app


def say_no_sandbox(progress: Console, error: SandboxError) -> None:
    progress.print(f"No sandbox on this machine: {error}", style="yellow", markup=False)
    progress.print("The demo's own scripts run as plain processes instead.", style="yellow")


_DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY")


class DemoOptions(NamedTuple):
    """`yudai demo` as it was typed."""

    sandbox: str | None = None
    parallel: int = PARALLEL
    reducer: str = "simple"
    opens: bool = True
    """A browser, where there is one."""


async def show_demo(settings: Settings, given: DemoOptions) -> int:
    """Until Ctrl-C; where the page is another server's, until the race is over."""
    check_reducer(given.reducer)
    server = await find_server(settings)
    if server is None:
        return await _show_here(settings, given)
    return await _show_there(given, server)


async def _show_here(settings: Settings, given: DemoOptions) -> int:
    progress = consoles.progress()
    stage = _Stage(progress)
    options = ServeOptions(sandbox=given.sandbox, any_port=True)
    async with serving(settings, options, opening=stage.open) as served:
        solve_id = await _start(stage.service, given)
        page = f"{served.entry.url}/solves/{solve_id}"
        await _show_page(page, given)
        document = await _race(stage.service, solve_id, progress)
        await show_result(stage.service.reader, document, consoles.result())
        progress.print(Text(f"\nThe page stays at {page} until Ctrl-C."), soft_wrap=True)
        try:
            await asyncio.wait([served.http])
        except asyncio.CancelledError:
            # What was asked for is done: this is how it ends.
            return exit_code(document)
    return OUR_FAULT


async def _start(service: Service, given: DemoOptions) -> SolveId:
    request = demo_request(
        service.settings,
        sandbox_backend=service.submitter.sandbox_backend,
        parallel=given.parallel,
        reducer=given.reducer,
    )
    return await service.submitter.solves.open_solve(request)


async def _race(service: Service, solve_id: SolveId, progress: Console) -> SolveDocument:
    async def is_over() -> bool:
        return False

    try:
        await show_race(DatabaseSource(service.reader, solve_id, is_over), progress)
    except asyncio.CancelledError:
        progress.print("\nStopping: sandboxes are being removed …", style="yellow")
        # Nobody wants to find it going on at the next start.
        with suppress(ConflictError):
            await service.stopper.cancel(solve_id)
        raise
    return await service.reader.document(solve_id)


class _Stage:
    """What is opened for our own server, and stays at hand."""

    service: Service

    def __init__(self, progress: Console) -> None:
        self._progress = progress

    @asynccontextmanager
    async def open(
        self, settings: Settings, given: ServeOptions, url: str
    ) -> "AsyncGenerator[ASGIApp]":
        async with AsyncExitStack() as stack:
            try:
                self.service = await stack.enter_async_context(open_parts(settings, given))
            except SandboxError as error:
                if given.sandbox or settings.sandbox_backend or is_shared(settings):
                    raise
                say_no_sandbox(self._progress, error)
                bare = open_parts(settings, given._replace(sandbox="process"))
                self.service = _demo_only(await stack.enter_async_context(bare))
            yield make_api(self.service, settings, given, url)


def _demo_only(service: Service) -> Service:
    """Nothing but our own scripts may run without a sandbox, unless a person asks for that."""
    submitter = _DemoOnly(**vars(service.submitter))
    return replace(
        service,
        submitter=submitter,
        forecaster=replace(service.forecaster, submitter=submitter),
        conversations=replace(service.conversations, submitter=submitter),
    )


@dataclass(frozen=True)
class _DemoOnly(Submitter):
    async def request(
        self, ask: SolveAsk, *, user_id: str, forge: Forge | None = None
    ) -> SolveRequest:
        del ask, user_id, forge
        raise RefusedError(
            "no sandbox can start on this machine, so only the demo runs here: `yudai doctor` says"
            " why, and `yudai serve --sandbox process` does without one"
        )


async def _show_there(given: DemoOptions, server: Server) -> int:
    from yudai.cli.http.client import Made, open_remote, read_as
    from yudai.cli.records.http_records import ServerRecords, note_version
    from yudai.cli.watch.watch import watch

    _check(given, server)
    async with open_remote(server.url) as remote:
        note_version(remote.url, await remote.version())
        made = await remote.post("/api/demo", key=secrets.token_hex(16))
        solve_id = read_as(Made, made, remote.url).id
        records = ServerRecords(remote)
        await _show_page(f"{remote.url}/solves/{solve_id}", given)
        await watch(records, solve_id, consoles.progress())
        document = await records.document(solve_id)
        where = "" if server.is_ours else remote.url
        await show_result(records, document, consoles.result(), server=where)
        return exit_code(document)


def _check(given: DemoOptions, server: Server) -> None:
    usual = DemoOptions()
    names = ("sandbox", "parallel", "reducer")
    for name in names:
        if getattr(given, name) != getattr(usual, name):
            raise RefusedError(
                f"--{name} is for the server {server.url} to choose: leave it out, or add --exit"
            )


async def _show_page(url: str, given: DemoOptions) -> None:
    console = consoles.result()
    console.print(Text(f"Watch it live: {url}"), soft_wrap=True)
    if given.opens and has_desktop(surroundings(), is_terminal=sys.stdout.isatty()):
        import webbrowser

        await asyncio.to_thread(webbrowser.open, url)


def has_desktop(variables: Mapping[str, str], *, is_terminal: bool) -> bool:
    """Whether a person sits there who would see a browser come up."""
    is_far = "SSH_CONNECTION" in variables
    return is_terminal and not is_far and any(variables.get(name) for name in _DISPLAYS)
