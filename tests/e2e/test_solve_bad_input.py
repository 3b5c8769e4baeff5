"""Bad input gets one clear line and exit code 4, and nothing is lost."""

import os
import shutil
from pathlib import Path

import pytest

from tests.e2e.support.arena import Arena, by_model, document, fingerprint, models, refusal
from tests.e2e.support.small import FILES, FINISH, FIX, ISSUE, PLAN, TEST, make, right, solve
from tests.e2e.support.ten_repositories import commit, git, write


@pytest.fixture
def arena(tmp_path: Path) -> Arena:
    return Arena(tmp_path)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make(tmp_path / "repository")


def refused(
    arena: Arena, folder: Path, *words: str, at_once: bool = False, **variables: str
) -> str:
    """The line it is refused with; the folder is as it was and nothing is left."""
    before = fingerprint(folder) if folder.is_dir() else None
    result = solve(arena, folder, *words, **variables)
    line = refusal(result)
    assert not (at_once and "preparing the base" in result.stderr)
    assert before is None or fingerprint(folder) == before
    assert arena.leaves_nothing()
    return line


def solved(arena: Arena, folder: Path, *words: str, **variables: str):
    """The document of a solve that has a champion; the folder is as it was."""
    before = fingerprint(folder)
    result = solve(arena, folder, *words, **variables)
    assert result.returncode == 0, result.stderr
    assert fingerprint(folder) == before
    assert arena.leaves_nothing()
    found = document(result)
    assert found["ranking"][0]["verdict"]["status"] == "passed"
    return found, result.stderr


def test_not_a_git_repository(arena: Arena, tmp_path: Path):
    write(tmp_path / "plain", FILES)
    line = refused(arena, tmp_path / "plain", *models(right(arena)))
    assert "is not a git repository" in line
    assert "git init" in line


@pytest.mark.parametrize(("name", "words"), [("missing", "no folder"), ("file", "is a file")])
def test_no_folder_at_all(arena: Arena, tmp_path: Path, name: str, words: str):
    (tmp_path / "file").touch()
    assert words in refused(arena, tmp_path / name, *models(right(arena)))


def test_an_empty_repository(arena: Arena, tmp_path: Path):
    empty = tmp_path / "empty"
    empty.mkdir()
    git(empty, "init", "--quiet")
    assert "commit" in refused(arena, empty, *models(right(arena)))


def test_a_detached_head(arena: Arena, folder: Path):
    git(folder, "checkout", "--quiet", "--detach")
    line = refused(arena, folder, *models(right(arena)))
    assert "detached" in line
    assert "--base" in line
    solved(arena, folder, "--base", "main", *models(right(arena)))


def test_uncommitted_changes(arena: Arena, folder: Path):
    (folder / "doubling.py").write_text(FILES["doubling.py"] + "# mine\n")
    line = refused(arena, folder, *models(right(arena)))
    assert "--dirty" in line
    found, _ = solved(arena, folder, "--dirty", *models(right(arena)))
    assert arena("apply", found["solve"]["id"]).returncode == 0
    assert (folder / "doubling.py").read_text().endswith("return x + x\n# mine\n")


def test_an_unknown_base(arena: Arena, folder: Path):
    assert "no-such-branch" in refused(
        arena, folder, "--base", "no-such-branch", *models(right(arena))
    )


