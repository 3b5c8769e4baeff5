"""Sections of pull request and comment in Markdown. Foreign text is escaped."""

from yudai.forge.domain.markdown import code_span, fence, md
from yudai.gateway.domain.models import SCRIPTED_PREFIX, is_script
from yudai.kit.ids import RunId, short
from yudai.kit.money import usd
from yudai.patches.patch import readable
from yudai.publishing.domain.summary import AskedQuestion, FileDelta, PublishedSolve
from yudai.ranking.domain.reducers import count
from yudai.ranking.domain.scorecard import Place, Scorecard, red_to_green
from yudai.verification.domain.phrases import (
    agreement_phrase,
    idle_phrase,
    proof_phrase,
    says_phrase,
)
from yudai.verification.domain.verdict import Tally, VerdictStatus, Weighed

MAX_NAME = 160
MAX_REASON = 500
_MAX_WHY = 200
_MAX_LISTED = 20
_MAX_ROWS = 40
_MAX_QUESTIONS = 10
_MAX_DETAIL = 4000


def scorecard_lines(solve: PublishedSolve, card: Scorecard) -> str:
    contestant = card.contestant
    tests = _tests_line(solve.tests, card)
    changed = (
        f"🧩 Files changed: {card.files_changed} | LOC: {card.lines_changed}{_besides(solve, card)}"
    )
    command = f"🧪 Command: {code_span(solve.command) or 'none was found'}"
    if contestant.is_patch:
        author = f"✍️ Author: {md(contestant.author, limit=MAX_NAME)}, whose patch was judged"
        return "\n".join((tests, author, changed, command))
    return "\n".join(
        (
            tests,
            f"⏱️ Latency: {card.latency_ms} ms",
            f"🧠 Model: {md(_public(contestant.model))} (T={contestant.temperature:g})",
            changed,
            command,
            f"🔁 Strategy: {contestant.strategy}",
        )
    )


def _besides(solve: PublishedSolve, card: Scorecard) -> str:
    """The note that test files are not counted."""
    lines = sum(delta.added + delta.removed for delta in solve.files)
    is_all = (len(solve.files), lines) == (card.files_changed, card.lines_changed)
    return "" if is_all or not solve.files else " (besides tests)"


def _public(model: str) -> str:
    """The model's public name; a scripted model's path on this machine is left out."""
    return f"{SCRIPTED_PREFIX}{model.rsplit('/', 1)[-1]}" if is_script(model) else model


def _tests_line(tests: Tally | None, card: Scorecard) -> str:
    proved = len(red_to_green(card.verdict))
    said = f"{proved} from red to green" if proved else "none was red before"
    if tests is None:
        return "⚠️ Tests: none were executed"
    sign = "✅" if not tests.failed else "⚠️"
    return f"{sign} Tests: {tests.passed} of {tests.total} passed, {tests.failed} failed; {said}"


def proofs(card: Scorecard) -> tuple[str, ...]:
    """Proofs that readers can run: of other contestants' tests, only one is in the commit."""
    evidence = card.verdict.evidence
    own = (test for test in red_to_green(card.verdict) if test not in evidence.cross_passed)
    joined = evidence.joined.partition("::")[2]
    return (*own, joined) if joined else tuple(own)


def kind_of_proof(solve: PublishedSolve, card: Scorecard) -> str:
    """The kind of proof, whether it is about this issue, and how many gave this answer."""
    phrases = (
        proof_phrase(card.verdict),
        agreement_phrase(card.verdict, len(solve.others) + 1),
    )
    said = "; ".join(phrase for phrase in phrases if phrase)
    return f"{said[0].upper()}{said[1:]}." if said else ""


def changed_expectations(card: Scorecard) -> str:
    """Tests of base that expect something else now: before, now, who says so."""
    changed = card.verdict.evidence.changed_expectations
    rows = [
        f"- {code_span(one.test, limit=MAX_NAME) or '?'}:"
        f" {code_span(one.before, limit=MAX_NAME) or 'nothing'} before,"
        f" {code_span(one.now, limit=MAX_NAME) or 'nothing'} now,"
        f" {md(says_phrase(one), limit=MAX_NAME)}"
        for one in changed[:_MAX_LISTED]
    ]
    left = len(changed) - _MAX_LISTED
    rows += [f"- and {left} more"] if left > 0 else []
    return "\n".join(("#### Changed expectations\n", *rows)) if rows else ""


def proof(solve: PublishedSolve, card: Scorecard) -> str:
    evidence = card.verdict.evidence
    summary = md(card.verdict.summary, limit=MAX_REASON)
    is_unproved = card.verdict.status is not VerdictStatus.PASSED
    said = f"**Unproved**: {summary}" if is_unproved else f"{_shown(card)}{summary}"
    flaky = (
        f" {count(len(card.verdict.flaky), 'flaky test')} left out." if card.verdict.flaky else ""
    )
    kind = kind_of_proof(solve, card)
    return (
        f"#### Red to green\n\n{kind and f'**{kind}** '}{said.rstrip('.')}.{flaky} The"
        f" repository's own tests: {evidence.executed} executed with this patch,"
        f" {evidence.baseline_executed} on the base commit."
    )


