"""A service: the API's side, which asks."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial

from yudai.agents.endpoint.port import ModelDesk
from yudai.arena.cancel import Stopper
from yudai.arena.forecast import Forecaster
from yudai.arena.submit import Submitter
from yudai.conversations.milestones import Milestones
from yudai.conversations.service import Conversations
from yudai.decisions.apply import Applier
from yudai.engine.adapters.dbos.engine import DbosEngine
from yudai.engine.port import Engine
from yudai.forge.adapters.folder.preview import open_look
from yudai.gateway.catalogue import Catalogue
from yudai.gateway.throttle import ThrottledGateway
from yudai.kit.clock import Clock
from yudai.sandboxes.reap import Reaper
from yudai.settings import Settings
from yudai.store.store import Store
from yudai.triggers.webhooks import Deliveries
from yudai.views.documents import Reader
from yudai.views.forge_repositories import Browser
from yudai.views.solves import Viewer
from yudai.views.updates import Updates, open_updates
from yudai.wiring.accounts import Accounts
from yudai.wiring.command_agents import make_desk
from yudai.wiring.components import (
    make_answering,
    make_applier,
    make_engine_config,
    open_context,
    open_gateway,
)
from yudai.wiring.forge import make_deliveries, make_triggers, open_forging
from yudai.wiring.sandbox_upkeep import open_reaper
from yudai.wiring.submit import make_submitter


@dataclass(frozen=True)
class Service:
    """It opens no sandbox, and makes no model call but those of agents in sandboxes."""

    settings: Settings
    store: Store
    reader: Reader
    clock: Clock
    engine: Engine
    catalogue: Catalogue
    stopper: Stopper
    submitter: Submitter
    forecaster: Forecaster
    applier: Applier
    conversations: Conversations
    updates: Updates
    accounts: Accounts
    browser: Browser
    deliveries: Deliveries
    reaper: Reaper
    model_desk: ModelDesk | None = None
    """For agents that call models from their sandboxes; None: there are none."""


@asynccontextmanager
async def open_service(settings: Settings) -> AsyncGenerator[Service]:
    async with AsyncExitStack() as stack:
        context = await stack.enter_async_context(open_context(settings))
        store, clock = context.store, context.clock
        updates = await stack.enter_async_context(open_updates(store, clock))
        engine = await stack.enter_async_context(DbosEngine.opened(make_engine_config(settings)))
        gateway = await stack.enter_async_context(open_gateway(settings))
        forging = await stack.enter_async_context(open_forging(settings, context))
        if settings.token_keys and "," in settings.token_keys.get_secret_value():
            # Being rotated: nothing stays sealed with an old key.
            await forging.keyring.reseal()
        submitter = make_submitter(settings, context, engine, gateway, remotes=forging.asks)
        throttled = ThrottledGateway(gateway, settings.model_max_parallel)
        yield Service(
            settings=settings,
            store=store,
            reader=Reader(context),
            clock=clock,
            engine=engine,
            catalogue=submitter.catalogue,
            stopper=submitter.solves.stopper,
            submitter=submitter,
            forecaster=Forecaster(submitter, partial(open_look, settings.home, clock)),
            applier=make_applier(settings, context),
            conversations=Conversations(
                context=context,
                engine=engine,
                submitter=submitter,
                catalogue=submitter.catalogue,
                viewer=Viewer(store, clock),
                milestones=Milestones(store),
                answering=make_answering(settings, context, gateway),
            ),
            updates=updates,
            accounts=forging.accounts,
            browser=forging.browser,
            deliveries=make_deliveries(
                settings, forging, make_triggers(settings, forging, submitter)
            ),
            model_desk=make_desk(settings, context, throttled),
            reaper=await stack.enter_async_context(open_reaper(settings, store)),
        )
