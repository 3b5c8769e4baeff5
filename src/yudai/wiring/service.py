"""A service: the API's side, which asks."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial

from yudai.adapters.engines.dbos import DbosEngine
from yudai.adapters.forges.looking import open_look
from yudai.ports.clock import Clock
from yudai.ports.engine import Engine
from yudai.ports.gateway import Gateway
from yudai.ports.modeldesk import ModelDesk
from yudai.services.applying import Applier
from yudai.services.browsing import Browser
from yudai.services.conversations import Conversations
from yudai.services.deliveries import Deliveries
from yudai.services.forecasting import Forecaster
from yudai.services.milestones import Milestones
from yudai.services.models import Catalogue
from yudai.services.reading import Reader
from yudai.services.reaping import Reaper
from yudai.services.stopping import Stopper
from yudai.services.submitting import Submitter
from yudai.services.throttling import ThrottledGateway
from yudai.services.updates import Updates
from yudai.services.viewing import Viewer
from yudai.settings import Settings
from yudai.store.looking import Lookout
from yudai.store.store import Store
from yudai.wiring.accounts import Accounts
from yudai.wiring.asking import make_submitter
from yudai.wiring.commanding import make_desk
from yudai.wiring.demonstrating import Demonstrator
from yudai.wiring.forging import Forging, make_hearing, open_forging
from yudai.wiring.parts import (
    make_answering,
    make_applier,
    make_catalogue,
    make_engine_config,
    make_reader,
    make_stopper,
    open_gateway,
    open_store,
)
from yudai.wiring.reaping import open_reaper


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
