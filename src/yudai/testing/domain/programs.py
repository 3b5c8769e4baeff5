"""Tables of programs: wrappers of other programs, test runners, and texts in their output.

The wrappers serve test commands and agents' commands; the rest serves agents' commands only.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from yudai.testing.domain.runners import BY_PROGRAM

Env = tuple[tuple[str, str], ...]

PYTHON_NAME = re.compile(r"python(\d+(\.\d+)?)?")
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL | re.ASCII)


class Wrapper(NamedTuple):
    """A program that only starts another one, after its own options."""

    valued: str = ""
    """Options whose value is the next word."""
    plain: int = 0
    """Number of its own arguments before the other program."""


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
"""Wrappers that do not change which tests run, or how."""

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
"""Also wrappers that change where or how a command runs: an agent's command needs no more."""


class Unwrapped(NamedTuple):
    env: Env
    words: list[str]


def unwrapped(
    words: Sequence[str], wrappers: Mapping[str, Wrapper], name: Callable[[str], str]
) -> Unwrapped:
    """The words without assignments and wrappers; `name` gives a program's name in the table."""
    env: list[tuple[str, str]] = []
    rest = list(words)
    while rest:
        if match := _ASSIGNMENT.fullmatch(rest[0]):
            env.append((match[1], match[2]))
            rest = rest[1:]
            continue
        if PYTHON_NAME.fullmatch(name(rest[0])) and rest[1:3] == ["-m", "coverage"]:
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


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


PYTHON = re.compile(r"(?:python|pypy)(?:\d+(?:\.\d+)*)?")
SHELLS = _words("bash sh dash zsh ksh")
NODES = _words("node tsx ts-node")

# Programs that only run tests: those of our runners, and others.
TEST_PROGRAMS = frozenset(BY_PROGRAM) | _words(
    """
    pytest-3 nosetests nose2 trial stestr ward green tox nox behave ava tap jasmine web-test-runner
    wtr rspec cucumber minitest phpunit pest codecept ctest gotestsum bats prove busted elm-test
    runtests runtests.py testthat
    """
)
_WITH_TEST = _words(
    """
    go deno swift dotnet mix flutter dart bazel bazelisk buck2 zig stack cabal lein meson hatch ng
    react-scripts craco rails playwright pants moon nx turbo django-admin forge manage.py
    """
)
# Programs whose first argument names the action.
FIRST: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(_WITH_TEST, _words("test")),
    "cargo": _words("test t nextest"),
    "dune": _words("test runtest"),
    "sbt": _words("test testOnly testQuick"),
    "crystal": _words("spec"),
    "cypress": _words("run"),
    "karma": _words("start run"),
    "vue-cli-service": _words("test test:unit test:e2e"),
    "setup.py": _words("test pytest"),
}
# Programs that run named tasks, any of which may run tests.
NAMED = _words("make gmake ninja just task invoke inv rake mvn mvnw gradle gradlew composer ant")
PHASES = _words("verify integration-test connectedCheck")
# Programs that run a package's scripts, and their words before a script's name.
PACKAGERS = _words("npm pnpm yarn bun lerna rush turbo nx")
RUN = _words("run run-script workspaces foreach")
MODULES = _words(
    """
    pytest unittest nose nose2 tox nox twisted.trial trial doctest xmlrunner stestr behave green
    ward test zope.testrunner
    """
)
CODE = re.compile(r"\b(?:pytest|unittest|nose)\.(?:main|TextTestRunner|run)\b")

# Targets of make, scripts of a package, sessions of a task runner.
TARGET = re.compile(
    r"""
      t | tst | check | spec
    | (?:run[-_:])? (?:unit|integration|e2e|smoke|all|py|js)? [-_:]? tests?
    | :?[\w:]*:test | :test\w*
    | tests? [-_:.] (?!dep|req|data|env|fixture|install|setup|image|build|clean|lint).*
    """,
    re.VERBOSE | re.IGNORECASE,
)
SCRIPT = re.compile(
    r"(?:run[-_]?)?(?:unit|all|integration)?[-_]?tests?(?:\.(?:sh|bash|py|js|mjs|cjs|ts))?",
    re.IGNORECASE,
)

# With one of these options a runner runs no tests.
IDLE = _words(
    """
    --help --version --collect-only --co --fixtures --markers --listTests --list-tests --list
    --no-run --dry-run --just-print --listenvs --showconfig --list-sessions --show-only
    """
)
IDLE_OF: Mapping[str, frozenset[str]] = {
    "tox": _words("-l -a -av list l -h"),
    "nox": _words("-l -h"),
    "make": _words("-n -q"),
    "ctest": _words("-N"),
    "pytest": _words("-h -V"),
    "go": _words("-list"),
}
# Options before the relevant word, whose value is the next word.
VALUED = _words(
    """
    -C --prefix --dir --cwd -w --workspace --filter -F --directory -f --file --makefile -p --project
    --manifest-path --package -W -X --target-dir --scope
    """
)

FAILED = re.compile(
    r"""
      ^=+\ .*\b[1-9]\d*\ (?:failed|errors?)\b | ^[1-9]\d*\ failed\b | \b[1-9]\d*\ failed,
    | ^FAILED\ \( | ^FAIL(?:ED)?\b[:\ ] | ^---\ FAIL: | ^FAIL$ | ^test\ result:\ FAILED
    | ^\s*(?:Tests|Test\ Suites|Test\ Files):?\s+(?:.*\s)?[1-9]\d*\ failed | ^\s*[1-9]\d*\ failing\b
    | ^\#\ fail\ [1-9] | ^ERROR\ collecting | \b[1-9]\d*\ failures?\b | ^make.*:\ \*\*\*
    | no\ tests\ ran | ^Traceback\ \(most
    """,
    re.VERBOSE | re.MULTILINE,
)
PASSED = re.compile(
    r"""
      \b[1-9]\d*\ passed\b | ^OK\b | ^ok\s+\S+\s | ^test\ result:\ ok | ^\s*[1-9]\d*\ passing\b
    | ^\#\ pass\ [1-9] | \b0\ failures\b | ^PASS\b
    """,
    re.VERBOSE | re.MULTILINE,
)
