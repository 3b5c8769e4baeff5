"""What solves have cost: by day, model, strategy and repository."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

from pydantic import Field

from yudai.kit.clock import Clock
from yudai.kit.money import usd
from yudai.kit.value import Value
from yudai.runs import queries as runs
from yudai.runs.queries import Spent
from yudai.store.store import Store

_DAY_S = 86_400


class CostLine(Value):
    name: str
    cost_usd: float
    runs: int
    champions: int = Field(description="How many of these runs became champions.")


class DayCost(Value):
    day: str = Field(description="As in 2026-11-16, in UTC.")
    cost_usd: float
    solves: int


class CostView(Value):
    since: float
    total_usd: float
    solves: int
    champions: int
    per_champion_usd: float | None = Field(description="null while there is no champion.")
    days: tuple[DayCost, ...] = Field(description="Every day, also those without cost.")
    models: tuple[CostLine, ...] = Field(description="Most expensive first, like all lists here.")
    strategies: tuple[CostLine, ...]
    repos: tuple[CostLine, ...]


async def cost_of(store: Store, clock: Clock, *, user_id: str, days: int) -> CostView:
    """Costs of solves opened in the last `days` days, including today."""
    today = _midnight(clock.now())
    since = today - (days - 1) * _DAY_S
    async with store.read() as db:
        spent = await runs.spent_since(db, user_id, since)
    champions = {one.solve_id for one in spent if one.champion}
    # A patch that was given has no model and no strategy.
    by_agents = [one for one in spent if not one.contestant.is_patch]
    total = _total(spent)
    return CostView(
        since=since,
        total_usd=usd(total),
        solves=len({one.solve_id for one in spent}),
        champions=len(champions),
        per_champion_usd=usd(total // len(champions)) if champions else None,
        days=tuple(_by_day(spent, since, days)),
        models=_lines(by_agents, lambda one: one.contestant.model),
        strategies=_lines(by_agents, lambda one: one.contestant.strategy),
        repos=_lines(spent, lambda one: one.repo),
    )


def _midnight(at: float) -> float:
    return at // _DAY_S * _DAY_S


def _total(spent: Sequence[Spent]) -> int:
    return sum(one.cost_micros for one in spent)


def _by_day(spent: Sequence[Spent], since: float, days: int) -> list[DayCost]:
    by_day: defaultdict[float, list[Spent]] = defaultdict(list)
    for one in spent:
        by_day[_midnight(one.at)].append(one)
    first = datetime.fromtimestamp(since, UTC)
    found: list[DayCost] = []
    for number in range(days):
        of_day = by_day[since + number * _DAY_S]
        found.append(
            DayCost(
                day=(first + timedelta(days=number)).date().isoformat(),
                cost_usd=usd(_total(of_day)),
                solves=len({one.solve_id for one in of_day}),
            )
        )
    return found


def _lines(spent: Sequence[Spent], name_of: Callable[[Spent], str]) -> tuple[CostLine, ...]:
    by_name: defaultdict[str, list[Spent]] = defaultdict(list)
    for one in spent:
        by_name[name_of(one)].append(one)
    lines = (
        CostLine(
            name=name,
            cost_usd=usd(_total(those)),
            runs=len(those),
            champions=sum(one.run_id == one.champion for one in those),
        )
        for name, those in by_name.items()
    )
    return tuple(sorted(lines, key=lambda line: (-line.cost_usd, line.name)))
