"""`yudai bench NAME`: run a measurement and print its ratio beside its target."""

import tempfile
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from yudai.cli.exit_codes import OK
from yudai.cli.options import Json
from yudai.cli.signals import run_until_signal
from yudai.cli.text import print_json
from yudai.kit.errors import RefusedError
from yudai.kit.value import Value

bench = typer.Typer(
    help="Measure Yudai on this machine, each time against a baseline.", no_args_is_help=True
)

BenchDatabase = Annotated[
    str,
    typer.Option(
        "--database",
        help="URL of an empty PostgreSQL database, to also measure API and workers apart.",
    ),
]


@bench.command()
def overhead(*, json: Json = False, rounds: Annotated[int, typer.Option(min=1)] = 3) -> int:
    """Compare a step of our agent loop with bare mini-SWE-agent."""
    return run_until_signal(_run_overhead(rounds=rounds, json=json))


@bench.command(name="sandbox")
def bench_sandbox(*, json: Json = False, rounds: Annotated[int, typer.Option(min=1)] = 5) -> int:
    """Compare 32 sandboxes of one base with 32 bare bwrap processes."""
    return run_until_signal(_run_sandbox(rounds=rounds, json=json))


@bench.command()
def polling(*, json: Json = False, rounds: Annotated[int, typer.Option(min=1)] = 5) -> int:
    """Compare a poll that finds nothing new with the cheapest request there is."""
    return run_until_signal(_run_polling(rounds=rounds, json=json))


@bench.command()
def fanout(
    *,
    json: Json = False,
    contestants: Annotated[int, typer.Option(min=2, max=500)] = 100,
    database: BenchDatabase = "",
) -> int:
    """Compare 100 contestants at once with one: time, memory and API latency."""
    return run_until_signal(_run_fanout(database=database, contestants=contestants, json=json))


@bench.command()
def recovery(*, json: Json = False, database: BenchDatabase = "") -> int:
    """Measure the time from kill -9 of a process until its first run continues."""
    return run_until_signal(_run_recovery(database=database, json=json))


@bench.command()
def verdict(
    *,
    json: Json = False,
    rounds: Annotated[int, typer.Option(min=1)] = 3,
    against: Annotated[
        Path | None,
        typer.Option(
            file_okay=False,
            exists=True,
            help="Another checkout of Yudai, after `make setup`, to compare solves with.",
        ),
    ] = None,
) -> int:
    """Compare `yudai judge` with bare runs of the tests, and solves with another checkout."""
    return run_until_signal(_run_verdict(rounds=rounds, against=against, json=json))


Result = TypeVar("Result", bound=Value)


async def _run_overhead(*, rounds: int, json: bool) -> int:
    from yudai.bench import overhead

    result = await _measured(partial(overhead.measure, rounds=rounds))
    lines = [
        f"{pace.steps:>4} steps: {pace.ours_ms:.1f} ms a step, bare mini-SWE-agent "
        f"{pace.bare_ms:.1f} ms: {_against(pace.ratio, pace.target)}"
        for pace in result.paces
    ]
    return _print(result, lines, json=json)


async def _run_sandbox(*, rounds: int, json: bool) -> int:
    from yudai.bench import sandbox

    result = await _measured(partial(sandbox.measure, rounds=rounds))
    lines = [
        f"{result.n} sandboxes from spawn until `true` answers: {result.ours_ms:.0f} ms, "
        f"bare bwrap {result.bare_ms:.0f} ms: {_against(result.ratio, result.target)}",
        f"a command in a warm sandbox: {result.command_ms:.1f} ms",
    ]
    return _print(result, lines, json=json)


async def _run_polling(*, rounds: int, json: bool) -> int:
    from yudai.bench import polling

    result = await _measured(partial(polling.measure, rounds=rounds))
    lines = [
        f"a poll that finds nothing new: {result.idle_us:.0f} us of processor time, the least "
        f"that is answered {result.live_us:.0f} us: {_against(result.ratio, result.target)}",
        f"a poll with a message for each of {result.lanes} runs: {result.short_bytes} bytes after "
        f"{result.short_messages} messages, {result.long_bytes} after {result.long_messages}",
    ]
    return _print(result, lines, json=json)


async def _run_fanout(*, database: str, contestants: int, json: bool) -> int:
    from yudai.bench import fanout

    url = _shared(database)
    result = await _measured(partial(fanout.measure, database_url=url, contestants=contestants))
    lines: list[str] = []
    for way in result.ways:
        asked = f"{way.api_p50_ms:.0f} ms, p95 {_below(way.api_p95_ms, way.api_target_ms, 'ms')}"
        lines += [
            f"{way.contestants} contestants of {way.steps} steps ({way.processes}): "
            f"{way.all_s:.1f} s, one alone {way.one_s:.1f} s: {_against(way.ratio, way.target)}",
            f"  the worker's process: {_below(way.worker_mb, way.worker_target_mb, 'MB')}; "
            f"all sandboxes: {way.sandboxes_mb:.0f} MB",
            f"  the API meanwhile, {way.requests} requests: median {asked}",
        ]
    return _print(result, lines, json=json)


async def _run_recovery(*, database: str, json: bool) -> int:
    from yudai.bench import recovery

    url = _shared(database)
    result = await _measured(partial(recovery.measure, database_url=url))
    lines = [
        f"from kill -9 to the first run that continues ({way.processes}): "
        f"{_below(way.seconds, way.target_s, 's')}"
        for way in result.ways
    ]
    return _print(result, lines, json=json)


async def _run_verdict(*, rounds: int, against: Path | None, json: bool) -> int:
    from yudai.bench import verdict

    result = await _measured(partial(verdict.measure, rounds=rounds, against=against))
    lines = [
        f"{cost.what}: {cost.ours_s:.1f} s against {cost.other_s:.1f} s: "
        f"{_against(cost.ratio, cost.target)}"
        for cost in result.costs
    ]
    return _print(result, lines, json=json)


def _shared(database: str) -> str | None:
    from yudai.store.urls import POSTGRESQL, normalise

    if not database:
        return None
    try:
        url = normalise(database)
    except ValueError as error:
        raise RefusedError(f"--database: {error}") from None
    if not url.startswith(POSTGRESQL):
        raise RefusedError("--database: only PostgreSQL is shared by several processes")
    return url


def _below(number: float, target: float | None, unit: str) -> str:
    if target is None:
        return f"{number:.1f} {unit}"
    met = "met" if number <= target else "MISSED"
    return f"{number:.1f} {unit} (target {target:g} {unit}, {met})"


async def _measured(measure: Callable[[Path], Awaitable[Result]]) -> Result:
    """Use a temporary home, which is removed."""
    from yudai.cli import console

    showing = console.progress().status("measuring, in turns, to cancel out the machine's noise")
    with showing, tempfile.TemporaryDirectory(prefix="yudai-bench-") as home:
        return await measure(Path(home))


def _against(ratio: float, target: float | None) -> str:
    if target is None:
        return f"{ratio:.2f} x"
    return f"{ratio:.2f} x (target {target:g} x, {'met' if ratio <= target else 'MISSED'})"


def _print(result: Value, lines: list[str], *, json: bool) -> int:
    if json:
        print_json(result.model_dump(mode="json"))
    else:
        from yudai.cli import console

        for line in lines:
            console.result().print(line, soft_wrap=True)
    return OK
