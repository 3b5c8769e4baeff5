"""`yudai dev ...`: things to try Yudai with, where the real ones need an account."""

from pathlib import Path
from typing import Annotated

import typer

from yudai.cli.options import Json
from yudai.settings import read_settings

dev = typer.Typer(help="Try Yudai without an account.", no_args_is_help=True)


@dev.callback()
def _group() -> None:
    """With one command alone, typer would leave its name out."""


@dev.command(name="fake-github")
def fake_github(
    *,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port on 127.0.0.1; 0 takes any free one.")
    ] = 8090,
    folder: Annotated[
        Path | None,
        typer.Option(help="Folder for its data; created if missing. Default: in YUDAI_HOME."),
    ] = None,
    webhook: Annotated[
        str | None,
        typer.Option(
            help="URL on this machine that gets its webhooks; '' for none. Default: the last one,"
            " at first http://127.0.0.1:8000/api/webhooks/github."
        ),
    ] = None,
    json: Json = False,
) -> int:
    """Run a fake GitHub on this machine, to try labels, pull requests, merges and reverts."""
    from yudai.cli.fake_github import FakeGitHubOptions, run_fake_github
    from yudai.cli.signals import stay_until_signal

    given = FakeGitHubOptions(port=port, folder=folder, webhook=webhook, json=json)
    return stay_until_signal(run_fake_github(read_settings(), given))
