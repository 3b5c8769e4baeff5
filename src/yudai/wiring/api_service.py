"""A service: the API's side, which asks."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
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
from yudai.gateway.port import Gateway
from yudai.gateway.throttle import ThrottledGateway
from yudai.kit.clock import Clock
from yudai.sandboxes.reap import Reaper
from yudai.settings import Settings
from yudai.store.read_thread import Lookout
from yudai.store.store import Store
from yudai.triggers.webhooks import Deliveries
from yudai.views.documents import Reader
from yudai.views.forge_repositories import Browser
from yudai.views.solves import Viewer
from yudai.views.updates import Updates
from yudai.wiring.accounts import Accounts
from yudai.wiring.command_agents import make_desk
from yudai.wiring.components import (
    make_answering,
    make_applier,
    make_catalogue,
    make_engine_config,
    make_reader,
    make_stopper,
    open_gateway,
    open_store,
)
from yudai.wiring.demo import Demonstrator
from yudai.wiring.forge import Forging, make_hearing, open_forging
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
    demonstrator: Demonstrator
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
        store = await open_store(settings)
        stack.push_async_callback(store.close)
        lookout = Lookout(store.database)
        stack.push_async_callback(lookout.close)
        engine = await stack.enter_async_context(DbosEngine.opened(make_engine_config(settings)))
        gateway = await stack.enter_async_context(open_gateway(settings))
        reader = make_reader(settings, store)
        forging = await stack.enter_async_context(open_forging(settings, reader))
        if settings.token_keys and "," in settings.token_keys.get_secret_value():
            # Being rotated: nothing stays sealed with an old key.
            await forging.keyring.reseal()
        service = make_service(
            settings, reader, engine=engine, gateway=gateway, lookout=lookout, forging=forging
        )
        reaper = await stack.enter_async_context(open_reaper(settings, store))
        yield replace(service, reaper=reaper)


def make_service(
    settings: Settings,
    reader: Reader,
    *,
    engine: Engine,
    gateway: Gateway,
    lookout: Lookout,
    forging: Forging,
) -> Service:
    store, clock = reader.store, reader.clock
    catalogue = make_catalogue(settings, reader)
    stopper = make_stopper(reader)
    submitter = make_submitter(settings, reader, engine, gateway, remotes=forging.asks)
    return Service(
        settings=settings,
        store=store,
        reader=reader,
        clock=clock,
        engine=engine,
        catalogue=catalogue,
        stopper=stopper,
        submitter=submitter,
        forecaster=Forecaster(submitter, partial(open_look, settings.home, clock)),
        demonstrator=Demonstrator(settings, submitter),
        applier=make_applier(settings, reader),
        conversations=Conversations(
            store=store,
            clock=clock,
            engine=engine,
            submitter=submitter,
            catalogue=catalogue,
            viewer=Viewer(store, clock),
            milestones=Milestones(store),
            answering=make_answering(settings, reader, gateway),
        ),
        updates=Updates(lookout, clock),
        accounts=forging.accounts,
        browser=forging.browser,
        deliveries=make_hearing(settings, forging, submitter).deliveries,
        reaper=Reaper({}),
        model_desk=make_desk(
            settings, store, ThrottledGateway(gateway, settings.model_max_parallel), clock
        ),
    )
