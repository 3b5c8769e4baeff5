"""The commands and their options; each hands over to one function."""

from typing import Annotated

import typer
from pydantic import ValidationError

from yudai import __version__, telemetry
from yudai.cli.stopping import run_until_signal
from yudai.domain.errors import RefusedError
from yudai.settings import Settings

app = typer.Typer(
    name="yudai",
    help="An arena where coding agents compete to solve an issue, and the answer is proved.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
bench = typer.Typer(help="Measurements, as ratios in one run.", no_args_is_help=True)
app.add_typer(bench, name="bench")

Json = Annotated[
    bool, typer.Option("--json", help="Print one JSON document on standard output, nothing else.")
]
SandboxName = Annotated[
    str | None,
    typer.Option("--sandbox", help="bubblewrap (default) or process (isolates nothing)."),
]
Target = Annotated[
    str,
    typer.Argument(
        help="A solve or a run: an id, the end of one, or a handle of the newest solve."
    ),
]


def _version(wanted: bool) -> None:  # noqa: FBT001 - typer's signature
    if wanted:
        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def root(
    *,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Log to standard error.")
    ] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    del version
    telemetry.set_up(verbose=verbose)


@app.command()
def demo(
    *,
    json: Json = False,
    leave: Annotated[
        bool, typer.Option("--exit", help="End when the race is over (there is no page yet).")
    ] = False,
    sandbox: SandboxName = None,
    parallel: Annotated[int, typer.Option(min=1, max=64, help="Runs at the same time.")] = 4,
    reducer: Annotated[str, typer.Option(help="How the champion is picked: simple or first.")] = (
        "simple"
    ),
) -> int:
    """Run a real arena on a bundled repository: no key, no account, no Docker."""
    from yudai.cli.demo import run_demo

    del leave  # accepted already: scripts written today keep working when the page is there
    return run_until_signal(
        run_demo(_settings(), sandbox=sandbox, parallel=parallel, reducer=reducer, json=json)
    )


@app.command()
def show(
    target: Target = "",
    *,
    json: Json = False,
    diff: Annotated[
        bool, typer.Option("--diff", help="Only the patch, ready for git apply.")
    ] = False,
    log: Annotated[bool, typer.Option("--log", help="Only the log of its tests.")] = False,
    trajectory: Annotated[
        bool, typer.Option("--trajectory", help="Only the run in mini-SWE-agent's format.")
    ] = False,
    plan: Annotated[
        bool,
        typer.Option("--plan", help="Only the plan it gave before its first edit (plan.json)."),
    ] = False,
) -> int:
    """Show a solve with its ranking, or one run: its steps, patch and tests."""
    from yudai.cli.show import View, run_show

    chosen = [
        view for view, wanted in zip(View, (diff, log, trajectory, plan), strict=True) if wanted
    ]
    if len(chosen) + json > 1:
        raise RefusedError("choose one of --json, --diff, --log, --plan and --trajectory")
    return run_until_signal(
        run_show(_settings(), target, json=json, view=chosen[0] if chosen else None)
    )


@app.command(name="list")
def list_(
    *,
    json: Json = False,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many.")] = 20,
) -> int:
    """List the newest solves."""
    from yudai.cli.show import run_list

    return run_until_signal(run_list(_settings(), limit=limit, json=json))


@app.command()
def doctor(*, json: Json = False) -> int:
    """Say what this machine can do, what holds here and what to mend."""
    from yudai.cli.doctor import run_doctor

    return run_until_signal(run_doctor(_settings(), json=json))


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


def _settings() -> Settings:
    try:
        return Settings()
    except ValidationError as error:
        first = error.errors()[0]
        raise RefusedError(f"{first['loc'][0]}: {first['msg']}") from None
