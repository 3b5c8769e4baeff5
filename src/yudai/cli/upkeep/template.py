"""`yudai sandbox ...`: what sandboxes elsewhere are made of."""

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


@sandbox_app.callback()
def _group() -> None:
    """With one command alone, typer would leave its name out."""


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
    from yudai.sandboxes.backends.e2b.cloud import E2BCloud
    from yudai.sandboxes.backends.remote.cloud import DeniedError

    if settings.e2b_api_key is None:
        raise RefusedError("templates are built at E2B with your key: set E2B_API_KEY")
    cloud = E2BCloud(
        api_key=settings.e2b_api_key.get_secret_value(),
        template=name,
        domain=settings.e2b_domain,
        api_url=settings.e2b_api_url,
        sandbox_url=settings.e2b_sandbox_url,
    )
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