# Numbers out of their range: tests/cli/solve/test_solve_request.py says them on every commit.
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--model", "openai/gpt-4.1-mni"], ["openai/gpt-4.1-mni", "openai/gpt-4.1-mini"]),
        (["--model", "gpt4.1"], ["gpt-4.1"]),
        (["--model", "openai/gpt-4.1"], ["OPENROUTER_API_KEY"]),
        (["--model", "scripted/nobody"], ["scripted/nobody"]),
        (["--model", "scripted/right", "--strategy", "ballanced"], ["balanced"]),
        (["--model", "scripted/right", "--sandbox", "bubblewrp"], ["bubblewrap"]),
        (["--model", "scripted/right", "--reducer", "smple"], ["simple"]),
        ([], ["--model"]),
        (["--model", "scripted/right", "--temperature", "2.1"], ["--temperature", "2.1"]),
        (["--model", "scripted/right", "--temperature", "-0.1"], ["--temperature", "-0.1"]),
        pytest.param(
            ["--model", "scripted/right", "--temperature", "nan"],
            ["--temperature"],
            marks=pytest.mark.real,
        ),
        (["--model", "scripted/right", "--temperature", "warm"], ["--temperature"]),
        pytest.param(
            ["--model", "scripted/right", "--max-edits", "0"],
            ["--max-edits", "0"],
            marks=pytest.mark.real,
        ),
        pytest.param(
            ["--model", "scripted/right", "--parallel", "0"],
            ["--parallel", "0"],
            marks=pytest.mark.real,
        ),
        pytest.param(
            ["--model", "scripted/right", "--time-budget", "0"],
            ["--time-budget", "0"],
            marks=pytest.mark.real,
        ),
        pytest.param(
            ["--model", "scripted/right", "--budget-usd", "-1"],
            ["--budget-usd"],
            marks=pytest.mark.real,
        ),
        pytest.param(
            ["--model", "scripted/right", "--budget-usd", "nan"],
            ["--budget-usd"],
            marks=pytest.mark.real,
        ),
        (["--model", "scripted/right", "--price", "scripted/right"], ["IN,OUT"]),
        (["--model", "scripted/right", "--price", "nobody=1,2"], ["nobody"]),
        (["--model", "scripted/right", "--apply", "--branch", "x"], ["--apply", "--branch"]),
        (["--model", "scripted/right", "--branch", "main"], ["main", "already"]),
        (["--model", "scripted/right", "--branch", "a..b"], ["a..b"]),
        (["--model", "scripted/right", "--env", "tests"], ["tests"]),
        (["--model", "scripted/right", "--issue-file", "x"], ["--text", "--issue-file"]),
        (["--model", "scripted/right", "--no-such-option"], ["--no-such-option"]),
    ],
)
def test_a_word_that_cannot_be_meant(arena: Arena, folder: Path, words: list[str], said: list[str]):
    right(arena)
    line = refused(arena, folder, *words, at_once=not {"--branch", "--reducer"}.isdisjoint(words))
    assert all(word in line for word in said), line
    assert not (arena.home / "boxes").exists() or not list((arena.home / "boxes").iterdir())


def test_a_budget_of_nothing_for_a_model_that_costs(arena: Arena, folder: Path):
    words = ("--model", "openai/gpt-4.1", "--budget-usd", "0")
    line = refused(arena, folder, *words, OPENROUTER_API_KEY="sk-or-nothing")
    assert "$0" in line
    assert "openai/gpt-4.1" in line


def test_a_budget_of_nothing_when_only_one_of_two_costs(arena: Arena, folder: Path):
    words = ("--model", "openai/gpt-4.1", "--budget-usd", "0", *models(right(arena)))
    refused(arena, folder, *words, at_once=True, OPENROUTER_API_KEY="sk-or-none")


@pytest.mark.real
def test_a_budget_of_nothing_for_one_that_is_free(arena: Arena, folder: Path):
    solved(arena, folder, "--budget-usd", "0", *models(right(arena)))


def test_ten_thousand_cells(arena: Arena, folder: Path):
    many = [word for n in range(100) for word in ("--temperature", str(n / 100))]
    more = [word for n in range(1, 101) for word in ("--max-edits", str(n))]
    line = refused(arena, folder, *models(right(arena)), *many, *more)
    assert "10,000" in line


