"""The commands and their options; each hands over to one function."""

from pathlib import Path
from typing import Annotated

import typer

from yudai import __version__
from yudai.cli import options
from yudai.cli.accounts import app as people
from yudai.cli.bench import bench
from yudai.cli.dev import dev
from yudai.cli.judge import add_to as add_judge
from yudai.cli.options import Json, SandboxName
from yudai.cli.signals import run_until_signal
from yudai.cli.upkeep import app as keeping
from yudai.kit.errors import RefusedError
from yudai.operations import telemetry
from yudai.settings import Settings, read_settings
from yudai.solves.domain import defaults

app = typer.Typer(
    name="yudai",
    help="Coding agents compete to solve an issue; you get one proved patch, or none.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
models = typer.Typer(help="List and edit models, their aliases and prices.")
app.add_typer(models, name="models", invoke_without_command=True)
app.add_typer(bench, name="bench")
app.add_typer(dev, name="dev")

Target = Annotated[
    str,
    typer.Argument(
        help="A solve or a run: an id, the end of an id, or a handle in the newest solve."
    ),
]

Solve = Annotated[
    str, typer.Argument(help="A solve: its id or the end of its id; default: the newest solve.")
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
        bool,
        typer.Option("--exit", help="Serve no page and exit after the solve. Implied by --json."),
    ] = False,
    no_open: Annotated[
        bool, typer.Option("--no-open", help="Print the page's address without opening a browser.")
    ] = False,
    sandbox: SandboxName = None,
    parallel: Annotated[
        int, typer.Option(min=1, max=64, help="Runs at the same time.")
    ] = defaults.PARALLEL,
    reducer: options.Reducer = defaults.REDUCER,
) -> int:
    """Solve an issue of a bundled repository, shown live in the page. Needs no key or account."""
    from yudai.cli.demo import DemoOptions, run_demo, show_demo

    given = DemoOptions(sandbox, parallel, reducer, opens=not no_open, json=json)
    run = run_demo if leave or json else show_demo
    return run_until_signal(run(_settings(), given))


@app.command()
def solve(  # noqa: PLR0913 - one parameter per option
    target: options.Target = ".",
    *,
    text: options.Words = "",
    issue_file: options.IssueFile = "",
    model: options.Models = None,
    temperature: options.Temperatures = None,
    strategy: options.Strategies = None,
    agent: options.Agents = None,
    max_edits: options.MaxEdits = None,
    max_steps: options.MaxSteps = 80,
    parallel: options.Parallel = defaults.PARALLEL,
    budget_usd: options.BudgetUsd = 5.0,
    run_budget_usd: options.RunBudgetUsd = 1.0,
    time_budget: options.TimeBudget = None,
    run_time_budget: options.RunTimeBudget = 1800,
    sandbox: SandboxName = None,
    setup: options.Setup = None,
    test: options.Test = "",
    env: options.Env = None,
    base: options.Base = "",
    dirty: options.Dirty = False,
    base_url: options.BaseUrl = "",
    price: options.Prices = None,
    reducer: options.Reducer = defaults.REDUCER,
    accept_unproved: options.AcceptUnproved = False,
    patch: options.Patches = None,
    apply: options.Apply = False,
    branch: options.Branch = "",
    pr: options.PullRequest = False,
    yes: options.Yes = False,
    server: options.ServerUrl = "",
    json: Json = False,
) -> int:
    """Let contestants compete to solve an issue. Changes nothing until you ask for it."""
    given = options.Options(**locals())
    from yudai.cli.solve.solve import run_solve

    return run_until_signal(run_solve(_settings(server), given))


@app.command()
def apply(
    target: Annotated[
        str, typer.Argument(help="A run, or a solve for its champion; default: the newest solve.")
    ] = "",
    *,
    branch: Annotated[
        str, typer.Option(help="Commit to a new branch instead; the folder stays as it is.")
    ] = "",
    json: Json = False,
) -> int:
    """Apply a patch: change the folder's files, or make a branch with one commit."""
    from yudai.cli.decide import run_apply

    return run_until_signal(run_apply(_settings(), target, branch=branch, json=json))


