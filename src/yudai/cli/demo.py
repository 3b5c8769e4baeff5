"""`yudai demo`: the bundled solve, in the terminal alone or with its page."""

import asyncio
import sys
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from rich.console import Console
from rich.text import Text

from yudai.arena.submit import Submitter
from yudai.cli import console
from yudai.cli.exit_codes import FAILED
from yudai.cli.options import Options
from yudai.cli.records.records import OwnRecords, Server, find_server
from yudai.cli.serve.serve import ServeOptions, make_api, open_parts, serving
from yudai.cli.solve.local import LocalClient
from yudai.cli.solve.solve import finish
from yudai.cli.watch import ending, show_runs
from yudai.kit.errors import RefusedError, SandboxError
from yudai.kit.ids import SolveId
from yudai.ranking.domain.reducer import check_reducer
from yudai.settings import Settings, surroundings
from yudai.solves.domain import defaults
from yudai.wiring.api_service import Service
from yudai.wiring.components import is_shared, scripted_gateway
from yudai.wiring.demo import PARALLEL, demo_request
from yudai.wiring.local_app import App, open_app

if TYPE_CHECKING:
    from starlette.types import ASGIApp

Opened = TypeVar("Opened")

_NO_SANDBOX = (
    "no sandbox can start on this machine, so only the demo runs here: `yudai doctor` says"
    " why, and `yudai serve --sandbox process` does without one"
)
_DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY")


class DemoOptions(NamedTuple):
    """`yudai demo` as it was typed."""

    sandbox: str | None = None
    parallel: int = PARALLEL
    reducer: str = defaults.REDUCER
    opens: bool = True
    """Open a browser, if there is one."""
    json: bool = False


@dataclass(frozen=True)
class ServiceClient:
    """A server that is part of this process."""

    service: Service
    progress: Console
    where: str = ""
    applier: None = None
    publish_client: None = None

    @property
    def records(self) -> OwnRecords:
        return OwnRecords(self.service.settings, self.service.context)

    async def follow(self, solve_id: SolveId) -> None:
        # An interrupted demo ends, so that the next start does not take it over.
        async with ending(self.service.submitter.solves.stopper, solve_id, self.progress):
            await show_runs(self.records.watch(solve_id), self.progress)


async def run_demo(settings: Settings, given: DemoOptions) -> int:
    """Run it in this process, without a page."""
    progress = console.progress()
    has_choice = bool(given.sandbox or settings.sandbox_backend)

    def opening(sandbox: str | None) -> AbstractAsyncContextManager[App]:
        return open_app(settings, gateway=scripted_gateway(), sandbox=sandbox)

    async with _open(opening, given.sandbox, progress, has_choice=has_choice) as app:
        options = Options(json=given.json)
        solve_id = await _start(settings, app.submitter, given)
        return await finish(LocalClient(app, options, progress), solve_id, options)


async def show_demo(settings: Settings, given: DemoOptions) -> int:
    """Show it in the page until Ctrl-C; in another server's page until the solve is over."""
    check_reducer(given.reducer)
    server = await find_server(settings)
    if server is None:
        return await _show_here(settings, given)
    return await _show_there(settings, given, server)


async def _show_here(settings: Settings, given: DemoOptions) -> int:
    progress = console.progress()
    options = ServeOptions(sandbox=given.sandbox, any_port=True)
    has_choice = bool(given.sandbox or settings.sandbox_backend or is_shared(settings))
    services: list[Service] = []

    @asynccontextmanager
    async def opening(_: Settings, options: ServeOptions, url: str) -> "AsyncGenerator[ASGIApp]":
        parts = partial(_open_service, settings, options)
        async with _open(parts, given.sandbox, progress, has_choice=has_choice) as service:
            services.append(service)
            yield make_api(service, settings, options, url)

    async with serving(settings, options, opening=opening) as served:
        [service] = services
        solve_id = await _start(service.settings, service.submitter, given)
        page = f"{served.entry.url}/solves/{solve_id}"
        await _show_page(page, given)
        code = await finish(ServiceClient(service, progress), solve_id, Options())
        progress.print(Text(f"\nThe page stays at {page} until Ctrl-C."), soft_wrap=True)
        try:
            await asyncio.wait([served.http])
        except asyncio.CancelledError:
            # What was asked for is done: this is how it ends.
            return code
    return FAILED


async def _show_there(settings: Settings, given: DemoOptions, server: Server) -> int:
    # Only here: an HTTP client costs start-up time.
    from yudai.cli.solve.server import open_server

    _check(given, server)
    async with open_server(settings, Options(), server) as client:
        solve_id = await client.open_demo()
        await _show_page(f"{client.remote.url}/solves/{solve_id}", given)
        return await finish(client, solve_id, Options())


async def _start(settings: Settings, submitter: Submitter, given: DemoOptions) -> SolveId:
    request = demo_request(
        settings,
        sandbox_backend=submitter.sandbox_backend,
        parallel=given.parallel,
        reducer=given.reducer,
    )
    return await submitter.solves.open_solve(request)


@asynccontextmanager
async def _open(
    opening: Callable[[str | None], AbstractAsyncContextManager[Opened]],
    sandbox: str | None,
    progress: Console,
    *,
    has_choice: bool,
) -> AsyncGenerator[Opened]:
    """Where no sandbox can start and none was chosen, the demo's own scripts run without one."""
    async with AsyncExitStack() as stack:
        try:
            opened = await stack.enter_async_context(opening(sandbox))
        except SandboxError as error:
            if has_choice:
                raise
            progress.print(f"No sandbox on this machine: {error}", style="yellow", markup=False)
            progress.print("The demo's own scripts run as plain processes instead.", style="yellow")
            opened = await stack.enter_async_context(opening("process"))
        yield opened


@asynccontextmanager
async def _open_service(
    settings: Settings, options: ServeOptions, sandbox: str | None
) -> AsyncGenerator[Service]:
    async with open_parts(settings, options._replace(sandbox=sandbox)) as service:
        yield service if sandbox == options.sandbox else _demo_only(service)


def _demo_only(service: Service) -> Service:
    """Without a sandbox, run only our own scripts, unless a person asks for more."""
    submitter = replace(service.submitter, closed=_NO_SANDBOX)
    return replace(
        service,
        submitter=submitter,
        forecaster=replace(service.forecaster, submitter=submitter),
        conversations=replace(service.conversations, submitter=submitter),
    )


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
    """Whether a person is there to see a browser window."""
    is_far = "SSH_CONNECTION" in variables
    return is_terminal and not is_far and any(variables.get(name) for name in _DISPLAYS)
