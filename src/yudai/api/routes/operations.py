"""Numbers for Prometheus, in its text format."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Literal, NamedTuple, TypeVar

from fastapi import APIRouter
from fastapi.responses import PlainTextResponse

from yudai.api.routes.sandboxes import OverseerDep
from yudai.api.security.rights import MayOversee
from yudai.operations.overview import Numbers
from yudai.runs.domain.states import RunState
from yudai.solves.domain.states import SolveState

router = APIRouter(tags=["installation"])

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
# A series that is not there cannot be told from a zero: these always are.
_BACKENDS = ("container", "e2b", "prime")

Labels = tuple[tuple[str, str], ...]
Word = TypeVar("Word", bound=str)


class Family(NamedTuple):
    name: str
    kind: Literal["gauge", "counter"]
    help: str
    samples: Mapping[Labels, int]


class Metrics(PlainTextResponse):
    media_type = MEDIA_TYPE


@router.get("/metrics", operation_id="getMetrics", response_class=Metrics)
async def metrics(overseer: OverseerDep, user: MayOversee) -> Metrics:
    """How many there are of what; a key of an administrator that may only read is enough."""
    del user
    families = _families(await overseer.count())
    return Metrics("".join(line + "\n" for family in families for line in _lines(family)))


def _families(numbers: Numbers) -> Iterator[Family]:
    held, leaked = numbers.held, numbers.leaked
    backends = sorted({*_BACKENDS, *held, *leaked, *numbers.reaped})
    yield Family(
        "yudai_sandboxes",
        "gauge",
        "Sandboxes that are open, by whether a process holds them.",
        {
            (("backend", name), ("state", state)): counted.get(name, 0)
            for name in backends
            for state, counted in (("held", held), ("leaked", leaked))
        },
    )
    yield Family(
        "yudai_sandboxes_leaked",
        "gauge",
        "Sandboxes that nobody holds and that no sweep has removed yet.",
        _by("backend", backends, leaked),
    )
    yield Family(
        "yudai_sandboxes_reaped_total",
        "counter",
        "Sandboxes that sweeps have removed.",
        _by("backend", backends, numbers.reaped),
    )
    yield Family("yudai_solves", "gauge", "Solves.", _by("state", SolveState, numbers.solves))
    yield Family("yudai_runs", "gauge", "Runs.", _by("state", RunState, numbers.runs))


def _by(label: str, names: Iterable[Word], counted: Mapping[Word, int]) -> dict[Labels, int]:
    return {((label, str(name)),): counted.get(name, 0) for name in names}


def _lines(family: Family) -> Iterator[str]:
    yield f"# HELP {family.name} {family.help}"
    yield f"# TYPE {family.name} {family.kind}"
    for labels, value in family.samples.items():
        told = ",".join(f'{name}="{_escaped(text)}"' for name, text in labels)
        yield f"{family.name}{{{told}}} {value}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
