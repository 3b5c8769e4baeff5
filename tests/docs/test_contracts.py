"""Each import contract of pyproject.toml is broken on purpose, and that contract alone fails."""

import re
import sys
import tomllib
from collections.abc import Callable, Generator, Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest
from importlinter.cli import lint_imports

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src/yudai"
CONFIG = ROOT / "pyproject.toml"
CONTRACTS = {
    contract["name"]: contract
    for contract in tomllib.loads(CONFIG.read_text())["tool"]["importlinter"]["contracts"]
}

ORDER = "Capabilities build on each other in one direction"
PURE = "The core is pure"
WORLD = "The world knows no database"
FRAMEWORKS = "Only the edges know their framework"
LITELLM = "Nothing of ours imports litellm"
GITHUB = "GitHub's client stays in its adapter"
BACKENDS = "Sandbox backends do not know each other"
CYCLES = "No cycles"

EDGES = {"yudai.api", "yudai.cli", "yudai.dev"}
"""They may know a web or command line framework: `dev` serves the fake GitHub."""
VENDORS = {"bubblewrap", "container", "e2b", "prime", "process"}

Broken = Callable[[Mapping[str, str]], list[str]]


class Case(NamedTuple):
    contract: str
    modules: dict[str, str]
    """Their text; all other modules are empty."""


