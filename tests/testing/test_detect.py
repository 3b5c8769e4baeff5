import json

import pytest

from tests.support.verified_repo import Files, Ground
from yudai.kit.errors import RefusedError
from yudai.projects.domain.project import Project
from yudai.sandboxes.port import ExecResult, Sandbox
from yudai.testing.detect import detect
from yudai.testing.domain.report import TestPlan
from yudai.testing.domain.runners import TestRunner
from yudai.testing.run import run_tests

CASE = "import unittest\nclass A(unittest.TestCase):\n    def test_1(self): pass\n"


@pytest.mark.parametrize(
    ("files", "command"),
    [
        ({"pytest.ini": "", "tests/test_a.py": CASE}, "python -m pytest"),
        ({"tests/conftest.py": "", "tests/test_a.py": CASE}, "python -m pytest"),
        ({"tests/test_a.py": "def test_a(): pass\n"}, "python -m pytest"),
        ({"tests/test_a.py": "import pytest\n" + CASE}, "python -m pytest"),
        ({"pyproject.toml": "[tool.pytest.ini_options]\n"}, "python -m pytest"),
        ({"pytest.ini": "[pytest]\naddopts = --nonsense\n"}, "python -m pytest -o addopts="),
        ({"pytest.ini": "[pytest]\nnot ini"}, "python -m pytest"),
        ({"test_a.py": CASE}, "python -m unittest"),
        ({"tests/__init__.py": "", "tests/test_a.py": CASE}, "python -m unittest"),
        ({"tests/test_a.py": CASE}, "python -m unittest discover -s tests"),
        ({"a_test.py": CASE}, "python -m unittest discover -p '*_test.py'"),
        (
            {"a/b_test.py": CASE, "c/test_d.py": CASE},
            "python -m unittest discover -s a -p '*test*.py'"
            " && python -m unittest discover -s c -p '*test*.py'",
        ),
        ({"README.md": "nothing"}, None),
        ({"tests/test_a.py": "# nothing yet\n"}, "python -m pytest"),
        ({"shop.py": "\n"}, "python -m pytest"),
        ({"pyproject.toml": "[project]\n"}, "python -m pytest"),
        ({"setup.py": "\n"}, "python -m pytest"),
        ({"go.mod": "module x\n"}, None),
        ({"Cargo.toml": "[package]\n"}, None),
        ({"node_modules/x/a.py": ""}, None),
        ({".venv/x/test_a.py": "def test_a(): pass\n"}, None),
    ],
)
async def test_how_tests_are_run_is_found_out(ground: Ground, files: Files, command: str | None):
    async with ground.sandbox(files) as sandbox:
        plan = await detect(sandbox)
    assert (None if plan is None else plan.command) == command


async def test_unittest_plans_find_what_they_promise(ground: Ground):
    files: Files = {
        "a/test_b.py": CASE,
        "c/__init__.py": "",
        "c/d/__init__.py": "",
        "c/d/test_e.py": CASE,
    }
    async with ground.sandbox(files) as sandbox:
        plan = await detect(sandbox)
        assert plan is not None
        found = await run_tests(sandbox, plan, timeout_s=30.0)
    assert sorted(found.report.outcomes) == ["c.d.test_e.A.test_1", "test_b.A.test_1"]


class Shadowed:
    """A sandbox where other programs are found first."""

    def __init__(self, sandbox: Sandbox, path: str) -> None:
        self.sandbox = sandbox
        self.path = path
        self.write = sandbox.write
        self.read = sandbox.read

    async def exec(self, command: str, **_options: object) -> ExecResult:
        return await self.sandbox.exec(f"PATH={self.path}; {command}")


@pytest.mark.parametrize("python", ["", "exit 1", "echo nonsense"])
async def test_without_a_usable_python_there_is_no_plan(ground: Ground, python: str):
    async with ground.sandbox({"test_a.py": CASE}) as sandbox:
        await sandbox.write("bin/python", f"#!/bin/sh\n{python}\n".encode())
        await sandbox.exec("[ -s bin/python ] && chmod +x bin/python; ln -s /bin/rm bin/rm")
        shadowed = Shadowed(sandbox, "/workspace/bin")
        assert await detect(shadowed) is None  # pyright: ignore[reportArgumentType] - all it uses


