"""`yudai judge`: its options become those of a solve without agents."""

from collections.abc import Callable
from typing import Any

import typer

from yudai.cli import options
from yudai.cli.options import Json, SandboxName
from yudai.cli.signals import run_until_signal
from yudai.settings import Settings
from yudai.solves.domain import defaults


def add_to(app: typer.Typer, settings: Callable[[str], Settings]) -> None:
    @app.command()
    def judge(  # noqa: PLR0913 - one parameter per option
        targets: options.Targets = None,
        *,
        patch: options.Patches = None,
        branch: options.Branches = None,
        commit: options.Commits = None,
        solve: options.JudgedSolve = "",
        author: options.Authors = None,
        text: options.Words = "",
        issue_file: options.IssueFile = "",
        issue: options.IssueName = "",
        base: options.JudgedBase = "",
        dirty: options.Dirty = False,
        parallel: options.Parallel = defaults.PARALLEL,
        sandbox: SandboxName = None,
        setup: options.Setup = None,
        test: options.Test = "",
        env: options.Env = None,
        reducer: options.Reducer = defaults.REDUCER,
        accept_unproved: options.AcceptUnproved = False,
        apply: options.Apply = False,
        to_branch: options.NewBranch = "",
        pr: options.PullRequest = False,
        server: options.ServerUrl = "",
        json: Json = False,
    ) -> int:
        """Prove and rank patches that exist. No agent runs, and no model is called."""
        given: dict[str, Any] = locals()
        from yudai.cli.solve.solve import run_solve

        judged = options.Given(
            branches=tuple(branch or ()),
            commits=tuple(commit or ()),
            authors=tuple(author or ()),
            solve=solve,
            issue=issue,
            targets=tuple(targets or ()),
        )
        shared = {name: given[name] for name in options.Options._fields if name in given}
        asked = options.Options(**shared)._replace(branch=to_branch, judged=judged)
        return run_until_signal(run_solve(settings(server), asked))

    _ = judge
