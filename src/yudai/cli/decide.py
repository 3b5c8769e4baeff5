"""`yudai apply`: take an answer into the folder, or onto a branch."""

from pathlib import Path

from rich.console import Console
from rich.text import Text

from yudai.cli import console as consoles
from yudai.cli.exit_codes import OK
from yudai.cli.text import one_line, print_json, safe
from yudai.decisions.apply import Applied, Applier
from yudai.settings import Settings
from yudai.wiring import make_applier, open_library


async def run_apply(settings: Settings, target: str, *, branch: str, json: bool) -> int:
    async with open_library(settings) as library:
        console = consoles.progress() if json else consoles.result()
        applied = await take(
            make_applier(settings, library.reader), target, branch=branch, console=console
        )
    if json:
        print_json(_fields(applied))
    return OK


async def take(applier: Applier, target: str, *, branch: str, console: Console) -> Applied:
    here = _repository()
    if branch:
        applied = await applier.branch(target, branch, here=here)
    else:
        applied = await applier.apply(target, here=here)
    handle = one_line(applied.run.handle)
    if applied.branch:
        said = f"{handle}: commit {applied.commit[:12]} on the new branch {safe(applied.branch)}"
    else:
        files = ", ".join(applied.paths[:6]) + (", …" if len(applied.paths) > 6 else "")
        said = f"{handle}: applied to {safe(applied.root)}: {files}"
    console.print(Text(said, style="bold"), soft_wrap=True)
    return applied


def _repository() -> Path | None:
    """Where the person is, if that is in a repository: then no other one is meant."""
    here = Path.cwd()
    return here if any((folder / ".git").exists() for folder in (here, *here.parents)) else None


def _fields(applied: Applied) -> dict[str, object]:
    return {
        "run_id": applied.run.id,
        "handle": applied.run.handle,
        "folder": applied.root,
        "paths": list(applied.paths),
        "branch": applied.branch or None,
        "commit": applied.commit or None,
    }
