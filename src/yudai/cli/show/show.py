"""`yudai show` and `yudai list`."""

import sys
from enum import Enum
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from yudai.artifacts.port import ArtifactKind
from yudai.cli import console as consoles
from yudai.cli.exit_codes import OK
from yudai.cli.records.records import Records, open_records
from yudai.cli.show.evidence import show_findings
from yudai.cli.show.result import (
    is_at_forge,
    print_document,
    show_blocked,
    show_outcomes,
    show_result,
)
from yudai.cli.text import dollars, one_line, print_json, safe, seconds
from yudai.kit.errors import NotFoundError
from yudai.kit.ids import RunId, short
from yudai.kit.money import MICROS_PER_USD
from yudai.runs.domain.trajectory.messages import commands_of, text_of, thought_of
from yudai.runs.domain.trajectory.steps import Action, Step
from yudai.runs.domain.trajectory.trajectory import TrajectoryMessage
from yudai.settings import Settings
from yudai.views.documents import chosen_step

if TYPE_CHECKING:
    from yudai.views.runs import RunDetail

_FIXED_WIDTH = 64
_MAX_LINES = 40
_FACTS = (
    "id", "solve_id", "handle", "state", "cause", "error", "exit_status", "sandbox_id", "steps",
    "edits", "edits_capped", "input_tokens", "output_tokens", "cost_usd", "latency_ms", "rank",
    "why", "verdict",
)  # fmt: skip


class View(Enum):
    DIFF = ArtifactKind.PATCH
    LOG = ArtifactKind.TEST_LOG
    TRAJECTORY = ArtifactKind.TRAJECTORY
    PLAN = ArtifactKind.PLAN


async def run_show(
    settings: Settings, target: str, *, json: bool, view: View | None, step: int | None = None
) -> int:
    async with open_records(settings) as records:
        try:
            document = await records.document(target)
        except NotFoundError:
            if not target:
                raise
            run = await records.run(target)
            if step is not None:
                return await run_step(records, run, step, json=json)
            return await _show_run(records, run, json=json, view=view)
        if step is not None:
            champion = await records.run(_champion(document.solve.champion))
            return await run_step(records, champion, step, json=json)
        if view is not None:
            return await _dump(records, _champion(document.solve.champion), view)
        became = await records.outcomes(document.solve.id) if is_at_forge(document) else None
        if json:
            print_document(document, became)
            return OK
        pull = None if became is None else became.pull
        has_pull = pull is not None and pull.number is not None
        console = consoles.result()
        await show_result(records, document, console, server=records.server, has_pull=has_pull)
        if became is not None:
            show_outcomes(became, console)
        show_blocked(document, console)
    return OK


