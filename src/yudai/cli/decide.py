"""`yudai apply`: apply a patch to the folder or to a branch."""

from pathlib import Path

from rich.console import Console
from rich.text import Text

from yudai.cli import console as consoles
from yudai.cli.exit_codes import OK
from yudai.cli.records.records import Records, open_records
from yudai.cli.show.result import print_document
from yudai.cli.text import one_line, print_json, safe
from yudai.decisions.apply import AppliedView, Applier
from yudai.kit.ids import SolveId, short
from yudai.settings import Settings
from yudai.wiring.components import make_applier, open_context


async def run_apply(settings: Settings, target: str, *, branch: str, json: bool) -> int:
    async with open_context(settings) as context:
        console = consoles.progress() if json else consoles.result()
        applied = await take(
            make_applier(settings, context), target, branch=branch, console=console
        )
    if json:
        shown = applied.model_dump(mode="json", exclude={"root"}) | {"folder": applied.root}
        print_json(shown | {name: shown[name] or None for name in ("branch", "commit")})
    return OK


async def take(applier: Applier, target: str, *, branch: str, console: Console) -> AppliedView:
    here = _repository()
    if branch:
        applied = await applier.branch(target, branch, here=here)
    else:
        applied = await applier.apply(target, here=here)
    handle = one_line(applied.handle)
    if applied.branch:
        said = f"{handle}: commit {applied.commit[:12]} on the new branch {safe(applied.branch)}"
    else:
        files = ", ".join(applied.paths[:6]) + (", …" if len(applied.paths) > 6 else "")
        said = f"{handle}: applied to {safe(applied.root)}: {files}"
    console.print(Text(said, style="bold"), soft_wrap=True)
    return applied


def _repository() -> Path | None:
    """The repository of the current folder, if any; then no other solve is meant."""
    here = Path.cwd()
    return here if any((folder / ".git").exists() for folder in (here, *here.parents)) else None


async def run_dismiss(settings: Settings, target: str, *, reason: str, json: bool) -> int:
    async with open_records(settings) as records:
        # The newest of all. (`cancel` prefers active solves, which do not await review.)
        solve_id = (await records.document(target)).solve.id
        await records.dismiss(solve_id, reason)
        said = "is completed without an answer; its runs are kept"
        return await _say_end(records, solve_id, said, json=json)


async def run_cancel(settings: Settings, target: str, *, json: bool) -> int:
    async with open_records(settings) as records:
        solve_id = await records.find(target)
        # One transaction: it is at rest when this returns; who runs it notices within a second.
        await records.cancel(solve_id)
        said = "is cancelled; what its runs had done is kept"
        return await _say_end(records, solve_id, said, json=json)


async def _say_end(records: Records, solve_id: SolveId, said: str, *, json: bool) -> int:
    if json:
        print_document(await records.document(solve_id))
    else:
        consoles.result().print(f"Solve {short(solve_id)} {said}.", soft_wrap=True)
    return OK
