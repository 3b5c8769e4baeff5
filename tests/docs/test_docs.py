"""The documentation says what the code says, and its links lead somewhere."""

import os
import re
from pathlib import Path

import pytest

from yudai.kit.causes import POLICIES, Cause
from yudai.runs.domain import states as run_state
from yudai.solves.domain import states as solve_state
from yudai.verification.domain.verdict import VerdictStatus

ROOT = Path(__file__).parents[2]
STATES = (ROOT / "docs/reference/states.md").read_text()
DECISIONS = sorted((ROOT / "docs/decisions").glob("[0-9]*.md"))


def markdown() -> list[Path]:
    found: list[Path] = []
    for folder, below, names in os.walk(ROOT):
        below[:] = sorted(name for name in below if name[0] != "." and name != "node_modules")
        found += [Path(folder, name) for name in sorted(names) if name.endswith(".md")]
    return found


def section(title: str) -> str:
    _, _, rest = STATES.partition(f"\n## {title}\n")
    return rest.partition("\n## ")[0]


def rows(text: str, *, columns: int) -> list[tuple[str, ...]]:
    """The rows of all tables with so many columns, heads and rules left out."""
    found: list[tuple[str, ...]] = []
    for block in re.findall(r"(?:^\|.*\n)+", text + "\n", flags=re.MULTILINE):
        cells = [_cells(line) for line in block.splitlines()[2:]]
        found += [row for row in cells if len(row) == columns]
    return found


def _cells(line: str) -> tuple[str, ...]:
    return tuple(cell.strip().strip("`") for cell in line.strip().strip("|").split("|"))


def test_every_solve_state_and_event_is_documented() -> None:
    text = section("Solve")
    assert [row[0] for row in rows(text, columns=2)] == list(solve_state.SolveState)
    documented = {(row[0], row[1]): row[2] for row in rows(text, columns=3)}
    assert documented == solve_state.TRANSITIONS
    assert {event for _, event in documented} == set(solve_state.SolveEvent)


def test_every_run_state_and_event_is_documented() -> None:
    text = section("Run")
    assert [row[0] for row in rows(text, columns=2)] == list(run_state.RunState)
    documented = {(row[0], row[1]): row[2] for row in rows(text, columns=3)}
    assert documented == run_state.TRANSITIONS
    assert {event for _, event in documented} == set(run_state.RunEvent)


def test_every_cause_is_documented_with_what_follows_from_it() -> None:
    documented = rows(section("Causes"), columns=4)
    assert documented == [(cause, *POLICIES[cause]) for cause in Cause]


def test_every_verdict_is_documented() -> None:
    assert [row[0] for row in rows(section("Verdicts"), columns=2)] == list(VerdictStatus)


@pytest.mark.parametrize("path", markdown(), ids=lambda path: str(path.relative_to(ROOT)))
def test_relative_links_resolve(path: Path) -> None:
    for target in links(path.read_text()):
        name, _, anchor = target.partition("#")
        linked = (path.parent / name).resolve() if name else path
        assert linked.exists(), f"{target} does not exist"
        assert linked.is_relative_to(ROOT), f"{target} leads outside"
        if anchor:
            assert anchor in anchors(linked.read_text()), f"{target} names no heading"


def links(text: str) -> list[str]:
    prose = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    found = re.findall(r"\]\(([^)\s]+)(?:\s+\"[^\"]*\")?\)", prose)
    return [target for target in found if not re.match(r"[a-z][a-z+.-]*:", target)]


def anchors(text: str) -> set[str]:
    """Headings as a forge turns them into anchors."""
    headings = re.findall(r"^#+ (.+)$", text, flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading).lower().replace(" ", "-") for heading in headings}


def test_links_are_found_outside_of_code_only() -> None:
    assert links("[a](b.md) [c](https://d) [e](f.md#g)\n```\n[h](i.md)\n```\n") == [
        "b.md",
        "f.md#g",
    ]


@pytest.mark.parametrize(("name", "most"), [("README.md", 120), ("CONTRIBUTING.md", 60)])
def test_short_documents_stay_short(name: str, most: int) -> None:
    assert len((ROOT / name).read_text().splitlines()) <= most


def test_decisions_are_numbered_and_listed() -> None:
    numbers = [int(path.name[:4]) for path in DECISIONS]
    assert numbers == list(range(1, len(numbers) + 1))
    listed = links((ROOT / "docs/decisions/README.md").read_text())
    assert listed == [path.name for path in DECISIONS]


@pytest.mark.parametrize("path", DECISIONS, ids=lambda path: path.stem)
def test_a_decision_has_all_its_parts(path: Path) -> None:
    text = path.read_text()
    assert text.startswith(f"# {path.name[:4]} ")
    parts = ("**Context.**", "**Decision.**", "**Consequences.**", "**Alternatives.**")
    for part in (*parts, "**Enforced by**"):
        assert text.count(part) == 1, part


def test_the_changelog_has_a_place_for_what_is_new() -> None:
    assert "\n## Unreleased\n" in (ROOT / "CHANGELOG.md").read_text()
