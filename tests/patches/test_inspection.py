"""What keeps a patch from being published, and what a reviewer is told first."""

from pathlib import Path

import pytest

from tests.support.forge.repositories import Repository
from tests.support.resource_bombs import block, delta_bomb, section
from yudai.kit.errors import RefusedError
from yudai.patches.inspection import Bounds, Inspection, Rule, fold, inspect, too_large
from yudai.patches.patch import Patch, parse_patch

TOKEN = "ghp_q8Zr2Lx9Vb4Tn7Kc3Wm6Yp1Hd5Sg0Jf8Ue2A"  # noqa: S105 - it was never one


def change(path: str, *, mode: str = "100644", old_mode: str = "", text: str = "x") -> str:
    """A file added, or, with an old mode, changed."""
    head = f"diff --git a/{path} b/{path}\n"
    if not old_mode:
        return (
            f"{head}new file mode {mode}\nindex {'0' * 40}..{'1' * 40}\n"
            f"--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+{text}\n"
        )
    modes = f"old mode {old_mode}\nnew mode {mode}\n" if mode != old_mode else ""
    index = f"index {'2' * 40}..{'1' * 40}{'' if modes else f' {mode}'}\n"
    return f"{head}{modes}{index}--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-y\n+{text}\n"


def patch(*parts: str) -> Patch:
    return parse_patch("".join(parts))


def blocks(found: Inspection) -> list[Rule]:
    return [reason.rule for reason in found.blocks]


def flags(found: Inspection) -> list[Rule]:
    return [reason.rule for reason in found.flags]


def test_an_ordinary_patch_is_publishable():
    found = inspect(patch(change("src/app.py"), change("docs/a b.md", old_mode="100644")))

    assert found == Inspection()
    assert not found.blocks
    found.check()


BLOCKED = [
    (".github/workflows/ci.yml", Rule.WORKFLOW),
    (".GitHub/Workflows/CI.yml", Rule.WORKFLOW),
    (".github/workflows", Rule.WORKFLOW),
    (".github\u200d/workflows/ci.yml", Rule.WORKFLOW),
    (".github/workflows./ci.yml", Rule.WORKFLOW),
    (".github/actions/build/action.yml", Rule.WORKFLOW),
    (".gitea/workflows/x.yaml", Rule.WORKFLOW),
    ("CODEOWNERS", Rule.OWNERS),
    (".github/codeowners", Rule.OWNERS),
    ("docs/CODEOWNERS", Rule.OWNERS),
    (".gitmodules", Rule.SUBMODULE),
    (".GITMODULES", Rule.SUBMODULE),
    ("vendor/.gitmodules", Rule.SUBMODULE),
    (".gitlab-ci.yml", Rule.CI),
    (".circleci/config.yml", Rule.CI),
    ("Jenkinsfile", Rule.CI),
    ("ci/Jenkinsfile.release", Rule.CI),
    ("azure-pipelines.yml", Rule.CI),
    (".travis.yml", Rule.CI),
    ("bitbucket-pipelines.yml", Rule.CI),
    (".buildkite/pipeline.yml", Rule.CI),
    ("cloudbuild.yaml", Rule.CI),
]


@pytest.mark.parametrize(("path", "rule"), BLOCKED)
def test_files_that_decide_what_runs_with_rights_block(path: str, rule: Rule):
    for part in (change(path), change(path, old_mode="100644")):
        found = inspect(patch(change("a.py"), part))

        assert rule in blocks(found)
        with pytest.raises(RefusedError, match=r"a person has to change"):
            found.check()


@pytest.mark.parametrize(
    "path", ["src/workflows/a.py", "template/.github/workflows/ci.yml", "lib/jenkinsfile_parser.py"]
)
def test_names_that_only_look_like_them_do_not(path: str):
    assert not inspect(patch(change(path))).blocks


@pytest.mark.parametrize(
    "path", ["../x", "/etc/passwd", ".git/hooks/pre-commit", "a/.GIT/config", "a/git~1/config"]
)
def test_paths_that_lead_astray_block(path: str):
    assert Rule.ASTRAY in blocks(inspect(patch(change(path))))


def test_the_repository_s_own_protected_paths_block():
    found = inspect(patch(change("infra/main.tf")), protected=("infra/**",))

    assert blocks(found) == [Rule.ASTRAY]
    assert found.blocks[0].text == "infra/main.tf: is protected by .yudai.yml"


