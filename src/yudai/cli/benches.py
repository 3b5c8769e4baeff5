"""`yudai bench ...`: the measurements and their options."""

from typing import Annotated

import typer

from yudai.cli.options import Json
from yudai.cli.signals import run_until_signal

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
    from yudai.cli.bench import run_overhead

    return run_until_signal(run_overhead(rounds=rounds, json=json))


@bench.command(name="sandbox")
def bench_sandbox(*, json: Json = False, rounds: Annotated[int, typer.Option(min=1)] = 5) -> int:
    """Compare 32 sandboxes of one base with 32 bare bwrap processes."""
    from yudai.cli.bench import run_sandbox

    return run_until_signal(run_sandbox(rounds=rounds, json=json))


@bench.command()
def polling(*, json: Json = False, rounds: Annotated[int, typer.Option(min=1)] = 5) -> int:
    """Compare a poll that finds nothing new with the cheapest request there is."""
    from yudai.cli.bench import run_polling

    return run_until_signal(run_polling(rounds=rounds, json=json))


@bench.command()
def fanout(
    *,
    json: Json = False,
    contestants: Annotated[int, typer.Option(min=2, max=500)] = 100,
    database: BenchDatabase = "",
) -> int:
    """Compare 100 contestants at once with one: time, memory and API latency."""
    from yudai.cli.bench import run_fanout

    return run_until_signal(run_fanout(database=database, contestants=contestants, json=json))


@bench.command()
def recovery(*, json: Json = False, database: BenchDatabase = "") -> int:
    """Measure the time from kill -9 of a process until its first run continues."""
    from yudai.cli.bench import run_recovery

    return run_until_signal(run_recovery(database=database, json=json))
