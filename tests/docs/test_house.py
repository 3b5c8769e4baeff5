"""The house rules: what `tests/check_house.py` finds, and that the docs describe the tree."""

import ast
import re
import tomllib
from pathlib import Path

import pytest

from tests.check_house import findings

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src/yudai"
ARCHITECTURE = (ROOT / "docs/explanation/architecture.md").read_text()
PACKAGES = sorted(
    file.parent
    for file in SOURCE.rglob("__init__.py")
    if not file.is_relative_to(SOURCE / "demo/sample")
)


def write(root: Path, *names: str, text: str = "") -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def modules(folder: str, count: int, ending: str = ".py") -> list[str]:
    return [f"{folder}/m{number}{ending}" for number in range(count)]


def function(lines: int) -> str:
    return "def f():\n" + "    pass\n" * (lines - 1)


@pytest.mark.parametrize(("name", "cap"), [("src/yudai/kit/a.py", 400), ("tests/test_a.py", 800)])
def test_a_file_has_a_cap(tmp_path: Path, name: str, cap: int):
    write(tmp_path, name, text="\n" * cap)
    assert list(findings(tmp_path)) == []
    write(tmp_path, name, text="\n" * (cap + 1))
    assert list(findings(tmp_path)) == [f"{name}: {cap + 1} lines, at most {cap}"]


def test_a_function_of_the_source_has_a_cap(tmp_path: Path):
    write(tmp_path, "tests/test_a.py", text=function(61))
    write(tmp_path, "src/yudai/kit/a.py", text=function(60))
    assert list(findings(tmp_path)) == []
    write(tmp_path, "src/yudai/kit/a.py", text=f"\nasync {function(61)}")
    assert list(findings(tmp_path)) == ["src/yudai/kit/a.py:2: f has 61 lines, at most 60"]


@pytest.mark.parametrize(
    ("folder", "ending", "cap"),
    [
        ("src/yudai/cli", ".py", 20),
        ("src/yudai/sandboxes/backends/e2b", ".py", 20),
        ("src/yudai/dev/fake_github", ".py", 30),
        ("src/yudai/dev/fake_github/rest", ".py", 20),
        ("web/src/features/solve", ".tsx", 20),
        ("web/src", ".ts", 20),
        ("tests/e2e", ".py", 20),
    ],
)
def test_a_folder_has_a_cap(tmp_path: Path, folder: str, ending: str, cap: int):
    write(tmp_path, *modules(folder, cap, ending))
    assert list(findings(tmp_path)) == []
    write(tmp_path, f"{folder}/one_more{ending}")
    assert list(findings(tmp_path)) == [f"{folder}: {cap + 1} modules, at most {cap}"]


def test_what_does_not_count_in_a_folder(tmp_path: Path):
    write(tmp_path, *modules("src/yudai/cli", 20), *modules("web/src/ui", 20, ".tsx"))
    write(tmp_path, "src/yudai/cli/__init__.py", "src/yudai/cli/data.md", "src/yudai/cli/sub/a.py")
    write(tmp_path, "web/src/ui/m0.test.tsx", "web/src/ui/m1.test.ts", "web/src/ui/found.css")
    write(tmp_path, *modules("src/yudai/store/migrations/versions", 21))
    write(tmp_path, *modules("src/yudai/demo/sample/tests", 21))
    assert list(findings(tmp_path)) == []


@pytest.mark.parametrize("stem", ["settling", "run_cancelling", "searching_github", "a_telling_b"])
def test_a_gerund_names_no_module(tmp_path: Path, stem: str):
    write(tmp_path, f"src/yudai/arena/{stem}.py")
    (line,) = findings(tmp_path)
    assert line.startswith(f"src/yudai/arena/{stem}.py: named by the gerund ")


@pytest.mark.parametrize(
    "stem", ["settle", "routing", "tampering", "polling", "publishing_tables", "settings", "in_go"]
)
def test_nouns_and_verbs_do(tmp_path: Path, stem: str):
    write(tmp_path, f"src/yudai/arena/{stem}.py", "src/yudai/testing/run.py")
    write(tmp_path, "tests/test_settling.py", "src/yudai/demo/sample/adding.py")
    assert list(findings(tmp_path)) == []


def test_a_file_of_the_page_has_a_cap(tmp_path: Path):
    write(tmp_path, "web/src/ui/Long.tsx", text="x;\n" * 250)
    write(tmp_path, "web/src/api/schema.d.ts", text="x;\n" * 999)
    assert list(findings(tmp_path)) == []
    write(tmp_path, "web/src/ui/Long.tsx", text="x;\n" * 251)
    assert list(findings(tmp_path)) == ["web/src/ui/Long.tsx: 251 lines, at most 250"]


def test_no_feature_of_the_page_imports_another(tmp_path: Path):
    text = 'import { a } from "@/features/diff/a";\n'
    write(tmp_path, "web/src/features/diff/b.ts", "web/src/routes/Page.tsx", text=text)
    assert list(findings(tmp_path)) == []
    write(tmp_path, "web/src/features/solve/c.ts", text=text)
    (line,) = findings(tmp_path)
    assert line.startswith("web/src/features/solve/c.ts: imports the feature 'diff'")


def test_all_findings_are_reported(tmp_path: Path):
    write(tmp_path, *modules("src/yudai/kit", 20), "tests/support/making.py")
    write(tmp_path, "src/yudai/kit/cutting.py", text=function(401))
    assert list(findings(tmp_path)) == [
        "src/yudai/kit/cutting.py: 401 lines, at most 400",
        "src/yudai/kit/cutting.py:1: f has 401 lines, at most 60",
        "src/yudai/kit: 21 modules, at most 20",
        "src/yudai/kit/cutting.py: named by the gerund 'cutting'; use a noun or a verb",
    ]


@pytest.mark.parametrize("package", PACKAGES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_a_package_says_what_it_is_and_names_modules_that_exist(package: Path):
    text = ast.get_docstring(ast.parse((package / "__init__.py").read_text())) or ""
    assert text
    for name in re.findall(r"`([\w/.]+(?:\.py|/))`", text):
        assert any((base / name).exists() for base in (package, SOURCE)), name


def test_the_order_of_packages_is_the_documented_one():
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    layers = contracts["contracts"][0]["layers"]
    order = {
        name.removeprefix("yudai."): level
        for level, line in enumerate(reversed(layers))
        for name in line.split(" | ")
    }
    rows = re.findall(r"^\| (\d+) \| `(\w+)` \|", ARCHITECTURE, flags=re.MULTILINE)
    assert {name: int(level) for level, name in rows} == order


def test_the_architecture_names_modules_that_exist():
    # In the picture of the data's path modules are named without their ending.
    text, picture, *rest = ARCHITECTURE.split("```")
    names = [f"{name}.py" for name in re.findall(r"(?<![/\w])(\w+(?:/\w+)+)(?![/\w])", picture)]
    names += re.findall(r"`((?:\w+/)+(?:[\w*]+\.\w+)?)`", "".join((text, *rest)))
    roles = {"domain/", "ports/", "adapters/", "backends/"}
    missing = [
        name
        for name in names
        if name not in roles and not any(any(base.glob(name)) for base in (SOURCE, ROOT))
    ]
    assert len(names) > 50
    assert missing == []