def test_links_submodules_and_odd_modes_block():
    assert blocks(inspect(patch(change("a", mode="120000", text="b")))) == [Rule.LINK]
    assert Rule.LINK in blocks(inspect(patch(change("a", mode="100644", old_mode="120000"))))
    assert Rule.ASTRAY in blocks(inspect(patch(change("a", mode="160000"))))
    assert blocks(inspect(patch(change("a", mode="104755")))) == [Rule.MODE]


def test_a_deleted_workflow_blocks_too(tmp_path: Path):
    repository = Repository.create(tmp_path / "r", {".github/workflows/ci.yml": "on: push\n"})
    text = repository.patch({".github/workflows/ci.yml": None}).decode()

    assert blocks(inspect(parse_patch(text))) == [Rule.WORKFLOW]


def test_sizes_block_before_anything_else_is_read():
    bounds = Bounds(patch_bytes=1000, files=2)
    small = [change(f"{n}.py") for n in range(3)]

    assert not inspect(patch(*small[:2]), bounds=bounds).blocks
    found = inspect(patch(*small), bounds=bounds)
    assert [reason.text for reason in found.blocks] == [
        "the patch changes 3 files, 2 are published"
    ]
    found = inspect(patch(change(".github/workflows/a", text="x" * 1000)), bounds=bounds)
    assert blocks(found) == [Rule.SIZE]
    assert too_large(1000, bounds) is None
    assert too_large(6 << 20) is not None


@pytest.mark.parametrize("bomb", [delta_bomb(), section(block("literal", b"\0" * (21 << 20)))])
def test_bombs_block(bomb: bytes):
    assert blocks(inspect(patch(bomb.decode()))) == [Rule.SIZE]


def test_secrets_block_and_are_not_shown():
    hidden = section(block("literal", b"\0" + TOKEN.encode()))
    for text in (change("a.py", text=f"t = '{TOKEN}'"), hidden.decode()):
        found = inspect(patch(text))

        assert blocks(found) == [Rule.SECRET]
        assert TOKEN not in str(found)
        assert "ghp_…Ue2A: a secret is never published" in found.blocks[0].text


FLAGGED = [
    ("uv.lock", Rule.LOCK_FILE),
    ("web/package-lock.json", Rule.LOCK_FILE),
    ("go.sum", Rule.LOCK_FILE),
    (".github/dependabot.yml", Rule.FORGE_FILE),
    (".github/ISSUE_TEMPLATE/bug.md", Rule.FORGE_FILE),
    ("pyproject.toml", Rule.BUILD),
    ("web/package.json", Rule.BUILD),
    ("Makefile", Rule.BUILD),
    ("Dockerfile", Rule.BUILD),
    ("tests/conftest.py", Rule.BUILD),
    ("sitecustomize.py", Rule.AUTORUN),
    (".vscode/tasks.json", Rule.AUTORUN),
    ("AGENTS.md", Rule.AUTORUN),
    (".gitattributes", Rule.AUTORUN),
]


@pytest.mark.parametrize(("path", "rule"), FLAGGED)
def test_what_a_reviewer_should_see_is_flagged_and_published(path: str, rule: Rule):
    found = inspect(patch(change(path)))

    assert not found.blocks
    assert flags(found) == [rule]
    assert found.flags[0].text.startswith(f"{path}: ")


def test_new_executables_and_hidden_text_are_flagged():
    assert flags(inspect(patch(change("run", mode="100755")))) == [Rule.EXECUTABLE]
    assert flags(inspect(patch(change("run", mode="100755", old_mode="100644")))) == [
        Rule.EXECUTABLE
    ]
    assert flags(inspect(patch(change("run", mode="100755", old_mode="100755")))) == []
    assert flags(inspect(patch(change("a.py", text="x = '\u202e'")))) == [Rule.HIDDEN_TEXT]


def test_every_block_is_reported_once_and_not_too_many():
    many = inspect(patch(*(change(f".github/workflows/{n}.yml") for n in range(30))))

    with pytest.raises(RefusedError) as refused:
        many.check()
    assert str(refused.value).count("a person has to change") == 10


def test_paths_are_folded_as_file_systems_do():
    assert fold(".GitHub/\uff37ORKFLOWS/x. ") == ".github/workflows/x"
