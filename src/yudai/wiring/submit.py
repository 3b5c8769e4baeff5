"""From what is asked, wherever it is asked, to a solve."""

from yudai.arena.forge_issue import RemoteAsks
from yudai.arena.open import Solves
from yudai.arena.submit import Submitter
from yudai.engine.port import Engine
from yudai.gateway.port import Gateway
from yudai.kit.money import MICROS_PER_USD
from yudai.sandboxes.domain.backends import DEFAULT
from yudai.settings import Settings
from yudai.solves.domain.budget import Budget
from yudai.views.documents import Reader
from yudai.wiring.command_agents import agent_names
from yudai.wiring.components import make_catalogue, make_drafter, make_sources, make_stopper


def make_submitter(
    settings: Settings, reader: Reader, engine: Engine, gateway: Gateway, *, remotes: RemoteAsks
) -> Submitter:
    """Who is no person of this machine names no file of it."""
    store, clock = reader.store, reader.clock
    is_ours, day_usd = settings.auth_mode == "local", settings.user_day_usd
    return Submitter(
        drafter=make_drafter(settings, reader, gateway),
        catalogue=make_catalogue(settings, reader),
        solves=Solves(
            store,
            engine,
            clock,
            gateway,
            make_stopper(reader),
            day_cap_micros=None if day_usd is None else round(day_usd * MICROS_PER_USD),
        ),
        store=store,
        clock=clock,
        defaults=Budget(
            max_contestants=settings.max_contestants, time_budget_s=settings.time_budget_s
        ),
        sandbox_backend=settings.sandbox_backend or DEFAULT,
        agents=agent_names(settings),
        sources=make_sources(settings, reader.artifacts) if settings.artifacts_url else None,
        remotes=remotes,
        takes_folders=is_ours,
        takes_scripts=is_ours,
    )
