"""Programs that only start another one: one table for test commands and for what agents type."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

Env = tuple[tuple[str, str], ...]

PYTHON = re.compile(r"python(\d+(\.\d+)?)?")
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL | re.ASCII)


class Wrapper(NamedTuple):
    """A program that only starts another one, behind its own options."""

    valued: str = ""
    """Options whose value is the next word."""
    plain: int = 0
    """How many words of its own come before the other program."""


def _named(rows: Mapping[str, Wrapper]) -> dict[str, Wrapper]:
    return {name: row for names, row in rows.items() for name in names.split(", ")}


_PACKAGE = Wrapper("-p --package")
_UV = Wrapper("--group --extra --with --python -p --package")

WRAPPERS: Mapping[str, Wrapper] = _named(
    {
        "uv run": _UV,
        "poetry run, pipenv run, pdm run, rye run": Wrapper(),
        "npx, npm exec": _PACKAGE,
        "pnpm exec, yarn exec": Wrapper(),
        "c8, nyc": Wrapper("-r --reporter -n --include -x --exclude"),
        "coverage run": Wrapper("--source --rcfile --omit --include"),
        "env, cross-env": Wrapper(),
    }
)
"""Without these, a command runs the same tests in the same way."""

ALL_WRAPPERS: Mapping[str, Wrapper] = WRAPPERS | _named(
    {
        "!, nohup, exec, command, unbuffer, setsid, bundle exec, hatch run, pixi run": Wrapper(),
        "timeout, gtimeout": Wrapper("-k -s --kill-after --signal", plain=1),
        "taskset": Wrapper(plain=1),
        "env": Wrapper("-u --unset -C --chdir"),
        "nice, ionice": Wrapper("-n --adjustment -c --class"),
        "sudo": Wrapper("-u -g --user --group"),
        "time": Wrapper("-o -f"),
        "stdbuf": Wrapper("-i -o -e"),
        "xargs": Wrapper("-n -I -P -L -d -a -s"),
        "xvfb-run": Wrapper("-n -s --server-args -e"),
        "dotenv": Wrapper("-f -e"),
        "uv run, uvx": Wrapper(f"{_UV.valued} --from --env-file --directory"),
        "pipx run": Wrapper("--spec"),
        "conda run, mamba run, micromamba run": Wrapper("-n --name -p --prefix"),
        "bunx, pnpx, pnpm exec, yarn exec, bun x, npm x, pnpm dlx, yarn dlx": _PACKAGE,
    }
)
"""Those that change where or how it runs, too: enough to tell what an agent did."""


class Unwrapped(NamedTuple):
    env: Env
    words: list[str]


def unwrapped(
    words: Sequence[str], wrappers: Mapping[str, Wrapper], name: Callable[[str], str]
) -> Unwrapped:
    """Without assignments and wrappers; `name` is what a program is called in the table."""
    env: list[tuple[str, str]] = []
    rest = list(words)
    while rest:
        if match := _ASSIGNMENT.fullmatch(rest[0]):
            env.append((match[1], match[2]))
            rest = rest[1:]
            continue
        if PYTHON.fullmatch(name(rest[0])) and rest[1:3] == ["-m", "coverage"]:
            rest = rest[2:]
        named = [name(rest[0]), *rest[1:2]]
        length = next((n for n in (1, 2) if " ".join(named[:n]) in wrappers), None)
        if length is None:
            break
        rest = _after_options(rest[length:], wrappers[" ".join(named[:length])])
    return Unwrapped(tuple(env), rest)


def _after_options(words: list[str], wrapper: Wrapper) -> list[str]:
    at, plain, valued = 0, wrapper.plain, wrapper.valued.split()
    while at < len(words):
        if words[at] == "-m":
            return ["python", *words[at:]]
        if words[at].startswith("-"):
            at += 2 if words[at] in valued else 1
        elif plain:
            at, plain = at + 1, plain - 1
        else:
            break
    return words[at:]
