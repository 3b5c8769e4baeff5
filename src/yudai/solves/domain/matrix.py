"""The matrix of axes, and the contestants it expands to."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import count, product
from math import prod
from typing import Annotated, NamedTuple

from pydantic import AliasChoices, ConfigDict, Field

from yudai.kit.errors import RefusedError
from yudai.kit.value import Value
from yudai.solves.domain.strategies import DEFAULT as DEFAULT_STRATEGY
from yudai.solves.domain.strategies import Strategy

DEFAULT_AGENT = "mini-swe-agent"
PATCH = "patch"
"""In place of an agent: the patch was there before the solve, and nothing is run to make it."""
DEFAULT_MAX_CONTESTANTS = 36
MAX_CELLS = 1000


Model = Annotated[str, Field(min_length=1, max_length=300)]
Temperature = Annotated[float, Field(ge=0.0, le=2.0)]
MaxEdits = Annotated[int, Field(ge=1, le=1000)]


class Matrix(Value):
    """The axes a user gave; `temps` and `evolution` are accepted spellings."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    models: tuple[Model, ...] = Field(
        default=(), description="None only where `patches` are the contestants."
    )
    temperatures: tuple[Temperature, ...] = Field(
        default=(0.2,), min_length=1, validation_alias=AliasChoices("temperatures", "temps")
    )
    max_edits: tuple[MaxEdits, ...] = Field(default=(10,), min_length=1)
    strategies: tuple[Strategy, ...] = Field(
        default=(DEFAULT_STRATEGY,),
        min_length=1,
        validation_alias=AliasChoices("strategies", "evolution"),
    )
    agents: tuple[str, ...] = Field(default=(DEFAULT_AGENT,), min_length=1)


class Contestant(Value):
    """One point of the matrix, or a patch that was given."""

    agent: str = Field(description="`patch` for a patch that was given: no agent made it here.")
    model: str = Field(description="Empty for a patch that was given.")
    temperature: float
    max_edits: int
    strategy: Strategy
    handle: str
    author: str = Field(
        default="",
        description="Who wrote a patch that was given: patches of one author are not independent.",
    )

    @property
    def is_patch(self) -> bool:
        """Whether its patch was given, so that no agent runs and no model is called."""
        return self.agent == PATCH


def author_of(contestant: Contestant) -> str:
    """Whose answer it is: two answers are independent if these are different."""
    return contestant.author or f"{contestant.model} {contestant.strategy}"


def patch_contestant(handle: str, author: str = "") -> Contestant:
    """A patch that was given. Without an author it is independent of all others."""
    return Contestant(
        agent=PATCH,
        model="",
        temperature=0.0,
        max_edits=1,
        strategy=DEFAULT_STRATEGY,
        handle=handle,
        author=author,
    )


class Lineup(NamedTuple):
    """Contestants that start, and those that do not because of the cap."""

    contestants: tuple[Contestant, ...]
    not_started: tuple[Contestant, ...]

    @property
    def agents(self) -> tuple[Contestant, ...]:
        """Those that an agent runs for: the others cost nothing and take no time of it."""
        return tuple(one for one in self.contestants if not one.is_patch)


def expand(
    matrix: Matrix, *, limit: int = DEFAULT_MAX_CONTESTANTS, patches: Sequence[Contestant] = ()
) -> Lineup:
    """All points in a stable order; above the limit a diverse selection starts.

    Patches come first; they all start, and do not count towards the limit.
    """
    check_size(matrix)
    axes = (
        matrix.agents,
        matrix.models,
        matrix.temperatures,
        matrix.max_edits,
        matrix.strategies,
    )
    places = list(product(*(range(len(axis)) for axis in axes)))
    handles = _named([*patches, *(_point(*values) for values in product(*axes))])
    given, named = handles[: len(patches)], dict(zip(places, handles[len(patches) :], strict=True))
    if len(places) <= limit:
        return Lineup((*given, *named.values()), ())
    chosen = [named.pop(place) for place in _diverse(matrix, limit)]
    return Lineup((*given, *chosen), tuple(named.values()))


def check_size(matrix: Matrix) -> None:
    """Refuse an absurdly large matrix before it is expanded."""
    lengths = {axis: len(getattr(matrix, axis)) for axis in Matrix.model_fields}
    cells = prod(lengths.values())
    if cells > MAX_CELLS:
        sizes = " x ".join(f"{n} {axis.replace('_', ' ')}" for axis, n in lengths.items() if n > 1)
        raise RefusedError(
            f"the matrix has {cells:,} cells ({sizes}), at most {MAX_CELLS:,} are allowed:"
            " give fewer values",
            field="matrix",
        )


def handle_of(contestant: Contestant) -> str:
    """`{model's last part}-t{temperature}-e{max_edits}-{strategy}`, after a non-default agent.

    A patch keeps the name that it was given.
    """
    if contestant.is_patch:
        return contestant.handle
    name = contestant.model.rsplit("/", 1)[-1].removesuffix(".yaml").removesuffix(".json")
    agent = "" if contestant.agent == DEFAULT_AGENT else f"{contestant.agent}-"
    return (
        f"{agent}{name}-t{contestant.temperature:g}-e{contestant.max_edits}-{contestant.strategy}"
    )


def _named(points: Iterable[Contestant]) -> tuple[Contestant, ...]:
    """Give each point its handle; equal handles get -2, -3."""
    taken: dict[str, Contestant] = {}
    for point in points:
        handle = handle_of(point)
        free = (f"{handle}-{number}" for number in count(2))
        name = handle if handle not in taken else next(n for n in free if n not in taken)
        author = (point.author or name) if point.is_patch else ""
        taken[name] = point.model_copy(update={"handle": name, "author": author})
    return tuple(taken.values())


def _point(
    agent: str, model: str, temperature: float, max_edits: int, strategy: Strategy
) -> Contestant:
    return Contestant(
        agent=agent,
        model=model,
        temperature=temperature,
        max_edits=max_edits,
        strategy=strategy,
        handle="",
    )


def _diverse(matrix: Matrix, limit: int) -> Iterator[tuple[int, ...]]:
    """Count through the axes, models fastest, each shifted by others: a Latin square's diagonal.

    A shift depends only on faster axes, so every point comes up exactly once.
    """
    models, strategies = len(matrix.models), len(matrix.strategies)
    temperatures, edits, agents = map(len, (matrix.temperatures, matrix.max_edits, matrix.agents))
    for number in range(limit):
        rest, model = divmod(number, models)
        rest, strategy = divmod(rest, strategies)
        rest, temperature = divmod(rest, temperatures)
        agent, edit = divmod(rest, edits)
        yield (
            (agent + model) % agents,
            model,
            (temperature + model + strategy) % temperatures,
            (edit + strategy) % edits,
            (strategy + model) % strategies,
        )
