"""The options of `yudai solve`, one type each."""

from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from yudai.ranking.domain import reducers
from yudai.sandboxes.domain import backends
from yudai.solves.domain import defaults, strategies
from yudai.testing.domain.runners import titles

Target = Annotated[
    str,
    typer.Argument(
        help="A folder in a git repository, owner/repo#12, or an issue's URL. Use owner/repo with"
        " --text or --issue-file."
    ),
]
Words = Annotated[
    str,
    typer.Option(
        help="The issue as text; the first line is its title. With #12, it goes before its text."
    ),
]
IssueFile = Annotated[str, typer.Option(help="A file with the issue; - reads standard input.")]
Models = Annotated[
    list[str] | None,
    typer.Option(
        help="A model's name or alias (`yudai models`), or scripted/FILE. Repeat for more."
    ),
]
Temperatures = Annotated[
    list[float] | None, typer.Option(help="0 to 2; default 0.2. Repeat for more.")
]
Strategies = Annotated[
    list[str] | None,
    typer.Option(help=f"{strategies.choices()}. Repeat for more."),
]
MaxEdits = Annotated[
    list[int] | None, typer.Option(help="Steps that may change files; default 10. Repeat for more.")
]
MaxSteps = Annotated[int, typer.Option(help="Model calls per run.")]
Parallel = Annotated[int, typer.Option(help="Runs at the same time.")]
BudgetUsd = Annotated[float, typer.Option(help="Dollars for all runs together.")]
RunBudgetUsd = Annotated[float, typer.Option(help="Dollars per run.")]
TimeBudget = Annotated[
    float | None,
    typer.Option(help="Seconds for all runs together; default SOLVER_TIME_BUDGET_SECONDS."),
]
RunTimeBudget = Annotated[float, typer.Option(help="Seconds per run.")]
Setup = Annotated[
    list[str] | None,
    typer.Option(
        help="Set-up commands instead of the detected ones; '' for none. Repeat for more."
    ),
]
Test = Annotated[
    str,
    typer.Option(
        help="Test command instead of the detected one. Tests are read one by one with"
        f" {', '.join(titles())}."
    ),
]
Env = Annotated[
    Path | None,
    typer.Option(help="Your own virtual environment, used read-only instead of set-up."),
]
Base = Annotated[
    str, typer.Option(help="Branch or commit to solve instead of HEAD. For owner/repo, a branch.")
]
Dirty = Annotated[bool, typer.Option("--dirty", help="Include uncommitted changes.")]
BaseUrl = Annotated[
    str, typer.Option(help="An OpenAI-compatible server for all models (OPENAI_API_KEY).")
]
Prices = Annotated[
    list[str] | None,
    typer.Option(help="MODEL=IN,OUT[,CACHED] in dollars per million tokens. Repeat for more."),
]
Agents = Annotated[
    list[str] | None,
    typer.Option(
        "--agent", help="mini-swe-agent (default), or one from COMMAND_AGENTS. Repeat for more."
    ),
]
Reducer = Annotated[str, typer.Option(help=f"How the champion is picked: {reducers.choices()}.")]
AcceptUnproved = Annotated[
    bool, typer.Option("--accept-unproved", help="Allow a champion that no test proves.")
]
Patches = Annotated[
    list[str] | None,
    typer.Option(
        help="A patch that exists, as a contestant: the text of git diff, diff -u or git"
        " format-patch. The file's name is its handle. Repeat for more."
    ),
]
Targets = Annotated[
    list[str] | None,
    typer.Argument(
        help="A folder in a git repository (default: here), or pull requests as owner/repo#12;"
        " owner/repo with --branch or --patch."
    ),
]
Branches = Annotated[
    list[str] | None,
    typer.Option(help="A branch: what it changes since it left the base. Repeat for more."),
]
Commits = Annotated[
    list[str] | None,
    typer.Option(help="A commit: what it changes in its parent. Repeat for more."),
]
JudgedSolve = Annotated[
    str,
    typer.Option(
        "--solve", help="The patches of an earlier solve, by its id or the end of its id."
    ),
]
Authors = Annotated[
    list[str] | None,
    typer.Option(
        help="NAME=HANDLE: who wrote a patch. Patches of one author do not count as independent"
        " answers; without it each does. Repeat for more."
    ),
]
IssueName = Annotated[
    str,
    typer.Option(
        help="The issue at the forge: owner/repo#12, its URL, or 12 beside owner/repo. Default for"
        " a pull request: the issue that it closes, else its own text."
    ),
]
JudgedBase = Annotated[
    str,
    typer.Option(
        help="Branch or commit to judge on; default HEAD, the pull request's base branch, or"
        " owner/repo's default branch."
    ),
]
NewBranch = Annotated[
    str, typer.Option("--to-branch", help="Commit the champion's patch to a new branch.")
]
Apply = Annotated[bool, typer.Option("--apply", help="Apply the champion's patch to the folder.")]
Branch = Annotated[str, typer.Option(help="Commit the champion's patch to a new branch.")]
PullRequest = Annotated[
    bool, typer.Option("--pr", help="Open a draft pull request with the champion's patch.")
]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Start without asking.")]
Json = Annotated[
    bool,
    typer.Option("--json", help="Print one JSON document on standard output and nothing else."),
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
    typer.Option("--server", help="URL of the server to use; default YUDAI_SERVER."),
]
Host = Annotated[
    str | None,
    typer.Option(help="Address to listen on; loopback only without a login. Default HOST."),
]
Port = Annotated[
    int | None,
    typer.Option(min=0, max=65535, help="Port to listen on; 0 takes any free one. Default PORT."),
]
NoWorker = Annotated[
    bool, typer.Option("--no-worker", help="Serve the API only; `yudai worker` runs the solves.")
]


class Given(NamedTuple):
    """What `yudai judge` was given to judge, as it was typed."""

    branches: tuple[str, ...] = ()
    commits: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()
    """NAME=HANDLE."""
    solve: str = ""
    """All patches of this solve."""
    issue: str = ""
    """An issue at the forge."""
    targets: tuple[str, ...] = ()
    """Pull requests, or one repository."""


class Options(NamedTuple):
    """`yudai solve` as it was typed."""

    target: str = "."
    text: str = ""
    issue_file: str = ""
    model: list[str] | None = None
    temperature: list[float] | None = None
    strategy: list[str] | None = None
    agent: list[str] | None = None
    max_edits: list[int] | None = None
    max_steps: int = 80
    parallel: int = defaults.PARALLEL
    budget_usd: float = 5.0
    run_budget_usd: float = 1.0
    time_budget: float | None = None
    run_time_budget: float = 1800
    sandbox: str | None = None
    setup: list[str] | None = None
    test: str = ""
    env: Path | None = None
    base: str = ""
    dirty: bool = False
    base_url: str = ""
    price: list[str] | None = None
    reducer: str = defaults.REDUCER
    accept_unproved: bool = False
    apply: bool = False
    branch: str = ""
    yes: bool = False
    json: bool = False
    server: str = ""
    pr: bool = False
    patch: list[str] | None = None
    judged: Given | None = None
    """None: it is `yudai solve`."""
