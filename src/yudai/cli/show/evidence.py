"""What verification found, in words: the champion's proof, and equal answers once."""

from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.text import Text

from yudai.cli.text import one_line, safe
from yudai.ranking.domain.scorecard import red_to_green
from yudai.verification.domain.phrases import (
    agreement_phrase,
    faster_phrase,
    idle_phrase,
    proof_phrase,
    says_phrase,
    shortfall_phrase,
)
from yudai.verification.domain.verdict import ChangedExpectation, Verdict
from yudai.views.domain.document import PlaceEntry, SolveDocument

_MAX_LISTED = 6
_WIDTH = 400


def show_evidence(document: SolveDocument, console: Console) -> None:
    """The champion's proof, what it rests on, and what is not known."""
    verdict = document.ranking[0].verdict
    _show_proofs(verdict, console)
    _show_phrases(verdict, console, contestants=len(document.ranking))
    if shortfall := shortfall_phrase(verdict):
        console.print(Text(shortfall, style="yellow"), soft_wrap=True)
    _show_doubts(verdict, console)


def show_findings(verdict: Verdict, console: Console) -> None:
    """What was found about one run: its proof, and everything that speaks against it."""
    _show_phrases(verdict, console)
    if verdict.same_as:
        text = f"Same answer as {one_line(verdict.same_as)}, which was verified in its place"
        console.print(Text(text), soft_wrap=True)
    _show_list("Convicted by", verdict.convicted_by, console)
    idle = [
        f"{one.test}: {phrase}" for one in verdict.evidence.weighed if (phrase := idle_phrase(one))
    ]
    _show_list("Own tests that prove nothing", idle, console)
    _show_doubts(verdict, console)


def show_reasons(document: SolveDocument, console: Console) -> None:
    """Why each one has its place; of equal answers the best one, and the others in one line."""
    if any(place.why for place in document.ranking):
        console.print(Text("\nWhy", style="bold"))
    for first, *others in _answers(document.ranking):
        if first.why:
            _show_place(str(first.rank), first.handle, first.why, console)
        if others:
            handles = ", ".join(place.handle for place in others)
            ranks = ", ".join(str(place.rank) for place in others)
            _show_place(ranks, handles, f"same answer as {first.handle}", console)
    if document.not_started:
        count = len(document.not_started)
        console.print(Text(f"  not started (above the cap): {count} contestants"))


def _answers(ranking: Iterable[PlaceEntry]) -> list[list[PlaceEntry]]:
    """Places by their answer, best first."""
    found: dict[str, list[PlaceEntry]] = {}
    for place in ranking:
        found.setdefault(place.same_as or place.handle, []).append(place)
    return list(found.values())


def _show_place(ranks: str, handles: str, why: str, console: Console) -> None:
    text = f"  {ranks}. {one_line(handles, width=_WIDTH)}: {one_line(why, width=_WIDTH)}"
    console.print(Text(text), soft_wrap=True)


def _show_proofs(verdict: Verdict, console: Console) -> None:
    for one in verdict.evidence.faster:
        console.print(Text(f"\n{safe(faster_phrase(one))}", style="bold"), soft_wrap=True)
    proofs = red_to_green(verdict)
    if not proofs:
        return
    count = "1 test" if len(proofs) == 1 else f"{len(proofs)} tests"
    console.print(Text(f"\nRed on base, green with this patch: {count}", style="bold"))
    for test in proofs[:_MAX_LISTED]:
        console.print(Text(f"  {safe(test)}", style="green"), soft_wrap=True)
    _show_more(proofs, console)


def _show_phrases(verdict: Verdict, console: Console, contestants: int | None = None) -> None:
    phrases = (proof_phrase(verdict), agreement_phrase(verdict, contestants))
    said = "; ".join(phrase for phrase in phrases if phrase)
    if said:
        console.print(Text(f"{said[0].upper()}{said[1:]}"), soft_wrap=True)


def _show_doubts(verdict: Verdict, console: Console) -> None:
    changed = verdict.evidence.changed_expectations
    _show_list("Changed expectations", [_changed(one) for one in changed], console)
    _show_list("Could not be run here", verdict.not_run, console)


def _changed(one: ChangedExpectation) -> str:
    return f"{one.test}: {one.before or 'nothing'} -> {one.now or 'nothing'} ({says_phrase(one)})"


def _show_list(title: str, lines: Sequence[str], console: Console) -> None:
    if not lines:
        return
    console.print(Text(f"{title}: {len(lines)}", style="bold"))
    for line in lines[:_MAX_LISTED]:
        text = Text(f"  {one_line(line, width=_WIDTH)}", style="yellow")
        console.print(text, soft_wrap=True)
    _show_more(lines, console)


def _show_more(lines: Sequence[str], console: Console) -> None:
    if len(lines) > _MAX_LISTED:
        console.print(f"  … and {len(lines) - _MAX_LISTED} more", style="dim")
