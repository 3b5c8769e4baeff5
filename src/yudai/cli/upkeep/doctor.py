"""`yudai doctor`: what this machine can do, and what to fix."""

from rich.console import Console
from rich.text import Text

from yudai.cli import console as consoles
from yudai.cli.exit_codes import OK, REFUSED
from yudai.cli.text import print_json
from yudai.settings import Settings
from yudai.wiring.doctor import Examination, examine


async def run_doctor(settings: Settings, *, json: bool) -> int:
    found = await examine(settings)
    if json:
        print_json(found.model_dump())
    else:
        _print(found, consoles.result())
    return OK if found.ready else REFUSED


def _print(found: Examination, console: Console) -> None:
    for finding in found.findings:
        console.print(_mark(finding.name, finding.detail, ok=finding.ok), soft_wrap=True)
    for backend in found.sandboxes:
        default = " (default)" if backend.default else ""
        name = f"sandbox {backend.name}{default}"
        if not backend.set_up:
            console.print(Text(f"  {name}: {backend.detail}", style="dim"), soft_wrap=True)
            continue
        console.print(_mark(name, backend.detail, ok=backend.usable), soft_wrap=True)
        for guarantee in backend.guarantees:
            console.print(
                _mark(guarantee.name, guarantee.how, ok=guarantee.holds, indent=4), soft_wrap=True
            )


def _mark(name: str, detail: str, *, ok: bool, indent: int = 0) -> Text:
    sign, style = ("✓", "green") if ok else ("✗", "red")
    return Text.assemble(" " * indent, (sign, style), f" {name}: ", (detail, "dim" if ok else ""))
