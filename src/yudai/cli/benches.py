"""`yudai bench ...`: the measurements and their options."""

from typing import Annotated

import typer

from yudai.cli.options import Json
from yudai.cli.signals import run_until_signal

bench = typer.Typer(help="Measurements, as ratios in one run.", no_args_is_help=True)

BenchDatabase = Annotated[
    str,
    typer.Option(
        "--database",
        help="URL of an empty PostgreSQL database: measure the API and workers apart as well.",
    ),
]


@bench.command()
def overhead(*, json: Json = False, rounds: Annotated[int, typer.Option(min=1)] = 3) -> int:
    """Our loop against bare mini-SWE-agent, per step."""
    from yudai.cli.bench import run_overhead

    return run_until_signal(run_overhead(rounds=rounds, json=json))


@bench.command(name="sandbox")
def bench_sandbox(*, json: Json = False, rounds: Annotated[int, typer.Option(min=1)] = 5) -> int:
    """32 sandboxes of one base against 32 bare bwrap."""
    from yudai.cli.bench import run_sandbox

    return run_until_signal(run_sandbox(rounds=rounds, json=json))


@bench.command()
def polling(*, json: Json = False, rounds: Annotated[int, typer.Option(min=1)] = 5) -> int:
    """A poll that finds nothing new against the least that the server can answer."""
    from yudai.cli.bench import run_polling

    return run_until_signal(run_polling(rounds=rounds, json=json))


@bench.command()
def fanout(
    *,
    json: Json = False,
    contestants: Annotated[int, typer.Option(min=2, max=500)] = 100,
    database: BenchDatabase = "",
) -> int:
    """A hundred contestants at once against one: time, memory, and how soon the API answers."""
    from yudai.cli.bench import run_fanout

    return run_until_signal(run_fanout(database=database, contestants=contestants, json=json))


@bench.command()
def recovery(*, json: Json = False, database: BenchDatabase = "") -> int:
    """From kill -9 of a process to the first of its runs that goes on."""
    from yudai.cli.bench import run_recovery

    return run_until_signal(run_recovery(database=database, json=json))
