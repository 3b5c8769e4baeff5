"""`yudai solve`: plan, confirm, open, follow, show, take; in this process or at a server."""

from yudai.cli import console
from yudai.cli.decide import take
from yudai.cli.exit_codes import INTERRUPTED
from yudai.cli.options import Options
from yudai.cli.records.records import Server, find_server
from yudai.cli.show.result import exit_code, print_document, show_result
from yudai.cli.solve.client import Client, Planned, PlanningClient
from yudai.cli.solve.patches import check_again
from yudai.cli.solve.plan import agreed
from yudai.cli.solve.request import read_request
from yudai.kit.errors import RefusedError
from yudai.kit.ids import SolveId
from yudai.settings import Settings
from yudai.solves.domain.again import AgainAsk
from yudai.solves.domain.request import SolveAsk


async def run_solve(settings: Settings, options: Options) -> int:
    if sum((options.apply, bool(options.branch), options.pr)) > 1:
        raise RefusedError("choose one of --apply, --branch and --pr")
    server = await find_server(settings)
    if server is not None:
        return await solve_there(settings, options, server)
    return await solve_here(settings, options)


async def solve_there(settings: Settings, options: Options, server: Server) -> int:
    # Only here: an HTTP client costs start-up time.
    from yudai.cli.solve.server import check, open_server

    check(options, server)
    asked = _asked(options, settings)
    async with open_server(settings, options, server) as client:
        return await solve(client, await _plan(client, asked, options), options)


async def solve_here(settings: Settings, options: Options) -> int:
    # Only here: the parts of an arena cost start-up time, too.
    from yudai.cli.solve.local import open_local

    if options.base_url:
        settings = settings.model_copy(update={"openai_base_url": options.base_url})
    asked = _asked(options, settings, forge=settings.github_url)
    async with open_local(settings, options) as client:
        return await solve(client, await _plan(client, asked, options), options)


def _asked(options: Options, settings: Settings, *, forge: str = "") -> SolveAsk | AgainAsk:
    """Of an earlier solve that is judged again, only what it does not have itself."""
    if options.judged is None or not options.judged.solve:
        return read_request(options, settings, forge=forge)
    check_again(options, options.judged)
    return AgainAsk(
        reducer=options.reducer,
        require_proof=not options.accept_unproved,
        max_parallel=options.parallel,
    )


async def _plan(client: PlanningClient, asked: SolveAsk | AgainAsk, options: Options) -> Planned:
    if isinstance(asked, SolveAsk):
        return await client.plan(asked)
    earlier = "" if options.judged is None else options.judged.solve
    return await client.plan_again((await client.records.document(earlier)).solve, asked)


async def solve(client: Client, planned: Planned, options: Options) -> int:
    if not options.yes and not planned.is_free and not await agreed():
        return INTERRUPTED
    return await finish(client, await planned.open(), options)


async def finish(client: Client, solve_id: SolveId, options: Options) -> int:
    """Follow an open solve to its end, show its result and take the champion's patch."""
    await client.follow(solve_id)
    document = await client.records.document(solve_id)
    if not options.json:
        await show_result(
            client.records,
            document,
            console.result(),
            server=client.where,
            has_pull=options.pr,
        )
    try:
        if document.solve.champion is not None:
            await _take(client, solve_id, options)
    finally:
        # The runs have been paid for: their document is printed whatever becomes of the answer.
        if options.json:
            pull = await client.records.outcomes(solve_id) if options.pr else None
            print_document(await client.records.document(solve_id), pull)
    return exit_code(document)


async def _take(client: Client, solve_id: SolveId, options: Options) -> None:
    progress = console.progress()
    if client.applier is not None and (options.apply or options.branch):
        await take(client.applier, solve_id, branch=options.branch, console=progress)
    if client.publish_client is not None and options.pr:
        from yudai.cli.publish import publish

        await publish(client.publish_client, solve_id, progress)