@app.command()
def publish(target: Solve = "", *, json: Json = False, server: options.ServerUrl = "") -> int:
    """Open a draft pull request with the champion's patch, or print where it is."""
    from yudai.cli.publish import run_publish

    return run_until_signal(run_publish(_settings(server), target, json=json))


@app.command()
def show(  # noqa: PLR0913 - one parameter per option
    target: Target = "",
    *,
    json: Json = False,
    step: Annotated[
        int | None, typer.Option(help="One step of a run in full; -1 is the last one.")
    ] = None,
    diff: Annotated[
        bool, typer.Option("--diff", help="Print only the patch, ready for git apply.")
    ] = False,
    log: Annotated[bool, typer.Option("--log", help="Print only the test log.")] = False,
    trajectory: Annotated[
        bool,
        typer.Option("--trajectory", help="Print only the trajectory, in mini-SWE-agent's format."),
    ] = False,
    plan: Annotated[
        bool,
        typer.Option(
            "--plan", help="Print only the plan written before the first edit (plan.json)."
        ),
    ] = False,
    server: options.ServerUrl = "",
) -> int:
    """Show a solve with its ranking, or a run with its steps, patch and tests."""
    from yudai.cli.show.show import View, run_show

    wanted = zip(View, (diff, log, trajectory, plan), strict=True)
    chosen = [view for view, is_wanted in wanted if is_wanted]
    if len(chosen) + (json or step is not None) > 1:
        raise RefusedError("choose one of --json, --step, --diff, --log, --plan and --trajectory")
    view = chosen[0] if chosen else None
    return run_until_signal(run_show(_settings(server), target, json=json, view=view, step=step))


@app.command()
def watch(target: Solve = "", *, json: Json = False, server: options.ServerUrl = "") -> int:
    """Follow a solve that another process runs; Ctrl-C only stops watching."""
    from yudai.cli.watch import run_watch

    return run_until_signal(run_watch(_settings(server), target, json=json))


@app.command()
def cancel(target: Solve = "", *, json: Json = False, server: options.ServerUrl = "") -> int:
    """Cancel a solve, also one of another process. The record of its runs is kept."""
    from yudai.cli.decide import run_cancel

    return run_until_signal(run_cancel(_settings(server), target, json=json))


@app.command()
def dismiss(
    target: Solve = "",
    *,
    reason: Annotated[str, typer.Option(help="Why, in one line; shown in the timeline.")] = "",
    json: Json = False,
    server: options.ServerUrl = "",
) -> int:
    """Complete a solve that awaits review without taking a patch. Its runs are kept."""
    from yudai.cli.decide import run_dismiss

    return run_until_signal(run_dismiss(_settings(server), target, reason=reason, json=json))


@app.command()
def answer(
    target: Annotated[str, typer.Argument(metavar="SOLVE", help="Its id or the end of its id.")],
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[QUESTION] CHOICE",
            help="Without a choice, prints the open questions. QUESTION is needed if several are.",
        ),
    ] = None,
    *,
    json: Json = False,
    server: options.ServerUrl = "",
) -> int:
    """Answer a question that keeps a solve from having a champion."""
    from yudai.cli.answer import run_answer

    return run_until_signal(run_answer(_settings(server), target, words or [], json=json))


@app.command()
def serve(
    *,
    host: options.Host = None,
    port: options.Port = None,
    no_worker: options.NoWorker = False,
    sandbox: SandboxName = None,
    json: Annotated[
        bool, typer.Option("--json", help="Print {url, pid} on standard output when it is ready.")
    ] = False,
) -> int:
    """Serve the HTTP API and the page, and run solves, until Ctrl-C or SIGTERM."""
    from yudai.cli.serve.serve import ServeOptions, run_serve
    from yudai.cli.signals import stay_until_signal

    given = ServeOptions(host=host, port=port, no_worker=no_worker, sandbox=sandbox, json=json)
    return stay_until_signal(run_serve(_settings(), given))


