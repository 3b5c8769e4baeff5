"""Questions as a person reads them, with the command that answers each."""

from shlex import quote

from rich.console import Console
from rich.text import Text

from yudai.cli.console import program
from yudai.cli.text import one_line, safe
from yudai.kit.ids import short
from yudai.views.domain.document import QuestionView, SolveDocument

_MAX_LINES = 200
_MAX_PATCHES = 10


def show_questions(document: SolveDocument, console: Console, *, server: str = "") -> None:
    """Answered ones in a line each, open ones with what is needed to decide."""
    for question in document.questions:
        if question.choice is not None:
            _show_answered(question, console)
    waiting = document.open_questions
    if not waiting:
        return
    title = (
        "Needs you: one question" if len(waiting) == 1 else f"Needs you: {len(waiting)} questions"
    )
    console.print(Text(f"\n{title}", style="bold yellow"), soft_wrap=True)
    handles = {place.run_id: place.handle for place in document.ranking}
    for question in waiting:
        about = ", ".join(handles.get(run_id, run_id) for run_id in question.runs)
        named = f" {short(question.id)}" if len(waiting) > 1 else ""
        command = f"{program()} answer {short(document.solve.id)}{named}"
        _show_open(question, console, about=about, command=command, server=server)


def _show_open(
    question: QuestionView, console: Console, *, about: str, command: str, server: str
) -> None:
    console.print(Text(f"\n{one_line(question.text, width=1000)}", style="bold"), soft_wrap=True)
    if about:
        console.print(Text(f"About: {one_line(about, width=400)}", style="dim"), soft_wrap=True)
    lines = safe(question.detail).splitlines()
    for line in lines[:_MAX_LINES]:
        console.print(Text(f"  {line}"), soft_wrap=True)
    if len(lines) > _MAX_LINES:
        more = f"  … {len(lines) - _MAX_LINES} more lines (--json)"
        console.print(Text(more, style="dim"), soft_wrap=True)
    where = f" --server {server}" if server else ""
    for run_id in question.runs[:_MAX_PATCHES]:
        diff = f"  {program()} show {short(run_id)} --diff{where}"
        console.print(Text(diff, style="dim"), soft_wrap=True)
    for choice in question.choices:
        # Ids are foreign text, and a person copies the line into a shell.
        said = f"  {command} {quote(one_line(choice.id))}{where}"
        console.print(Text(f"{said}  # {one_line(choice.text)}", style="green"), soft_wrap=True)


def _show_answered(question: QuestionView, console: Console) -> None:
    said = f"{question.text} {question.choice}, says {question.answered_by}"
    console.print(Text(one_line(said, width=1000), style="dim"), soft_wrap=True)