async def plan_of(ground: Ground, files: Files, project: Project) -> TestPlan | None:
    async with ground.sandbox(files, node=project.node) as sandbox:
        return await detect(sandbox, project)


async def test_a_folder_of_a_monorepo(ground: Ground):
    files: Files = {
        "packages/my api/pytest.ini": "[pytest]\ntestpaths = tests\n",
        "packages/my api/tests/test_a.py": "def test_1(): pass\ndef test_2(): assert 0\n",
        "packages/my api/other/test_b.py": "def test_3(): pass\n",
        "packages/web/test_c.py": "def test_4(): pass\n",
    }
    project = Project(folder="packages/my api")
    async with ground.sandbox(files) as sandbox:
        plan = await detect(sandbox, project)
        assert plan is not None
        assert plan.command == "cd 'packages/my api' && python -m pytest"
        first, second = "packages/my api/tests/test_a.py::test_1", ""
        found = await run_tests(sandbox, plan, timeout_s=60.0)
        second = first.replace("_1", "_2")
        assert {t: str(o) for t, o in found.report.outcomes.items()} == {
            first: "passed",
            second: "failed",
        }
        path = "packages/my api/tests/test_a.py"
        one = await run_tests(sandbox, plan, timeout_s=60.0, ids=[second], paths=[path])
        assert list(one.report.outcomes) == [second]


async def test_unittest_in_a_folder(ground: Ground):
    files: Files = {"api/tests/test_a.py": CASE, "test_b.py": CASE}
    async with ground.sandbox(files) as sandbox:
        plan = await detect(sandbox, Project(folder="api"))
        assert plan is not None
        found = await run_tests(sandbox, plan, timeout_s=60.0)
        assert list(found.report.outcomes) == ["api/test_a.A.test_1"]
        one = await run_tests(
            sandbox,
            plan,
            timeout_s=60.0,
            ids=["api/test_a.A.test_1"],
            paths=["api/tests/test_a.py"],
        )
        assert list(one.report.outcomes) == ["api/test_a.A.test_1"]


PYTHON: Files = {
    "Makefile": "test:\n\t@python -m pytest -q tests\nboth:\n\techo a\n\ttrue\n",
    "tox.ini": "[testenv]\ncommands = pytest {posargs:tests}\n",
    "tests/test_a.py": CASE,
}


GIVEN = [
    ("pytest -x", TestRunner.PYTEST, ("-x",)),
    ("tox -q", TestRunner.PYTEST, ("tests",)),
    ("make test", TestRunner.PYTEST, ("-q", "tests")),
    ("python -m unittest", TestRunner.UNITTEST, ("test*.py", "tests")),
    ("python -m unittest discover -s tests", TestRunner.UNITTEST, ("test*.py", "tests")),
    ("make both", TestRunner.COMMAND, ("make both",)),
    ("sh -c 'exit 0'", TestRunner.COMMAND, ("sh -c 'exit 0'",)),
    ("X=1 true | cat", TestRunner.COMMAND, ("X=1 true | cat",)),
]


async def test_a_command_that_was_given(ground: Ground):
    """All in one sandbox: who looks leaves it as it was."""
    async with ground.sandbox(PYTHON) as sandbox:
        for command, runner, args in GIVEN:
            plan = await detect(sandbox, Project(test=command))
            assert plan is not None, command
            assert (plan.runner, plan.args, plan.command) == (runner, args, command)


MISSING = {
    "nonsense --all": "there is no program nonsense",
    "./run-tests.sh": "there is no program ./run-tests.sh",
    "npx jest": "jest is not installed",
}


async def test_a_command_that_does_not_exist(ground: Ground):
    async with ground.sandbox(PYTHON, node=True) as sandbox:
        for command, why in MISSING.items():
            with pytest.raises(RefusedError) as refused:
                await detect(sandbox, Project(test=command, node=True))
            assert str(refused.value).startswith(
                f"the test command `{command}` does not exist in the sandbox: {why}; "
            )


