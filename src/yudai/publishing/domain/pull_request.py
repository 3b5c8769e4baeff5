"""Text of pull request, commit and issue comment. Foreign text is escaped."""

from collections.abc import Iterable

from yudai.forge.domain.markdown import md, plain
from yudai.kit.ids import SolveId, short
from yudai.publishing.domain.pull_request_sections import (
    MAX_NAME,
    MAX_REASON,
    attention,
    changed_expectations,
    cost,
    cross_examination,
    files,
    is_link,
    kind_of_proof,
    named,
    not_run,
    proof,
    proofs,
    questions,
    reproduce,
    rivals,
    scorecard_lines,
)
from yudai.publishing.domain.summary import CommentFacts, PublishedSolve
from yudai.ranking.domain.scorecard import Place
from yudai.verification.domain.phrases import shortfall_phrase

MAX_BODY = 60_000
"""Characters; the forge takes 65,536."""
MAX_TITLE = 250
_MAX_SUBJECT = 72
_MARK = "<!-- yudai:solve="
HEADING = "### Yudai Auto-Fix"
_LEFT_OUT = "_More was said here than fits: the solve has all of it._"
_DRAFT = "<sub>A draft until a person has reviewed it.</sub>"
_AI = "<sub>Made by AI agents, and a draft until a person has reviewed it.</sub>"

_NEEDS_YOU = "**Needs you**: a person who may write here has to answer before there is a champion."


def branch_name(issue_number: int | None, solve_id: SolveId) -> str:
    subject = "solve" if issue_number is None else f"issue-{issue_number}"
    return f"yudai/{subject}-{short(solve_id)}"


def marker(solve_id: SolveId) -> str:
    """Hidden marker that identifies our own pull requests and comments."""
    return f"{_MARK}{solve_id} -->"


def has_marker(text: str, solve_id: SolveId) -> bool:
    """Whether a line is the marker. Untrusted text never gets a separate line."""
    return marker(solve_id) in (line.strip() for line in text.splitlines())


def names_a_solve(text: str) -> bool:
    """Whether the text has the marker of any solve."""
    return any(line.strip().startswith(_MARK) for line in text.splitlines())


def title(solve: PublishedSolve) -> str:
    number = "" if solve.issue_number is None else f"#{solve.issue_number} "
    head = f"[AI] Fix: {number}"
    return head + plain(solve.issue_title, limit=(MAX_TITLE - len(head)) // 2)


def commit_message(solve: PublishedSolve) -> str:
    """Deterministic, so that a rebuilt commit is identical."""
    number = "" if solve.issue_number is None else f"#{solve.issue_number}: "
    head = f"Solve {number}"
    subject = head + plain(solve.issue_title, limit=_MAX_SUBJECT - len(head))
    card = _champion(solve).scorecard
    summary = plain(card.verdict.summary, limit=MAX_REASON)
    author, _, test = solve.joined_test.partition("::")
    credit = f" Its test {plain(test)} is by {plain(author)}." if test else ""
    by = f"By {plain(card.contestant.handle)}, chosen by Yudai (solve {solve.solve_id}).{credit}"
    parts = [
        subject,
        f"Verdict: {card.verdict.status}. {summary}".strip(),
        by,
        reference(solve),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def reference(solve: PublishedSolve) -> str:
    """Reference to the issue; only a patch with a proof about this issue closes it."""
    if solve.issue_number is None:
        return ""
    return f"{'Fixes' if solve.is_closing else 'Refs'} #{solve.issue_number}"


def _shortfall(solve: PublishedSolve) -> str:
    """Why the issue stays open, in one sentence."""
    if solve.issue_number is None:
        return ""
    if solve.comparison.nearer is not None:
        nearer = f"#{solve.comparison.nearer}"
        return f"It does not close the issue: the tests that prove it match {nearer} better."
    if solve.comparison.unread:
        return "Other open issues could not be read: its proof was compared with none of them."
    return shortfall_phrase(_champion(solve).scorecard.verdict)


def body(solve: PublishedSolve) -> str:
    card = _champion(solve).scorecard
    first = [HEADING, scorecard_lines(solve, card), proof(solve, card)]
    more = [
        named("Tests from red to green", proofs(card)),
        changed_expectations(card),
        cross_examination(solve, card),
        attention(solve, card),
        rivals(solve),
        cost(solve, card),
        reproduce(solve),
    ]
    made = _DRAFT if card.contestant.is_patch else _AI
    last = [made, _shortfall(solve), reference(solve), marker(solve.solve_id)]
    return _fitted(first, more, last)


def comment(solve: PublishedSolve, facts: CommentFacts) -> str:
    """The comment on the issue, also without a champion."""
    first = [HEADING, _result(solve, facts)]
    more: list[str] = []
    if solve.champion is not None:
        card = solve.champion.scorecard
        first += [scorecard_lines(solve, card), kind_of_proof(solve, card)]
        first.append(_shortfall(solve))
        more += [files(solve.files), changed_expectations(card), not_run(card)]
    more += [*questions(solve), rivals(solve), reproduce(solve)]
    return _fitted(first, more, [_made_by(solve), marker(solve.solve_id)])


def _champion(solve: PublishedSolve) -> Place:
    if solve.champion is None:
        raise ValueError("only a champion is published")
    return solve.champion


def _result(solve: PublishedSolve, facts: CommentFacts) -> str:
    reason = md(solve.reason, limit=MAX_REASON)
    if solve.champion is None and any(asked.choice is None for asked in solve.questions):
        return _NEEDS_YOU
    if solve.champion is None:
        return f"There is no champion. {reason}"
    handle = md(solve.champion.scorecard.contestant.handle, limit=MAX_NAME)
    if facts.refused:
        return (
            f"{handle} is the champion, but no pull request was opened:"
            f" {md(facts.refused, limit=MAX_REASON)}\n\nIts patch is kept with the solve."
        )
    if facts.pull_number is None:
        return f"{handle} is the champion, and a person has to publish it. {reason}"
    link = f"[#{facts.pull_number}]({facts.pull_url})" if is_link(facts.pull_url) else ""
    return f"Draft pull request {link or f'#{facts.pull_number}'} is open. {reason}"


def _made_by(solve: PublishedSolve) -> str:
    return _AI if solve.champion is not None else "<sub>Made by AI agents.</sub>"


def _fitted(first: list[str], more: list[str], last: list[str]) -> str:
    """Leave out optional parts, the longest first, until the text fits."""
    kept = [part for part in more if part]
    longest = sorted(kept, key=len, reverse=True)
    texts = (
        _joined([*first, *(_LEFT_OUT if part in longest[:n] else part for part in kept), *last])
        for n in range(len(kept) + 1)
    )
    return next(text for text in texts if len(text) <= MAX_BODY)


def _joined(parts: Iterable[str]) -> str:
    return "\n\n".join(part for part in parts if part) + "\n"
