"""The API's side of a service: accepts requests and queues work."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial

from yudai.agents.endpoint.port import ModelEndpoint
from yudai.arena.forecast import Forecaster
from yudai.arena.submit import Submitter
from yudai.artifacts.context import Context
from yudai.conversations.service import Conversations
from yudai.decisions.answer import Answers
from yudai.decisions.apply import Applier
from yudai.engine.adapters.dbos.engine import DbosEngine
from yudai.engine.port import Engine
from yudai.forge.adapters.folder.forge import open_preview
from yudai.gateway.throttle import ThrottledGateway
from yudai.sandboxes.reap import Reaper
from yudai.settings import Settings
from yudai.triggers.webhooks import Deliveries
from yudai.views.repositories import Browser
from yudai.views.updates import Updates, open_updates
from yudai.wiring.accounts import Accounts
from yudai.wiring.command_agents import make_model_endpoint
from yudai.wiring.components import (
    make_answers,
    make_applier,
    make_chat_answerer,
    make_engine_config,
    open_context,
    open_gateway,
)
from yudai.wiring.forge import make_deliveries, make_submitter, make_triggers, open_forge_services
from yudai.wiring.sandbox_upkeep import open_reaper


@dataclass(frozen=True)
class Service:
    """Opens no sandbox and makes model calls only for agents in sandboxes."""

    settings: Settings
    context: Context
    engine: Engine
    submitter: Submitter
    forecaster: Forecaster
    applier: Applier
    answers: Answers
    conversations: Conversations
    updates: Updates
    accounts: Accounts
    browser: Browser
    deliveries: Deliveries
    reaper: Reaper
    model_endpoint: ModelEndpoint | None = None
    """For agents that call models from their sandboxes; None: no such agents."""


@asynccontextmanager
async def open_service(settings: Settings) -> AsyncGenerator[Service]:
    async with AsyncExitStack() as stack:
        context = await stack.enter_async_context(open_context(settings))
        store, clock = context.store, context.clock
        updates = await stack.enter_async_context(open_updates(store, clock))
        engine = await stack.enter_async_context(DbosEngine.opened(make_engine_config(settings)))
        gateway = await stack.enter_async_context(open_gateway(settings))
        forge_services = await stack.enter_async_context(open_forge_services(settings, context))
        if settings.token_keys and "," in settings.token_keys.get_secret_value():
            # During a key rotation seal everything with the newest key.
            await forge_services.accounts.keyring.reseal()
        submitter = make_submitter(
            settings, context, forge_services, engine=engine, gateway=gateway
        )
        throttled = ThrottledGateway(gateway, settings.model_max_parallel)
        yield Service(
            settings=settings,
            context=context,
            engine=engine,
            submitter=submitter,
            forecaster=Forecaster(submitter, partial(open_preview, settings.home, clock)),
            applier=make_applier(settings, context),
            answers=make_answers(store, clock, engine),
            conversations=Conversations(
                context=context,
                engine=engine,
                submitter=submitter,
                answerer=make_chat_answerer(settings, context, gateway),
            ),
            updates=updates,
            accounts=forge_services.accounts,
            browser=forge_services.browser,
            deliveries=make_deliveries(
                settings, forge_services, make_triggers(settings, forge_services, submitter)
            ),
            model_endpoint=make_model_endpoint(settings, context, throttled),
            reaper=await stack.enter_async_context(open_reaper(settings, store)),
        )
