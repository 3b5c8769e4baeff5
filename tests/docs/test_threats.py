"""Every threat names tests that hold and tests that show what falls without the defence."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from yudai.sandboxes.domain.backends import BACKENDS

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/explanation/threat-model.md"
THREATS = [
    "Prompt injection in issues, comments and repositories",
    "Token theft",
    "Untrusted repository code",
    "A way out through the network of set-up",
    "Git on an untrusted tree",
    "Hooks, configuration, filters, large files, submodules",
    "Server-side request forgery by a repository's address",
    "Option and argument injection",
    "Shell injection",
    "Cross-site scripting by Markdown, ANSI and diffs",
    "Path traversal to artifacts",
    "Archive and patch bombs",
    "Secrets in logs and trajectories",
    "Exhaustion of money and resources",
    "Forged and replayed webhooks",
    "Reputation gaming",
    "Confused deputy",
    "Our own supply chain",
]
_NODE = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")


def sections(text: str) -> dict[str, str]:
    parts = re.split(r"^### (.+)$", text.partition("\n## The threats\n")[2], flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def named(section: str, kind: str) -> list[tuple[str, str]]:
    """The tests of one list."""
    found = re.search(rf"^- {kind}:(.*?)(?=^- |\Z)", section, flags=re.MULTILINE | re.DOTALL)
    return [] if found is None else _NODE.findall(found[1])


@cache
def defined_in(file: str) -> frozenset[str]:
    path = ROOT / file
    if not path.is_file():
        return frozenset()
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    nodes = ast.walk(ast.parse(path.read_text()))
    return frozenset(node.name for node in nodes if isinstance(node, kinds))


def missing(text: str) -> list[str]:
    return [f"{file}::{name}" for file, name in _NODE.findall(text) if name not in defined_in(file)]


def test_all_threats_are_there():
    assert list(sections(PAGE.read_text())) == THREATS


@pytest.mark.parametrize("threat", THREATS)
def test_a_threat_says_what_stops_it_and_names_tests_that_exist(threat: str):
    section = sections(PAGE.read_text())[threat]
    assert "\n- Stops it: " in section
    assert section.strip().startswith("The attacker")
    assert named(section, "Holds")
    assert named(section, "Falls")
    assert missing(section) == []


def test_a_test_that_does_not_exist_is_missed():
    text = "`tests/docs/test_threats.py::test_of_nothing` `tests/nowhere.py::test_it`"
    assert missing(text) == [
        "tests/docs/test_threats.py::test_of_nothing",
        "tests/nowhere.py::test_it",
    ]


def test_every_attack_is_reported():
    told = set(_NODE.findall(PAGE.read_text()))
    attacks = {
        (str(file.relative_to(ROOT)), name)
        for file in sorted((ROOT / "tests/threats").glob("test_*.py"))
        for name in defined_in(str(file.relative_to(ROOT)))
        if name.startswith("test_")
    }
    assert attacks - told == set()


def test_every_backend_says_what_it_isolates_from():
    table = re.search(r"^\| backend \|.*?\n\n", PAGE.read_text(), flags=re.MULTILINE | re.DOTALL)
    assert table is not None
    head, _, *rows = table[0].strip().splitlines()
    assert head == "| backend | other runs | host kernel | network | your tokens |"
    assert [row.split("`")[1] for row in rows] == list(BACKENDS)


def test_anyone_who_reads_about_security_finds_it():
    assert "(docs/explanation/threat-model.md)" in (ROOT / "SECURITY.md").read_text()
