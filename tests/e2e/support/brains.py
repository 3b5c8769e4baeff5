"""Contestants of the generated repositories, by model name: one is right, one is not.

They play as a real one would: read, plan, write a test and see it fail, fix, run the tests, submit.
The conversation is all they know, so that many runs can play at once.
"""

import json
import re
import shlex
from collections.abc import Mapping, Sequence

from tests.e2e.support.shapes import Answer, Repository
from tests.support.servers.openai_server import (
    Body,
    Brain,
    Completion,
    Fault,
    bash,
    by_model,
    finish_command,
)

RIGHT = "loop/right"
WRONG = "loop/wrong"

_TOLD = re.compile(r"tests are run with: `([^`]+)`")


class Players:
    """A brain for an OpenAIServer; `surprises` are things that went otherwise than they should."""

    def __init__(self, repositories: Mapping[str, Repository], **more: Brain) -> None:
        self.surprises: list[str] = []
        self._repositories = repositories
        brains: dict[str, Brain] = {RIGHT: self._right, WRONG: self._wrong}
        self._brain = by_model(brains | {f"loop/{name}": brain for name, brain in more.items()})

    def __call__(self, body: Body) -> Completion | Fault:
        return self._brain(body)

    def _right(self, body: Body) -> Completion:
        repository = self._asked(body)
        return self._play(body, repository, repository.right)

    def _wrong(self, body: Body) -> Completion:
        repository = self._asked(body)
        return self._play(body, repository, repository.wrong)

    def _asked(self, body: Body) -> Repository:
        """The repository whose issue stands in the prompt."""
        told = _told(body)
        return next(one for one in self._repositories.values() if f"<title>{one.title}<" in told)

    def _play(self, body: Body, repository: Repository, answer: Answer) -> Completion:
        turn = sum(message["role"] == "assistant" for message in body["messages"])
        if turn == 0:
            plan = "\n".join(("<plan>", *answer.plan, "</plan>"))
            return bash(f"cat {shlex.quote(answer.path)}", "git status --short", say=plan)
        if turn == 1:
            return bash(_heredoc(answer.test_path, answer.test), _run_one(repository, answer))
        if turn == 2:
            self._expect("the new test fails", not _passed(body)[1])
            return bash(_replace(answer), _run_one(repository, answer), _command(body))
        if turn == 3:
            fixed = answer is repository.right or repository.is_provable
            self._expect("the fix is made", _passed(body)[0])
            self._expect("the new test passes", _passed(body)[1] is fixed)
            self._expect("all tests pass", _passed(body)[2] is (fixed and not repository.failing))
        return bash(finish_command(body), say="It is solved.")

    def _expect(self, what: str, is_so: object) -> None:
        if not is_so:
            self.surprises.append(f"not so: {what}")


def _told(body: Body) -> str:
    return "\n".join(str(m["content"]) for m in body["messages"] if m["role"] in ("system", "user"))


def _command(body: Body) -> str:
    """How the tests are run, as the prompt says; `false` where it does not."""
    found = _TOLD.search(_told(body))
    return found[1] if found else "false"


def _passed(body: Body) -> list[bool]:
    """What became of the commands of the last turn."""
    messages: Sequence[Body] = body["messages"]
    last = max(i for i, message in enumerate(messages) if message["role"] == "assistant")
    seen = [json.loads(message["content"]) for message in messages[last + 1 :]]
    return [observation["returncode"] == 0 for observation in seen]


def _run_one(repository: Repository, answer: Answer) -> str:
    inside = answer.test_path.removeprefix(f"{repository.folder}/")
    command = shlex.join([*repository.run_one, inside])
    return f"cd {shlex.quote(repository.folder or '.')} && {command}"


def _heredoc(path: str, text: str) -> str:
    return f"cat > {shlex.quote(path)} <<'EOF'\n{text}EOF"


def _replace(answer: Answer) -> str:
    """By exact bytes, since some files have CRLF."""
    return (
        "python3 - <<'EOF'\n"
        "from pathlib import Path\n"
        f"file = Path({answer.path!r})\n"
        f"old, new = {answer.old.encode()!r}, {answer.new.encode()!r}\n"
        "text = file.read_bytes()\n"
        "assert text.count(old) == 1\n"
        "file.write_bytes(text.replace(old, new))\n"
        "EOF"
    )
