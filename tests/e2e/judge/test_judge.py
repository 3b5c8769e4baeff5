"""`yudai judge` as a person types it: patches of a folder, in this process and at a server."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.support import small
from tests.e2e.support.arena import Arena, changed, document, fingerprint
from tests.e2e.support.service import installed
from tests.support.forge.repositories import Repository

SOURCE = small.FILES["doubling.py"]
TEST = small.TEST.partition("\n")[2].removesuffix("EOF")
RIGHT = {"doubling.py": SOURCE.replace(" if x else 1", ""), "tests/test_zero.py": TEST}
WRONG = {"doubling.py": SOURCE.replace("else 1", "else 2")}
WORDS = ("--text", small.ISSUE, "--json")


@pytest.fixture
def arena(tmp_path: Path) -> Arena:
    """With a folder and three patches of it, of which one is of a line that is gone."""
    repository = Repository(small.make(tmp_path / "folder"))
    for name, files in (("right", RIGHT), ("wrong", WRONG)):
        (tmp_path / f"{name}.patch").write_bytes(repository.patch(files))
    old = (tmp_path / "wrong.patch").read_text().replace("if x else", "unless not x else")
    (tmp_path / "old.patch").write_text(old)
    return Arena(tmp_path)


def patches() -> tuple[str, ...]:
    names = ("right", "wrong", "old")
    return tuple(word for name in names for word in ("--patch", f"{name}.patch"))


def places(found: dict[str, Any]) -> dict[str, Any]:
    return {place["handle"]: place for place in found["ranking"]}


def test_three_patches_of_a_folder_and_the_best_one_applied(arena: Arena):
    folder = arena.root / "folder"
    before = fingerprint(folder)
    judged = arena("judge", "folder", *patches(), "--author", "ada=right.patch", *WORDS)
    assert judged.returncode == 0, judged.stderr
    found = document(judged)
    by_name = places(found)
    assert found["solve"]["champion"] == by_name["right.patch"]["run_id"]
    assert by_name["right.patch"]["verdict"]["status"] == "passed"
    assert by_name["wrong.patch"]["verdict"]["status"] == "failed"
    assert (by_name["old.patch"]["state"], by_name["old.patch"]["cause"]) == (
        "failed",
        "patch_refused",
    )
    assert found["solve"]["cost_usd"] == 0
    assert "3, 4 at a time: right.patch, wrong.patch, old.patch" in " ".join(judged.stderr.split())
    assert fingerprint(folder) == before

    shown = arena("show", "right.patch")
    assert shown.returncode == 0, shown.stderr
    assert "by ada" in shown.stdout
    assert arena("apply").returncode == 0
    after = fingerprint(folder)
    assert changed(before, after) == {"doubling.py", "tests/test_zero.py"}
    again = arena("judge", "--solve", found["solve"]["id"], "--json")
    assert again.returncode == 0, again.stderr
    assert set(places(document(again))) == {"right.patch", "wrong.patch"}
    assert arena.leaves_nothing()


def test_two_patches_of_which_each_fails_the_others_test_and_a_person_who_knows(arena: Arena):
    five = {
        "doubling.py": SOURCE.replace("else 1", "else 5"),
        "tests/test_five.py": TEST.replace("double(0), 0", "double(0), 5"),
    }
    patch = Repository(arena.root / "folder").patch(five)
    (arena.root / "my five.patch").write_bytes(patch)
    both = ("--patch", "right.patch", "--patch", "my five.patch")
    judged = arena("judge", "folder", *both, *WORDS)
    assert judged.returncode == 2, judged.stderr
    found = document(judged)
    assert (found["solve"]["state"], found["solve"]["champion"]) == ("awaiting_review", None)
    [question] = found["questions"]
    assert question["kind"] == "support"
    assert {choice["id"] for choice in question["choices"]} >= {"right.patch", "my five.patch"}
    for words in (
        "right.patch fails my five.patch::",
        "AssertionError: 0 != 5",
        "AssertionError: 5 != 0",
        "The issue says: ",
    ):
        assert words in question["detail"]
    waiting = arena("answer", found["solve"]["id"])
    for run_id in question["runs"]:
        assert f"show {run_id[-8:]} --diff" in waiting.stdout
    answered = arena("answer", found["solve"]["id"], "right.patch", "--json")
    assert answered.returncode == 0, answered.stderr
    by_name = places(document(answered))
    assert document(answered)["solve"]["champion"] == by_name["right.patch"]["run_id"]
    assert by_name["my five.patch"]["verdict"]["status"] == "failed"


@pytest.mark.real
def test_a_branch_becomes_a_branch(arena: Arena):
    folder = arena.root / "folder"
    repository = Repository(folder)
    repository.git("checkout", "-q", "-b", "claude")
    repository.write(RIGHT)
    repository.commit("fix it")
    repository.git("checkout", "-q", "-")
    judged = arena("judge", "folder", "--branch", "claude", "--to-branch", "fix/zero", *WORDS)
    assert judged.returncode == 0, judged.stderr
    assert set(places(document(judged))) == {"claude"}
    diff = repository.git("diff", "claude", "fix/zero")
    assert diff == ""


@pytest.mark.real
def test_no_champion_and_nothing_to_judge_have_their_exit_codes(arena: Arena):
    judged = arena("judge", "folder", "--patch", "wrong.patch", *WORDS)
    assert judged.returncode == 2, judged.stderr
    assert document(judged)["solve"]["champion"] is None
    refused = arena("judge", "folder", *WORDS)
    assert (refused.returncode, refused.stdout) == (4, "")
    assert refused.stderr.startswith("yudai: say what to judge: --patch FILE, --branch NAME")
    refused = arena("judge", "folder", "--branch", "nope", *WORDS)
    assert refused.returncode == 4
    assert "there is no branch or commit nope" in refused.stderr


def test_a_patch_beside_an_agent(arena: Arena):
    idle = arena.script("idle", small.FINISH)
    solved = arena(*small.SOLVE, idle, "--patch", "right.patch")
    assert solved.returncode == 0, solved.stderr
    by_name = places(document(solved))
    assert len(by_name) == 2
    assert document(solved)["solve"]["champion"] == by_name["right.patch"]["run_id"]


def test_beside_a_server_it_judges(tmp_path: Path, arena: Arena):
    latin = (arena.root / "right.patch").read_bytes().replace(b"import unittest", b"# caf\xe9", 1)
    (arena.root / "latin.patch").write_bytes(
        latin.replace(b"+# caf", b"+# -*- coding: latin-1 -*- caf")
    )
    with installed(tmp_path / "service") as house:
        house.serve()
        arena.variables |= {"YUDAI_HOME": house.arena.variables["YUDAI_HOME"]}
        latin_too = ("--patch", "latin.patch")
        judged = arena("judge", "folder", *patches(), *latin_too, "--apply", *WORDS)
        assert judged.returncode == 0, judged.stderr
        found = document(judged)
        assert found["solve"]["champion"] == places(found)["right.patch"]["run_id"]
        assert places(found)["old.patch"]["cause"] == "patch_refused"
        assert places(found)["latin.patch"]["cause"] is None
        assert (arena.root / "folder" / "tests" / "test_zero.py").exists()
        again = arena("judge", "--solve", found["solve"]["id"], "--json")
        assert again.returncode == 0, again.stderr
        assert document(again)["solve"]["id"] != found["solve"]["id"]
        listed = subprocess.run(
            ["git", "status", "--porcelain"],
            cwd=arena.root / "folder",
            capture_output=True,
            text=True,
            check=True,
        )
        assert "doubling.py" in listed.stdout
