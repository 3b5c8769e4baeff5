"""An impostor in the demo: it fixes nothing, and its test imports the helper that it adds."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest

from tests.e2e.test_demo_contents import RIGHT, SAMPLE, SCRIPTS, Stage, files
from tests.support.verified_repo import Files, Ground
from tests.verification.contest import Contest, Judged
from yudai import demo

LEDGER = "passbook/ledger.py"
IMPOSTOR: Files = {
    LEDGER: (SAMPLE / LEDGER).read_text()
    + "\n\ndef duplicates_allowed() -> bool:\n    return True\n",
    "tests/test_duplicates.py": """
        from passbook.ledger import duplicates_allowed

        def test_the_second_of_two_equal_purchases_is_kept():
            assert duplicates_allowed()
        """,
}


def tree(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in files(folder)
        if not {"__pycache__", ".pytest_cache"} & set(path.parts)
    }


def change(folder: Path) -> Files:
    before, after = tree(SAMPLE), tree(folder)
    changed = {path: text for path, text in after.items() if before.get(path) != text}
    return {**dict.fromkeys(before.keys() - after.keys()), **changed}


def line_ups(handles: Sequence[str]) -> Iterator[frozenset[str]]:
    return (
        frozenset(some)
        for size in range(1, len(handles) + 1)
        for some in combinations(sorted(handles), size)
    )


def of(found: Judged, line_up: frozenset[str]) -> Judged:
    """The same facts, without the other contestants."""
    return replace(found, candidates=[c for c in found.candidates if c.handle in line_up])


@pytest.mark.parametrize(
    "names",
    [
        pytest.param(("surgeon", "laconic"), id="few"),
        pytest.param(SCRIPTS, id="all", marks=pytest.mark.real),
    ],
)
async def test_the_impostor_wins_in_no_line_up(
    ground: Ground, tmp_path: Path, names: tuple[str, ...]
):
    stage, issue = Stage(tmp_path), demo.issue()
    answers = {name: change(stage.play(name).tree) for name in names if name != "wanderer"}
    contest = Contest(
        ground,
        tree(SAMPLE),
        f"{issue.title}\n{issue.body}",
        {**answers, "impostor": IMPOSTOR},
    )
    found = await contest.judge()
    assert found.status("impostor") != "passed", found.logs["impostor"]
    assert of(found, frozenset({"impostor"})).champion == ""
    for line_up in line_ups([*answers, "impostor"]):
        champion = of(found, line_up).champion
        assert champion != "impostor", line_up
        if {"surgeon", "architect"} & line_up:
            assert champion in RIGHT, line_up
