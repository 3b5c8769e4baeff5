from textwrap import dedent

import pytest

from yudai.projects.domain.python_setup import python_setup
from yudai.projects.domain.repository_files import RepositoryFiles, Setup

VENV = 'uv venv --quiet --python "$(command -v python)" "$YUDAI_ENV"'
INSTALL = 'uv pip install --quiet --python "$YUDAI_ENV"'
SYNC = (
    'UV_PROJECT_ENVIRONMENT="$YUDAI_ENV" uv sync --quiet --frozen --python "$(command -v python)"'
)
BUILD = '[build-system]\nrequires = ["hatchling"]\n'


def setup(
    files: dict[str, str], folder: str = "", *, pytest_used: bool = True, fits: bool = True
) -> Setup:
    texts = {name: dedent(text) for name, text in files.items()}
    repository = RepositoryFiles(frozenset(texts), texts, folder)
    return python_setup(repository, tests_use_pytest=pytest_used, own_python_fits=fits)


@pytest.mark.parametrize(
    "files",
    [
        {"calc.py": ""},
        {"pyproject.toml": "[project]\nname = 'x'\n"},
        {"pyproject.toml": "[project]\nname = 'x'\ndependencies = ['pytest>=8']\n" + BUILD},
        {"pyproject.toml": "[dependency-groups]\ndev = ['pytest']\n"},
        {"requirements-dev.txt": "# tools\npytest\n"},
        {"tox.ini": "[testenv]\ndeps = pytest\n"},
        {"setup.cfg": "[flake8]\nmax-line-length = 100\n"},
        {
            "src/x/__init__.py": "",
            "pyproject.toml": "[project]\nname='x'\n[tool.pytest.ini_options]\npythonpath='src'\n",
        },
    ],
)
def test_what_needs_nothing_but_pytest_needs_no_set_up(files: dict[str, str]):
    assert setup(files).commands == ()


def test_another_python_than_ours_needs_an_environment_of_its_own():
    assert setup({"calc.py": ""}, fits=False).commands == (VENV, f"{INSTALL} pytest")
    assert setup({"calc.py": ""}, fits=False, pytest_used=False).commands == (VENV,)


def test_requirement_files():
    found = setup(
        {
            "requirements.txt": "requests==2.32\n",
            "requirements-dev.txt": "-r requirements.txt\npytest==8.0\n",
            "requirements/test.txt": "hypothesis\n",
            "requirements-docs.txt": "sphinx\n",
        }
    )
    assert found.commands == (
        VENV,
        f"{INSTALL} -r requirements.txt -r requirements-dev.txt -r requirements/test.txt",
    )
    assert found.source == "requirements.txt + requirements-dev.txt + requirements/test.txt"


def test_pytest_is_added_only_when_it_is_used_and_not_named():
    files = {"requirements.txt": "requests\n"}
    assert setup(files).commands[-1] == f"{INSTALL} pytest"
    assert len(setup(files, pytest_used=False).commands) == 2
    assert len(setup({"requirements.txt": "pytest==7\n"}).commands) == 2


def test_a_project_with_extras_and_groups_falls_back_to_its_dependencies():
    found = setup(
        {
            "pyproject.toml": """
                [project]
                name = "x"
                dependencies = ["requests>=2"]
                [project.optional-dependencies]
                test = ["pytest"]
                docs = ["sphinx"]
                [dependency-groups]
                dev = ["hypothesis"]
                lint = ["ruff"]
            """
        }
    )
    note = "echo 'the project itself cannot be built: only its dependencies are installed' >&2"
    assert found.commands == (
        VENV,
        f"{INSTALL} --group dev -e '.[test]'"
        f" || {{ {note}; {INSTALL} --group dev 'requests>=2' pytest; }}",
    )
    assert found.source == "pyproject.toml"


def test_a_src_layout_has_to_be_installed():
    files = {"src/x/__init__.py": "", "pyproject.toml": "[project]\nname = 'x'\n" + BUILD}
    assert setup(files).commands[1].startswith(f"{INSTALL} -e . || echo ")


def test_an_old_setup_py_has_to_build():
    found = setup({"setup.py": "from setuptools import setup; setup()", "requirements.txt": "a\n"})
    assert found.commands[1] == f"{INSTALL} -r requirements.txt -e ."
    assert found.source == "requirements.txt + setup.py"
    itself = setup({"setup.py": "", "requirements.txt": "a\n-e .[test]\n"})
    assert itself.commands[1] == f"{INSTALL} -r requirements.txt"


def test_setup_cfg():
    text = """
        [metadata]
        name = x
        [options]
        install_requires =
            requests
        [options.extras_require]
        testing =
            pytest
    """
    found = setup({"setup.cfg": text, "setup.py": ""})
    assert found.commands == (VENV, f"{INSTALL} -e '.[testing]'")


