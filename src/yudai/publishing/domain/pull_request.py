"""What a pull request, its commit and the comment on its issue say; all words of others escaped."""

from collections.abc import Iterable

from yudai.forge.domain.markdown import md, plain
from yudai.kit.ids import SolveId, short
from yudai.publishing.domain.pull_request_sections import (
    MAX_NAME,
    MAX_REASON,
    attention,
    cost,
    cross_examination,
    files,
    is_link,
    named,
    proof,
    proofs,
    reproduce,
    rivals,
    scorecard_lines,
)
from yudai.publishing.domain.summary import Story, Told
from yudai.ranking.domain.scorecard import Place

MAX_BODY = 60_000
"""Characters; the forge takes 65,536."""
MAX_TITLE = 250
_MAX_SUBJECT = 72
_MARK = "<!-- yudai:solve="
HEADING = "### Yudai Auto-Fix"
_LEFT_OUT = "_More was said here than fits: the solve has all of it._"
_AI = "<sub>Made by AI agents, and a draft until a person has reviewed it.</sub>"


def branch_name(issue_number: int | None, solve_id: SolveId) -> str:
    subject = "solve" if issue_number is None else f"issue-{issue_number}"
    return f"yudai/{subject}-{short(solve_id)}"


def marker(solve_id: SolveId) -> str:
    """Not seen by people; by it we know our own again."""
    return f"{_MARK}{solve_id} -->"


def has_marker(text: str, solve_id: SolveId) -> bool:
    """On a line of its own: words of others never stand so in what we write."""
    return marker(solve_id) in (line.strip() for line in text.splitlines())


def tells_of_solve(text: str) -> bool:
    """Whether it says what became of a solve, of whichever."""
    return any(line.strip().startswith(_MARK) for line in text.splitlines())


def title(story: Story) -> str:
    number = "" if story.issue_number is None else f"#{story.issue_number} "
    head = f"[AI] Fix: {number}"
    return head + plain(story.issue_title, limit=(MAX_TITLE - len(head)) // 2)


def commit_message(story: Story) -> str:
    """The same for the same story: its commit is the same each time that it is built."""
    number = "" if story.issue_number is None else f"#{story.issue_number}: "
    head = f"Solve {number}"
    subject = head + plain(story.issue_title, limit=_MAX_SUBJECT - len(head))
    card = _champion(story).scorecard
    summary = plain(card.verdict.summary, limit=MAX_REASON)
    by = f"By {plain(card.contestant.handle)}, chosen by Yudai (solve {story.solve_id})."
    parts = [subject, f"Verdict: {card.verdict.status}. {summary}".strip(), by, reference(story)]
    return "\n\n".join(part for part in parts if part) + "\n"


def reference(story: Story) -> str:
    """Only what was proved closes an issue by itself."""
    if story.issue_number is None:
        return ""
    return f"{'Fixes' if story.is_proved else 'Refs'} #{story.issue_number}"


def body(story: Story) -> str:
    card = _champion(story).scorecard
    first = [HEADING, scorecard_lines(story, card), proof(card)]
    more = [
        named("Tests from red to green", proofs(card)),
        cross_examination(card),
        attention(story, card),
        rivals(story),
        cost(story, card),
        reproduce(story),
    ]
    last = [_AI, reference(story), marker(story.solve_id)]
    return _fitted(first, more, last)


def comment(story: Story, told: Told) -> str:
    """On the issue, also when there is nothing to show for it."""
    first = [HEADING, _result(story, told)]
    more: list[str] = []
    if story.champion is not None:
        first.append(scorecard_lines(story, story.champion.scorecard))
        more.append(files(story.files))
    more += [rivals(story), reproduce(story)]
    return _fitted(first, more, [_made_by(story), marker(story.solve_id)])


def _champion(story: Story) -> Place:
    if story.champion is None:
        raise ValueError("only a champion is published")
    return story.champion


def _result(story: Story, told: Told) -> str:
    reason = md(story.reason, limit=MAX_REASON)
    if story.champion is None:
        return f"No answer is offered. {reason}"
    handle = md(story.champion.scorecard.contestant.handle, limit=MAX_NAME)
    if told.refused:
        return (
            f"{handle} has an answer, but no pull request was opened:"
            f" {md(told.refused, limit=MAX_REASON)}\n\nIts patch is kept with the solve."
        )
    if told.pull_number is None:
        return f"{handle} has an answer that waits for a person to publish it. {reason}"
    link = f"[#{told.pull_number}]({told.pull_url})" if is_link(told.pull_url) else ""
    return f"Draft pull request {link or f'#{told.pull_number}'} is open. {reason}"


def _made_by(story: Story) -> str:
    return _AI if story.champion is not None else "<sub>Made by AI agents.</sub>"


def _fitted(first: list[str], more: list[str], last: list[str]) -> str:
    """What may be left out is, the longest first, until all of it fits; the rest always does."""
    kept = [part for part in more if part]
    longest = sorted(kept, key=len, reverse=True)
    texts = (
        _joined([*first, *(_LEFT_OUT if part in longest[:n] else part for part in kept), *last])
        for n in range(len(kept) + 1)
    )
    return next(text for text in texts if len(text) <= MAX_BODY)


def _joined(parts: Iterable[str]) -> str:
    return "\n\n".join(part for part in parts if part) + "\n"