async def run_list(settings: Settings, *, limit: int, json: bool) -> int:
    async with open_records(settings) as records:
        documents = await records.recent(limit)
    if json:
        print_json([document.solve.model_dump(mode="json") for document in documents])
        return OK
    if not documents:
        consoles.result().print("No solves yet: start with `yudai demo`.")
        return OK
    table = Table(box=None)
    for column in ("solve", "state", "repository", "issue", "champion", "time", "cost"):
        table.add_column(column, no_wrap=True)
    console = consoles.result()
    room = max(24, console.width - _FIXED_WIDTH)
    for document in documents:
        solve = document.solve
        champion = next(
            (safe(p.handle) for p in document.ranking if p.run_id == solve.champion), "-"
        )
        cells = (
            short(solve.id),
            "needs you" if solve.needs_answer else solve.state,
            one_line(solve.repo, width=16),
            one_line(solve.issue, width=room * 2 // 3),
            one_line(champion, width=room // 3),
            seconds(solve.elapsed_s),
            f"${solve.cost_usd:g}",
        )
        table.add_row(*(Text(cell) for cell in cells))
    console.print(table)
    return OK


def _champion(run_id: RunId | None) -> RunId:
    if run_id is None:
        raise NotFoundError("this solve has no champion: name one of its runs")
    return run_id


async def _dump(records: Records, run_id: RunId, view: View) -> int:
    if view is View.TRAJECTORY:
        print_json(await records.trajectory(run_id))
        return OK
    blob = await records.artifact(run_id, view.value)
    if sys.stdout is not None:
        sys.stdout.flush()
        sys.stdout.buffer.write(blob)
        sys.stdout.buffer.flush()
    return OK


async def _show_run(records: Records, run: "RunDetail", *, json: bool, view: View | None) -> int:
    if view is not None:
        return await _dump(records, run.id, view)
    # A patch that was given has no trajectory: no agent ran.
    is_given = run.contestant.is_patch
    messages = () if is_given else await records.messages(run.id)
    if json:
        print_json(
            {"run": run_facts(run), "messages": [message.model_dump() for message in messages]}
        )
        return OK
    console = consoles.result()
    console.print(Text(f"{safe(run.handle)}  {run.state}  {run.cause or ''}", style="bold"))
    console.print(Text(_given_facts(run) if is_given else _agent_facts(run)), soft_wrap=True)
    if run.error:
        console.print(Text(one_line(run.error, width=400), style="red"), soft_wrap=True)
    for message in messages:
        _print_message(console, message)
    if run.why:
        console.print(Text(f"\nPlace {run.rank}: {one_line(run.why, width=400)}", style="bold"))
    if run.verdict is not None:
        show_findings(run.verdict, console)
    more = "" if is_given else "--step N, --plan, --trajectory, "
    console.print(f"Also: {more}--diff, --log, --json", style="dim")
    return OK


def _agent_facts(run: "RunDetail") -> str:
    took = seconds(run.latency_ms / 1000)
    cost = dollars(round(run.cost_usd * MICROS_PER_USD))
    return f"{run.steps} steps, {run.edits} edits, {cost}, {took}"


def _given_facts(run: "RunDetail") -> str:
    author = run.contestant.author
    by = f" by {one_line(author)}" if author and author != run.handle else ""
    files = "1 file" if run.files_changed == 1 else f"{run.files_changed} files"
    lines = "1 line" if run.lines_changed == 1 else f"{run.lines_changed} lines"
    return f"a patch that was given{by}, {files}, {lines}"


def run_facts(run: "RunDetail") -> dict[str, object]:
    """A run as `--json` prints it."""
    known = run.model_dump(mode="json", by_alias=False)
    return {name: (known | known["tokens"])[name] for name in _FACTS}


def _print_message(console: Console, message: TrajectoryMessage) -> None:
    style = {"assistant": "cyan", "tool": "dim", "exit": "yellow"}.get(message.role, "")
    heading = f"\n[{message.seq}] {one_line(message.role)}, step {message.step}"
    console.print(Text(heading, style=f"bold {style}"))
    commands = [f"$ {command.text}" for command in commands_of(message.body)]
    said = thought_of(message.body) if commands else text_of(message.body)
    lines = safe("\n".join([said, *commands])).strip().splitlines()
    for line in lines[:_MAX_LINES]:
        console.print(Text(line, style=style), soft_wrap=True)
    if len(lines) > _MAX_LINES:
        more = f"… {len(lines) - _MAX_LINES} more lines (--step {message.step})"
        console.print(Text(more, style="dim"))


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
        console.print(Text(_step_facts(step), style="dim"), soft_wrap=True)
    _block(console, "reasoning", step.reasoning, style="dim")
    _block(console, "thought", step.thought, style="cyan")
    for action in step.actions:
        _print_action(console, action)
    for message in step.inputs:
        _block(console, message.role, message.text)


def _step_facts(step: Step) -> str:
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
    """Print all of it, uncut."""
    if not text.strip():
        return
    console.print(Text(f"\n[{one_line(title)}]", style="dim"))
    for line in safe(text.replace("\r\n", "\n")).strip("\n").split("\n"):
        console.print(Text(line, style=style), soft_wrap=True)
