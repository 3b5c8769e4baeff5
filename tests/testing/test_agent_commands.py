import pytest
from hypothesis import given
from hypothesis import strategies as st

from yudai.testing.domain.agent_commands import passed, runs_tests

TESTS = [
    *("pytest", "pytest -k 'a and b' --lf", "py.test", "venv/bin/pytest -x", "pytest 2>&1 | tail"),
    *("python -m pytest -q", "python3.11 -W error -m pytest", "python -m unittest discover"),
    *("python -m doctest a.py", "python -m tests.test_app", "python -m django test"),
    *("python manage.py test", "./manage.py test app", "python setup.py test"),
    *("python tests/runtests.py", "python test_fix.py", "python -c 'import pytest; pytest.main()'"),
    *("tox", "tox -e py311", "nox -s tests", "coverage run -m pytest", "hatch test"),
    "python -m coverage run -m pytest",
    *(
        "npm test",
        "npm t",
        "npm run test:unit",
        "npm --prefix web test",
        "yarn test",
        "yarn jest a",
    ),
    *("pnpm -r test", "pnpm --filter web test", "yarn workspace web test", "bun test"),
    *("npx jest", "npx --yes vitest run", "npx mocha", "node_modules/.bin/jest", "node --test"),
    *("./node_modules/jest/bin/jest.js", "node node_modules/.bin/mocha", "node a.test.js"),
    *("make test", "make check", "make -C sub -j4 test", "just test", "ninja test", "rake test"),
    *("cargo test", "cargo nextest run", "go test ./...", "dotnet test", "mix test", "deno test"),
    *("./gradlew test", "gradle :app:test", "mvn -q test", "mvn verify", "bundle exec rspec"),
    *("ctest --output-on-failure", "./run_tests.sh", "bash run_tests.sh", "sh -e ./test.sh"),
    *("cd x && pytest", "cd x; pytest", "(cd x && pytest)", "A=1 B='x y' pytest", "set -e\npytest"),
    *("timeout 60 pytest", "timeout -k 5 60s python3 -m unittest", "time pytest", "! pytest"),
    *("env -u X A=1 pytest", "sudo -u me pytest", "nice -n 5 pytest", "ls | xargs -n 1 pytest"),
    *("uv run pytest", "uv run --with x python -m pytest", "poetry run pytest", "uvx pytest"),
    *("conda run -n e pytest", "xvfb-run -a npm test", "stdbuf -oL pytest", "exec pytest"),
    *("bash -c 'cd x && pytest'", 'bash -lc "pytest -q"', "eval 'pytest -q'"),
    *("if pytest; then echo ok; fi", "for i in 1 2; do pytest; done", "pytest && echo done"),
    "cat > a.py <<'EOF'\nx = 'unclosed\nEOF\npython -m pytest",
    "cd /workspace && \\\n  PYTHONPATH=. timeout 60 python -m pytest tests/test_a.py::test_b -x",
]
OTHERS = [
    *("", "&&", ";;", "# pytest", "echo pytest", "echo 'cd x && pytest'", "touch pytest"),
    *("grep pytest", "grep -rn 'pytest' .", "rg 'npm test'", "which pytest", "man pytest"),
    *("cat test_x.py", "cat tests/test_x.py | head", "head -5 run_tests.sh", "vim test.py"),
    *("test -f x", "[ -f test ]", "ls tests", "cd test", "mkdir test", "rm -rf tests", "cp a test"),
    *("git add test_a.py", "git commit -m 'make test'", "git diff -- tests", "git log --test"),
    *("sed -i s/a/b/ test_a.py", "find . -name 'test_*'", "black tests", "ruff check tests"),
    *("cat > test.sh <<'EOF'\npytest\nEOF", "cat > t <<EOF\npytest"),
    *("pip install pytest", "python -m pip install pytest", "npm install", "npm install test"),
    *("yarn add jest", "npm ls jest", "npm run build", "npm run build-tests", "npm run", "yarn"),
    *("pytest --version", "pytest --collect-only", "pytest -h", "tox -l", "make -n test"),
    *("cargo test --no-run", "go test -list .", "npm test --help", "npx jest --listTests"),
    *("make", "make install", "make test-deps", "cargo build", "cargo check", "go vet"),
    *(
        "go build ./test",
        "python app.py",
        "python",
        "python -c 'print(1)'",
        "python manage.py shell",
    ),
    *("python -m http.server", "python -m", "node index.js", "node", "bash setup.sh", "bash"),
    *("docker build -t test .", "pytest_x", "npx eslint test", "mypy tests", "timeout 60", "env"),
]


@pytest.mark.parametrize("command", TESTS)
def test_a_command_that_runs_tests(command: str):
    assert runs_tests(command)


@pytest.mark.parametrize("command", OTHERS)
def test_a_command_that_does_not(command: str):
    assert not runs_tests(command)


def test_a_command_in_a_command_in_a_command_ends_somewhere():
    command = "pytest"
    for _ in range(3):
        command = f"eval {command}"
    assert runs_tests(command)
    assert not runs_tests("eval " * 30 + "pytest")


@given(st.text(max_size=60))
def test_any_text_is_one_or_the_other(text: str):
    assert runs_tests(text) in (True, False)
    assert passed(text, exit_code=0, output=text) in (True, False, None)


ENDS: list[tuple[str, int, str, bool | None]] = [
    ("pytest", 0, "", True),
    ("pytest", 1, "1 passed", False),
    ("cd x && timeout 9 pytest && echo ok", 1, "", False),
    ("(cd x && pytest)", 0, "", True),
    ("echo first; pytest", 1, "", False),
    ("pytest\n", 0, "1 failed", True),
    ("! pytest", 0, "=== 1 failed in 1s ===", False),
    ("pytest | tail", 0, "=== 1 failed, 2 passed in 1s ===", False),
    ("pytest | tail", 0, "=== 2 passed in 1s ===", True),
    ("pytest | tail", 0, "=== 1 error in 1s ===", False),
    ("pytest -q | tail -3", 0, "2 passed, 1 warning in 0.02s", True),
    ("pytest; echo $?", 0, "1", None),
    ("pytest || true", 0, "E   assert 1 == 2\n", None),
    ("python -m unittest; true", 0, "Ran 1 test\n\nFAILED (failures=1)", False),
    ("python -m unittest; true", 0, "Ran 1 test\n\nOK", True),
    ("npx jest | cat", 0, "Tests:       1 failed, 4 passed, 5 total", False),
    ("npx jest | cat", 0, "Tests:       4 passed, 4 total", True),
    ("npx mocha; true", 0, "  3 passing (4ms)\n  1 failing", False),
    ("go test ./... | tail", 0, "--- FAIL: TestX\nFAIL", False),
    ("go test ./... | tail", 0, "ok  \texample.com/x\t0.1s", True),
    ("cargo test | tail", 0, "test result: ok. 3 passed; 0 failed; 0 ignored", True),
    ("cargo test | tail", 0, "test result: FAILED. 1 passed; 2 failed", False),
    ("node --test | cat", 0, "# pass 3\n# fail 0", True),
    ("pytest | tail", 0, "1 failed\n" + "x" * 5000, None),
]


@pytest.mark.parametrize("end", ENDS)
def test_whether_they_passed(end: tuple[str, int, str, bool | None]):
    command, exit_code, output, is_green = end
    assert passed(command, exit_code=exit_code, output=output) is is_green
