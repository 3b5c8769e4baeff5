"""`yudai answer`: answer a question, without which a solve has no champion."""

from rich.text import Text

from yudai.cli import console as consoles
from yudai.cli.records.records import Records, open_records
from yudai.cli.show.questions import show_questions
from yudai.cli.show.result import exit_code, print_document, show_result
from yudai.cli.watch import watch
from yudai.kit.errors import RefusedError
from yudai.kit.ids import SolveId, short
from yudai.settings import Settings
from yudai.solves.domain.states import RESTING
from yudai.views.domain.document import QuestionView, SolveDocument


async def run_answer(settings: Settings, target: str, words: list[str], *, json: bool) -> int:
    """Without a choice: print the open questions."""
    if len(words) > 2:
        raise RefusedError("give a solve, one question and one choice")
    async with open_records(settings) as records:
        document = await records.document(target)
        if words:
            question, choice = ("", *words)[-2:]
            document = await _answer(records, document, question, choice)
        if json:
            print_document(document)
        elif words:
            await show_result(records, document, consoles.result(), server=records.server)
        else:
            _list(document, server=records.server)
        return exit_code(document)


async def _answer(
    records: Records, document: SolveDocument, question: str, choice: str
) -> SolveDocument:
    solve_id = SolveId(document.solve.id)
    await records.answer(solve_id, _named(document, question), choice)
    document = await records.document(solve_id)
    if document.solve.state not in RESTING:
        await watch(records, solve_id, consoles.progress())
        document = await records.document(solve_id)
    return document


def _named(document: SolveDocument, question: str) -> str:
    """Its id; the only open one, or else the newest answered one, needs no name."""
    if question:
        fitting = [q.id for q in document.questions if _fits(q, question)]
        return fitting[0] if len(fitting) == 1 else question
    waiting = document.open_questions
    if len(waiting) > 1:
        names = ", ".join(short(one.id) for one in waiting)
        raise RefusedError(f"there are {len(waiting)} open questions: name one of {names}")
    known = waiting or document.questions
    if not known:
        raise RefusedError(f"solve {short(document.solve.id)} asks no question")
    return max(known, key=lambda one: one.answered_at or 0.0).id


def _fits(question: QuestionView, named: str) -> bool:
    return named in (question.id, question.key) or question.id.endswith(named.lower())


def _list(document: SolveDocument, *, server: str) -> None:
    console = consoles.result()
    if not document.open_questions:
        name = short(document.solve.id)
        console.print(Text(f"Solve {name} has no open question."), soft_wrap=True)
    show_questions(document, console, server=server)
