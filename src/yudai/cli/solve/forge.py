"""`yudai solve owner/repo#12` without a server: fetch, plan, race, publish if asked to."""

from typing import NamedTuple

from rich.console import Console
from sqlalchemy.ext.asyncio import AsyncSession

from yudai.arena.open import SolveRequest
from yudai.arena.plan import Draft, RemotePlanner, pinned
from yudai.arena.submit import Submitter
from yudai.cli import console
from yudai.cli.exit_codes import INTERRUPTED
from yudai.cli.options import Options
from yudai.cli.publish import OwnDesk, publish
from yudai.cli.show.result import exit_code, print_document, show_result
from yudai.cli.solve.plan import agreed, entrants_of, make_ready
from yudai.cli.solve.request import ForgeAsk, to_forge_ask, to_forge_body
from yudai.cli.spinner import working
from yudai.cli.watch.display import follow
from yudai.forge.domain.repository import RepoRef, Target
from yudai.forge.ports.remote import CredentialKind
from yudai.kit.errors import ForbiddenError
from yudai.kit.ids import LOCAL_USER, SolveId
from yudai.publishing.requests import Publications
from yudai.publishing.views import OutcomeViewer
from yudai.settings import Settings
from yudai.solves.domain.budget import Budget
from yudai.solves.domain.origin import PublishMode
from yudai.solves.domain.request import SolveAsk
from yudai.views.domain.document import SolveDocument
from yudai.wiring import App, open_app, open_gateway


class _Plan(NamedTuple):
    planner: RemotePlanner
    draft: Draft
    request: SolveRequest


async def run_forge_solve(settings: Settings, options: Options, target: Target) -> int:
    # What is published is asked for here, after the race: nothing goes on when we are gone.
    ask = to_forge_ask(options, settings, target)._replace(publish=PublishMode.ASK)
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
        if options.pr:
            await _check_rights(app, target.repo)
        plan = await _plan(app, ask, progress)
        if not options.yes and not entrants_of(plan.draft).are_free and not await agreed():
            return INTERRUPTED
        return await _race(app, plan, options)


async def _check_rights(app: App, repo: RepoRef) -> None:
    """Before anything is spent: whether the answer could be pushed there, or to a fork."""
    credentials = app.forging.asks.credentials
    try:
        await credentials.writing(repo, user_id=LOCAL_USER)
    except ForbiddenError:
        own = await credentials.reading(repo, user_id=LOCAL_USER)
        if own.kind not in (CredentialKind.USER, CredentialKind.SERVER):
            raise


async def _plan(app: App, ask: ForgeAsk, progress: Console) -> _Plan:
    planner = _planner(app)
    async with working(progress, f"looking at {ask.target.repo.url}"):
        asked = SolveAsk.model_validate(to_forge_body(ask))
        request = await _submitter(app).request(asked, user_id=LOCAL_USER)
        lineup = app.solves.check(request)
    async with working(progress, f"fetching {request.base_branch} of {request.repo}"):
        draft = await planner.draft(ask.asked, request, lineup)
    measured = await make_ready(app, draft, progress)
    return _Plan(planner, draft, pinned(request, draft, measured))


async def _race(app: App, plan: _Plan, options: Options) -> int:
    async def note(db: AsyncSession, solve_id: SolveId) -> None:
        await plan.planner.note(db, solve_id, plan.draft)

    solve_id = await app.solves.open_solve(plan.request, also=note)
    await follow(app, solve_id, console.progress())
    document = await app.reader.document(solve_id)
    if not options.json:
        await show_result(app.reader, document, console.result(), has_pull=options.pr)
    try:
        await _publish(app, document, options)
    finally:
        # The race has been paid for: its document is printed whatever becomes of the answer.
        if options.json:
            pull = await OutcomeViewer(app.store).of_solve(solve_id)
            print_document(await app.reader.document(solve_id), pull)
    return exit_code(document)


async def _publish(app: App, document: SolveDocument, options: Options) -> None:
    if options.pr and document.solve.champion is not None:
        asked = Publications(app.store, app.reader.clock, app.forging.forge.url)
        desk = OwnDesk(app.forging.publisher, asked)
        await publish(desk, document.solve.id, console.progress())


def _planner(app: App) -> RemotePlanner:
    return RemotePlanner(
        mirrors=app.forging.mirrors,
        credentials=app.forging.asks.credentials,
        clock=app.reader.clock,
        forge_url=app.forging.forge.url,
        own_env=app.planner.drafter.own_env,
    )


def _submitter(app: App) -> Submitter:
    return Submitter(
        drafter=app.planner.drafter,
        catalogue=app.planner.drafter.catalogue,
        solves=app.solves,
        store=app.store,
        clock=app.reader.clock,
        defaults=Budget(max_contestants=app.settings.max_contestants),
        sandbox_backend=app.capabilities.backend,
        remotes=app.forging.asks,
    )
