"""Options of `yudai judge` become a request, or one line that says what to do."""

import base64
import io
from pathlib import Path
from types import SimpleNamespace

import pytest

from yudai.cli.main import run
from yudai.cli.options import Given, Options
from yudai.cli.solve.patches import check_again
from yudai.cli.solve.request import read_request, to_request
from yudai.kit.errors import RefusedError
from yudai.settings import Settings
from yudai.solves.domain.request import SolveAsk

DIFF = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"
FORGE = "https://forge.test"
NOTHING = Given()


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fix.patch").write_text(DIFF)
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "fix.patch").write_text(DIFF)
    return tmp_path


def ask(*targets: str, text: str = "x is wrong", **changes: object) -> SolveAsk:
    judged = {name: changes.pop(name) for name in Given._fields if name in changes}
    given = Given(targets=targets)._replace(**judged)
    options = Options(text=text)._replace(judged=given, **changes)
    return read_request(options, Settings.at(Path.cwd()), forge=FORGE)


def test_files_branches_and_commits_of_a_folder(here: Path):
    asked = ask(patch=["fix.patch", "sub/fix.patch"], branches=("codex",), commits=("abcdef12",))
    assert (asked.repo_path, asked.matrix.models) == (str(here), ())
    assert "matrix" not in asked.model_dump(mode="json", exclude_unset=True)
    assert [one.contestant.handle for one in asked.patches] == [
        "fix.patch",
        "fix.patch",
        "codex",
        "abcdef12",
    ]
    assert asked.patches[0].patch == DIFF


def test_what_is_no_text_is_sent_as_bytes(here: Path):
    content = DIFF.encode().replace(b"+b", b"+caf\xe9")
    (here / "latin.diff").write_bytes(content)
    [patch] = ask(patch=["latin.diff"]).patches
    assert (base64.b64decode(patch.patch_base64), patch.handle) == (content, "latin.diff")


def test_a_patch_from_standard_input(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(DIFF.encode())))
    [patch] = ask(patch=["-"]).patches
    assert (patch.handle, patch.patch) == ("stdin", DIFF)


def test_pull_requests_of_one_repository():
    asked = ask("ada/calc#3", f"{FORGE}/ada/calc/pull/4", text="")
    assert (asked.repo_url, asked.issue_number, asked.pulls) == (f"{FORGE}/ada/calc", None, (3, 4))
    asked = ask("ada/calc#3", "ada/calc", text="", issue="#12", branches=("fix",))
    assert (asked.issue_number, asked.issue_repo, asked.pulls) == (12, "", (3,))
    assert asked.patches[0].branch == "fix"


def test_an_issue_at_the_forge_for_a_folder():
    asked = ask(text="", issue="ada/calc#12", branches=("fix",))
    assert (asked.issue_number, asked.issue_repo) == (12, "ada/calc")
    assert asked.issue.label == "#12 ada/calc#12"


def test_authors_are_named_by_handle_or_file():
    asked = ask(
        patch=["sub/fix.patch"],
        branches=("codex", "claude"),
        authors=("ada=sub/fix.patch", "bot=codex", "bot=claude"),
    )
    assert [one.author for one in asked.patches] == ["ada", "bot", "bot"]
    assert [one.author for one in ask(patch=["fix.patch"], authors=("a b=fix.patch",)).patches] == [
        "a b"
    ]


@pytest.mark.parametrize(
    ("targets", "changes", "words"),
    [
        ((), {}, "say what to judge: --patch FILE, --branch NAME"),
        (("ada/calc",), {}, "say what to judge"),
        ((), {"patch": ["none.patch"]}, "cannot read the patch none.patch: No such file"),
        ((), {"patch": ["sub"]}, "cannot read the patch sub: Is a directory"),
        ((), {"patch": ["plain.txt"]}, "plain.txt: this is no patch"),
        ((), {"patch": ["huge.patch"]}, "is larger than 4 MB"),
        ((), {"branches": ("fix",), "text": ""}, "--issue owner/repo#12"),
        (("ada/calc",), {"branches": ("fix",), "text": ""}, "--issue NUMBER"),
        (("ada/calc#1", "ada/other#2"), {}, "pull requests of one repository"),
        ((".", "sub"), {"branches": ("fix",)}, "name one folder"),
        ((".", "ada/calc#1"), {}, "name one folder"),
        ((), {"branches": ("fix",), "issue": "12"}, "--issue is owner/repo#12"),
        ((), {"branches": ("fix",), "issue": "ada/calc"}, "--issue is owner/repo#12"),
        ((), {"branches": ("fix",), "authors": ("ada",)}, "--author is NAME=HANDLE"),
        ((), {"branches": ("fix",), "authors": ("ada=fox",)}, "did you mean fix"),
        ((), {"commits": ("HEAD~1",)}, "--commit: "),
        ((), {"branches": ("fix",), "pr": True}, "--apply or --to-branch"),
        (("ada/calc#1",), {"branch": "x"}, "--to-branch is only for a folder"),
        ((), {"patch": ["fix.patch"] * 33}, "patches: "),
    ],
)
def test_what_is_wrong_is_one_line(
    here: Path, targets: tuple[str, ...], changes: dict[str, object], words: str
):
    (here / "plain.txt").write_text("please fix it\n")
    (here / "huge.patch").write_text(DIFF + "x" * (4 << 20))
    with pytest.raises(RefusedError) as refused:
        ask(*targets, **changes)  # pyright: ignore[reportArgumentType] - a table's values
    assert words in str(refused.value)
    assert "\n" not in str(refused.value)


def test_solve_takes_patches_beside_its_models(tmp_path: Path):
    options = Options(text="x", model=["gpt-4.1"], patch=["fix.patch"])
    asked = to_request(options, Settings.at(tmp_path), None)
    assert (asked.matrix.models, [one.handle for one in asked.patches]) == (
        ("gpt-4.1",),
        ["fix.patch"],
    )
    with pytest.raises(RefusedError, match="`yudai judge` needs none"):
        to_request(options._replace(model=None), Settings.at(tmp_path), None)


@pytest.mark.parametrize(
    ("options", "given", "name"),
    [
        (Options(patch=["x"]), NOTHING, "--patch"),
        (Options(test="make"), NOTHING, "--test"),
        (Options(base="v1"), NOTHING, "--base"),
        (Options(), Given(branches=("x",)), "--branch"),
        (Options(), Given(targets=(".",)), "the repository"),
    ],
)
def test_an_earlier_solve_has_its_own(options: Options, given: Given, name: str):
    with pytest.raises(RefusedError, match=f"leave {name} out"):
        check_again(options, given)
    check_again(Options(reducer="first", accept_unproved=True, apply=True), NOTHING)


def test_nothing_to_judge_is_an_exit_code_and_a_line(capsys: pytest.CaptureFixture[str]):
    assert run(["judge", "--text", "x"]) == 4
    assert capsys.readouterr().err.startswith("yudai: say what to judge: --patch FILE")
