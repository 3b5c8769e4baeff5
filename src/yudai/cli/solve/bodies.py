"""`POST /api/solves`, in the words of the API."""

from typing import Any

from yudai.arena.plan import FolderRequest
from yudai.cli.solve.request import ForgeAsk
from yudai.gateway.domain.models import Price
from yudai.kit.money import usd
from yudai.solves.domain.matrix import Matrix


def to_body(asked: FolderRequest) -> dict[str, Any]:
    issue = asked.issue
    return {
        "repo_path": asked.target,
        **({"issue_title": issue.title} if issue.body else {}),
        "issue_text": issue.body or issue.title,
        "dirty": asked.dirty,
        "env": "" if asked.env is None else str(asked.env),
        **_common(asked),
    }


def to_forge_body(ask: ForgeAsk) -> dict[str, Any]:
    """A repository whose forge was not named is at the one that the server asks."""
    repo = ask.target.repo
    return {
        "repo_url": repo.url if repo.forge else repo.full,
        "issue_number": ask.target.number,
        "issue_text": ask.words,
        "publish": ask.publish,
        **_common(ask.asked),
    }


def _common(asked: FolderRequest) -> dict[str, Any]:
    budget, setup = asked.budget, asked.given.setup
    return {
        "base_branch": asked.base,
        "matrix": _axes(asked.matrix),
        "limits": {
            "max_parallel": budget.max_parallel,
            "max_runs": budget.max_contestants,
            "max_steps": budget.max_steps,
            "time_budget_s": budget.time_budget_s,
            "run_time_budget_s": budget.run_time_budget_s,
            "budget_usd": usd(budget.cost_cap_micros),
            "run_budget_usd": usd(budget.run_cost_cap_micros),
        },
        "prices": {name: _dollars(price) for name, price in asked.prices.items()},
        "setup": None if setup is None else list(setup),
        "test": asked.given.test,
        "reducer": asked.reducer,
        "require_proof": asked.require_proof,
    }


def _axes(matrix: Matrix) -> dict[str, Any]:
    return matrix.model_dump(mode="json")


def _dollars(price: Price) -> dict[str, float]:
    cached = {} if price.cached_micros is None else {"cached_usd": usd(price.cached_micros)}
    return {"input_usd": usd(price.input_micros), "output_usd": usd(price.output_micros), **cached}
