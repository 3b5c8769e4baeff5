"""The work tree from outside: what changed, and the patch of it."""

import subprocess
from pathlib import Path

import pytest

from tests.contracts.conftest import ARCHIVED_AT, FILES, make_archive, spawn_one
from yudai.kit.causes import Cause
from yudai.kit.errors import SandboxError
from yudai.sandboxes.port import Backend, BaseRef, BaseSpec, Sandbox

# Prime has the warden of e2b, and process the bases and the patches of bubblewrap.
pytestmark = pytest.mark.real_on("prime", "process", "e2b")


def apply(patch: str, folder: Path) -> None:
    subprocess.run(["git", "apply", "--binary", "-"], input=patch.encode(), cwd=folder, check=True)


async def changed(sandbox: Sandbox, command: str) -> tuple[str, ...]:
    result = await sandbox.exec(command)
    assert result.exit_code == 0, result.text
    return (await sandbox.tree()).changed


@pytest.mark.always
async def test_a_fresh_sandbox_has_not_changed(sandbox: Sandbox):
    assert await sandbox.tree() == ("", ())
    assert await sandbox.diff() == ""


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        pytest.param("echo more >>README.md", ("README.md",), id="edit"),
        pytest.param("echo x >new.py; mkdir -p a/b; echo y >a/b/c", ("a/b/c", "new.py"), id="new"),
        pytest.param("rm README.md", ("README.md",), id="delete"),
        pytest.param("rm -r src/deep", ("src/deep/one.py", "src/deep/two.py"), id="delete folder"),
        pytest.param("chmod +x README.md; chmod -x tool.sh", ("README.md", "tool.sh"), id="mode"),
        pytest.param(
            "mv src/deep src/moved",
            ("src/deep/one.py", "src/deep/two.py", "src/moved/one.py", "src/moved/two.py"),
            id="rename folder",
        ),
        pytest.param(
            "rm -r src/deep; mkdir src/deep; echo 'ONE = 1' >src/deep/one.py",
            ("src/deep/two.py",),
            id="folder made anew",
        ),
        pytest.param(
            "rm -r src/deep; echo x >src/deep",
            ("src/deep", "src/deep/one.py", "src/deep/two.py"),
            id="folder becomes file",
        ),
        pytest.param(
            "rm README.md; mkdir README.md; echo x >README.md/inner",
            ("README.md", "README.md/inner"),
            id="file becomes folder",
        ),
        pytest.param("rm link; ln -s tool.sh link", ("link",), id="link elsewhere"),
        pytest.param("rm link; cp README.md link", ("link",), id="link becomes file"),
        pytest.param("rm README.md; mkfifo README.md", ("README.md",), id="file becomes a pipe"),
    ],
)
async def test_changes_are_seen(sandbox: Sandbox, command: str, expected: tuple[str, ...]):
    assert await changed(sandbox, command) == expected


@pytest.mark.parametrize(
    "command",
    [
        pytest.param("touch README.md src/app.py", id="times"),
        pytest.param("chmod 600 README.md; chmod 700 src", id="modes that git does not keep"),
        pytest.param("echo x >>README.md; git checkout -q README.md", id="reverted by git"),
        pytest.param("mv tool.sh t; mv t tool.sh", id="renamed back"),
        pytest.param("cp -r src s; rm -r src; mv s src", id="replaced by a copy"),
        pytest.param("mkdir -p empty/folders", id="empty folders"),
        pytest.param("mkfifo pipe", id="a pipe"),
        pytest.param("git checkout -qb x; git commit -q --allow-empty -m y", id="git's own files"),
        pytest.param("rm -rf .git", id="no git at all"),
    ],
)
async def test_what_leaves_the_files_as_they_were_is_no_change(sandbox: Sandbox, command: str):
    assert await changed(sandbox, command) == ()
    assert await sandbox.diff() == ""


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        pytest.param("echo x >a.log; echo x >src/b.log", (), id="by .gitignore"),
        pytest.param("echo x >kept.log", ("kept.log",), id="excepted there"),
        pytest.param("mkdir -p src/generated; echo x >src/generated/y", (), id="by a nested one"),
        pytest.param("mkdir src/build; echo x >src/build/y", ("src/build/y",), id="which decides"),
        pytest.param("echo x >build/new; echo x >>build/tracked.txt", ("build/tracked.txt",),
                     id="but tracked files count"),
        pytest.param("rm -r build", ("build/tracked.txt",), id="also when they go"),
        pytest.param(
            "mkdir -p __pycache__ node_modules/x .pytest_cache a.egg-info;"
            "touch __pycache__/a.pyc b.pyc node_modules/x/i.js .pytest_cache/x a.egg-info/y;"
            "touch .coverage",
            (),
            id="by default",
        ),
        pytest.param("echo >.gitignore; echo x >a.log", (".gitignore",), id="by the base's rules"),
        pytest.param("git init -q sub; echo x >sub/file", (), id="a repository within"),
        pytest.param("git init -q src; echo '#' >>src/app.py; echo >src/new", ("src/app.py",),
                     id="which hides no tracked file"),
    ],
)  # fmt: skip
async def test_what_is_nobodys_edit_is_left_out(
    sandbox: Sandbox, command: str, expected: tuple[str, ...]
):
    assert await changed(sandbox, command) == expected


