import pytest

from yudai.projects.domain.pyproject import is_allowed, plain_specifier, python_pin
from yudai.projects.domain.repository_files import RepositoryFiles


def pin(folder: str = "", **files: str) -> str:
    texts = {name.replace("__", "/").replace("_dot_", "."): text for name, text in files.items()}
    return python_pin(RepositoryFiles(frozenset(texts), texts, folder))


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        (".python-version", "3.12\n", "3.12"),
        (".python-version", "# ours\n3.11.4\n3.10\n", "3.11"),
        (".python-version", "cpython-3.13\n", "3.13"),
        (".python-version", "pypy3.10\n", ""),
        (".python-version", "venv-name\n", ""),
        ("pyproject.toml", '[project]\nrequires-python = ">=3.10, <4"\n', ">=3.10,<4"),
        ("pyproject.toml", '[tool.poetry.dependencies]\npython = "^3.9"\n', ">=3.9,<4"),
        ("pyproject.toml", '[tool.poetry.dependencies]\npython = "^3.8 || ^3.9"\n', ">=3.9,<4"),
        ("pyproject.toml", '[tool.poetry.dependencies]\npython = "*"\n', ""),
        ("pyproject.toml", '[project]\nrequires-python = "soon"\n', ""),
        ("pyproject.toml", "not toml", ""),
        ("setup.cfg", "[options]\npython_requires = >=3.8\n", ">=3.8"),
        ("setup.py", "setup(python_requires='>=3.9', name='x')", ">=3.9"),
        ("setup.py", "setup(name='x')", ""),
    ],
)
def test_what_is_asked_for(name: str, text: str, expected: str):
    assert python_pin(RepositoryFiles(frozenset({name}), {name: text})) == expected


def test_a_folder_goes_before_the_root_and_a_pin_before_metadata():
    texts = {
        "pyproject.toml": '[project]\nrequires-python = ">=3.9"\n',
        "a/pyproject.toml": '[project]\nrequires-python = ">=3.11"\n',
    }
    assert python_pin(RepositoryFiles(frozenset(texts), texts, "a/b")) == ">=3.11"
    texts[".python-version"] = "3.12"
    assert python_pin(RepositoryFiles(frozenset(texts), texts, "a/b")) == "3.12"


@pytest.mark.parametrize(
    ("constraint", "expected"),
    [
        ("^1.2.3", ">=1.2.3,<2"),
        ("^0.2.3", ">=0.2.3,<0.3"),
        ("^0", ">=0,<1"),
        ("~1.2.3", ">=1.2.3,<1.3"),
        ("~1", ">=1,<2"),
        ("1.2", "==1.2"),
        ("1.*", "==1.*"),
        (">=1,<3", ">=1,<3"),
        ("*", ""),
    ],
)
def test_poetrys_constraints(constraint: str, expected: str):
    assert plain_specifier(constraint) == expected


@pytest.mark.parametrize(
    ("asked", "version", "allowed"),
    [
        ("", "3.11.7", True),
        ("3.11", "3.11.7", True),
        ("3.12", "3.11.7", False),
        (">=3.10,<4", "3.11.7", True),
        (">=3.12", "3.11.7", False),
        ("soon", "3.11.7", True),
    ],
)
def test_what_is_allowed(asked: str, version: str, *, allowed: bool):
    assert is_allowed(asked, version) is allowed
