"""The base made ready and its tests run, before a plan is printed."""

from collections.abc import Generator
from contextlib import contextmanager

from rich.console import Console
from rich.text import Text

from yudai.arena.plan import Draft
from yudai.cli.solve.plan import print_plan
from yudai.cli.spinner import working
from yudai.cli.text import safe
from yudai.kit.causes import Cause
from yudai.kit.errors import RefusedError, SandboxError
from yudai.verification.baseline import Measured
from yudai.wiring import App


async def make_ready(app: App, draft: Draft, progress: Console) -> Measured:
    with _explained(progress):
        commands = f": {' && '.join(draft.project.setup)}" if draft.project.setup else ""
        async with working(progress, f"preparing the base{commands}"):
            await app.planner.prepare(draft)
        async with working(progress, "running the base's tests twice"):
            measured = await app.planner.measure(draft)
    print_plan(progress, draft, measured, backend=app.capabilities.backend)
    return measured


@contextmanager
def _explained(progress: Console) -> Generator[None]:
    """Set-up is the repository's own: what it said last stands above our one line."""
    try:
        yield
    except SandboxError as error:
        if error.cause is not Cause.SETUP_FAILED:
            raise
        first, _, last = str(error).partition("\n")
        if last:
            progress.print(Text(safe(last), style="dim"), soft_wrap=True)
        raise RefusedError(f"{first} (give other commands with --setup, or --env PATH)") from None
