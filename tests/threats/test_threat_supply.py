"""What we are made of: pinned and hashed, without shells, with no more rights than we use."""

import ast
import os
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from yudai.dev.fake_github import state
from yudai.forge.adapters.github import apps

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "src/yudai").rglob("*.py"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
LOCK = tomllib.loads((ROOT / "uv.lock").read_text())
RUFF = [sys.executable, "-m", "ruff", "check", "--no-cache", "--output-format=concise"]
SHELLS = """\
import os
import subprocess


def solve(branch: str, run) -> None:
    subprocess.run(f"git fetch {branch}", shell=True)
    run(f"git fetch {branch}", shell=True)
    os.system(f"git fetch {branch}")
"""


def unpinned(lock: dict[str, Any]) -> list[str]:
    """Packages that could be another one tomorrow: without a hash of every file."""
    found: list[str] = []
    for package in lock["package"]:
        if package["source"].get("editable") or package["source"].get("virtual"):
            continue
        files = [*package.get("wheels", []), package.get("sdist")]
        hashes = [file.get("hash", "") for file in files if file]
        is_pinned = hashes and all(one.startswith("sha256:") for one in hashes)
        if not is_pinned or "registry" not in package["source"]:
            found.append(package["name"])
    return found


def test_every_package_is_locked_with_the_hash_of_every_file():
    assert len(LOCK["package"]) > 50
    assert unpinned(LOCK) == []


@pytest.mark.parametrize(
    "package",
    [
        {"name": "evil", "source": {"registry": "r"}, "wheels": [{"url": "https://x/evil.whl"}]},
        {"name": "evil", "source": {"git": "https://x/evil"}},
        {"name": "evil", "source": {"url": "https://x"}, "wheels": [{"hash": "sha256:00"}]},
    ],
)
def test_one_that_is_not_would_be_found(package: dict[str, Any]):
    assert unpinned({"package": [*LOCK["package"], package]}) == ["evil"]


LITELLM = ("litellm", "datasets", "prompt_toolkit")


def imported(files: Iterable[tuple[str, str]], names: tuple[str, ...]) -> set[str]:
    found: set[str] = set()
    for file, text in files:
        for node in ast.walk(ast.parse(text)):
            modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                modules.append(node.module or "")
            found |= {file for module in modules if module.partition(".")[0] in names}
    return found


def test_nothing_imports_litellm_and_nothing_installs_it():
    assert imported(((str(file), file.read_text()) for file in SOURCES), LITELLM) == set()
    assert not {package["name"] for package in LOCK["package"]} & {"litellm", "datasets"}
    assert "litellm" in LOCK["manifest"]["excludes"]


def test_an_import_of_it_would_be_found():
    assert imported([("x.py", "def f():\n    from litellm import completion\n")], LITELLM) == {
        "x.py"
    }


def test_versions_that_broke_us_once_are_kept_out():
    wanted = {line.partition(";")[0].strip() for line in PROJECT["project"]["dependencies"]}
    for name in ("dbos", "githubkit[auth-app]", "hishel", "mini-swe-agent"):
        [found] = [line for line in wanted if line.startswith(f"{name}>")]
        assert ",<" in found, found


BY_NAME = {"create_subprocess_shell", "getoutput", "getstatusoutput", "popen", "system"}


def shell_calls(text: str) -> list[int]:
    """Lines that start a shell: more than ruff knows of."""
    nodes = [node for node in ast.walk(ast.parse(text)) if _starts_shell(node)]
    return sorted(node.lineno for node in nodes if isinstance(node, ast.stmt | ast.expr))


def _starts_shell(node: ast.AST) -> bool:
    match node:
        case ast.ImportFrom(names=names):
            return bool(BY_NAME & {alias.name for alias in names})
        case ast.Call(func=ast.Attribute(attr=name)) if name in BY_NAME:
            return True
        case ast.Call(func=func, keywords=keywords):
            values = [word.value for word in keywords if word.arg == "shell"]
            # Functions of our own are told which shell; none of others' is told to use one.
            is_foreign = "subprocess" in ast.unparse(func)
            return any(is_foreign or getattr(value, "value", None) is True for value in values)
        case _:
            return False


def test_no_source_of_ours_starts_a_shell():
    with_shells = {str(file) for file in SOURCES if shell_calls(file.read_text())}
    assert with_shells == set()


def test_one_that_does_would_be_found():
    assert shell_calls(SHELLS) == [6, 7, 8]
    assert shell_calls("import asyncio\nasyncio.create_subprocess_shell('x')\n") == [2]
    assert shell_calls("from asyncio import create_subprocess_shell\n") == [1]


def lint(config: Path) -> set[str]:
    """What ruff says of a sample that puts words into shells, by the codes of its rules."""
    done = subprocess.run(
        [*RUFF, "--config", str(config), "--stdin-filename", "src/yudai/sample.py", "-"],
        input=SHELLS, capture_output=True, text=True, check=False, cwd=ROOT,
        env={"PATH": os.environ["PATH"], "HOME": "/nonexistent"},
    )  # fmt: skip
    assert done.returncode in (0, 1), done.stderr
    return {word for word in done.stdout.split() if word in ("S602", "S604", "S605")}


def test_the_linter_refuses_shells():
    assert lint(ROOT / "pyproject.toml") == {"S602", "S604", "S605"}
    ignored = PROJECT["tool"]["ruff"]["lint"]["per-file-ignores"].values()
    assert not {"S", "S6", "S602", "S604", "S605"} & {code for codes in ignored for code in codes}


def test_without_its_security_rules_it_takes_them(tmp_path: Path):
    text = (ROOT / "pyproject.toml").read_text()
    assert text.count('"S",') == 1
    (tmp_path / "pyproject.toml").write_text(text.replace('"S",', ""))
    assert lint(tmp_path / "pyproject.toml") == set()


NEEDED = {"contents": "write", "issues": "write", "metadata": "read", "pull_requests": "write"}


def test_an_app_asks_for_what_publishing_needs_and_for_nothing_else():
    """Not for `workflows`: then the forge itself refuses to change them."""
    assert dict(apps._PERMISSIONS) == NEEDED
    assert set(state.PERMISSIONS) <= set(NEEDED)