@pytest.mark.parametrize(
    ("words", "stdin", "said"),
    [
        ((), None, "--text"),
        (("--text", "  \n "), None, "empty"),
        (("--issue-file", "no-such-file.md"), None, "no-such-file.md"),
        (("--issue-file", "."), None, "cannot read"),
        (("--issue-file", "-"), "", "empty"),
        (("--text", "x" * 501), None, "first line"),
    ],
)
def test_an_issue_that_says_nothing(
    arena: Arena, folder: Path, words: tuple[str, ...], stdin: str | None, said: str
):
    result = arena("solve", str(folder), *models(right(arena)), *words, stdin=stdin)
    assert said in refusal(result)


@pytest.mark.real
def test_an_issue_from_standard_input(arena: Arena, folder: Path):
    words = ("--issue-file", "-", "--json", *models(right(arena)))
    result = arena("solve", str(folder), *words, stdin=ISSUE)
    assert result.returncode == 0, result.stderr
    assert document(result)["solve"]["issue"] == "double(0) is 1"


def test_a_test_command_that_does_not_exist(arena: Arena, folder: Path):
    line = refused(arena, folder, "--test", "no-such-program --fast", *models(right(arena)))
    assert "no-such-program" in line


def test_a_set_up_that_fails_says_its_last_lines(arena: Arena, folder: Path):
    setup = "seq 1 500; echo 'the mirror is gone' >&2; exit 7"
    before = fingerprint(folder)
    result = solve(arena, folder, "--setup", setup, *models(right(arena)))
    line = refusal(result)
    assert "7" in line
    assert "--setup" in line
    assert "the mirror is gone" in result.stderr
    assert "\n3\n" not in result.stderr
    assert fingerprint(folder) == before
    assert arena.leaves_nothing()


def test_a_set_up_that_never_ends(arena: Arena, folder: Path):
    write(folder, {".yudai.yml": "setup: sleep 1000\ntimeouts:\n  setup: 1\n"})
    commit(folder, "Wait")
    assert "sleep 1000" in refused(arena, folder, *models(right(arena)))


@pytest.mark.real
def test_there_are_no_tests_yet(arena: Arena, tmp_path: Path):
    bare = tmp_path / "bare"
    write(bare, {"doubling.py": FILES["doubling.py"], "README.md": "No tests.\n"})
    commit(bare, "Begin")
    model = arena.script("fixer", {"say": PLAN, "run": FIX}, FINISH)
    result = solve(arena, bare, "--accept-unproved", *models(model))
    found = document(result)
    [place] = found["ranking"]
    assert (result.returncode, found["solve"]["champion"]) == (2, None)
    assert place["verdict"]["status"] == "unverified"
    assert "0 pass, 0 fail" in result.stderr


@pytest.mark.real
def test_a_suite_that_dies_before_a_test_runs(arena: Arena, tmp_path: Path):
    dead = make(tmp_path / "dead", **{"tests/__init__.py": "import os\nos._exit(3)\n"})
    line = refused(arena, dead, *models(right(arena)))
    assert "nothing can be verified" in line
    assert "--test" in line


def test_a_base_that_fails_half_its_tests(arena: Arena, tmp_path: Path):
    red = "".join(f"    def test_red_{n}(self):\n        self.fail()\n\n" for n in range(3))
    green = "".join(f"    def test_green_{n}(self):\n        pass\n\n" for n in range(2))
    text = f"import unittest\n\n\nclass Half(unittest.TestCase):\n{red}{green}"
    half = make(tmp_path / "half", **{"tests/test_half.py": text})
    found, said = solved(arena, half, *models(right(arena)))
    assert "3 fail" in said
    assert "test_red_0" in said
    assert found["ranking"][0]["verdict"]["broken"] == []


