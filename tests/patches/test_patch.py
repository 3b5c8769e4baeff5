import os
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from yudai.kit.errors import RefusedError
from yudai.patches.patch import Patch, forbidden, parse_patch, readable
from yudai.verification.domain.size.size import size_of

ENV = {
    "PATH": os.environ["PATH"],
    "HOME": "/nonexistent",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
}

Tree = Mapping[bytes, bytes]


def git(folder: Path, *arguments: str) -> bytes:
    command = ["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments]
    return subprocess.run(command, cwd=folder, env=ENV, capture_output=True, check=True).stdout


def fill(folder: Path, tree: Tree) -> None:
    for name, content in tree.items():
        path = os.path.join(os.fsencode(folder), name)  # noqa: PTH118 - names that are no text
        os.makedirs(os.path.dirname(path), exist_ok=True)  # noqa: PTH103, PTH120 - the same
        with open(path, "wb") as file:  # noqa: PTH123 - the same
            file.write(content)


def empty(folder: Path) -> None:
    git(folder, "rm", "-rqf", "--ignore-unmatch", ".")


class Repository:
    """A real one: its patches are git's own."""

    def __init__(self, folder: Path, base: Tree) -> None:
        self.folder = folder
        git(folder, "init", "-q")
        fill(folder, base)
        git(folder, "add", "-A")
        git(folder, "commit", "-qm", "base", "--allow-empty")

    def diff(self, change: Callable[[Path], object]) -> str:
        change(self.folder)
        git(self.folder, "add", "-A")
        made = git(self.folder, "diff", "--cached", "--binary", "--full-index", "--no-renames")
        return made.decode("utf-8", "surrogateescape")


def write(**files: str) -> Callable[[Path], None]:
    return lambda folder: fill(folder, {os.fsencode(k): v.encode() for k, v in files.items()})


def patch_of(tmp_path: Path, change: Callable[[Path], object], **base: str) -> Patch:
    tree = {os.fsencode(name): content.encode() for name, content in base.items()}
    text = Repository(tmp_path, tree).diff(change)
    patch = parse_patch(text)
    assert patch.text == text
    return patch


def test_counts_what_changed(tmp_path: Path):
    patch = patch_of(tmp_path, write(old="1\nB\n3\n4\n", new="x\n"), old="1\n2\n3\n")
    old, new = sorted(patch.files, key=lambda change: change.path, reverse=True)
    assert (old.path, old.kind, old.added, old.removed) == ("old", "modified", 2, 1)
    assert (new.path, new.kind, new.added, new.removed) == ("new", "added", 1, 0)
    assert (old.old_mode, old.new_mode) == ("100644", "100644")
    assert (new.old_mode, new.new_mode) == ("", "100644")
    assert (patch.files_changed, patch.lines_changed) == (2, 4)


def test_a_deleted_file(tmp_path: Path):
    [change] = patch_of(tmp_path, empty, old="1\n2\n").files
    assert (change.kind, change.added, change.removed) == ("deleted", 0, 2)
    assert (change.old_mode, change.new_mode) == ("100644", "")


def test_a_change_of_mode_only(tmp_path: Path):
    [change] = patch_of(tmp_path, lambda folder: (folder / "run").chmod(0o755), run="x\n").files
    assert (change.kind, change.old_mode, change.new_mode) == ("modified", "100644", "100755")
    assert change.added_lines == []


def test_an_empty_file(tmp_path: Path):
    [change] = patch_of(tmp_path, write(empty="")).files
    assert (change.path, change.kind, change.added) == ("empty", "added", 0)


def test_a_binary_file(tmp_path: Path):
    contents = bytes(range(256)) * 40
    patch = patch_of(tmp_path, lambda folder: (folder / "b.bin").write_bytes(contents), a="x\n")
    [change] = patch.files
    assert change.is_binary
    assert change.added_lines == []


def test_lines_that_look_like_headers(tmp_path: Path):
    lines = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\nGIT binary patch\n"
    [change] = patch_of(tmp_path, write(trap=lines), trap="-- a\n++ b\n").files
    assert (change.added, change.removed) == (5, 2)
    assert change.added_lines[0] == "diff --git a/x b/x"


def test_files_without_a_last_newline_and_with_odd_line_ends(tmp_path: Path):
    [change] = patch_of(tmp_path, write(f="a\r\nb\x0c\x0b\x1c\u2028c"), f="a\r\nb").files
    assert (change.added, change.removed) == (1, 1)


def test_a_file_that_becomes_a_link(tmp_path: Path):
    def replace(folder: Path) -> None:
        (folder / "f").unlink()
        (folder / "f").symlink_to("g")

    patch = patch_of(tmp_path, replace, f="1\n")
    assert [change.kind for change in patch.files] == ["deleted", "added"]
    assert patch.files[1].new_mode == "120000"
    assert patch.files_changed == 1
    assert forbidden(patch) == ()


@pytest.mark.parametrize(
    "name",
    [
        b"with space",
        b"a b/c b",
        b" a b/ a",
        b'quo"te',
        b'two " "quotes',
        b"back\\slash",
        b"tab\tnewline\n",
        "grün/ñandú.py".encode(),
        b"latin-\xe9\xff",
        b"bell\x07\x01",
        b"b/b b/b",
    ],
)
@pytest.mark.parametrize("contents", [b"x\n", b"", b"\x00\x01"])
def test_names_as_git_writes_them(tmp_path: Path, name: bytes, contents: bytes):
    text = Repository(tmp_path, {b"keep": b""}).diff(lambda folder: fill(folder, {name: contents}))
    patch = parse_patch(text)
    assert [os.fsencode(change.path) for change in patch.files] == [name]
    assert patch.text == text


NAMES = st.sampled_from([b"a", b"b c", b"d/e", "é".encode(), b"\xff", b'q"', b"tests/t.py"])
CONTENTS = st.one_of(
    st.binary(max_size=40),
    st.lists(st.sampled_from([b"x", b"--- a/x", b"", b"\\ No", b"\xe9\r"]), max_size=8).map(
        b"\n".join
    ),
)
TREES = st.dictionaries(NAMES, CONTENTS, max_size=4)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(TREES, TREES)
@example({b"a": b"1\n"}, {})
def test_what_git_made_comes_back_as_it_was(before: Tree, after: Tree):
    with tempfile.TemporaryDirectory() as folder:
        repository = Repository(Path(folder), before)

        def change(folder: Path) -> None:
            empty(folder)
            fill(folder, after)

        text = repository.diff(change)
    patch = parse_patch(text)
    assert patch.text == text
    changed = {n for n in before.keys() | after.keys() if before.get(n) != after.get(n)}
    assert {os.fsencode(path) for path in patch.paths} == changed
    assert parse_patch(patch.source.text + patch.tests.text).paths == patch.paths


def test_test_files_do_not_count(tmp_path: Path):
    def change(folder: Path) -> None:
        fill(folder, {b"src/a.py": b"1\n2\n", b"tests/test_a.py": b"1\n" * 50})

    patch = patch_of(tmp_path, change)
    assert (patch.files_changed, patch.lines_changed) == (2, 52)
    assert (patch.source.files_changed, patch.source.lines_changed) == (1, 2)
    assert patch.tests.paths == {"tests/test_a.py"}
    assert patch.only(lambda change: change.added > 2) == patch.tests


def test_nothing_is_a_patch_of_nothing():
    assert parse_patch("") == Patch(files=())


HEADER = "diff --git a/x b/x\nindex 1111111..2222222 100644\n"
NAMED = f"{HEADER}--- a/x\n+++ b/x\n"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("hello\n", "`diff --git` expected"),
        ("\n", "`diff --git` expected"),
        ("diff --git a/x b/x", "last line has no end"),
        ("diff --git a/x b/x\n", "a file without a change"),
        ("diff --git \n", "two different names"),
        ("diff --git a/ b/\n", "two different names"),
        ("diff --git a/x b/y\n", "two different names"),
        ("diff --git a/xyb/x\n", "two different names"),
        ("diff --git c/x d/x\n", "two different names"),
        ('diff --git "a/x" b/x\n', "two different names"),
        ('diff --git "a/x" "b/\\q"\n', "quoted name"),
        ('diff --git "a/x" "b/x\n', "quoted name"),
        ('diff --git "\n', "two different names"),
        (f"{HEADER}Binary files a/x and b/x differ\n", "unknown line"),
        ("diff --git a/x b/x\nsimilarity index 90%\n", "unknown line"),
        (f"{HEADER}--- a/x\n", "ends in the middle"),
        (f"{HEADER}--- a/y\n+++ b/x\n@@ -1 +1 @@\n-1\n+2\n", "names of a file do not agree"),
        (f"{HEADER}--- a/x\n+++ b/../x\n@@ -1 +1 @@\n-1\n+2\n", "names of a file do not agree"),
        (f"{HEADER}--- a/x\nnonsense\n", "names of a file do not agree"),
        (NAMED, "a hunk expected"),
        (f"{NAMED}@@ what @@\n", "header cannot be read"),
        (f"{NAMED}@@ -1 +1 @@\n-1\n", "ends in the middle"),
        (f"{NAMED}@@ -1 +1 @@\n1\n", "without a sign"),
        (f"{NAMED}@@ -1 +1 @@\n\n", "without a sign"),
        (f"{NAMED}@@ -1,2 +1 @@\n+1\n+2\n-3\n-4\n", "longer than announced"),
        (f"{NAMED}@@ -1 +1 @@\n-1\n+2\n+3\n", "`diff --git` expected"),
        (f"{HEADER}GIT binary patch\nliteral 3\nKabc\n", "ends in the middle"),
        ("diff --git a/\ud800 b/\ud800\n", "no file can hold"),
    ],
)
def test_any_other_text_is_refused(text: str, complaint: str):
    with pytest.raises(RefusedError, match=complaint):
        parse_patch(text)


