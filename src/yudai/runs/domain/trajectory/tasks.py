"""Which issue a trajectory is about: it is only in the first prompt, filled into a template."""

import re
from collections.abc import Sequence

from yudai.forge.domain.issue import Issue
from yudai.kit.text import clean
from yudai.kit.untyped import Object, as_object, as_text
from yudai.runs.domain.trajectory.messages import role_of, text_of

UNKNOWN_REPO = "imported"
MAX_TITLE = 500
MAX_BODY = 200_000

_INSTANCE = re.compile(r"([\w.-]{1,100})__([\w.-]{1,100})-\d{1,9}")
_SLOT = re.compile(r"\{\{\s*task\s*\}\}")
_TAG = re.compile(r"</?title>")

# Around the issue in the prompts of mini-SWE-agent's versions, and in ours.
_FRAMES = (
    ("<issue>\n", "\n</issue>"),
    ("<pr_description>\nConsider the following PR description:\n", "\n</pr_description>"),
    ("Please solve this issue: ", "\n\nYou can execute bash commands"),
)


def repo_of(document: Object) -> str:
    """From SWE-bench's instance id, `owner__name-number`."""
    found = _INSTANCE.fullmatch(as_text(document.get("instance_id")))
    return UNKNOWN_REPO if found is None else f"{found[1]}/{found[2]}"


def issue_in(info: Object, bodies: Sequence[Object], *, name: str) -> Issue:
    """The first line is the title; the name stands for it where there is no task."""
    prompt = next((text_of(body) for body in bodies if role_of(body) == "user"), "")
    agent = as_object(as_object(info.get("config")).get("agent"))
    task = _TAG.sub("", _task(prompt, as_text(agent.get("instance_template"))))
    head, _, rest = clean(task).strip().partition("\n")
    title = head.lstrip("# ").strip() or clean(name) or UNKNOWN_REPO
    return Issue(title=title[:MAX_TITLE], body=rest.strip()[:MAX_BODY])


def _task(prompt: str, template: str) -> str:
    before, *after = _SLOT.split(template, maxsplit=1)
    frames = [(before, _plain_start(after[0])), *_FRAMES] if after else list(_FRAMES)
    for start, end in frames:
        _, opened, rest = prompt.partition(start) if start else ("", "all", prompt)
        if opened:
            return rest.partition(end)[0] if end else rest
    return prompt


def _plain_start(template: str) -> str:
    """The next line of a template, as far as nothing is filled in there."""
    line = template.partition("{")[0].lstrip("\n").partition("\n")[0]
    return f"\n{line}" if line.strip() else ""