def _shown(card: Scorecard) -> str:
    """What tests show; a person may have accepted it without any."""
    red, faster = len(red_to_green(card.verdict)), len(card.verdict.evidence.faster)
    found = (
        red
        and f"{count(red, 'test')} red on the base commit and green with this patch"
        f"{_by_others(card)}",
        faster and f"{count(faster, 'test')} at least twice as fast as on the base commit",
    )
    said = "; ".join(part for part in found if part)
    return f"{said}, in a sandbox that no agent has touched. " if said else ""


def _by_others(card: Scorecard) -> str:
    evidence = card.verdict.evidence
    others = len(set(evidence.proved_by) & set(evidence.cross_passed))
    return f" ({others} of other contestants)" if others else ""


def cross_examination(solve: PublishedSolve, card: Scorecard) -> str:
    evidence = card.verdict.evidence
    own = (
        f" {len(evidence.valid_tests)} of its own {count(len(evidence.own_tests), 'new test')}"
        " can tell the base commit from the patch."
        if evidence.own_tests
        else " It brings no tests of its own."
    )
    passed = named("Tests of other contestants that it passes", evidence.cross_passed)
    parts = (
        f"#### Cross-examination\n\n{_others_tests(solve, card)}{own}",
        _joined(evidence.joined),
        _not_counted(solve, card),
        not_run(card),
        passed,
    )
    return "\n\n".join(part for part in parts if part)


def _joined(test: str) -> str:
    """Credit for a test that the champion did not write."""
    if not test:
        return ""
    author, _, name = test.partition("::")
    return (
        f"The test {code_span(name, limit=MAX_NAME)} in this commit was written by"
        f" {md(author, limit=MAX_NAME)}, and was verified together with this patch."
    )


def _others_tests(solve: PublishedSolve, card: Scorecard) -> str:
    evidence = card.verdict.evidence
    asked = len(evidence.cross_passed) + len(evidence.cross_failed)
    if asked:
        return (
            f"It passes {len(evidence.cross_passed)} of {asked} valid tests of other contestants."
        )
    brought = len(_weighed_by_others(solve))
    if not brought:
        return "No other contestant brought a test that fails on the base commit."
    if card.verdict.not_run:
        return f"Other contestants brought {count(brought, 'test')} that fail on the base commit."
    return (
        f"Other contestants brought {count(brought, 'test')} red on the base commit and green with"
        " their own patch, and none of them counts against this one."
    )


def _not_counted(solve: PublishedSolve, card: Scorecard) -> str:
    """Tests of others that it fails, and why they do not count against it."""
    weighed = _weighed_by_others(solve)
    counting = set(card.verdict.convicted_by)
    lines = tuple(
        f"{code_span(name, limit=MAX_NAME) or '?'}{_why_not(weighed.get(name), name in counting)}"
        for name in card.verdict.evidence.cross_failed
    )
    listed = "\n".join(f"- {line}" for line in _first(lines))
    return f"It fails these tests of other contestants:\n\n{listed}" if listed else ""


def _why_not(weighed: Weighed | None, is_counting: bool) -> str:  # noqa: FBT001 - a fact of the test
    if is_counting:
        return ""
    why = "" if weighed is None else idle_phrase(weighed)
    return f" does not count{why and f': it {md(why, limit=MAX_NAME)}'}"


def _weighed_by_others(solve: PublishedSolve) -> dict[str, Weighed]:
    """Valid tests of the other answers, as `handle::test`."""
    cards = [place.scorecard for place in solve.others]
    return {
        f"{card.contestant.handle}::{one.test}": one
        for card in cards
        if not card.verdict.same_as
        for one in card.verdict.evidence.weighed
    }


def not_run(card: Scorecard) -> str:
    listed = _bullets(card.verdict.not_run)
    if not listed:
        return ""
    lead = "Tests that count and could not be run on this patch, so that it may fail them:"
    return f"{lead}\n\n{listed}"


def attention(solve: PublishedSolve, card: Scorecard) -> str:
    """Points for the reviewer, including what the verdict does not cover."""
    withheld = [
        f"{readable(path)}: was not there when it was verified, for it changes how tests are run"
        for path in card.verdict.evidence.withheld
    ]
    listed = "\n".join(f"- {md(flag)}" for flag in _first((*withheld, *solve.flags)))
    return f"#### Look at this first\n\n{listed}" if listed else ""


def questions(solve: PublishedSolve) -> tuple[str, ...]:
    """Each open question with what is needed to decide and a command for each choice."""
    answered = [_answered(asked) for asked in solve.questions if asked.choice is not None]
    left = [_question(solve, asked) for asked in solve.questions if asked.choice is None]
    return (*left[:_MAX_QUESTIONS], "\n".join(answered[:_MAX_QUESTIONS]))


def _answered(asked: AskedQuestion) -> str:
    said = next((one.text for one in asked.choices if one.id == asked.choice), asked.choice or "")
    return f"- {md(asked.text)} **{md(said)}**, says {md(asked.answered_by, limit=MAX_NAME)}"