@given(st.text(max_size=200))
def test_garbage_is_refused_or_read_never_worse(text: str):
    try:
        patch = parse_patch(text)
    except RefusedError:
        return
    assert patch.text == text


def added(path: str, mode: str = "100644", line: str = "x") -> str:
    return (
        f"diff --git a/{path} b/{path}\nnew file mode {mode}\n"
        f"index {'0' * 40}..{'1' * 40}\n--- /dev/null\n+++ b/{path}\n"
        f"@@ -0,0 +1 @@\n+{line}\n\\ No newline at end of file\n"
    )


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("../x", "leads outside"),
        ("a/../../x", "leads outside"),
        ("/etc/passwd", "leads outside"),
        (".git/config", "reaches into .git"),
        ("sub/.GIT/hooks/x", "reaches into .git"),
        (".gi\u200ct/config", "reaches into .git"),
        ("GIT~1/config", "reaches into .git"),
        (".git ./config", "reaches into .git"),
    ],
)
def test_paths_that_lead_astray_are_listed(path: str, reason: str):
    [line] = forbidden(parse_patch(added("fine.py") + added(path)))
    assert line.startswith(readable(path))
    assert reason in line


@pytest.mark.parametrize("path", [".github/x.yml", ".gitignore", "a/..b/c", "x.git/y"])
def test_paths_that_only_look_odd_are_fine(path: str):
    assert forbidden(parse_patch(added(path))) == ()


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ("/etc/passwd", "outside"),
        ("../../x", "outside"),
        ("d/../../x", "outside"),
        ("../.git/config", "into .git"),
    ],
)
def test_links_that_lead_astray_are_listed(target: str, reason: str):
    [line] = forbidden(parse_patch(added("a/link", "120000", target)))
    assert reason in line