async def test_equal_trees_have_equal_fingerprints(backend: Backend, base: BaseRef):
    one, other = await spawn_one(backend, base), await spawn_one(backend, base)

    await one.exec("echo x >a; echo more >>README.md; chmod +x crlf.txt")
    await other.exec("chmod +x crlf.txt; echo y >a; echo more >>README.md; echo x >a; touch a")

    assert await one.tree() == await other.tree()


async def test_the_fingerprint_changes_with_each_step_and_comes_back(sandbox: Sandbox):
    seen = []
    for command in (
        "echo x >a",
        "echo y >a",
        "chmod +x a",
        "ln -sf b a",
        "rm a; echo x >a",
        "echo z >b",
        "rm a b",
    ):
        await sandbox.exec(command)
        seen.append((await sandbox.tree()).fingerprint)

    first, *middle, again, two, last = seen
    assert len({first, *middle, two}) == 5
    assert again == first
    assert last == ""


async def test_a_change_that_keeps_size_and_time_is_seen(sandbox: Sandbox):
    """Within the file system's clock tick, and with the times set back."""
    await sandbox.exec("printf aaaa >f; touch -d @1 f")
    prints = [(await sandbox.tree()).fingerprint]
    for letter in "bcdefgh":
        await sandbox.exec(f"printf {letter * 4} >f; touch -d @1 f")
        prints.append((await sandbox.tree()).fingerprint)

    assert len(set(prints)) == 8


async def test_an_edit_in_the_base_that_keeps_size_and_time_is_seen(sandbox: Sandbox):
    command = f"sed -i s/41/42/ src/app.py; touch -d @{ARCHIVED_AT} src/app.py"

    assert await changed(sandbox, command) == ("src/app.py",)


@pytest.mark.parametrize(
    "command",
    [
        pytest.param("sed -i s/41/42/ src/app.py; echo '# More' >>README.md", id="text"),
        pytest.param("printf '\\0' >>data.bin; head -c 3000 /dev/urandom >new.bin", id="binary"),
        pytest.param("rm data.bin src/deep/one.py; rm -r build", id="delete"),
        pytest.param("chmod +x README.md; chmod -x tool.sh; cp tool.sh t; chmod +x t", id="mode"),
        pytest.param("ln -s ../nowhere l; rm link; ln -s /etc/passwd link", id="links"),
        pytest.param("echo x >' a b'; echo y >\"q'\\\"\\\\z\"; echo z >-dash; echo > $'n\\nl\\tt'",
                     id="odd names"),
        pytest.param("echo x >$'\\377\\376'; mkdir ü; echo y >ü/ß", id="names beyond ASCII"),
        pytest.param("rm -r src/deep; echo x >src/deep", id="folder becomes file"),
        pytest.param("rm README.md; mkdir README.md; echo x >README.md/a", id="file to folder"),
        pytest.param("rm -r src/deep; ln -s /tmp src/deep", id="folder becomes link"),
        pytest.param("mv src/deep src/moved", id="rename"),
        pytest.param("printf 'one\\r\\n2\\r\\n' >crlf.txt; printf 'a\\rb' >cr", id="line ends"),
        pytest.param("printf 'Gr\\374n\\n' >>latin.txt", id="other encodings"),
        pytest.param("echo '* -diff -text eol=crlf' >.gitattributes; echo x >>README.md;"
                     "printf 'a\\r\\nb\\n' >mixed", id="attributes"),
        pytest.param("printf 'no end' >README.md; : >crlf.txt", id="no newline, empty"),
        pytest.param("git rm -rq src; git commit -qm x; echo y >z; git add z", id="committed"),
        pytest.param("rm -rf .git; echo x >>README.md", id="without git"),
        pytest.param("git config core.hooksPath /tmp; git config diff.external false;"
                     "git config core.fsmonitor false; echo x >>README.md", id="hostile settings"),
        pytest.param("export GIT_DIR=/x GIT_INDEX_FILE=/y; echo x >>README.md", id="variables"),
        pytest.param("seq 100000 >many; cp many other", id="long"),
    ],
)  # fmt: skip
async def test_the_patch_brings_a_fresh_sandbox_to_the_same_tree(
    sandbox: Sandbox, backend: Backend, base: BaseRef, command: str
):
    result = await sandbox.exec(command)
    assert result.exit_code == 0, result.text
    tree = await sandbox.tree()
    assert tree.changed

    patch = await sandbox.diff()

    other = await spawn_one(backend, base)
    applied = await other.exec(
        "git apply --binary --whitespace=nowarn -", stdin=patch.encode("utf-8", "surrogateescape")
    )
    assert (applied.exit_code, applied.text) == (0, "")
    assert await other.tree() == tree
    assert await sandbox.diff() == patch


