"""Commands for maintenance: sandboxes, bases and templates."""

from collections.abc import Callable
from typing import Annotated

import typer
from rich.text import Text

from yudai.cli import console
from yudai.cli.exit_codes import OK
from yudai.cli.options import Json
from yudai.cli.signals import run_until_signal
from yudai.cli.text import print_json, safe
from yudai.kit.errors import RefusedError
from yudai.settings import Settings, read_settings

DEFAULT_NAME = "yudai"

sandbox_app = typer.Typer(
    help="Build the templates that sandboxes start from.", no_args_is_help=True
)
Reading = Callable[[str], Settings]
BackendName = Annotated[
    str | None,
    typer.Option("--backend", help="The backend that keeps the bases; default SANDBOX_BACKEND."),
]


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
    app.add_typer(bases_app(settings), name="bases")
    app.add_typer(sandbox_app, name="sandbox")


def bases_app(settings: Reading) -> typer.Typer:
    bases = typer.Typer(help="List and remove prepared bases.", invoke_without_command=True)

    @bases.callback()
    def list_bases(
        context: typer.Context, *, backend: BackendName = None, json: Json = False
    ) -> int | None:
        """List prepared bases with their size, last use and number of sandboxes."""
        if context.invoked_subcommand is not None:
            return None
        from yudai.cli.upkeep.bases import run_list

        return run_until_signal(run_list(settings(""), backend=backend, json=json))

    @bases.command()
    def remove(
        keys: Annotated[
            list[str],
            typer.Argument(help="Keys from `yudai bases`, or the start of each."),
        ],
        *,
        backend: BackendName = None,
        json: Json = False,
    ) -> int:
        """Remove bases that no sandbox uses. One that is needed later is built again."""
        from yudai.cli.upkeep.bases import run_remove

        return run_until_signal(run_remove(settings(""), keys, backend=backend, json=json))

    @bases.command()
    def evict(
        *,
        max_mb: Annotated[
            int | None, typer.Option(min=0, help="Megabytes for all bases; default BASES_MAX_MB.")
        ] = None,
        max_days: Annotated[
            float | None,
            typer.Option(min=0, help="Days a base is kept without use; default BASES_MAX_DAYS."),
        ] = None,
        dry_run: Annotated[
            bool, typer.Option("--dry-run", help="List them without removing any.")
        ] = False,
        backend: BackendName = None,
        json: Json = False,
    ) -> int:
        """Remove bases past --max-days, then the least recently used until the rest fits."""
        from yudai.cli.upkeep.bases import Bounds, run_evict

        bounds = Bounds(max_mb=max_mb, max_days=max_days)
        return run_until_signal(
            run_evict(settings(""), bounds, dry_run=dry_run, backend=backend, json=json)
        )

    _ = list_bases, remove, evict
    return bases


@sandbox_app.callback()
def _group() -> None:
    """Keeps the subcommand's name, which typer omits if there is only one."""


@sandbox_app.command(name="build-template")
def build_template(
    *,
    name: Annotated[
        str, typer.Option(help="Name of the template. Set E2B_TEMPLATE_ID to use another name.")
    ] = DEFAULT_NAME,
    json: Json = False,
) -> int:
    """Build the template for sandboxes at E2B; the SANDBOX_* settings give its size."""
    return run_until_signal(run_build_template(read_settings(), name, json=json))


async def run_build_template(settings: Settings, name: str, *, json: bool) -> int:
    from yudai.sandboxes.backends.remote.cloud import DeniedError
    from yudai.wiring.sandboxes import e2b_cloud

    cloud = e2b_cloud(settings, template=name)
    progress = console.progress()
    try:
        built = await cloud.build_template(
            name,
            settings.limits,
            lambda line: progress.print(Text(safe(line), style="dim"), soft_wrap=True),
        )
    except DeniedError as error:
        raise RefusedError(str(error)) from error
    finally:
        await cloud.close()
    if json:
        print_json(built._asdict())
        return OK
    note = f"Built {built.name} ({built.template_id})."
    if (settings.e2b_template_id or DEFAULT_NAME) != name:
        note += f" Set E2B_TEMPLATE_ID={built.name} to use it."
    console.result().print(Text(safe(note)), soft_wrap=True)
    return OK