@pytest.mark.parametrize("target", ["b", "../c", "d/e", ".."])
def test_links_that_stay_inside_are_fine(target: str):
    assert forbidden(parse_patch(added("a/link", "120000", target))) == ()


def test_a_link_whose_target_cannot_be_read_is_listed():
    text = f"diff --git a/l b/l\nnew file mode 120000\nindex {'0' * 40}..{'1' * 40}\n"
    [line] = forbidden(parse_patch(text))
    assert "cannot be read" in line


def test_a_submodule_is_listed():
    [line] = forbidden(parse_patch(added("lib", "160000", f"Subproject commit {'1' * 40}")))
    assert line == "lib: changes a submodule"


def test_paths_are_shown_on_one_line():
    assert readable("a\n\x1b[31m\udcffé") == "a\\x0a\\x1b[31m\\udcffé"


ADDED_BY_HAND = (
    "diff --git a/db/new/1.sql b/db/new/1.sql\nnew file mode 100644\n"
    f"index {'0' * 40}..{'1' * 40}\n--- /dev/null\n+++ b/db/new/1.sql\n@@ -0,0 +1 @@\n+x\n"
)


def test_protected_paths_are_refused():
    [added] = parse_patch(ADDED_BY_HAND).files
    assert forbidden(parse_patch(ADDED_BY_HAND)) == ()
    found = forbidden(parse_patch(ADDED_BY_HAND), protected=["docs/", "db/**/*.sql"])
    assert found == (f"{added.path}: is protected by .yudai.yml",)
    assert forbidden(parse_patch(ADDED_BY_HAND), protected=["*.md"]) == ()


def test_a_hunk_header_is_neither_an_added_nor_a_removed_line(tmp_path: Path) -> None:
    """Its `-1,3` looked like a removed line, so that every changed file counted one too many."""
    lines = [f"{number}\n".encode() for number in range(40)]
    repository = Repository(tmp_path, {b"a.txt": b"".join(lines)})
    lines[2], lines[30] = b"two\n", b"thirty\n"
    diff = repository.diff(lambda folder: fill(folder, {b"a.txt": b"".join(lines)}))
    [change] = parse_patch(diff).files
    assert diff.count("\n@@ ") == 2
    assert change.removed_lines == ["2", "30"]
    assert change.added_lines == ["two", "thirty"]


def test_a_patch_of_comments_has_no_lines_of_code(tmp_path: Path) -> None:
    repository = Repository(tmp_path, {b"a.py": b"# One.\nx = 1\n"})
    diff = repository.diff(lambda folder: fill(folder, {b"a.py": b"# Two.\nx = 1\n"}))
    assert size_of(parse_patch(diff)) == 0
