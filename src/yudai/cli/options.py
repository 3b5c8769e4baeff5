"""The options of `yudai solve`, one type each."""

from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from yudai.ranking.domain import reducers
from yudai.sandboxes.domain import backends
from yudai.solves.domain import strategies
from yudai.testing.domain.runners import titles

Target = Annotated[
    str,
    typer.Argument(
        help="A folder in a git repository, owner/repo#12, or an issue's URL; owner/repo alone"
        " with --text or --issue-file."
    ),
]
Words = Annotated[
    str,
    typer.Option(
        help="The issue in words; the first line is its title. Beside #12 they go before its text."
    ),
]
IssueFile = Annotated[str, typer.Option(help="A file with the issue; - is standard input.")]
Models = Annotated[
    list[str] | None,
    typer.Option(help="A model by name or alias (`yudai models`), or scripted/FILE. Repeat."),
]
Temperatures = Annotated[
    list[float] | None, typer.Option(help="0 to 2; default 0.2. Repeat for more contestants.")
]
Strategies = Annotated[
    list[str] | None,
    typer.Option(help=f"{strategies.choices()}. Repeat."),
]
MaxEdits = Annotated[
    list[int] | None, typer.Option(help="Steps that may change files; default 10. Repeat.")
]
MaxSteps = Annotated[int, typer.Option(help="Model calls of one run.")]
Parallel = Annotated[int, typer.Option(help="Runs at the same time.")]
BudgetUsd = Annotated[float, typer.Option(help="Dollars for all runs together.")]
RunBudgetUsd = Annotated[float, typer.Option(help="Dollars for one run.")]
TimeBudget = Annotated[
    float | None, typer.Option(help="Seconds for all runs; default SOLVER_TIME_BUDGET_SECONDS.")
]
RunTimeBudget = Annotated[float, typer.Option(help="Seconds for one run.")]
Setup = Annotated[
    list[str] | None,
    typer.Option(help="Install commands instead of the detected ones; '' for none. Repeat."),
]
Test = Annotated[
    str,
    typer.Option(
        help="The test command instead of the detected one; tests are read one by one with"
        f" {', '.join(titles())}."
    ),
]
Env = Annotated[
    Path | None,
    typer.Option(help="Your own virtual environment, used read-only instead of a set-up."),
]
Base = Annotated[
    str, typer.Option(help="A branch or commit instead of HEAD; of a forge's repository a branch.")
]
Dirty = Annotated[bool, typer.Option("--dirty", help="Include uncommitted changes.")]
BaseUrl = Annotated[
    str, typer.Option(help="An OpenAI-compatible server for all models (OPENAI_API_KEY).")
]
Prices = Annotated[
    list[str] | None,
    typer.Option(help="MODEL=IN,OUT[,CACHED] in dollars per million tokens. Repeat."),
]
Agents = Annotated[
    list[str] | None,
    typer.Option("--agent", help="mini-swe-agent (default), or one of COMMAND_AGENTS. Repeat."),
]
Reducer = Annotated[str, typer.Option(help=f"How the champion is picked: {reducers.choices()}.")]
AcceptUnproved = Annotated[
    bool, typer.Option("--accept-unproved", help="A champion need not be proved by a test.")
]
Apply = Annotated[
    bool, typer.Option("--apply", help="Change the folder's files to the champion's.")
]
Branch = Annotated[str, typer.Option(help="Put the champion's patch onto a new branch.")]
PullRequest = Annotated[
    bool, typer.Option("--pr", help="Open a draft pull request with the champion's patch.")
]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before it starts.")]
Json = Annotated[
    bool, typer.Option("--json", help="Print one JSON document on standard output, nothing else.")
]
SandboxName = Annotated[
    str | None,
    typer.Option(
        "--sandbox",
        help=f"{backends.choices()}.",
    ),
]
ServerUrl = Annotated[
    str,
    typer.Option("--server", help="URL of a server to work with; default YUDAI_SERVER, if set."),
]
Host = Annotated[
    str | None, typer.Option(help="Address to listen on, only loopback; default HOST.")
]
Port = Annotated[
    int | None, typer.Option(min=0, max=65535, help="Its port, 0 for any free one; default PORT.")
]
NoWorker = Annotated[
    bool, typer.Option("--no-worker", help="Only the API; `yudai worker` runs the solves.")
]


class Options(NamedTuple):
    """`yudai solve` as it was typed."""

    target: str
    text: str
    issue_file: str
    model: list[str] | None
    temperature: list[float] | None
    strategy: list[str] | None
    agent: list[str] | None
    max_edits: list[int] | None
    max_steps: int
    parallel: int
    budget_usd: float
    run_budget_usd: float
    time_budget: float | None
    run_time_budget: float
    sandbox: str | None
    setup: list[str] | None
    test: str
    env: Path | None
    base: str
    dirty: bool
    base_url: str
    price: list[str] | None
    reducer: str
    accept_unproved: bool
    apply: bool
    branch: str
    yes: bool
    json: bool
    server: str = ""
    pr: bool = False
