"""The prompts: text files with `$names`, filled without any logic."""

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from string import Template

from yudai.agents.port import AgentLimits, AgentTask
from yudai.agents.strategies import recipe
from yudai.kit.text import clean
from yudai.sandboxes.port import WORKSPACE

MAX_ISSUE_CHARS = 65_536

_OUR_TAG = re.compile(r"<(?=\s*/?\s*(?:issue|title|plan)\b)", re.IGNORECASE)


def text(name: str) -> str:
    return _template(name).template


def fill(name: str, values: Mapping[str, str]) -> str:
    # One pass: a `$name` inside a value stays as it is.
    return _template(name).substitute(values)


def finish_marker(task: AgentTask) -> str:
    return f"COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT_{task.finish_token}"


def facts(task: AgentTask, limits: AgentLimits) -> dict[str, str]:
    """Values for the prompt's names; the issue's text cannot close the tag it stands in."""
    return {
        "workspace": WORKSPACE,
        "issue_title": _untrusted(task.issue_title),
        "issue_body": _untrusted(task.issue_body),
        "strategy": recipe(task.contestant.strategy),
        "max_edits": edits(task.contestant.max_edits),
        "command_timeout": f"{limits.command_timeout_s:g}",
        "tests": _tests(task.test_command),
        "finish_command": f"echo {finish_marker(task)}",
    }


def edits(count: int) -> str:
    return f"{count} edit" if count == 1 else f"{count} edits"


@cache
def _template(name: str) -> Template:
    return Template((files(__name__) / f"{name}.md").read_text("utf-8").strip())


def _tests(command: str) -> str:
    if command:
        return f"The repository's tests are run with: `{command}`"
    return "How the tests are run is not known: look for it in the repository."


def _untrusted(words: str) -> str:
    if len(words) > MAX_ISSUE_CHARS:
        words = f"{words[:MAX_ISSUE_CHARS]}\n(cut: {len(words) - MAX_ISSUE_CHARS} more characters)"
    return clean(_OUR_TAG.sub("&lt;", words))
