"""Parses requests at a forge: a label, or `/yudai solve model=gpt-4.1` in a comment."""

import re
from enum import StrEnum

from yudai.forge.domain.issue_text import COMMAND, OUR_MARK, bare
from yudai.forge.domain.repository import Comment, ForgeIssue, Labelling, RepoRef
from yudai.kit.errors import RefusedError
from yudai.solves.domain.slash_command import EXAMPLE, OPTIONS, SolveCommand, read_options

ANSWERING = "`/yudai answer QUESTION CHOICE` answers a question, the only one without its name"
USAGE = f"write `/yudai solve`; {OPTIONS} `/yudai solve {EXAMPLE}`; {ANSWERING}"
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_VERB = "solve"
_ANSWER = "answer"
_MAX_SHOWN = 60


class TriggerState(StrEnum):
    OPENED = "opened"
    IGNORED = "ignored"
    """Its author may not request solves, or the issue is closed. No answer is written."""
    ANSWERED = "answered"
    """It answered a question."""
    REFUSED = "refused"
    """It could not be parsed or started."""


def comment_key(repo: RepoRef, comment: Comment) -> str:
    return f"{repo.full.lower()}/comment/{comment.id}"


def label_key(repo: RepoRef, labelling: Labelling) -> str:
    return f"{repo.full.lower()}/label/{labelling.id}"


def find_command(text: str) -> str | None:
    """Text after the first `/yudai` at the start of a line; None when there is none.

    Code, quotes and hidden text do not count.
    """
    if OUR_MARK in text:
        return None
    fence = ""
    for line in bare(text).text.split("\n"):
        fence, is_code = _fenced(line, fence)
        found = None if is_code else COMMAND.fullmatch(line.rstrip())
        if found is not None:
            return found[0][len("/yudai") :].strip()
    return None


def parse_command(words: str) -> SolveCommand:
    """Parse a command; RefusedError says what is wrong and what is possible."""
    verb, _, options = " ".join(words.split()).partition(" ")
    if verb.lower() != _VERB:
        shown = verb[:_MAX_SHOWN]
        raise RefusedError(f"there is no command `/yudai {shown}`: {USAGE}")
    return read_options(options)


def is_answer(words: str) -> bool:
    return words.lower().split()[:1] == [_ANSWER]


def parse_answer(words: str) -> str | None:
    """What a command answers: a choice, perhaps after a question's name; None: no answer.

    Choices can have spaces, so that only who knows the questions can tell the two apart.
    """
    if not is_answer(words):
        return None
    said = words.split(maxsplit=1)[1:]
    if not said:
        raise RefusedError(f"say what you choose: {ANSWERING}")
    return said[0].strip()


def over(command: SolveCommand, defaults: SolveCommand) -> SolveCommand:
    """The command, with defaults for missing options."""
    said = {name: value for name, value in command if value not in (None, (), "")}
    return defaults.model_copy(update=said)


def last_labelling(
    issue: ForgeIssue, labellings: tuple[Labelling, ...], label: str
) -> Labelling | None:
    """The event that added the present label; None when the label is gone."""
    if label.lower() not in {name.lower() for name in issue.labels}:
        return None
    same = [one for one in labellings if one.label.lower() == label.lower()]
    return max(same, key=lambda one: (one.at, one.id), default=None)


def _fenced(line: str, fence: str) -> tuple[str, bool]:
    """The fence that is open after this line, and whether the line is code."""
    found = _FENCE.fullmatch(line)
    if not fence:
        opens = found is not None and ("~" in found[1] or "`" not in found[2])
        return (found[1], True) if found is not None and opens else ("", False)
    is_end = found is not None and found[1].startswith(fence) and not found[2].strip()
    return ("" if is_end else fence), True
