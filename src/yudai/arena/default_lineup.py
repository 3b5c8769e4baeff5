"""The default contestants when a request names no models: a few different ones."""

from collections.abc import Sequence

from yudai.gateway.catalogue import Catalogue, Entry
from yudai.gateway.domain.models import Provider
from yudai.kit.errors import RefusedError
from yudai.solves.domain.matrix import Matrix
from yudai.solves.domain.strategies import Strategy

# The cheap, fast model of three makers: makers differ more than temperatures do.
_DIFFERENT = ("openai/gpt-5-mini", "anthropic/claude-haiku-4.5", "google/gemini-2.5-flash")
_OWN = "local-solo"
_MOST_OWN = 3


async def default_matrix(catalogue: Catalogue, chat_model: str | None = None) -> Matrix:
    """RefusedError when no endpoint is configured."""
    routes = catalogue.routes
    if routes.openrouter and not routes.everything_local:
        return Matrix(models=_DIFFERENT)
    if routes.local or routes.everything_local:
        names = _own(await catalogue.list()) or (chat_model or _OWN,)
        # With one model, vary temperature and strategy.
        return Matrix(
            models=names,
            temperatures=(0.2, 0.8),
            strategies=(Strategy.BALANCED, Strategy.TEST_FIRST),
        )
    raise RefusedError(
        "no model is configured: set OPENROUTER_API_KEY or OPENAI_BASE_URL, or name a model"
    )


def _own(entries: Sequence[Entry]) -> tuple[str, ...]:
    """Models that were added for the user's own server."""
    own = [e.model for e in entries if e.edited and e.model.provider is Provider.LOCAL]
    return tuple(model.name for model in own if model.price is not None)[:_MOST_OWN]
