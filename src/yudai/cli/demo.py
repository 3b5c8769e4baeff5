"""`yudai demo --exit`: the bundled arena in the terminal, from beginning to end."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager

from rich.console import Console

from yudai.cli import console
from yudai.cli.show.result import exit_code, print_document, show_result
from yudai.cli.watch.display import follow
from yudai.kit.errors import SandboxError
from yudai.settings import Settings
from yudai.wiring import App, open_app, scripted_gateway
from yudai.wiring.demo import demo_request


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