@app.command()
def worker(
    *,
    sandbox: SandboxName = None,
    json: Annotated[
        bool, typer.Option("--json", help="Print {pid} on standard output when it is ready.")
    ] = False,
) -> int:
    """Run the solves that a server accepts. Start as many as you like (PostgreSQL only)."""
    from yudai.cli.serve.serve import run_worker
    from yudai.cli.signals import stay_until_signal

    return stay_until_signal(run_worker(_settings(), sandbox=sandbox, json=json))


@app.command()
def compare(
    first: Annotated[str, typer.Argument(help="A run; default: the champion.")] = "",
    second: Annotated[str, typer.Argument(help="Another run; default: the next best.")] = "",
    *,
    solve: Annotated[
        str, typer.Option(help="The solve whose handles you use; default: the newest solve.")
    ] = "",
    json: Json = False,
) -> int:
    """Compare two runs: scorecards, tests, files and patches."""
    from yudai.cli.show.compare import run_compare

    return run_until_signal(run_compare(_settings(), first, second, solve=solve, json=json))


@app.command(name="import")
def import_(
    files: Annotated[list[Path], typer.Argument(help="Trajectories that mini-SWE-agent wrote.")],
    *,
    json: Json = False,
) -> int:
    """Import mini-SWE-agent's trajectory files as runs that you can read and compare."""
    from yudai.cli.import_trajectories import run_import

    return run_until_signal(run_import(_settings(), files, json=json))


@models.callback()
def list_models(context: typer.Context, *, json: Json = False) -> int | None:
    """List the models with their aliases and prices per million tokens."""
    if context.invoked_subcommand is not None:
        return None
    from yudai.cli.models import run_models_list

    return run_until_signal(run_models_list(_settings(), json=json))


@models.command(name="set")
def set_model(
    name: Annotated[str, typer.Argument(help="The model's name or alias.")],
    *,
    price: Annotated[str, typer.Option(help="IN,OUT[,CACHED] in dollars per million tokens.")] = "",
    alias: Annotated[
        list[str] | None,
        typer.Option(help="An alias; replaces the existing ones. Repeat for more."),
    ] = None,
    provider: Annotated[str, typer.Option(help="openrouter or local.")] = "",
    model_id: Annotated[str, typer.Option(help="The provider's name for the model.")] = "",
    json: Json = False,
) -> int:
    """Add or change a model. Recorded costs stay as they are."""
    from yudai.cli.models import run_models_set, to_change

    change = to_change(price=price, aliases=alias, provider=provider, model_id=model_id)
    return run_until_signal(run_models_set(_settings(), name, change, json=json))


@models.command(name="remove")
def remove_model(
    name: Annotated[str, typer.Argument(help="The model's name or alias.")], *, json: Json = False
) -> int:
    """Remove your own model, or your changes to a bundled one."""
    from yudai.cli.models import run_models_remove

    return run_until_signal(run_models_remove(_settings(), name, json=json))


@app.command(name="list")
def list_(
    *,
    json: Json = False,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many to list.")] = 20,
    server: options.ServerUrl = "",
) -> int:
    """List the newest solves."""
    from yudai.cli.show.show import run_list

    return run_until_signal(run_list(_settings(server), limit=limit, json=json))


@app.command()
def doctor(*, json: Json = False) -> int:
    """Check this machine: what works, what is limited, and how to fix the rest."""
    from yudai.cli.upkeep.doctor import run_doctor

    return run_until_signal(run_doctor(_settings(), json=json))


def _settings(server: str = "") -> Settings:
    settings = read_settings()
    telemetry.hide(settings.secrets)
    return settings.model_copy(update={"server": server}) if server else settings


add_judge(app, _settings)
people.add_to(app, _settings)
keeping.add_to(app, _settings)