def test_toxs_dependencies_are_taken_when_nothing_else_names_test_tools():
    tox = "[testenv]\ndeps =\n    pytest<8\n    -rmore.txt\n"
    found = setup({"requirements.txt": "requests\n", "tox.ini": tox})
    assert found.commands == (VENV, f"{INSTALL} -r requirements.txt 'pytest<8' -r more.txt")
    named = setup({"requirements.txt": "requests\npytest\n", "tox.ini": tox})
    assert named.commands == (VENV, f"{INSTALL} -r requirements.txt")


UV_LOCK = '[[package]]\nname = "requests"\n\n[[package]]\nname = "pytest"\n'


def test_uvs_lock():
    project = "[project]\nname = 'x'\ndependencies = ['requests']\n"
    dev = "[dependency-groups]\ndev = ['pytest']\ntest = []\ndocs = ['sphinx']\n"
    found = setup({"uv.lock": UV_LOCK, "pyproject.toml": project + dev})
    sync = f"{SYNC} --group dev --group test"
    assert found.commands == (f"{sync} || {sync} --no-install-project",)
    odd = "[dependency-groups]\nthings = ['pytest']\n"
    found = setup({"uv.lock": UV_LOCK, "pyproject.toml": project + odd})
    assert found.commands[0].startswith(f"{SYNC} --all-groups || ")
    conflicts = odd + "[tool.uv]\nconflicts = []\n"
    found = setup({"uv.lock": UV_LOCK, "pyproject.toml": project + conflicts})
    assert found.commands[0].startswith(f"{SYNC} || ")


def test_a_uv_workspace_has_its_lock_at_the_root():
    files = {
        "uv.lock": UV_LOCK,
        "pyproject.toml": "[tool.uv.workspace]\nmembers = ['packages/*']\n",
        "packages/a/pyproject.toml": "[project]\nname = 'a'\n[project.optional-dependencies]\n"
        "test = ['pytest']\n",
    }
    assert setup(files, "packages/a").commands[0].startswith(f"{SYNC} --extra test || ")


def test_a_uv_lock_that_is_out_of_date():
    project = "[project]\nname = 'x'\ndependencies = ['requests', 'Rich_Text>=13']\n"
    found = setup({"uv.lock": UV_LOCK, "pyproject.toml": project})
    assert found.commands[1] == f"{INSTALL} 'Rich_Text>=13'"
    assert found.notes == ("uv.lock is out of date: Rich_Text>=13 added as asked for",)


POETRY = """
    [tool.poetry]
    name = "x"
    [tool.poetry.dependencies]
    python = "^3.9"
    requests = "^2.32"
    extra-thing = {version = "1", optional = true}
    mine = {git = "https://example.org/mine.git"}
    [tool.poetry.group.dev.dependencies]
    pytest = {version = "~8.1", extras = ["a"]}
    [build-system]
    requires = ["poetry-core"]
"""
POETRY_LOCK = """
    [[package]]
    name = "requests"
    version = "2.32.0"
    groups = ["main"]
    [[package]]
    name = "sphinx"
    version = "7.0"
    groups = ["docs"]
"""


def test_poetrys_lock():
    found = setup({"poetry.lock": POETRY_LOCK, "pyproject.toml": POETRY})
    assert found.commands[:3] == (
        VENV,
        f"printf '%s\\n' requests==2.32.0 | {INSTALL} --no-deps -r -",
        f"{INSTALL} 'pytest[a]>=8.1,<8.2'",
    )
    assert found.commands[3].startswith(f"{INSTALL} --no-deps -e . || echo ")
    assert len(found.commands) == 4
    assert found.notes == ("poetry.lock is out of date: pytest[a]>=8.1,<8.2 added as asked for",)
    assert found.source == "poetry.lock"


def test_an_empty_poetry_lock():
    text = "[tool.poetry]\npackage-mode = false\n"
    found = setup({"poetry.lock": "", "pyproject.toml": text}, pytest_used=False)
    assert found.commands == (VENV,)


def test_poetry_without_a_lock():
    found = setup({"pyproject.toml": POETRY})
    assert found.commands[1].startswith(f"{INSTALL} 'pytest[a]>=8.1,<8.2' -e . || ")
    library = POETRY.replace('name = "x"', "package-mode = false")
    assert setup({"pyproject.toml": library}).commands[1] == f"{INSTALL} 'pytest[a]>=8.1,<8.2'"


def test_a_pipfile_is_only_noted():
    found = setup({"Pipfile": "", "requirements.txt": "a\n"})
    assert found.notes == (
        "Pipfile is not read: give its installation with --setup or in .yudai.yml",
    )


def test_files_that_cannot_be_read_do_no_harm():
    names = ["pyproject.toml", "setup.cfg", "tox.ini"]
    assert setup(dict.fromkeys(names, "\0 = [[[")) == Setup((), "", ())
