"""`yudai solve`: the plan first, then the race, then the answer."""

from collections.abc import Generator
from contextlib import contextmanager

from rich.console import Console
from rich.text import Text

from yudai.cli import consoles
from yudai.cli.agreeing import agreed
from yudai.cli.apply import take
from yudai.cli.asking import to_request
from yudai.cli.choosing import find_server
from yudai.cli.exits import INTERRUPTED
from yudai.cli.options import Options
from yudai.cli.plan import entrants_of, print_plan
from yudai.cli.race import follow
from yudai.cli.render import exit_code, print_document, show_result
from yudai.cli.text import safe
from yudai.cli.waiting import working
from yudai.domain.document import SolveDocument
from yudai.domain.errors import RefusedError, SandboxError
from yudai.domain.failure import Cause
from yudai.services import planning
from yudai.services.planning import Draft, FolderRequest
from yudai.services.preparing import Measured
from yudai.settings import Settings
from yudai.wiring import App, open_app, open_gateway


async def run_solve(settings: Settings, options: Options) -> int:
    if options.apply and options.branch:
        raise RefusedError("choose one of --apply and --branch")
    server = await find_server(settings)
    if server is not None:
        # Only here: an HTTP client costs start-up time.
        from yudai.cli.sending import send_solve

        return await send_solve(settings, options, server)
    if options.base_url:
        settings = settings.model_copy(update={"openai_base_url": options.base_url})
    asked = to_request(options, settings)
    progress = consoles.progress()
    async with (
        open_gateway(settings) as gateway,
        open_app(
            settings,
            gateway=gateway,
            sandbox=options.sandbox,
            everything_local=bool(options.base_url),
        ) as app,
    ):
        draft, measured = await _plan(app, asked, progress)
        if not options.yes and not entrants_of(draft).are_free and not await agreed():
            return INTERRUPTED
        return await _race(app, draft, measured, options)


async def _plan(app: App, asked: FolderRequest, progress: Console) -> tuple[Draft, Measured]:
    async with working(progress, "looking at the folder"):
        draft = await app.planner.draft(asked)
    with _explained(progress):
        commands = f": {' && '.join(draft.project.setup)}" if draft.project.setup else ""
        async with working(progress, f"preparing the base{commands}"):
            await app.planner.prepare(draft)
        async with working(progress, "running the base's tests twice"):
            measured = await app.planner.measure(draft)
    print_plan(progress, draft, measured, backend=app.capabilities.backend)
    return draft, measured


async def _race(app: App, draft: Draft, measured: Measured, options: Options) -> int:
    request = planning.to_request(draft, measured, sandbox_backend=app.capabilities.backend)
    solve_id = await app.solves.open_solve(request)
    await follow(app, solve_id, consoles.progress())
    document = await app.reader.document(solve_id)
    if not options.json:
        await show_result(app.reader, document, consoles.result())
    try:
        await _take(app, document, options)
    finally:
        # The race has been paid for: its document is printed whatever becomes of the answer.
        if options.json:
            print_document(await app.reader.document(solve_id))
    return exit_code(document)


async def _take(app: App, document: SolveDocument, options: Options) -> None:
    wanted = options.apply or options.branch
    if document.solve.champion is None or not wanted:
        return
    solve_id = document.solve.id
    await take(app.applier, solve_id, branch=options.branch, console=consoles.progress())


@contextmanager
def _explained(progress: Console) -> Generator[None]:
    """Set-up is the repository's own: what it said last stands above our one line."""
    try:
        yield
    except SandboxError as error:
        if error.cause is not Cause.SETUP_FAILED:
            raise
        first, _, last = str(error).partition("\n")
        if last:
            progress.print(Text(safe(last), style="dim"), soft_wrap=True)
        raise RefusedError(f"{first} (give other commands with --setup, or --env PATH)") from None