async def test_pytest_that_is_not_there(ground: Ground):
    async with ground.sandbox(PYTHON) as sandbox:
        await sandbox.exec("mkdir bin && ln -s /bin/rm bin/rm")
        script = b'#!/bin/sh\nexec /env/bin/python -I -S "$@"\n'
        await sandbox.write("/workspace/bin/python", script)
        await sandbox.exec("chmod +x bin/python")
        shadowed = Shadowed(sandbox, "/workspace/bin")
        with pytest.raises(RefusedError, match="pytest is not installed"):
            await detect(shadowed, Project(test="pytest"))  # pyright: ignore[reportArgumentType] - all it uses


async def test_tests_that_are_still_to_come_can_be_run(ground: Ground):
    """Without pytest, by unittest; base itself is a report of nothing."""
    async with ground.sandbox({"shop.py": "\n"}) as sandbox:
        await sandbox.exec("mkdir bin && ln -s /bin/rm bin/rm")
        script = b'#!/bin/sh\nexec /env/bin/python -I -S "$@"\n'
        await sandbox.write("/workspace/bin/python", script)
        await sandbox.exec("chmod +x bin/python")
        shadowed = Shadowed(sandbox, "/workspace/bin")
        plan = await detect(shadowed)  # pyright: ignore[reportArgumentType] - all it uses
        assert plan is not None
        assert (plan.runner, plan.command) == (TestRunner.UNITTEST, "python -m unittest")
        nothing = await run_tests(sandbox, plan, timeout_s=30.0)
        assert (nothing.report.outcomes, nothing.report.finished) == ({}, True)
        await sandbox.write("/workspace/tests/test_a.py", CASE.encode())
        found = await run_tests(sandbox, plan, timeout_s=30.0, paths=["tests/test_a.py"])
        assert list(found.report.outcomes) == ["test_a.A.test_1"]


GO: Files = {"go.mod": "module x\n", "bin/go": "", "bin/cargo": "", "bin/python": "exit 1\n"}
RUST: Files = {"Cargo.toml": "[package]\n", "bin/go": "", "bin/cargo": ""}


@pytest.mark.parametrize(
    ("files", "command"),
    [
        (GO, "go test ./..."),
        (RUST, "cargo test"),
        ({**GO, "a_test.go": "", "pyproject.toml": "", "bin/python": None}, "go test ./..."),
        ({**RUST, "src/a.rs": "#[test]\n", "setup.py": ""}, "cargo test"),
        ({**RUST, "src/a.rs": "fn main() {}\n", "setup.py": ""}, "python -m pytest"),
        ({**RUST, "tools/a.py": ""}, "cargo test"),
    ],
)
async def test_a_compiler_that_finds_tests_itself(ground: Ground, files: Files, command: str):
    there = {name: text for name, text in files.items() if text is not None}
    async with ground.sandbox(there) as sandbox:
        await sandbox.exec("chmod +x bin/*")
        shadowed = Shadowed(sandbox, "/workspace/bin:$PATH")
        plan = await detect(shadowed)  # pyright: ignore[reportArgumentType] - all it uses
    assert plan is not None
    assert plan.command == command
    assert (plan.runner is TestRunner.COMMAND) == (command != "python -m pytest")


async def test_a_makefile_is_the_last_resort(ground: Ground):
    recipe = "check:\n\tgrep -q right answer.txt\n\ttrue\n"
    plan = await plan_of(ground, {"Makefile": recipe}, Project())
    assert plan is not None
    assert (plan.runner, plan.command) == (TestRunner.COMMAND, "make check")
    pytests: Files = {"Makefile": recipe, "test_a.py": "def test_a(): pass\n"}
    found = await plan_of(ground, pytests, Project())
    assert found is not None
    assert found.runner is TestRunner.PYTEST
    missing = await plan_of(ground, {"Makefile": "test:\n\tjest\n"}, Project())
    assert missing is None


def package(**facts: object) -> str:
    return json.dumps(facts)


def installed(name: str) -> Files:
    return {f"node_modules/{name}/package.json": package(name=name)}