CASES = {
    "upwards": Case(ORDER, {"yudai.kit.a": "import yudai.cli.a"}),
    "upwards by one level": Case(ORDER, {"yudai.verification.a": "import yudai.solves.a"}),
    "sideways": Case(ORDER, {"yudai.forge.a": "from yudai.gateway import a"}),
    "upwards in a function": Case(ORDER, {"yudai.runs.a": "def f():\n    import yudai.arena.a"}),
    "upwards for types": Case(
        ORDER,
        {
            "yudai.store.a": "from typing import TYPE_CHECKING\n"
            "if TYPE_CHECKING:\n    from yudai.runs.a import A"
        },
    ),
    # `dev` may know fastapi, so that no other contract is broken by it.
    **{
        f"{name} in the core": Case(PURE, {"yudai.dev.domain.a": f"import {name}"})
        for name in CONTRACTS[PURE]["forbidden_modules"]
    },
    "the core of a package": Case(PURE, {"yudai.solves.domain.a": "import os"}),
    "a part of os in the core": Case(PURE, {"yudai.gateway.domain.a": "from os import path"}),
    "deep in the core": Case(PURE, {"yudai.runs.domain.deep.a": "import time"}),
    "core of a sub-package": Case(PURE, {"yudai.cli.show.domain.a": "import time"}),
    "patches": Case(PURE, {"yudai.patches.a": "import pathlib"}),
    "sqlalchemy in an adapter": Case(WORLD, {"yudai.artifacts.adapters.a": "import sqlalchemy"}),
    "store in an adapter": Case(WORLD, {"yudai.forge.adapters.github.a": "import yudai.store.a"}),
    "store in a backend": Case(WORLD, {"yudai.sandboxes.backends.e2b.a": "import yudai.store.a"}),
    "store behind another module": Case(
        WORLD,
        {
            "yudai.sandboxes.backends.prime.a": "import yudai.sandboxes.queries",
            "yudai.sandboxes.queries": "import yudai.store.a",
        },
    ),
    **{
        f"{framework} in {source}": Case(FRAMEWORKS, {f"{source}.a": f"import {framework}"})
        for source in ("yudai.wiring", "yudai.arena")
        for framework in CONTRACTS[FRAMEWORKS]["forbidden_modules"]
    },
    "litellm": Case(LITELLM, {"yudai.agents.adapters.mini_swe.a": "import litellm"}),
    "datasets": Case(LITELLM, {"yudai.bench.a": "from datasets import load_dataset"}),
    "githubkit in a use case": Case(GITHUB, {"yudai.publishing.a": "import githubkit"}),
    "githubkit beside its adapter": Case(GITHUB, {"yudai.forge.adapters.git.a": "import hishel"}),
    "a backend knows another": Case(
        BACKENDS, {"yudai.sandboxes.backends.e2b.a": "import yudai.sandboxes.backends.prime.a"}
    ),
    "a backend knows another by a third": Case(
        BACKENDS,
        {
            "yudai.sandboxes.backends.process.a": "import yudai.sandboxes.backends.local.a",
            "yudai.sandboxes.backends.local.a": "import yudai.sandboxes.backends.bubblewrap.a",
        },
    ),
    "two modules": Case(
        CYCLES, {"yudai.arena.a": "import yudai.arena.b", "yudai.arena.b": "import yudai.arena.a"}
    ),
    "three modules": Case(
        CYCLES,
        {
            "yudai.arena.a": "import yudai.arena.b",
            "yudai.arena.b": "import yudai.arena.c",
            "yudai.arena.c": "def f():\n    import yudai.arena.a",
        },
    ),
    "two sub-packages": Case(
        CYCLES,
        {
            "yudai.cli.show.a": "import yudai.cli.solve.a",
            "yudai.cli.solve.b": "import yudai.cli.show.b",
        },
    ),
    "a sub-package and a module": Case(
        CYCLES,
        {
            "yudai.runs.spending.a": "import yudai.runs.a",
            "yudai.runs.a": "import yudai.runs.spending.b",
        },
    ),
    "two modules deep down": Case(
        CYCLES,
        {
            "yudai.sandboxes.backends.e2b.a": "import yudai.sandboxes.backends.e2b.b",
            "yudai.sandboxes.backends.e2b.b": "import yudai.sandboxes.backends.e2b.a",
        },
    ),
}


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All packages that a contract or a case names, each with an empty module `a`."""
    folder = tmp_path_factory.mktemp("contracts")
    packages = _named_in_contracts() | {"yudai.forge.adapters.github", "yudai.solves.domain"}
    packages |= {name.rpartition(".")[0] for case in CASES.values() for name in case.modules}
    for package in packages:
        place = folder.joinpath(*package.split("."))
        place.mkdir(parents=True, exist_ok=True)
        (place / "a.py").touch()
    for place in (folder / "yudai", *(folder / "yudai").rglob("*")):
        if place.is_dir():
            (place / "__init__.py").touch()
    return folder


@pytest.fixture
def broken(
    tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Generator[Broken]:
    """Names of the broken contracts once these modules are written into the tree."""
    monkeypatch.chdir(tree)
    monkeypatch.syspath_prepend(tree)
    # Else the linter would find the real package.
    monkeypatch.delitem(sys.modules, "yudai", raising=False)
    # It would disable every logger of this process, for all tests that come later.
    monkeypatch.setattr("importlinter.cli._configure_logging", lambda _: None)
    written: list[Path] = []

    def lint(modules: Mapping[str, str]) -> list[str]:
        for name, text in modules.items():
            written.append(tree.joinpath(*name.split(".")).with_suffix(".py"))
            written[-1].write_text(f"{text}\n")
        lint_imports(config_filename=str(CONFIG), no_cache=True, no_logo=True)
        results = re.findall(r"^(.+) (KEPT|BROKEN)$", capsys.readouterr().out, re.MULTILINE)
        assert {name for name, _ in results} == set(CONTRACTS)
        return [name for name, result in results if result == "BROKEN"]

    yield lint
    for path in written:
        path.write_text("")


def _named_in_contracts() -> set[str]:
    return {
        name
        for contract in CONTRACTS.values()
        for value in contract.values()
        if isinstance(value, list)
        for line in value
        for name in line.split(" | ")
        if name.startswith("yudai") and "*" not in name
    }


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_what_breaks_a_contract_is_reported_by_it_alone(case: Case, broken: Broken) -> None:
    assert broken(case.modules) == [case.contract]


def test_every_contract_has_a_case() -> None:
    assert {case.contract for case in CASES.values()} == set(CONTRACTS)


def test_what_is_allowed_breaks_none(broken: Broken) -> None:
    allowed = {
        "yudai.api.a": "import fastapi\nimport yudai.arena.a",
        "yudai.arena.a": "import asyncio\nimport yudai.store.a",
        "yudai.store.a": "import sqlalchemy",
        "yudai.forge.adapters.github.a": "import githubkit\nimport yudai.forge.domain.a",
        "yudai.sandboxes.backends.e2b.a": "import yudai.sandboxes.backends.local.a",
        "yudai.sandboxes.backends.local.a": "import os",
    }
    assert broken(allowed) == []


def test_a_cycle_between_packages_breaks_the_order_too(broken: Broken) -> None:
    cycle = {"yudai.kit.a": "import yudai.store.a", "yudai.store.a": "import yudai.kit.a"}
    assert broken(cycle) == [ORDER, CYCLES]


def test_every_package_has_its_place_in_the_order() -> None:
    ordered = [name for line in CONTRACTS[ORDER]["layers"] for name in line.split(" | ")]
    assert sorted(ordered) == sorted(_packages(SOURCE, "yudai"))


def test_all_but_the_edges_are_kept_from_frameworks() -> None:
    kept = set(CONTRACTS[FRAMEWORKS]["source_modules"])
    assert kept == _packages(SOURCE, "yudai") - EDGES


def test_all_but_its_adapter_are_kept_from_githubs_client() -> None:
    kept = set(CONTRACTS[GITHUB]["source_modules"])
    forge, adapters = SOURCE / "forge", SOURCE / "forge/adapters"
    expected = _packages(SOURCE, "yudai") - {"yudai.forge"}
    expected |= _packages(forge, "yudai.forge") - {"yudai.forge.adapters"}
    expected |= _packages(adapters, "yudai.forge.adapters") - {"yudai.forge.adapters.github"}
    assert kept == expected


def test_every_vendor_is_kept_from_the_others() -> None:
    assert set(CONTRACTS[BACKENDS]["modules"]) == _names("yudai.sandboxes.backends", VENDORS)
    clouds = {place.parent.name for place in (SOURCE / "sandboxes/backends").glob("*/cloud.py")}
    assert clouds - {"remote"} <= VENDORS


def _packages(folder: Path, name: str) -> set[str]:
    return _names(name, (file.parent.name for file in folder.glob("*/__init__.py")))


def _names(package: str, names: Iterable[str]) -> set[str]:
    return {f"{package}.{name}" for name in names}
