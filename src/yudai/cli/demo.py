"""`yudai demo`: the bundled arena, live."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager

from rich.console import Console

from yudai import demo
from yudai.cli import consoles
from yudai.cli.race import follow
from yudai.cli.render import exit_code, print_document, show_result
from yudai.domain.budget import Budget
from yudai.domain.errors import SandboxError
from yudai.domain.models import scripted
from yudai.domain.project import Project
from yudai.services.solves import SolveRequest
from yudai.settings import Settings
from yudai.wiring import App, open_app, scripted_gateway


async def run_demo(
    settings: Settings, *, sandbox: str | None, parallel: int, reducer: str, json: bool
) -> int:
    progress = consoles.progress()
    async with _open(settings, sandbox, progress) as app:
        solve_id = await app.solves.open_solve(_request(app, parallel=parallel, reducer=reducer))
        await follow(app, solve_id, progress)
        document = await app.reader.document(solve_id)
        if json:
            print_document(document)
        else:
            await show_result(app.reader, document, consoles.result())
        return exit_code(document)


def _request(app: App, *, parallel: int, reducer: str) -> SolveRequest:
    matrix = demo.matrix()
    return SolveRequest(
        repo=demo.REPO,
        issue=demo.issue(),
        base=demo.base(app.settings.home),
        matrix=matrix,
        budget=Budget(
            max_parallel=parallel,
            max_steps=demo.MAX_STEPS,
            max_contestants=app.settings.max_contestants,
            time_budget_s=app.settings.time_budget_s,
        ),
        project=Project(test_timeout_s=120),
        reducer=reducer,
        sandbox_backend=app.capabilities.backend,
        models=tuple(map(scripted, matrix.models)),
    )


@asynccontextmanager
async def _open(settings: Settings, sandbox: str | None, progress: Console) -> AsyncGenerator[App]:
    """Our own scripts may run as plain processes where no sandbox can start; said plainly."""
    async with AsyncExitStack() as stack:

        async def enter(chosen: str | None) -> App:
            opening = open_app(settings, gateway=scripted_gateway(demo.CONTESTANTS), sandbox=chosen)
            return await stack.enter_async_context(opening)

        try:
            app = await enter(sandbox)
        except SandboxError as error:
            if sandbox or settings.sandbox_backend:
                raise
            progress.print(f"No sandbox on this machine: {error}", style="yellow", markup=False)
            progress.print("The demo's own scripts run as plain processes instead.", style="yellow")
            app = await enter("process")
        yield app
