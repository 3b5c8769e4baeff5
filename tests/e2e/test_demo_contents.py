"""The demo's sample, issue and scripts, played by plain processes: no arena, no sandbox."""

import difflib
import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from yudai import demo
from yudai.agents.domain.plan import parse_plan
from yudai.gateway.adapters.scripted import Script, ScriptedGateway

pytestmark = pytest.mark.xdist_group("demo-contents")

SAMPLE = demo.ROOT / "sample"
SCRIPTS = tuple(model.removeprefix("scripted/") for model in demo.matrix().models)

RIGHT = ("surgeon", "laconic", "architect")
WITH_A_VALID_TEST = ("surgeon", "architect", "literalist", "hothead")
BASE_TESTS = tuple(f"tests/{path.name}" for path in (SAMPLE / "tests").glob("test_*.py"))
HIDDEN = "tests/test_acceptance.py"
MAX_TURNS = 10
MAX_EDITS = demo.matrix().max_edits[0]

# Hidden from the contestants: what the issue asks for, on inputs that it does not name.
ACCEPTANCE = """
from datetime import date

import pytest

from passbook import Ledger, Transaction, storage
from passbook.__main__ import main

DAY = date(2024, 5, 3)
A = Transaction(DAY, -280, "Tramways")
A_RESPELT = Transaction(DAY, -280, "TRAMWAYS  Card 4711", "evening")
B = Transaction(DAY, -410, "Bakery Miller")
REFUND = Transaction(DAY, 280, "Tramways")


@pytest.mark.parametrize(
    ("before", "statement", "new"),
    [
        ([], [A, A], [A, A]),
        ([], [A, A, A], [A, A, A]),
        ([], [A, B, A], [A, B, A]),
        ([], [A, A_RESPELT], [A, A_RESPELT]),
        ([], [A, REFUND, A], [A, REFUND, A]),
        ([A], [A, A], [A]),
        ([A, A], [A], []),
        ([A, A], [A, A], []),
        ([A, B, A], [A, B, A], []),
        ([A, B], [A, B, A], [A]),
        ([A, A_RESPELT], [A_RESPELT, A], []),
        ([A, A], [B, A, A, A], [B, A]),
    ],
)
def test_the_ledger_ends_up_with_what_the_bank_has(before, statement, new):
    ledger = Ledger(before)
    assert tuple(ledger.record(statement)) == (len(new), len(statement) - len(new))
    assert ledger.balance() == sum(t.cents for t in before + new)
    assert tuple(ledger.record(statement)) == (0, len(statement))


def test_a_statement_may_come_as_an_iterator():
    assert tuple(Ledger(iter([A, A])).record(iter([A, A, B]))) == (1, 2)


def test_repeats_survive_the_file(tmp_path):
    path = tmp_path / "ledger.csv"
    storage.save(Ledger([A, B, A]), path)
    ledger = storage.load(path)
    assert (len(ledger), ledger.balance()) == (3, -970)
    assert tuple(ledger.record([A, A])) == (0, 2)


def test_the_command_line_says_what_the_issue_expects(tmp_path, capsys):
    ledger, statement = tmp_path / "ledger.csv", tmp_path / "statement.csv"
    tickets = 2 * ["2024-05-03,Tramways,-2.80"]
    lines = ["date,payee,amount", "2024-05-02,Employer Ltd,2150.00", *tickets]
    statement.write_text(chr(10).join(lines))
    importing = ["import", str(ledger), str(statement)]
    for command in (importing, importing, ["balance", str(ledger)]):
        assert main(command) == 0
    assert capsys.readouterr().out.splitlines() == [
        "3 imported, 0 skipped",
        "0 imported, 3 skipped",
        "2144.40",
    ]
"""


class Suite(NamedTuple):
    """Outcomes by test id: `passed` and `failed`."""

    passed: frozenset[str]
    failed: frozenset[str]
    output: str

    def of(self, *paths: str) -> "Suite":
        """The part that stands in some test files."""
        passed, failed = (
            frozenset(test for test in tests if test.partition("::")[0] in paths)
            for tests in (self.passed, self.failed)
        )
        return Suite(passed, failed, self.output)


class Played(NamedTuple):
    """A contestant's work tree after its script, and how it came about."""

    tree: Path
    edits: int
    planned_at: int
    first_edit_at: int | None
    last_exit_code: int
    """Of the last turn with commands."""


