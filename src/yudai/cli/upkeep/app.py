"""The commands that keep an installation tidy: sandboxes left over, and what they stand on."""

from collections.abc import Callable
from functools import partial
from typing import Annotated

import typer

from yudai.cli.options import Json
from yudai.cli.signals import run_until_signal
from yudai.cli.upkeep.base_commands import bases_app
from yudai.cli.upkeep.template import sandbox_app
from yudai.settings import Settings

Reading = Callable[[str], Settings]


def add_to(app: typer.Typer, settings: Reading) -> None:
    @app.command()
    def reap(
        *,
        dry_run: Annotated[
            bool, typer.Option("--dry-run", help="List them without removing any.")
        ] = False,
        backend: Annotated[str, typer.Option(help="Check this backend only.")] = "",
        json: Json = False,
    ) -> int:
        """Remove leaked sandboxes: their process died, or their run has ended."""
        from yudai.cli.upkeep.reap import run_reap

        return run_until_signal(run_reap(settings(""), dry_run=dry_run, backend=backend, json=json))

    _ = reap
    app.add_typer(bases_app(partial(settings, "")), name="bases")
    app.add_typer(sandbox_app, name="sandbox")