NODE_TEST = "const test = require('node:test'); test('a', () => {});\n"
NPM_INIT = 'echo "Error: no test specified" && exit 1'


@pytest.mark.parametrize(
    ("files", "runner", "command", "args"),
    [
        (
            {"package.json": package(scripts={"test": "jest --ci"}), **installed("jest")},
            TestRunner.JEST,
            "npm test",
            ("--ci",),
        ),
        (
            {
                "package.json": package(devDependencies={"vitest": "*", "jest": "*"}),
                "src/a.test.ts": "",
                **installed("vitest"),
                **installed("jest"),
            },
            TestRunner.VITEST,
            "npx vitest run",
            (),
        ),
        (
            {"package.json": package(scripts={"test": NPM_INIT}), "a.test.js": NODE_TEST},
            TestRunner.NODE,
            "node --test",
            (),
        ),
        (
            {"package.json": package(), "test/a.test.ts": NODE_TEST, **installed("tsx")},
            TestRunner.NODE,
            "node --import tsx --test",
            ("--import", "tsx"),
        ),
        (
            {"package.json": package(), "test/a.js": "it('a')", **installed("mocha")},
            TestRunner.MOCHA,
            "npx mocha",
            (),
        ),
        (
            {"package.json": package(scripts={"test": "lerna run test"})},
            TestRunner.COMMAND,
            "npm test",
            ("npm test",),
        ),
    ],
)
async def test_how_node_tests_are_run_is_found_out(
    ground: Ground, files: Files, runner: TestRunner, command: str, args: tuple[str, ...]
):
    plan = await plan_of(ground, files, Project(node=True))
    assert plan is not None
    assert (plan.runner, plan.command, plan.args) == (runner, command, args)


@pytest.mark.parametrize(
    "files",
    [
        {"package.json": "not json"},
        {"package.json": package(scripts={"test": "jest"}), "a.test.js": ""},
        {"package.json": package(scripts={"test": "jest"}), "x.py": ""},
        {"package.json": package(devDependencies={"vitest": "*"})},
    ],
)
async def test_node_whose_runner_is_missing_has_no_plan(ground: Ground, files: Files):
    assert await plan_of(ground, files, Project(node=True)) is None


@pytest.mark.parametrize(
    ("files", "command"),
    [
        ({"package.json": package()}, "node --test"),
        ({"package.json": package(scripts=["odd"])}, "node --test"),
        ({"package.json": package(scripts={"test": NPM_INIT})}, "node --test"),
        ({"package.json": package(), "node_modules/x/a.test.js": NODE_TEST}, "node --test"),
        ({"package.json": package(), **installed("tsx")}, "node --import tsx --test"),
        ({"package.json": package(), **installed("mocha")}, "npx mocha"),
        (
            {
                "package.json": package(devDependencies={"vitest": "*"}),
                **installed("vitest"),
                **installed("jest"),
            },
            "npx vitest run",
        ),
        ({"package.json": "not json", "pyproject.toml": ""}, "python -m pytest"),
    ],
)
async def test_node_without_tests_is_planned_by_its_runner(
    ground: Ground, files: Files, command: str
):
    plan = await plan_of(ground, files, Project(node=True))
    assert plan is not None
    assert plan.command == command


async def test_node_without_tests_may_have_python_ones(ground: Ground):
    files: Files = {"package.json": package(), "test_a.py": "def test_a(): pass\n"}
    plan = await plan_of(ground, files, Project(node=True))
    assert plan is not None
    assert plan.runner is TestRunner.PYTEST


async def test_a_folder_of_a_workspace_finds_its_runner_above(ground: Ground):
    files: Files = {
        "package.json": package(workspaces=["web"]),
        "web/package.json": package(scripts={"test": "A=1 mocha"}),
        **installed("mocha"),
    }
    plan = await plan_of(ground, files, Project(node=True, folder="web"))
    assert plan is not None
    assert (plan.runner, plan.env, plan.command) == (
        TestRunner.MOCHA,
        (("A", "1"),),
        "cd web && npm test",
    )
