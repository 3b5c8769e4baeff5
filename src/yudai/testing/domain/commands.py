"""Recognises test commands whose runner reports each test; any other is a plain command."""

import re
import shlex
from collections.abc import Mapping
from typing import NamedTuple

from yudai.projects.domain.makefile import Rule
from yudai.testing.domain.programs import PYTHON_NAME, WRAPPERS, Env, unwrapped
from yudai.testing.domain.runners import BY_PROGRAM, PYTHON_RUNNERS, RUNNERS, TestRunner

_BIN = re.compile(r"(?:\./)?(?:\.\./)*node_modules/(?:\.bin/)?(\w+)(?:/.*)?")
_OPERATORS = re.compile(r"[|&;<>()]+")
# Checks of the source text, which show nothing about behaviour.
_LINTERS = re.compile(
    r"(?:(?:npm|pnpm|yarn)\s+(?:run\s+)?)?(?:npx\s+)?"
    r"(?:eslint|prettier|standard|xo|biome|tslint|oxlint|stylelint|lint|format|typecheck"
    r"|type-check|check-types|check:types)\b.*|(?:npx\s+)?tsc\s.*--noEmit.*"
)
# Commands that only change their own shell.
_SHELL_ONLY = frozenset({"cd", "export", "source", ".", "set", "unset", "alias", "exec"})
_MAX_DEPTH = 8
_MAX_SPELLED = 4000


class Scripts(NamedTuple):
    """Named commands of a repository."""

    npm: Mapping[str, str] = {}
    make: Mapping[str, Rule] = {}
    tox: tuple[str, ...] = ()


class Recognised(NamedTuple):
    runner: TestRunner
    args: tuple[str, ...] = ()
    """For unittest: pattern and start, or empty if they have to be detected."""
    env: Env = ()
    before: str = ""


NO_SCRIPTS = Scripts()


def recognise(command: str, scripts: Scripts = NO_SCRIPTS) -> Recognised | None:
    """The runner of a command, also through scripts; None for a plain command."""
    return _chain(command, scripts, depth=0)


def _chain(command: str, scripts: Scripts, *, depth: int) -> Recognised | None:
    """The runner of `build && test`: commands may precede the test, but none may follow it."""
    steps = _steps(command)
    if not steps or depth > _MAX_DEPTH:
        return None
    found = _step(steps[-1], scripts, depth=depth)
    while found is None and len(steps) > 1 and depth and _is_lint(steps[-1]):
        steps = steps[:-1]
        found = _step(steps[-1], scripts, depth=depth)
    if found is None:
        return None
    # A typed command runs as typed; in a script, linters are left out.
    first = [step for step in steps[:-1] if not (depth and _is_lint(step))]
    if any(step[0] in _SHELL_ONLY for step in first):
        return None
    before = [_spelled_out(step, scripts, {}) for step in first]
    return found._replace(before=" && ".join(filter(None, [*before, found.before])))


def _spelled_out(step: list[str], scripts: Scripts, known: dict[str, str]) -> str:
    """Replace npm scripts by their text, because npm may be missing where tests run.

    `known` holds the scripts that are already replaced, so that each is read only once.
    """
    name, plain = _script_name(step), shlex.join(step)
    if name not in scripts.npm:
        return plain
    if name not in known:
        known[name] = plain
        texts = filter(None, [scripts.npm.get(f"pre{name}", ""), scripts.npm[name]])
        whole = " && ".join(_spelled_text(text, scripts, known) for text in texts)
        known[name] = whole if len(whole) <= _MAX_SPELLED else plain
    return known[name]


def _spelled_text(text: str, scripts: Scripts, known: dict[str, str]) -> str:
    """Replace the scripts in each step; keep the text if it cannot be split into steps."""
    steps = [_spelled_out(step, scripts, known) for step in _steps(text)]
    return " && ".join(steps) if steps else f"({text})"


def _script_name(step: list[str]) -> str:
    if step[0] not in {"npm", "pnpm", "yarn"}:
        return ""
    words = [word for word in step[1:] if word not in {"run", "run-script", "-s", "--silent"}]
    return words[0] if len(words) == 1 else ""


