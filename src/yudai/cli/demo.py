"""`yudai demo --exit`: the bundled arena in the terminal, from beginning to end."""

import asyncio
import secrets
import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from rich.console import Console
from rich.text import Text

from yudai.arena.submit import Submitter
from yudai.cli import console
from yudai.cli.exit_codes import OUR_FAULT
from yudai.cli.records.choose import Server, find_server
from yudai.cli.records.records import OwnRecords, Records
from yudai.cli.serve.serve import ServeOptions, make_api, open_parts, serving
from yudai.cli.show.result import exit_code, print_document, show_result
from yudai.cli.watch.display import ending, follow, show_runs
from yudai.kit.errors import RefusedError, SandboxError
from yudai.kit.ids import SolveId
from yudai.ranking.domain.reducer import check_reducer
from yudai.settings import Settings, surroundings
from yudai.wiring.api_service import Service
from yudai.wiring.components import is_shared, scripted_gateway
from yudai.wiring.demo import PARALLEL, demo_request
from yudai.wiring.local_app import App, open_app

if TYPE_CHECKING:
    from starlette.types import ASGIApp


async def run_demo(
    settings: Settings, *, sandbox: str | None, parallel: int, reducer: str, json: bool
) -> int:
    progress = console.progress()
    async with _open(settings, sandbox, progress) as app:
        given = DemoOptions(sandbox, parallel, reducer)
        solve_id = await _start(settings, app.submitter, given)
        await follow(app, solve_id, progress)
        return await _show_end(OwnRecords(settings, app.context), solve_id, json=json)


async def _show_end(
    records: Records, solve_id: SolveId, *, where: str = "", json: bool = False
) -> int:
    document = await records.document(solve_id)
    if json:
        print_document(document)
    else:
        await show_result(records, document, console.result(), server=where)
    return exit_code(document)


async def _start(settings: Settings, submitter: Submitter, given: "DemoOptions") -> SolveId:
    request = demo_request(
        settings,
        sandbox_backend=submitter.sandbox_backend,
        parallel=given.parallel,
        reducer=given.reducer,
    )
    return await submitter.solves.open_solve(request)


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


_NO_SANDBOX = (
    "no sandbox can start on this machine, so only the demo runs here: `yudai doctor` says"
    " why, and `yudai serve --sandbox process` does without one"
)
_DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY")


class DemoOptions(NamedTuple):
    """`yudai demo` as it was typed."""

    sandbox: str | None = None
    parallel: int = PARALLEL
    reducer: str = "simple"
    opens: bool = True
    """A browser, where there is one."""


async def show_demo(settings: Settings, given: DemoOptions) -> int:
    """Until Ctrl-C; where the page is another server's, until the solve is over."""
    check_reducer(given.reducer)
    server = await find_server(settings)
    if server is None:
        return await _show_here(settings, given)
    return await _show_there(given, server)


async def _show_here(settings: Settings, given: DemoOptions) -> int:
    progress = console.progress()
    stage = _Stage(progress)
    options = ServeOptions(sandbox=given.sandbox, any_port=True)
    async with serving(settings, options, opening=stage.open) as served:
        service = stage.service
        solve_id = await _start(service.settings, service.submitter, given)
        page = f"{served.entry.url}/solves/{solve_id}"
        await _show_page(page, given)
        records = OwnRecords(service.settings, service.context)
        # An interrupted demo ends, so that the next start does not take it over.
        async with ending(service.stopper, solve_id, progress):
            await show_runs(records.watch(solve_id), progress)
        code = await _show_end(records, solve_id)
        progress.print(Text(f"\nThe page stays at {page} until Ctrl-C."), soft_wrap=True)
        try:
            await asyncio.wait([served.http])
        except asyncio.CancelledError:
            # What was asked for is done: this is how it ends.
            return code
    return OUR_FAULT


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
    submitter = replace(service.submitter, closed=_NO_SANDBOX)
    return replace(
        service,
        submitter=submitter,
        forecaster=replace(service.forecaster, submitter=submitter),
        conversations=replace(service.conversations, submitter=submitter),
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
        await watch(records, solve_id, console.progress())
        where = "" if server.is_ours else remote.url
        return await _show_end(records, solve_id, where=where)


def _check(given: DemoOptions, server: Server) -> None:
    usual = DemoOptions()
    names = ("sandbox", "parallel", "reducer")
    for name in names:
        if getattr(given, name) != getattr(usual, name):
            raise RefusedError(
                f"--{name} is for the server {server.url} to choose: leave it out, or add --exit"
            )


async def _show_page(url: str, given: DemoOptions) -> None:
    console.result().print(Text(f"Watch it live: {url}"), soft_wrap=True)
    if given.opens and has_desktop(surroundings(), is_terminal=sys.stdout.isatty()):
        import webbrowser

        await asyncio.to_thread(webbrowser.open, url)


def has_desktop(variables: Mapping[str, str], *, is_terminal: bool) -> bool:
    """Whether a person sits there who would see a browser come up."""
    is_far = "SSH_CONNECTION" in variables
    return is_terminal and not is_far and any(variables.get(name) for name in _DISPLAYS)
