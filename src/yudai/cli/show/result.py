"""The result as a person reads it: scorecard, diff, why each loser lost."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from yudai.arena.blocked_hosts import KINDS, blocked_entry
from yudai.artifacts.port import ArtifactKind
from yudai.cli.console import program
from yudai.cli.exit_codes import FAILED, NO_CHAMPION, OK, OUT_OF_BUDGET
from yudai.cli.show.evidence import show_evidence, show_reasons
from yudai.cli.show.questions import show_questions
from yudai.cli.text import one_line, print_json, safe, seconds
from yudai.forge.domain.repository import PullState
from yudai.kit.ids import RunId, short
from yudai.kit.untyped import as_text
from yudai.publishing.views import OutcomeList, OutcomeView
from yudai.sandboxes.domain.allowed_hosts import authority
from yudai.solves.domain.blocked import BlockedEntry
from yudai.solves.domain.states import RESTING, SolveState
from yudai.verification.domain.verdict import VerdictStatus
from yudai.views.domain.document import PlaceEntry, SolveDocument

if TYPE_CHECKING:
    from yudai.cli.records.records import Records
    from yudai.views.solves import EventView

_HOST_WIDTH = 80


def is_blocked(event: "EventView") -> bool:
    return event.kind in KINDS


def blocked_of(events: Iterable["EventView"]) -> tuple[BlockedEntry, ...]:
    return tuple(
        blocked_entry(event.kind, event.run_id, event.data) for event in events if is_blocked(event)
    )


def blocked_line(entry: BlockedEntry, handles: Mapping[RunId, str]) -> str:
    run_id = entry.run_id
    who = "" if run_id is None else f" by {one_line(handles.get(run_id, run_id))}"
    phase = one_line(entry.phase)
    if entry.host is None:
        return f"blocked: and more that are not listed, in the {phase} phase{who}"
    host = one_line(entry.host, width=_HOST_WIDTH)
    place = host if entry.port is None else authority(host, entry.port)
    return f"blocked: {place}, in the {phase} phase{who}"


MARKS = {
    VerdictStatus.PASSED: ("passed", "green"),
    VerdictStatus.UNPROVED: ("unproved", "yellow"),
    VerdictStatus.UNVERIFIED: ("unverified", "yellow"),
    VerdictStatus.FAILED: ("failed", "red"),
    VerdictStatus.NONE: ("none", "dim"),
}
_ANSWERED: dict[bool | None, str] = {
    True: "(a person says so)",
    False: "(a person says it is not one)",
}
_MAX_DIFF_LINES = 200
_MAX_BLOCKED = 20


def exit_code(document: SolveDocument) -> int:
    # A publication that has not ended is handled by a worker.
    if document.solve.state is SolveState.FAILED or document.solve.state not in RESTING:
        return FAILED
    if document.solve.champion is not None:
        return OK
    if document.solve.needs_answer:
        return NO_CHAMPION
    return OUT_OF_BUDGET if document.budget_ended else NO_CHAMPION


def print_document(document: SolveDocument, became: OutcomeList | None = None) -> None:
    """With its pull request and outcomes, if any."""
    has_pull = became is not None and became.pull is not None
    more = became.model_dump(mode="json") if became is not None and has_pull else {}
    print_json({**document.model_dump(mode="json"), **more})


async def show_result(
    records: "Records",
    document: SolveDocument,
    console: Console,
    *,
    server: str = "",
    has_pull: bool = False,
) -> None:
    """`server` is where other commands find it, unless they look at the same records anyway.

    A solve that has a pull request, or is being published, needs no hint about opening one.
    """
    console.print(_scorecard(document))
    if document.solve.champion is not None:
        await _show_champion(records, document, console)
    show_reasons(document, console)
    if document.partial:
        console.print(Text(f"\nNote: {safe(document.partial)}", style="yellow"), soft_wrap=True)
    console.print(Text(f"\n{safe(document.reason)}", style="bold"), soft_wrap=True)
    if document.questions:
        show_questions(document, console, server=server)
    if document.ranking:
        where = f" --server {server}" if server else ""
        _show_next(document, console, where, has_pull=has_pull)


def _show_next(document: SolveDocument, console: Console, where: str, *, has_pull: bool) -> None:
    """Print the likely next commands."""
    solve, best = document.solve, document.ranking[0]
    show, apply = f"{program()} show", f"{program()} apply"
    the_solve, the_run = f"{short(solve.id)}{where}", f"{short(best.run_id)}{where}"
    # Only where the solve's folder and records are ours can it be applied by its name.
    is_folder = solve.folder is not None and not where
    hints: list[str] = []
    is_offered = solve.state is SolveState.AWAITING_REVIEW and not document.open_questions
    if is_offered and is_folder:
        mine = f"{apply} {the_solve}"
        hints.append(f"Take it: {mine}, or as a commit on a new branch: {mine} --branch NAME")
    elif is_offered and is_at_forge(document):
        opening = f"Open its pull request: {program()} publish {the_solve}"
        hints += [] if has_pull else [opening]
    elif is_offered and where:
        hints.append(f"Take it: {show} {the_solve} --diff | git apply")
    elif solve.champion is None and best.cause is None and best.lines_changed:
        patch = f"{show} {the_run} --diff | git apply"
        hints.append(f"Use a run's patch anyway: {f'{apply} {the_run}' if is_folder else patch}")
    hints.append(f"Look closer: {show} {the_solve}, or one run: {show} {the_run}")
    for hint in hints:
        console.print(Text(hint, style="dim"), soft_wrap=True)


def is_at_forge(document: SolveDocument) -> bool:
    """Whether the name has an owner, as repositories at a forge do and folders do not."""
    return document.solve.folder is None and "/" in document.solve.repo


def show_outcomes(became: OutcomeList, console: Console) -> None:
    pull = became.pull
    if pull is None:
        return
    if pull.number is None:
        said = f"Publication: {pull.publication}{pull.reason and f', {pull.reason}'}"
        console.print(Text(f"\n{one_line(said, width=400)}", style="bold"), soft_wrap=True)
    else:
        draft = ", a draft" if pull.is_draft and pull.state is PullState.OPEN else ""
        said = f"Pull request #{pull.number} ({pull.state or 'open'}{draft}): {pull.url}"
        console.print(Text(f"\n{safe(said)}", style="bold"), soft_wrap=True)
    for outcome in became.outcomes:
        console.print(Text(f"  {_outcome(outcome)}"), soft_wrap=True)


def show_blocked(document: SolveDocument, console: Console) -> None:
    blocked = document.blocked
    if not blocked:
        return
    handles = {place.run_id: place.handle for place in document.ranking}
    console.print(Text("\nWhat sandboxes tried to reach but may not", style="bold"))
    for entry in blocked[:_MAX_BLOCKED]:
        console.print(Text(f"  {blocked_line(entry, handles)}", style="yellow"), soft_wrap=True)
    if len(blocked) > _MAX_BLOCKED:
        more = f"  … {len(blocked) - _MAX_BLOCKED} more: --json"
        console.print(Text(more, style="dim"))


def _outcome(outcome: OutcomeView) -> str:
    commit = as_text(outcome.evidence.get("commit"))[:12]
    parts = (
        str(outcome.kind).replace("_", " "),
        outcome.by and f"by {outcome.by}",
        commit and f"in {commit}",
        as_text(outcome.evidence.get("reason")),
        "(waits: the page asks whether it is one)" if outcome.waits else "",
        _ANSWERED.get(outcome.confirmed, ""),
    )
    return one_line(" ".join(part for part in parts if part), width=300)


def _scorecard(document: SolveDocument) -> Table:
    solve = document.solve
    spent = f"{seconds(solve.elapsed_s)}, ${solve.cost_usd:g}"
    title = f"{safe(solve.repo)}: {one_line(solve.issue)}  ({spent})"
    table = Table(title=Text(title, style="bold"), title_justify="left", box=None, pad_edge=False)
    table.add_column("#", justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    # The only one that may take more lines: a handle that is cut cannot be typed.
    table.add_column("contestant", overflow="fold")
    table.add_column("verdict", no_wrap=True)
    for numbers in ("files", "lines", "time", "cost"):
        table.add_column(numbers, justify="right", no_wrap=True)
    for place in document.ranking:
        table.add_row(*_row(place, champion=place.run_id == solve.champion))
    return table


def _row(place: PlaceEntry, *, champion: bool) -> list[Text]:
    mark, style = MARKS[place.verdict.status]
    return [
        Text(str(place.rank)),
        Text("★" if champion else ""),
        Text(safe(place.handle), style="bold" if champion else ""),
        Text(mark if place.cause is None else place.cause.replace("_", " "), style=style),
        Text(str(place.files_changed)),
        Text(str(place.lines_changed)),
        Text(seconds(place.latency_ms / 1000)),
        Text(f"${place.cost_usd:g}"),
    ]


async def _show_champion(records: "Records", document: SolveDocument, console: Console) -> None:
    champion = document.ranking[0]
    patch = await records.artifact(RunId(champion.run_id), ArtifactKind.PATCH)
    console.print(Text(f"\nThe champion's patch ({safe(champion.handle)})", style="bold"))
    print_diff(console, patch.decode("utf-8", "replace"))
    show_evidence(document, console)


def print_diff(console: Console, patch: str, *, whole: str = "--diff") -> None:
    """Print the patch line by line, uncut, so that it can be copied; `whole` prints all of it."""
    lines = [line for line in safe(patch).splitlines() if not line.startswith("index ")]
    for line in lines[:_MAX_DIFF_LINES]:
        console.print(Text(line, style=_diff_style(line)), soft_wrap=True)
    if len(lines) > _MAX_DIFF_LINES:
        console.print(f"… {len(lines) - _MAX_DIFF_LINES} more lines ({whole})", style="dim")


def _diff_style(line: str) -> str:
    starts = ("diff --git ", "+++", "---", "@@", "+", "-")
    styles = ("bold", "dim", "dim", "cyan", "green", "red")
    return next((style for s, style in zip(starts, styles, strict=True) if line.startswith(s)), "")
