"""Builds the submitter that turns requests into solves."""

from yudai.arena.forge_issue import ForgeIssueReader
from yudai.arena.open import Solves
from yudai.arena.submit import Submitter
from yudai.artifacts.context import Context
from yudai.engine.port import Engine
from yudai.gateway.port import Gateway
from yudai.kit.money import MICROS_PER_USD
from yudai.sandboxes.domain.backends import DEFAULT
from yudai.settings import Settings
from yudai.solves.domain.budget import Budget
from yudai.wiring.command_agents import agent_names
from yudai.wiring.components import make_catalogue, make_shared_sources, make_stopper, own_env


def make_submitter(
    settings: Settings,
    context: Context,
    engine: Engine,
    gateway: Gateway,
    *,
    remotes: ForgeIssueReader,
) -> Submitter:
    """A submitter; only in local mode may requests name files of this machine."""
    from yudai.forge.adapters.folder.forge import LocalForge

    is_ours, day_usd = settings.auth_mode == "local", settings.user_day_usd
    return Submitter(
        forge=LocalForge(settings.home, context.clock),
        own_env=own_env(),
        catalogue=make_catalogue(settings, context),
        solves=Solves(
            context.store,
            engine,
            context.clock,
            gateway,
            make_stopper(context),
            day_cap_micros=None if day_usd is None else round(day_usd * MICROS_PER_USD),
        ),
        store=context.store,
        clock=context.clock,
        defaults=Budget(
            max_contestants=settings.max_contestants, time_budget_s=settings.time_budget_s
        ),
        sandbox_backend=settings.sandbox_backend or DEFAULT,
        agents=agent_names(settings),
        sources=make_shared_sources(settings, context),
        remotes=remotes,
        takes_folders=is_ours,
        takes_scripts=is_ours,
    )