@pytest.mark.real
def test_submodules_and_lfs_pointers_and_links_that_lead_outside(arena: Arena, tmp_path: Path):
    odd = make(
        tmp_path / "odd",
        **{
            ".gitattributes": "*.psd filter=lfs diff=lfs merge=lfs -text\n",
            "logo.psd": f"version https://git-lfs.github.com/spec/v1\noid sha256:{'a' * 64}\n"
            "size 12345\n",
            ".gitmodules": '[submodule "vendored"]\n\tpath = vendored\n\turl = ../vendored\n',
        },
    )
    (odd / "outside").symlink_to("../../etc/passwd")
    (odd / "absolute").symlink_to("/etc")
    head = git(odd, "rev-parse", "HEAD").strip()
    git(odd, "add", "--all")
    git(odd, "update-index", "--add", "--cacheinfo", f"160000,{head},vendored")
    git(odd, "commit", "--quiet", "--message", "Odd things")
    (odd / "vendored").mkdir()
    _, said = solved(arena, odd, *models(right(arena)))
    for words in ("submodule is left empty: vendored", "logo.psd", "outside"):
        assert words in " ".join(said.split())


def test_names_with_spaces_newlines_and_bytes_that_are_no_text(arena: Arena, tmp_path: Path):
    odd = make(tmp_path / "a folder\nwith lines", **{"with space.txt": "1\n", "line\nend.txt": ""})
    (odd / os.fsdecode(b"caf\xe9.txt")).write_text("2\n")
    commit(odd, "Names")
    rename = "printf '3\\n' >> 'with space.txt' && printf '4\\n' >> \"$(printf 'caf\\351.txt')\""
    found, _ = solved(arena, odd, *models(right(arena, also=rename)))
    applied = arena("apply", "--json")
    assert applied.returncode == 0, applied.stderr
    assert (odd / "with space.txt").read_text() == "1\n3\n"
    assert (odd / os.fsdecode(b"caf\xe9.txt")).read_text() == "2\n4\n"
    assert found["ranking"][0]["files_changed"] == 3


def test_a_model_name_that_is_a_file_with_nonsense(arena: Arena, folder: Path, tmp_path: Path):
    (tmp_path / "nonsense.yaml").write_text("- [")
    assert "nonsense.yaml" in refused(arena, folder, "--model", "scripted/nonsense")


@pytest.mark.parametrize("home", ["/proc/yudai", "/sys/yudai", "file/yudai"])
def test_a_home_that_cannot_be_written(arena: Arena, folder: Path, tmp_path: Path, home: str):
    (tmp_path / "file").touch()
    place = str(tmp_path / home) if not home.startswith("/") else home
    line = refused(arena, folder, *models(right(arena)), YUDAI_HOME=place)
    assert "YUDAI_HOME" in line


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write to a read-only folder")
def test_a_home_that_is_read_only(arena: Arena, folder: Path, tmp_path: Path):
    (tmp_path / "closed").mkdir(mode=0o555)
    home = str(tmp_path / "closed" / "yudai")
    assert "YUDAI_HOME" in refused(arena, folder, *models(right(arena)), YUDAI_HOME=home)


@pytest.mark.real
def test_a_folder_that_changes_before_the_answer_is_taken(arena: Arena, folder: Path):
    solved(arena, folder, *models(right(arena)))
    mine = "def double(x):\n    return 2 * x\n"
    (folder / "doubling.py").write_text(mine)
    before = fingerprint(folder)
    line = refusal(arena("apply"))
    assert "doubling.py" in line
    assert fingerprint(folder) == before


def test_there_is_nothing_to_apply(arena: Arena, folder: Path):
    assert "solve" in refusal(arena("apply"))
    quiet = arena.script("quiet", {"run": "true"}, FINISH)
    assert solve(arena, folder, *models(quiet)).returncode == 2
    assert "no champion" in refusal(arena("apply"))


@pytest.mark.real
def test_a_repository_that_goes_away(arena: Arena, folder: Path):
    solved(arena, folder, *models(right(arena)))
    shutil.rmtree(folder)
    assert str(folder) in refusal(arena("apply"))
    assert by_model(document(arena("show", "--json")))["right"]["verdict"]["status"] == "passed"
    assert (
        TEST.splitlines()[-2].strip() in arena("show", "right-t0.2-e10-balanced", "--diff").stdout
    )
