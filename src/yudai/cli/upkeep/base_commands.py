"""The commands about prepared bases, and their options."""

from collections.abc import Callable
from typing import Annotated

import typer

from yudai.cli.options import Json
from yudai.cli.signals import run_until_signal
from yudai.settings import Settings

Reading = Callable[[], Settings]
BackendName = Annotated[
    str | None, typer.Option("--backend", help="Whose bases; default SANDBOX_BACKEND.")
]


def bases_app(settings: Reading) -> typer.Typer:
    bases = typer.Typer(help="List and remove prepared bases.", invoke_without_command=True)

    @bases.callback()
    def list_bases(
        context: typer.Context, *, backend: BackendName = None, json: Json = False
    ) -> int | None:
        """List prepared bases: their size, when they were used, how many sandboxes use them."""
        if context.invoked_subcommand is not None:
            return None
        from yudai.cli.upkeep.bases import run_list

        return run_until_signal(run_list(settings(), backend=backend, json=json))

    @bases.command()
    def remove(
        keys: Annotated[
            list[str],
            typer.Argument(help="Keys, as `yudai bases` shows them, or their beginnings."),
        ],
        *,
        backend: BackendName = None,
        json: Json = False,
    ) -> int:
        """Remove bases that no sandbox uses; whoever needs one again builds it anew."""
        from yudai.cli.upkeep.bases import run_remove

        return run_until_signal(run_remove(settings(), keys, backend=backend, json=json))

    @bases.command()
    def evict(
        *,
        max_mb: Annotated[
            int | None, typer.Option(min=0, help="Disk for all; default BASES_MAX_MB.")
        ] = None,
        max_days: Annotated[
            float | None, typer.Option(min=0, help="Days without use; default BASES_MAX_DAYS.")
        ] = None,
        dry_run: Annotated[
            bool, typer.Option("--dry-run", help="Only say which would be removed.")
        ] = False,
        backend: BackendName = None,
        json: Json = False,
    ) -> int:
        """Remove what was not used for long, then what was used longest ago until the rest fits."""
        from yudai.cli.upkeep.bases import Bounds, run_evict

        bounds = Bounds(max_mb=max_mb, max_days=max_days)
        return run_until_signal(
            run_evict(settings(), bounds, dry_run=dry_run, backend=backend, json=json)
        )

    _ = list_bases, remove, evict
    return bases
