import pytest

from yudai.projects.domain.detect import (
    FoundTests,
    Language,
    choose_language,
    find_setup,
    find_tests,
    uses_pytest,
    wanted_files,
)
from yudai.projects.domain.repository_files import RepositoryFiles

SCRIPT = '{"scripts": {"test": "jest"}}'
PLACEHOLDER = '{"scripts": {"test": "echo \\"Error: no test specified\\" && exit 1"}}'


def repository(*paths: str, folder: str = "", **texts: str) -> RepositoryFiles:
    named = {name.replace("_", "."): text for name, text in texts.items()}
    return RepositoryFiles(frozenset({*paths, *named}), named, folder)


def language(found: RepositoryFiles, command: str = "") -> Language:
    return choose_language(found, find_tests(found), test_command=command)


def test_only_what_is_there_is_read():
    found = repository("uv.lock", "pyproject.toml", "src/a.py", "sub/package.json", folder="sub")
    assert wanted_files(found) == ["sub/package.json", "pyproject.toml", "uv.lock"]


def test_where_tests_are():
    found = repository(
        "tests/test_a.py",
        "tests/conftest.py",
        "web/a.test.ts",
        "web/__tests__/b.js",
        "node_modules/x/a.test.js",
        "web/a.js",
    )
    assert find_tests(found) == FoundTests(
        ("tests/test_a.py",), ("web/__tests__/b.js", "web/a.test.ts")
    )
    assert find_tests(found.moved("web")).python == ()


@pytest.mark.parametrize(
    ("found", "is_node"),
    [
        (repository("a.py"), False),
        (repository(package_json=SCRIPT), True),
        (repository("pyproject.toml", "tests/test_a.py"), False),
        (repository("package.json", "a.test.js", "sub/x.py", folder="sub"), True),
    ],
)
def test_one_language(found: RepositoryFiles, *, is_node: bool):
    assert language(found) == Language(is_node)


def test_two_languages_go_by_their_tests():
    both = repository("pyproject.toml", "test_a.py", "b.test.js", "c.test.js", package_json=SCRIPT)
    chosen = language(both)
    assert chosen.is_node
    assert chosen.notes == (
        "both Python and Node: taken as Node (2 test files against 1); --test chooses Python",
    )
    assert not language(repository("pyproject.toml", "test_a.py", package_json=SCRIPT)).is_node
    assert language(repository("pyproject.toml", package_json=SCRIPT)).is_node
    assert not language(repository("pyproject.toml", package_json=PLACEHOLDER)).is_node


def test_a_test_command_chooses():
    both = repository("pyproject.toml", "test_a.py", "b.test.js", "c.test.js", package_json=SCRIPT)
    assert language(both, "pytest") == Language(is_node=False)
    assert language(both, "A=1 /usr/bin/python3 -m pytest") == Language(is_node=False)
    assert language(both, "npm test") == Language(is_node=True)
    assert language(both, "make test").notes != ()
    assert language(repository("a.py"), "npm test") == Language(is_node=False)


def test_each_language_has_its_own_set_up():
    found = repository("requirements.txt", package_json='{"dependencies": {"a": "1"}}')
    facts = {"tests_use_pytest": False, "own_python_fits": True}
    assert find_setup(found, is_node=True, **facts).source == "package.json"
    assert find_setup(found, is_node=False, **facts).source == ""


@pytest.mark.parametrize(
    ("text", "used"),
    [
        ("import pytest\n", True),
        ("def test_a():\n", True),
        ("class A(TestCase):\n    def test_a(self):\n", False),
        ("# pytest\n", False),
    ],
)
def test_whether_pytest_is_used(text: str, *, used: bool):
    assert uses_pytest(text) is used