class Stage:
    """Plays each script once and examines each tree once."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._played: dict[str, Played] = {}
        self._verified: dict[str, Suite] = {}

    def play(self, name: str) -> Played:
        if name not in self._played:
            tree = Path(shutil.copytree(SAMPLE, self._root / f"played-{name}"))
            self._played[name] = _play(name, tree)
        return self._played[name]

    def verify(self, name: str) -> Suite:
        """The contestant's source with base's tests, all the new tests and the hidden ones."""
        if name not in self._verified:
            tree = self._root / f"verified-{name}"
            shutil.copytree(SAMPLE if name == "base" else self.play(name).tree, tree)
            shutil.rmtree(tree / "tests")
            shutil.copytree(SAMPLE / "tests", tree / "tests")
            for author in WITH_A_VALID_TEST:
                shutil.copy(self.new_test(author), tree / "tests")
            (tree / HIDDEN).write_text(ACCEPTANCE)
            self._verified[name] = run_tests(tree)
        return self._verified[name]

    def new_test(self, author: str) -> Path:
        (path,) = new_tests(self.play(author).tree)
        return path


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    return Stage(tmp_path_factory.mktemp("stage"))


def script(name: str) -> Script:
    return ScriptedGateway((demo.CONTESTANTS,)).script(f"scripted/{name}")


def environment() -> dict[str, str]:
    """A clean one, with this interpreter in front and none of our own pytest plugins."""
    return {
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), "/usr/bin", "/bin"]),
        "LC_ALL": "C.UTF-8",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "PYTEST_ADDOPTS": "-p no:cacheprovider",
    }


def shell(command: str, cwd: Path) -> "subprocess.CompletedProcess[str]":
    # Where all pytests keep theirs, each would first remove what full runs have left behind.
    folder = cwd.with_name(f"{cwd.name}.tmp")
    folder.mkdir(exist_ok=True)
    return subprocess.run(
        ["bash", "-c", command],
        cwd=cwd,
        env={**environment(), "TMPDIR": str(folder)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=60,
        check=False,
    )


def run_tests(tree: Path) -> Suite:
    done = shell("python -m pytest -q -rA", tree)
    outcomes = re.findall(r"^(PASSED|FAILED|ERROR) (\S+)", done.stdout, flags=re.MULTILINE)
    passed = frozenset(test for outcome, test in outcomes if outcome == "PASSED")
    failed = frozenset(test for outcome, test in outcomes if outcome != "PASSED")
    assert done.returncode == (1 if failed else 0), done.stdout
    return Suite(passed, failed, done.stdout)


def _play(name: str, tree: Path) -> Played:
    edits, planned_at, first_edit_at, exit_code = 0, -1, None, 0
    before = digest(tree)
    for turn, reply in enumerate(script(name).replies):
        if planned_at < 0 and parse_plan(reply.say):
            planned_at = turn
        for command in reply.run:
            done = shell(command, tree)
            exit_code = done.returncode
            assert done.returncode != 127, done.stdout
            assert "Traceback" not in done.stdout, done.stdout
        after = digest(tree)
        if after != before:
            edits += 1
            first_edit_at = turn if first_edit_at is None else first_edit_at
        before = after
    return Played(tree, edits, planned_at, first_edit_at, exit_code)


def files(tree: Path) -> Iterator[Path]:
    return (path for path in sorted(tree.rglob("*")) if path.is_file())


def digest(tree: Path) -> str:
    total = hashlib.sha256()
    for path in files(tree):
        total.update(f"{path.relative_to(tree)}\0".encode() + path.read_bytes())
    return total.hexdigest()


def changed(tree: Path) -> dict[str, int]:
    """Lines added and removed by file."""
    names = {str(path.relative_to(root)) for root in (tree, SAMPLE) for path in files(root)}
    return {
        name: count for name in sorted(names) if (count := _lines(SAMPLE / name, tree / name)) > 0
    }


def _lines(old: Path, new: Path) -> int:
    before, after = (path.read_text().splitlines() if path.exists() else [] for path in (old, new))
    diff = list(difflib.unified_diff(before, after, n=0, lineterm=""))[2:]
    return sum(line.startswith(("+", "-")) for line in diff)


def source_changed(tree: Path) -> dict[str, int]:
    return {name: lines for name, lines in changed(tree).items() if not name.startswith("tests/")}


def new_tests(tree: Path) -> list[Path]:
    return [path for path in files(tree / "tests") if not (SAMPLE / "tests" / path.name).exists()]


def test_the_line_up_is_complete() -> None:
    assert set(SCRIPTS) == {
        "surgeon",
        "architect",
        "laconic",
        "literalist",
        "tamperer",
        "hothead",
        "wanderer",
    }


def test_the_issue_has_a_title_and_says_nothing_of_the_code() -> None:
    issue = demo.issue()
    assert issue.title == "The second of two equal purchases on one day is lost on import"
    assert "$ python -m passbook import" in issue.body
    told = re.search(r"ledger\.py|fingerprint|record|_known|Counter|\bset\b", issue.body)
    assert told is None


def test_the_sample_holds_no_rubbish() -> None:
    kinds = {path.suffix or path.name for path in files(SAMPLE) if "__pycache__" not in path.parts}
    assert kinds == {".py", ".md", ".toml", ".gitignore"}


def test_the_base_suite_passes_although_the_bug_is_there(stage: Stage) -> None:
    suite = stage.verify("base")
    assert len(suite.of(*BASE_TESTS).passed) >= 25
    assert not suite.of(*BASE_TESTS).failed, suite.output
    assert len(suite.of(HIDDEN).failed) >= 8, suite.output


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_is_well_formed(name: str) -> None:
    played = script(name)
    assert len(played.replies) <= MAX_TURNS < demo.MAX_STEPS
    for reply in played.replies:
        assert reply.say.strip()
        assert bool(reply.run) != reply.finish
        assert not reply.tool_calls
        assert 0.05 <= reply.delay_s <= 0.4
        assert reply.cost_usd == 0, "a demo that costs nothing says so"
    assert sum(reply.delay_s for reply in played.replies) < 2
    finishing = [reply.finish for reply in played.replies]
    assert finishing == [False] * (len(finishing) - 1) + [name != "wanderer"]
    assert played.repeat_last == (name == "wanderer")


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_plan_comes_before_the_first_edit_and_edits_are_few(name: str, stage: Stage) -> None:
    played = stage.play(name)
    steps = parse_plan(script(name).replies[played.planned_at].say)
    assert 2 <= len(steps) <= 8
    if name == "wanderer":
        assert played.first_edit_at is None
    else:
        assert played.first_edit_at is not None
        assert played.planned_at <= played.first_edit_at
    assert played.edits <= MAX_EDITS
    assert played.last_exit_code == 0


@pytest.mark.parametrize("name", RIGHT)
def test_the_right_ones_solve_the_issue_and_break_nothing(name: str, stage: Stage) -> None:
    suite = stage.verify(name)
    assert suite.of(*BASE_TESTS).passed == stage.verify("base").of(*BASE_TESTS).passed
    assert suite.of(HIDDEN).passed
    assert not suite.failed, suite.output


def test_the_champion_is_the_smallest_of_the_right_ones(stage: Stage) -> None:
    sizes = {name: source_changed(stage.play(name).tree) for name in RIGHT}
    assert list(sizes["surgeon"]) == list(sizes["laconic"]) == ["passbook/ledger.py"]
    assert sum(sizes["surgeon"].values()) < sum(sizes["laconic"].values())
    assert len(sizes["architect"]) > 3


def test_new_tests_are_brought_as_promised(stage: Stage) -> None:
    brought = {name for name in SCRIPTS if new_tests(stage.play(name).tree)}
    assert brought == set(WITH_A_VALID_TEST)
    assert len({stage.new_test(name).name for name in brought}) == len(brought)


@pytest.mark.parametrize("author", WITH_A_VALID_TEST)
def test_a_new_test_is_red_on_base_and_green_on_its_author(author: str, stage: Stage) -> None:
    path = f"tests/{stage.new_test(author).name}"
    red, green = stage.verify("base").of(path), stage.verify(author).of(path)
    assert red.failed == green.passed
    assert not red.passed
    assert not green.failed


def test_the_literalist_solves_only_the_example(stage: Stage) -> None:
    suite = stage.verify("literalist")
    assert not suite.of(*BASE_TESTS).failed
    assert len(suite.of(HIDDEN).failed) >= 3
    for author in ("surgeon", "architect", "hothead"):
        assert suite.of(f"tests/{stage.new_test(author).name}").failed, author


def test_the_tamperer_changed_a_test_that_its_source_breaks(stage: Stage) -> None:
    tree = stage.play("tamperer").tree
    assert not run_tests(tree).failed
    assert set(changed(tree)) == {"passbook/ledger.py", "tests/test_ledger.py"}
    overlap = "tests/test_ledger.py::test_overlapping_statements_are_not_counted_twice"
    assert stage.verify("tamperer").of(*BASE_TESTS).failed == {overlap}


def test_the_hothead_breaks_a_test_that_it_did_not_run(stage: Stage) -> None:
    broken = stage.verify("hothead").of(*BASE_TESTS).failed
    assert "tests/test_ledger.py::test_another_spelling_is_the_same_booking" in broken
    touched = changed(stage.play("hothead").tree)
    assert [name for name in touched if (SAMPLE / name).exists()] == ["passbook/ledger.py"]


def test_the_wanderer_changes_nothing(stage: Stage) -> None:
    assert changed(stage.play("wanderer").tree) == {}
