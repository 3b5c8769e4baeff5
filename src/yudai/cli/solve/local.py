"""`yudai solve`: the plan first, then the race, then the answer."""

from rich.console import Console

from yudai.arena import plan
from yudai.arena.plan import Draft, FolderRequest
from yudai.cli import console
from yudai.cli.decide import take
from yudai.cli.exit_codes import INTERRUPTED
from yudai.cli.options import Options
from yudai.cli.records.choose import find_server
from yudai.cli.show.result import exit_code, print_document, show_result
from yudai.cli.solve.plan import agreed, entrants_of, make_ready
from yudai.cli.solve.request import to_request
from yudai.cli.solve.target import find_target
from yudai.cli.spinner import working
from yudai.cli.watch.display import follow
from yudai.kit.errors import RefusedError
from yudai.settings import Settings
from yudai.verification.baseline import Measured
from yudai.views.domain.document import SolveDocument
from yudai.wiring import App, open_app, open_gateway


async def run_solve(settings: Settings, options: Options) -> int:
    if sum((options.apply, bool(options.branch), options.pr)) > 1:
        raise RefusedError("choose one of --apply, --branch and --pr")
    server = await find_server(settings)
    if server is not None:
        # Only here: an HTTP client costs start-up time.
        from yudai.cli.solve.server import send_solve

        return await send_solve(settings, options, server)
    if options.base_url:
        settings = settings.model_copy(update={"openai_base_url": options.base_url})
    target = find_target(options.target, forge=settings.github_url)
    if target is not None:
        # Only here: publishing and a forge's client cost start-up time.
        from yudai.cli.solve.forge import run_forge_solve

        return await run_forge_solve(settings, options, target)
    asked = to_request(options, settings)
    progress = console.progress()
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
    return draft, await make_ready(app, draft, progress)


async def _race(app: App, draft: Draft, measured: Measured, options: Options) -> int:
    request = plan.to_request(draft, measured, sandbox_backend=app.capabilities.backend)
    solve_id = await app.solves.open_solve(request)
    await follow(app, solve_id, console.progress())
    document = await app.reader.document(solve_id)
    if not options.json:
        await show_result(app.reader, document, console.result())
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
    await take(app.applier, solve_id, branch=options.branch, console=console.progress())
