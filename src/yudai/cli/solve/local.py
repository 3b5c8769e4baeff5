"""A solve that this process runs from beginning to end."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial

from rich.console import Console

from yudai.arena.plan import Plan
from yudai.arena.prepare import check_verifiable
from yudai.arena.submit import given_of
from yudai.cli import console
from yudai.cli.options import Options
from yudai.cli.publish import LocalPublishClient
from yudai.cli.records.records import OwnRecords
from yudai.cli.records.source import DatabaseSource
from yudai.cli.solve.client import Planned
from yudai.cli.solve.plan import make_ready, print_plan
from yudai.cli.spinner import end_display, working
from yudai.cli.watch import ending, show_runs
from yudai.decisions.apply import Applier
from yudai.engine.port import FlowStatus
from yudai.forge.domain.repository import parse_target
from yudai.forge.ports.remote import CredentialKind
from yudai.kit.errors import ForbiddenError
from yudai.kit.ids import LOCAL_USER, SolveId
from yudai.projects.find import Given
from yudai.publishing.requests import Publications
from yudai.settings import Settings
from yudai.solves.domain.again import AgainAsk
from yudai.solves.domain.origin import PublishMode
from yudai.solves.domain.request import Folder, Remote, SolveAsk
from yudai.views.domain.document import SolveEntry
from yudai.wiring.components import open_gateway
from yudai.wiring.local_app import App, open_app


@dataclass(frozen=True)
class LocalClient:
    app: App
    options: Options
    progress: Console
    where: str = ""

    @property
    def records(self) -> OwnRecords:
        return OwnRecords(self.app.arena.settings, self.app.context)

    @property
    def applier(self) -> Applier:
        return self.app.applier

    @property
    def publish_client(self) -> LocalPublishClient:
        forge_services = self.app.arena.forge_services
        context = self.app.context
        asked = Publications(context.store, context.clock, forge_services.forge.url)
        return LocalPublishClient(forge_services.publisher, asked)

    async def plan(self, asked: SolveAsk) -> Planned:
        """Check the request and print the plan; nothing is spent yet."""
        place = asked.place
        if isinstance(place, Folder):
            plan = await self._look(asked)
        else:
            plan = await self._fetch(asked, place)
        if asked.patches:
            async with working(self.progress, "reading the patches"):
                request = await self.app.submitter.with_patches(asked, plan)
            plan = plan._replace(request=request)
        return await self._ready(plan, env=asked.env)

    async def plan_again(self, earlier: SolveEntry, asked: AgainAsk) -> Planned:
        request = await self.app.submitter.request_again(earlier.id, asked)
        return await self._ready(await self.app.planner.plan(request, Given()))

    async def _ready(self, plan: Plan, *, env: str = "") -> Planned:
        measured = await make_ready(self.app.planner, plan, self.progress)
        print_plan(self.progress, plan, measured.baseline, env=env)
        check_verifiable(measured.baseline, require_proof=plan.request.require_proof)
        request = plan.request.model_copy(update={"measured": measured})
        is_free = request.entrants.pricing.is_free
        return Planned(is_free, partial(self.app.solves.open_solve, request))

    async def follow(self, solve_id: SolveId) -> None:
        """Show the runs until the flow has ended; being cancelled cancels the solve first."""
        engine = self.app.engine

        async def is_over() -> bool:
            return await engine.status(solve_id) is not FlowStatus.RUNNING

        source = DatabaseSource(self.app.context, solve_id, is_over)
        display = asyncio.create_task(show_runs(source, self.progress))
        try:
            async with ending(self.app.arena.stopper, solve_id, self.progress):
                await engine.wait(solve_id)
                await asyncio.wait([display])
        finally:
            await end_display(display)

    async def _look(self, asked: SolveAsk) -> Plan:
        async with working(self.progress, "checking the folder"):
            request = await self.app.submitter.request(asked, user_id=LOCAL_USER)
            plan = await self.app.planner.plan(request, given_of(asked))
            if self.options.branch and plan.snapshot is not None:
                await self.app.submitter.forge.check_branch(plan.snapshot, self.options.branch)
        return plan

    async def _fetch(self, asked: SolveAsk, place: Remote) -> Plan:
        if self.options.pr:
            await self._check_rights(place)
        # Publishing is requested here, at the end, because no process continues after this one.
        asked = asked.model_copy(update={"publish": PublishMode.ASK})
        async with working(self.progress, f"looking at {place.url}"):
            request = await self.app.submitter.request(asked, user_id=LOCAL_USER)
        async with working(self.progress, f"fetching {request.base_branch} of {request.repo}"):
            return await self.app.planner.plan(request, given_of(asked))

    async def _check_rights(self, place: Remote) -> None:
        """Check before any cost that the patch can be pushed there, or to a fork."""
        repo = parse_target(place.url, forge=self.app.arena.forge_services.forge.url).repo
        credentials = self.app.arena.forge_services.asks.credentials
        try:
            await credentials.writing(repo, user_id=LOCAL_USER)
        except ForbiddenError:
            own = await credentials.reading(repo, user_id=LOCAL_USER)
            if own.kind not in (CredentialKind.USER, CredentialKind.SERVER):
                raise


@asynccontextmanager
async def open_local(settings: Settings, options: Options) -> AsyncGenerator[LocalClient]:
    async with (
        open_gateway(settings) as gateway,
        open_app(
            settings,
            gateway=gateway,
            sandbox=options.sandbox,
            everything_local=bool(options.base_url),
        ) as app,
    ):
        yield LocalClient(app, options, console.progress())