@pytest.mark.always
async def test_the_patch_applies_on_a_plain_checkout_elsewhere(sandbox: Sandbox, tmp_path: Path):
    await sandbox.exec(
        "sed -i s/41/42/ src/app.py; rm crlf.txt; printf '\\0' >b; chmod +x README.md"
    )
    patch = await sandbox.diff()
    for name, content in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)

    apply(patch, tmp_path)

    assert (tmp_path / "src/app.py").read_text() == "def answer():\n    return 42\n"
    assert not (tmp_path / "crlf.txt").exists()
    assert (tmp_path / "b").read_bytes() == b"\0"
    assert (tmp_path / "README.md").stat().st_mode & 0o100


async def test_a_text_stays_readable_whatever_attributes_say(sandbox: Sandbox):
    """A patch that hides its lines would look small."""
    await sandbox.exec("echo '* binary' >.gitattributes; echo '# seen' >>src/app.py")

    assert "+# seen\n" in await sandbox.diff()


async def test_a_patch_that_is_too_long_is_refused(sandbox: Sandbox):
    await sandbox.exec("head -c 40M /dev/urandom >big")

    with pytest.raises(SandboxError) as refused:
        await sandbox.diff()

    assert refused.value.cause is Cause.PATCH_REFUSED
    await sandbox.exec("rm big; echo x >small")
    assert "small" in await sandbox.diff()


async def test_a_name_that_git_does_not_take_is_refused(sandbox: Sandbox):
    """It stands for .git on some systems."""
    await sandbox.exec("mkdir x; echo y >'x/git~1'")

    with pytest.raises(SandboxError) as refused:
        await sandbox.diff()

    assert refused.value.cause is Cause.PATCH_REFUSED
    assert "git~1" in str(refused.value)


async def test_a_tree_deeper_than_any_path(sandbox: Sandbox):
    """Nobody can name it, so it is no part of a patch; but it must not break anything."""
    program = (
        "import os\n"
        "for _ in range(1500):\n"
        "    os.mkdir('abcdefgh')\n"
        "    os.chdir('abcdefgh')\n"
        "open('hidden', 'w').close()\n"
    )
    result = await sandbox.exec("python -; echo x >seen", stdin=program.encode())
    assert result.exit_code == 0, result.text

    assert (await sandbox.tree()).changed == ("seen",)
    assert "seen" in await sandbox.diff()
    await sandbox.destroy()


async def test_files_that_the_owner_may_not_read(sandbox: Sandbox):
    await sandbox.exec("mkdir closed; echo x >closed/a; chmod 0 closed; echo y >f")

    assert "f" in (await sandbox.tree()).changed


async def test_what_the_set_up_made_is_no_change(backend: Backend, tmp_path: Path):
    source = make_archive(tmp_path / "s.tar", {"a": b"1\n", "b": b"2\n"})
    setup = ("echo made >artefact", "mkdir out && echo made >out/x", "echo changed >a")
    key = f"setup-{backend.__class__.__name__}-{tmp_path.name}"
    sandbox = await spawn_one(
        backend, await backend.prepare(BaseSpec(key=key, source=source, setup=setup))
    )

    assert (await sandbox.exec("cat artefact out/x a; git status --porcelain -uno")).text == (
        "made\nmade\nchanged\n"
    )
    assert await sandbox.tree() == ("", ())
    await sandbox.exec("echo again >artefact; echo more >>a; echo more >>b")
    assert (await sandbox.tree()).changed == ("a", "b")
    assert "-changed" not in await sandbox.diff()
    assert "+more" in await sandbox.diff()


async def test_an_edit_that_keeps_size_and_time_is_in_the_patch(sandbox: Sandbox):
    edit = "tr a-z b-za <README.md >$d/new && cat $d/new >README.md"
    await sandbox.exec(f"d=$(mktemp -d); cp -p README.md $d/old; {edit}; touch -r $d/old README.md")
    assert "diff --git a/README.md b/README.md" in await sandbox.diff()
