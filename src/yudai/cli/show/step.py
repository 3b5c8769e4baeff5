"""`yudai show RUN --step N`: one step whole."""

from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from yudai.cli import console as consoles
from yudai.cli.exit_codes import OK
from yudai.cli.records.records import Records
from yudai.cli.text import dollars, one_line, print_json, safe, seconds
from yudai.runs.domain.trajectory.steps import Action, Step
from yudai.views.documents import chosen_step

if TYPE_CHECKING:
    from yudai.views.runs import RunDetail


async def run_step(records: Records, run: "RunDetail", number: int, *, json: bool) -> int:
    step = chosen_step(await records.messages(run.id), number)
    if json:
        facts = {
            "id": run.id,
            "solve_id": run.solve_id,
            "handle": run.handle,
            "steps": run.steps,
        }
        print_json({"run": facts, "step": step.model_dump(mode="json")})
    else:
        print_step(consoles.result(), run, step)
    return OK


def print_step(console: Console, run: "RunDetail", step: Step) -> None:
    heading = f"{one_line(run.handle)}  step {step.number} of {run.steps}"
    console.print(Text(heading, style="bold"))
    if step.number:
        console.print(Text(_facts(step), style="dim"), soft_wrap=True)
    _block(console, "reasoning", step.reasoning, style="dim")
    _block(console, "thought", step.thought, style="cyan")
    for action in step.actions:
        _print_action(console, action)
    for told in step.told:
        _block(console, told.role, told.text)


def _facts(step: Step) -> str:
    usage = step.usage
    cached = f" ({usage.cached_tokens} cached)" if usage.cached_tokens else ""
    tokens = f"{usage.input_tokens} tokens in{cached}, {usage.output_tokens} out"
    return f"{dollars(usage.cost_micros)}, {tokens}, {seconds(step.seconds)} in commands"


def _print_action(console: Console, action: Action) -> None:
    _block(console, "command", action.command, style="bold")
    _block(console, _ending(action), action.output or "(no output)")
    _block(console, "ended early", action.exception, style="yellow")
    _block(console, "edits", action.notice, style="yellow")


def _ending(action: Action) -> str:
    if action.returncode is None:
        return "its exit code is not known"
    return f"exit code {action.returncode}"


def _block(console: Console, title: str, text: str, *, style: str = "") -> None:
    """Nothing is cut: this is where all of it can be read."""
    if not text.strip():
        return
    console.print(Text(f"\n[{one_line(title)}]", style="dim"))
    for line in safe(text.replace("\r\n", "\n")).strip("\n").split("\n"):
        console.print(Text(line, style=style), soft_wrap=True)
