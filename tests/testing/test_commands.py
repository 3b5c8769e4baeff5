from itertools import pairwise

import pytest

from yudai.projects.domain.makefile import read_makefile
from yudai.testing.domain.commands import Recognised, Scripts, recognise
from yudai.testing.domain.runners import TestRunner

SCRIPTS = Scripts(
    npm={
        "test": "jest --ci",
        "unit": "mocha",
        "pretest:built": "npm run build",
        "test:built": "node --test dist/",
        "build": "npm run clean && tsc -p .",
        "clean": "rm -rf dist | true",
        "test:all": "npm run lint && eslint . && cross-env NODE_ENV=test mocha && prettier -c .",
        "esm": "node --experimental-vm-modules node_modules/jest/bin/jest.js",
        "loop": "npm run loop",
        "preodd": "echo built > built",
        "odd": "npm run round && mocha",
        "round": "npm run round",
        "both": "jest && tsd",
        "lint": "eslint .",
    },
    make=read_makefile(
        "PY = python3\ntest:\n\t@$(PY) -m pytest -q\nbuilt: test\n\tpytest\ntwo:\n\ta\n\tpytest\n"
    ),
    tox=("pytest tests",),
)
NODE, JEST, VITEST, MOCHA = (
    TestRunner.NODE,
    TestRunner.JEST,
    TestRunner.VITEST,
    TestRunner.MOCHA,
)
PYTEST, UNITTEST = TestRunner.PYTEST, TestRunner.UNITTEST


@pytest.mark.parametrize(
    ("command", "runner", "args"),
    [
        ("pytest", PYTEST, ()),
        ("pytest -x 'tests/unit tests'", PYTEST, ("-x", "tests/unit tests")),
        ("python3.11 -m pytest tests", PYTEST, ("tests",)),
        ("uv run --group test --frozen pytest -q", PYTEST, ("-q",)),
        ("poetry run pytest", PYTEST, ()),
        ("coverage run --source x -m pytest -q", PYTEST, ("-q",)),
        ("python -m coverage run -m pytest", PYTEST, ()),
        ("python -m unittest", UNITTEST, ()),
        ("python -m unittest discover -s tests -v", UNITTEST, ("test*.py", "tests")),
        ("python -m unittest discover --pattern *_t.py", UNITTEST, ("*_t.py", ".")),
        ("tox", PYTEST, ("tests",)),
        ("make test", PYTEST, ("-q",)),
        ("jest src", JEST, ("src",)),
        ("npx --yes jest", JEST, ()),
        ("npm exec -- jest", JEST, ()),
        ("node_modules/.bin/jest -i", JEST, ("-i",)),
        ("npm test", JEST, ("--ci",)),
        ("npm t -- -t name", JEST, ("--ci", "-t", "name")),
        ("npm run -s unit", MOCHA, ()),
        ("pnpm test", JEST, ("--ci",)),
        ("pnpm unit", MOCHA, ()),
        ("yarn jest a", JEST, ("a",)),
        ("vitest run src --config x.ts", VITEST, ("src", "--config", "x.ts")),
        ("vitest --watch", VITEST, ()),
        ("nyc --reporter text mocha test", MOCHA, ("test",)),
        ("c8 node --test", NODE, ()),
        ("node --import tsx --test 'test/*.ts'", NODE, ("--import", "tsx", "test/*.ts")),
        ("tsx --test src", NODE, ("--import", "tsx", "src")),
    ],
)
def test_runners_behind_commands(command: str, runner: TestRunner, args: tuple[str, ...]):
    assert recognise(command, SCRIPTS) == Recognised(runner, args)


def test_variables_and_builds():
    assert recognise("A=1 B='x y' pytest") == Recognised(PYTEST, (), (("A", "1"), ("B", "x y")))
    assert recognise("npm run esm", SCRIPTS) == Recognised(
        JEST, (), (("NODE_OPTIONS", "--experimental-vm-modules"),)
    )
    assert recognise("npm run test:built", SCRIPTS) == Recognised(
        NODE, ("dist/",), (), "(rm -rf dist | true) && tsc -p ."
    )
    odd = recognise("npm run odd", SCRIPTS)
    assert odd == Recognised(MOCHA, before="(echo built > built) && npm run round")
    assert recognise("make deps && pytest") == Recognised(PYTEST, before="make deps")


def test_linters_stand_in_the_way_only_when_a_person_says_so():
    assert recognise("npm run test:all", SCRIPTS) == Recognised(MOCHA, (), (("NODE_ENV", "test"),))
    typed = recognise("npm run lint && npm test", SCRIPTS)
    assert typed == Recognised(JEST, ("--ci",), (), "eslint .")


@pytest.mark.parametrize(
    "command",
    [
        "",
        "./run-tests.sh",
        "go test ./...",
        "pytest | tee log",
        "pytest; true",
        "pytest || true",
        "pytest > log",
        "pytest &",
        "pytest $ARGS",
        "pytest `ls`",
        "pytest tests/test_*.py",
        "pytest 'unclosed",
        "cd sub && pytest",
        "pytest && make docs",
        "python -m unittest tests.test_a",
        "python -m unittest discover -t . -s tests",
        "python manage.py test",
        "npm run missing",
        "npm install",
        "npm run",
        "npm run both",
        "npm run loop",
        "npm",
        "npm run unit --flag",
        "make built",
        "make two",
        "make a b",
        "make",
        "node script.js",
        "node",
        "vitest bench",
        "react-scripts test",
        "A=1",
        "&& pytest",
    ],
)
def test_everything_else_is_just_a_command(command: str):
    assert recognise(command, SCRIPTS) is None


def test_several_tox_commands_are_no_runner():
    assert recognise("tox", Scripts(tox=("pytest", "mypy ."))) is None


def test_scripts_that_multiply_take_no_time():
    names = [f"s{n}" for n in range(30)]
    npm = {name: " && ".join([f"npm run {after}"] * 50) for name, after in pairwise(names)}
    found = recognise("npm test", Scripts(npm={**npm, "s29": "true", "test": "npm run s0 && jest"}))
    assert found is not None
    assert len(found.before) < 10_000
