from textwrap import dedent

from yudai.projects.domain.repository_files import RepositoryFiles
from yudai.projects.domain.tox import Tox, read_tox


def tox(name: str, text: str) -> Tox | None:
    return read_tox(RepositoryFiles(frozenset({name}), {name: dedent(text)}))


def test_an_ini():
    found = tox(
        "tox.ini",
        """
        [tox]
        envlist = py311

        [testenv]
        extras = test, more
        deps =
            pytest>=7
            -r {toxinidir}/requirements-dev.txt
            py38: old-thing
            # a remark
            {env:SOMETHING}
        commands =
            - pytest {posargs:tests} \\
                -q
            lint: flake8
        """,
    )
    assert found == Tox(
        deps=("pytest>=7", "-r requirements-dev.txt"),
        extras=("test", "more"),
        commands=("pytest tests -q",),
    )


def test_inside_pyproject():
    old = "[tool.tox]\nlegacy_tox_ini = '''\n[testenv]\ndeps = pytest\ncommands = pytest\n'''\n"
    assert tox("pyproject.toml", old) == Tox(deps=("pytest",), commands=("pytest",))
    new = """
        [tool.tox.env_run_base]
        deps = ["pytest", "-r req.txt"]
        extras = ["dev"]
        commands = [["{envpython}", "-m", "pytest", { replace = "posargs", default = ["tests"] }]]
    """
    assert tox("pyproject.toml", new) == Tox(
        deps=("pytest", "-r req.txt"), extras=("dev",), commands=("python -m pytest tests",)
    )
    odd = "[env_run_base]\ncommands = [['pytest', { replace = 'env' }, 3]]\n"
    assert tox("tox.toml", odd) == Tox(commands=("pytest",))
    assert tox("tox.toml", "[env_run_base]\ncommands = [['pytest']]\n") == Tox(commands=("pytest",))


def test_where_there_is_no_tox():
    assert tox("tox.ini", "[flake8]\nx = 1\n") is None
    assert tox("tox.ini", "no section") is None
    assert tox("setup.cfg", "[testenv]\ncommands = pytest\n") == Tox(commands=("pytest",))