def _steps(command: str) -> list[list[str]]:
    """The commands between `&&`; empty if a shell would do more than run them in turn."""
    if any(char in command for char in "$`\n\\#~"):
        return []
    lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    try:
        tokens = list(lexer)
    except ValueError:
        return []
    steps: list[list[str]] = [[]]
    for token in tokens:
        if token == "&&":  # noqa: S105 - a shell's, no secret
            steps.append([])
        elif _OPERATORS.fullmatch(token):
            return []
        else:
            steps[-1].append(token)
    return steps if all(steps) else []


def _is_lint(step: list[str]) -> bool:
    return _LINTERS.fullmatch(" ".join(step)) is not None


def _step(step: list[str], scripts: Scripts, *, depth: int) -> Recognised | None:
    env, words = unwrapped(step, WRAPPERS, _bin)
    if not words:
        return None
    words[0] = _bin(words[0])
    found = _runner(words) or _script(words, scripts, depth=depth)
    return found._replace(env=(*env, *found.env)) if found else None


def _bin(word: str) -> str:
    found = _BIN.fullmatch(word)
    return found[1] if found else word


def _runner(words: list[str]) -> Recognised | None:
    program, rest = words[0], words[1:]
    if PYTHON_NAME.fullmatch(program):
        runner = next((r for r in PYTHON_RUNNERS if rest[:2] == ["-m", r.value]), None)
        return _read(runner, rest[2:])
    if program in {"node", "tsx"}:
        return _node(program, rest)
    return None if "--help" in rest else _read(BY_PROGRAM.get(program), rest)


def _read(runner: TestRunner | None, words: list[str]) -> Recognised | None:
    args = RUNNERS[runner].arguments(words) if runner else None
    return Recognised(runner, args) if runner and args is not None else None


def _node(program: str, words: list[str]) -> Recognised | None:
    """Recognise `node --test`, or `node`, its flags and a runner's own file."""
    if "--test" in words:
        loader = ["--import", "tsx"] if program == "tsx" else []
        return Recognised(TestRunner.NODE, (*loader, *(w for w in words if w != "--test")))
    flags = [word for word in words if word.startswith("-")]
    at = next((n for n, word in enumerate(words) if not word.startswith("-")), len(words))
    behind = _BIN.fullmatch(words[at]) if at < len(words) else None
    runner = BY_PROGRAM.get(behind[1]) if behind else None
    if runner is None or program != "node":
        return None
    env = (("NODE_OPTIONS", " ".join(words[:at])),) if flags and at else ()
    found = _runner([runner.value, *words[at + 1 :]])
    return found._replace(env=env) if found else None


def _script(words: list[str], scripts: Scripts, *, depth: int) -> Recognised | None:
    program, rest = words[0], words[1:]
    if program in {"npm", "pnpm", "yarn"}:
        return _npm(program, rest, scripts, depth=depth)
    if program == "make" and len(rest) <= 1:
        rule = scripts.make.get(rest[0] if rest else "")
        is_plain = rule is not None and not rule.prerequisites and len(rule.recipe) == 1
        return _chain(rule.recipe[0], scripts, depth=depth + 1) if rule and is_plain else None
    if program == "tox" and len(scripts.tox) == 1:
        return _chain(scripts.tox[0], scripts, depth=depth + 1)
    return None


def _npm(program: str, words: list[str], scripts: Scripts, *, depth: int) -> Recognised | None:
    rest = [word for word in words if word not in {"-s", "--silent", "--if-present"}]
    if rest[:1] in (["run"], ["run-script"]):
        rest = rest[1:]
    elif rest[:1] in (["t"], ["tst"]):
        rest = ["test", *rest[1:]]
    elif program == "npm" and rest[:1] != ["test"]:
        return None
    if not rest:
        return None
    name, more = rest[0], rest[1:]
    if name not in scripts.npm:
        return _runner([name, *more]) if program != "npm" else None
    if program == "npm" and more[:1] != ["--"] and more:
        return None
    found = _chain(scripts.npm[name], scripts, depth=depth + 1)
    if found is None:
        return None
    more = more[1:] if more[:1] == ["--"] else more
    first = scripts.npm.get(f"pre{name}", "")
    before = [_spelled_text(first, scripts, {})] if first else []
    before += [found.before] if found.before else []
    return found._replace(args=(*found.args, *more), before=" && ".join(before))