def _question(solve: PublishedSolve, asked: AskedQuestion) -> str:
    choices = "\n".join(
        f"- {code_span(f'/yudai answer {asked.name} {choice.id}')} {md(choice.text)}"
        for choice in asked.choices
    )
    detail = fence(asked.detail, limit=_MAX_DETAIL) if asked.detail.strip() else ""
    parts = (f"#### {md(asked.text, limit=MAX_REASON)}", detail, _diffs(solve, asked), choices)
    return "\n\n".join(part for part in parts if part)


def _diffs(solve: PublishedSolve, asked: AskedQuestion) -> str:
    """Where the patches are that a question is about."""
    handles = {p.scorecard.run_id: p.scorecard.contestant.handle for p in solve.others}
    lines = [
        f"- {md(handles.get(run_id, ''), limit=MAX_NAME)}: `yudai show {short(run_id)} --diff`"
        + (f", or [its page]({page})" if is_link(page := _page_of(solve, run_id)) else "")
        for run_id in asked.runs[:_MAX_LISTED]
    ]
    return "\n".join(("The patches:\n", *lines)) if lines else ""


def _page_of(solve: PublishedSolve, run_id: RunId) -> str:
    return f"{solve.page_url}/runs/{run_id}" if solve.page_url else ""


def rivals(solve: PublishedSolve) -> str:
    if not solve.others:
        return ""
    heading = "Why the others lost" if solve.champion is not None else "What the contestants did"
    rows = "".join(map(_row, solve.others[:_MAX_ROWS]))
    missing = len(solve.others) - _MAX_ROWS
    left = f"\n{missing} more are not listed." if missing > 0 else ""
    return (
        f"#### {heading}\n\n| # | Contestant | Verdict | Files / lines | Cost | Why |\n"
        f"| ---: | --- | --- | ---: | ---: | --- |\n{rows}{left}".rstrip("\n")
    )


def _row(place: Place) -> str:
    card = place.scorecard
    cells = (
        str(place.rank),
        md(card.contestant.handle, limit=MAX_NAME),
        card.verdict.status,
        f"{card.files_changed} / {card.lines_changed}",
        _money(card.cost_micros),
        md(_why(place), limit=_MAX_WHY),
    )
    return f"| {' | '.join(cells)} |\n"


def _why(place: Place) -> str:
    same_as = place.scorecard.verdict.same_as
    return "; ".join(part for part in (same_as and f"same answer as {same_as}", place.why) if part)


def cost(solve: PublishedSolve, card: Scorecard) -> str:
    runs = len(solve.others) + 1
    left = f"; {count(solve.not_started, 'contestant')} not started" if solve.not_started else ""
    return (
        f"#### Cost\n\n{_money(card.cost_micros)} for this patch, {_money(solve.cost_micros)} for"
        f" all {count(runs, 'run')}{left}."
    )


def reproduce(solve: PublishedSolve) -> str:
    command = code_span(solve.command)
    page = f", or [its page]({solve.page_url})" if is_link(solve.page_url) else ""
    lines = [
        f"- Base: {code_span(solve.base_branch)} at {code_span(solve.base_commit)}"
        if solve.base_commit
        else "",
        f"- Tests: {command}" if command else "",
        f"- All runs, patches and logs: `yudai show {short(solve.solve_id)}`{page}",
    ]
    return "#### Reproduce\n\n" + "\n".join(line for line in lines if line)


def files(files: tuple[FileDelta, ...]) -> str:
    if not files:
        return ""
    rows = "".join(map(_file_row, files[:_MAX_ROWS]))
    missing = len(files) - _MAX_ROWS
    left = f"\n{missing} more files are not listed." if missing > 0 else ""
    return f"| File | + | - |\n| --- | ---: | ---: |\n{rows}{left}".rstrip("\n")


def _file_row(delta: FileDelta) -> str:
    path = md(delta.path, limit=MAX_NAME)
    if delta.is_binary:
        return f"| {path} | binary | |\n"
    return f"| {path} | {delta.added} | {delta.removed} |\n"


def named(summary: str, names: tuple[str, ...]) -> str:
    listed = _bullets(names)
    if not listed:
        return ""
    return f"<details><summary>{summary}</summary>\n\n{listed}\n\n</details>"


def _bullets(names: tuple[str, ...]) -> str:
    return "\n".join(f"- {code_span(name, limit=MAX_NAME) or '?'}" for name in _first(names))


def _first(lines: tuple[str, ...]) -> tuple[str, ...]:
    missing = len(lines) - _MAX_LISTED
    return lines if missing <= 0 else (*lines[:_MAX_LISTED], f"and {missing} more")


def is_link(url: str) -> bool:
    """Whether it is a plain URL that cannot end a Markdown link early."""
    return url.startswith(("https://", "http://")) and not set(url) & set(" ()<>[]`\"'\\|\n\r\t")


def _money(micros: int) -> str:
    return f"{usd(micros):.4f} USD" if micros else "0 USD"
