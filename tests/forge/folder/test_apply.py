"""Patches applied to a person's files: all of them or none, and nothing else."""

import base64
import os
import stat
import zlib
from pathlib import Path

import pytest

from tests.support.fakes import StillClock
from tests.support.forge.repositories import Repository, look
from yudai.forge.adapters.folder.forge import LocalForge
from yudai.forge.ports.folder import Snapshot
from yudai.kit.errors import ConflictError, RefusedError

FILES = {
    "README.md": b"# Sample\n",
    "src/app.py": b"answer = 41\n",
    "src/gone.py": b"gone = 1\n",
    "old/only.txt": b"only\n",
    "crlf.txt": b"one\r\ntwo\r\n",
    "no-newline.txt": b"one\ntwo",
    "data.bin": bytes(range(256)),
    "untouched.txt": b"untouched\n",
}


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    repository = Repository.create(tmp_path / "repo", FILES)
    (repository.root / "link").symlink_to("README.md")
    (repository.root / "tool.sh").write_text("#!/bin/sh\n")
    (repository.root / "tool.sh").chmod(0o755)
    repository.commit()
    return repository


@pytest.fixture
def forge(tmp_path: Path) -> LocalForge:
    return LocalForge(tmp_path / "home", StillClock(), person=tmp_path / "person")


@pytest.fixture
async def found(repository: Repository, forge: LocalForge) -> Snapshot:
    return await forge.snapshot(str(repository.root))


def read(repository: Repository, name: str) -> bytes:
    return (repository.root / name).read_bytes()


async def test_every_kind_of_change(repository: Repository, forge: LocalForge, found: Snapshot):
    odd = os.fsdecode(b'new dir/\xfc \n".txt')
    wanted: dict[str, str | bytes | None] = {
        "src/app.py": "answer = 42\n",
        "src/gone.py": None,
        "old/only.txt": None,
        "new/deep/file.txt": "new\n",
        "moved.txt": "only\n",
        "crlf.txt": b"one\r\nTWO\r\nthree\r\n",
        "no-newline.txt": b"one\nthree",
        "data.bin": bytes(reversed(range(256))),
        "new.bin": b"\0\1\2",
        "empty.txt": b"",
        odd: b"odd\n",
    }
    patch = repository.patch(wanted)
    git = look(repository.root / ".git")
    others = {name: (repository.root / name).stat() for name in ("untouched.txt", "tool.sh")}

    await forge.apply(found, patch)

    for name, content in wanted.items():
        assert (repository.root / name).exists() == (content is not None)
        if content is not None:
            expected = content.encode() if isinstance(content, str) else content
            assert read(repository, name) == expected
    assert not (repository.root / "old").exists()
    assert look(repository.root / ".git") == git
    assert {name: (repository.root / name).stat() for name in others} == others
    assert repository.patch({}) == patch


async def test_modes_and_links(repository: Repository, forge: LocalForge, found: Snapshot):
    (repository.root / "README.md").chmod(0o755)
    (repository.root / "tool.sh").chmod(0o644)
    (repository.root / "link").unlink()
    (repository.root / "link").symlink_to("src/app.py")
    (repository.root / "src/new").symlink_to("app.py")
    (repository.root / "no-newline.txt").unlink()
    (repository.root / "no-newline.txt").symlink_to("crlf.txt")
    (repository.root / "new.sh").write_text("#!/bin/sh\n")
    (repository.root / "new.sh").chmod(0o755)
    patch = repository.take_patch()
    (repository.root / "README.md").chmod(0o640)
    (repository.root / "tool.sh").chmod(0o750)

    await forge.apply(found, patch)

    assert stat.S_IMODE((repository.root / "README.md").stat().st_mode) == 0o750
    assert stat.S_IMODE((repository.root / "tool.sh").stat().st_mode) == 0o640
    assert (repository.root / "new.sh").stat().st_mode & 0o111
    assert str((repository.root / "link").readlink()) == "src/app.py"
    assert str((repository.root / "src/new").readlink()) == "app.py"
    assert str((repository.root / "no-newline.txt").readlink()) == "crlf.txt"
    assert repository.patch({}) == patch


async def test_a_changed_file_keeps_its_permissions(
    repository: Repository, forge: LocalForge, found: Snapshot
):
    patch = repository.patch({"README.md": "# Other\n", "tool.sh": "#!/bin/bash\n"})
    (repository.root / "README.md").chmod(0o600)
    (repository.root / "tool.sh").chmod(0o700)

    await forge.apply(found, patch)

    assert stat.S_IMODE((repository.root / "README.md").stat().st_mode) == 0o600
    assert stat.S_IMODE((repository.root / "tool.sh").stat().st_mode) == 0o700


async def test_a_file_becomes_a_folder_and_the_other_way_round(
    repository: Repository, forge: LocalForge, found: Snapshot
):
    (repository.root / "README.md").unlink()
    repository.write({"README.md/inner.txt": "inner\n"})
    (repository.root / "old/only.txt").unlink()
    (repository.root / "old").rmdir()
    repository.write({"old": "now a file\n"})
    (repository.root / "link").unlink()
    repository.write({"link/x.txt": "x\n"})
    patch = repository.take_patch()

    await forge.apply(found, patch)

    assert read(repository, "README.md/inner.txt") == b"inner\n"
    assert read(repository, "old") == b"now a file\n"
    assert read(repository, "link/x.txt") == b"x\n"
    with pytest.raises(ConflictError, match="applied already"):
        await forge.apply(found, patch)


async def test_twice_is_once(repository: Repository, forge: LocalForge, found: Snapshot):
    patch = repository.patch({"README.md": "# Other\n", "src/gone.py": None, "new.txt": "1\n"})
    await forge.apply(found, patch)
    before = look(repository.root)

    with pytest.raises(ConflictError, match="applied already"):
        await forge.apply(found, patch)

    assert look(repository.root) == before


@pytest.mark.parametrize("name", ["README.md", "src/gone.py", "new.txt", "tool.sh", "link"])
async def test_a_changed_folder_is_left_alone(
    repository: Repository, forge: LocalForge, found: Snapshot, name: str
):
    (repository.root / "link").unlink()
    (repository.root / "link").symlink_to("crlf.txt")
    patch = repository.patch(
        {
            "README.md": "# Other\n",
            "src/gone.py": None,
            "new.txt": "new\n",
            "tool.sh": "#!/bin/bash\n",
        }
    )
    (repository.root / "link").unlink()
    (repository.root / "link").symlink_to("README.md")
    assert b"a/link" in patch
    (repository.root / name).unlink(missing_ok=True)
    (repository.root / name).write_text("somebody's work\n")
    before = look(repository.root)

    with pytest.raises(ConflictError, match=f"your folder has changed since: {name}"):
        await forge.apply(found, patch)

    assert look(repository.root) == before


async def test_a_mode_that_changed_counts_unless_git_does_not_heed_it(
    repository: Repository, forge: LocalForge, found: Snapshot
):
    patch = repository.patch({"README.md": "# Other\n"})
    (repository.root / "README.md").chmod(0o755)

    with pytest.raises(ConflictError, match="changed since"):
        await forge.apply(found, patch)
    repository.git("config", "core.fileMode", "false")
    await forge.apply(found, patch)

    assert read(repository, "README.md") == b"# Other\n"
    assert (repository.root / "README.md").stat().st_mode & 0o111 == 0o111


async def test_other_changes_and_a_moved_head_do_not_matter(
    repository: Repository, forge: LocalForge, found: Snapshot
):
    patch = repository.patch({"README.md": "# Other\n"})
    repository.write({"untouched.txt": "committed later\n"})
    repository.commit()
    repository.write({"src/app.py": "answer = 0\n", "mine.txt": "mine\n"})
    git = look(repository.root / ".git")

    await forge.apply(found, patch)

    assert read(repository, "README.md") == b"# Other\n"
    assert read(repository, "src/app.py") == b"answer = 0\n"
    assert look(repository.root / ".git") == git


async def test_uncommitted_changes_that_were_included(repository: Repository, forge: LocalForge):
    repository.write({"src/app.py": "answer = 41\nmore = 1\n", "mine.txt": "mine\n"})
    found = await forge.snapshot(str(repository.root), dirty=True)
    repository.commit("so that a patch upon it can be made")
    patch = repository.patch({"src/app.py": "answer = 42\nmore = 1\n", "mine.txt": "ours\n"})
    repository.git("reset", "-q", "HEAD~1")

    await forge.apply(found, patch)

    assert read(repository, "src/app.py") == b"answer = 42\nmore = 1\n"
    assert read(repository, "mine.txt") == b"ours\n"


async def test_line_ends_and_encodings_of_the_work_tree(repository: Repository, forge: LocalForge):
    repository.write({".gitattributes": "*.txt eol=crlf\n*.u16 working-tree-encoding=UTF-16LE\n"})
    repository.write({"dos.txt": b"a\r\nb\r\n", "wide.u16": "Grüße\n".encode("utf-16-le")})
    repository.write({"id.py": "# $Id$\n"})
    (repository.root / ".git/info/attributes").write_text("*.py ident\n")
    repository.commit()
    found = await forge.snapshot(str(repository.root))
    assert await forge.read(found, "dos.txt") == b"a\nb\n"
    assert await forge.read(found, "wide.u16") == "Grüße\n".encode()
    patch = repository.patch(
        {
            "dos.txt": b"a\r\nc\r\n",
            "wide.u16": "Gruß\n".encode("utf-16-le"),
            "new.txt": b"x\r\n",
            "id.py": "# $Id$\nx = 1\n",
        }
    )
    assert b"\r" not in patch

    await forge.apply(found, patch)

    assert read(repository, "dos.txt") == b"a\r\nc\r\n"
    assert read(repository, "new.txt") == b"x\r\n"
    assert read(repository, "wide.u16") == "Gruß\n".encode("utf-16-le")
    assert read(repository, "id.py").startswith(b"# $Id: ")
    with pytest.raises(ConflictError, match="applied already"):
        await forge.apply(found, patch)


async def test_no_link_is_followed(
    repository: Repository, forge: LocalForge, found: Snapshot, tmp_path: Path
):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "app.py").write_bytes(FILES["src/app.py"])
    (outside / "gone.py").write_bytes(FILES["src/gone.py"])
    patch = repository.patch({"src/app.py": "answer = 42\n", "src/new.py": "new = 1\n"})
    for name in ("app.py", "gone.py"):
        (repository.root / "src" / name).unlink()
    (repository.root / "src").rmdir()
    (repository.root / "src").symlink_to(outside)
    before = look(repository.root), look(outside)

    with pytest.raises(ConflictError, match=r"src is no folder, so that src/app\.py"):
        await forge.apply(found, patch)

    assert (look(repository.root), look(outside)) == before


async def test_half_way_is_no_way(repository: Repository, forge: LocalForge, found: Snapshot):
    """A folder cannot make room for a file: what git ignores is in it, and it shows late."""
    (repository.root / "old/only.txt").unlink()
    (repository.root / "old").rmdir()
    repository.write({"old": "now a file\n"})
    repository.write({"README.md": "# Other\n", "new/a.txt": "a\n", "src/app.py": "1\n"})
    (repository.root / "src/gone.py").unlink()
    patch = repository.take_patch()
    repository.write({".git/info/exclude": "*.log\n", "old/kept.log": "kept\n"})
    before = _without_folder_times(repository)

    with pytest.raises(RefusedError) as refused:
        await forge.apply(found, patch)

    assert str(refused.value) == (
        "old could not be changed: something is in its place; nothing was changed"
    )
    assert _without_folder_times(repository) == before


async def test_folders_that_cannot_be_written(
    repository: Repository, forge: LocalForge, found: Snapshot
):
    patch = repository.patch({"README.md": "# Other\n", "src/app.py": "answer = 42\n"})
    (repository.root / "src").chmod(0o555)
    if os.access(repository.root / "src", os.W_OK):
        pytest.skip("nothing is read-only to this user")
    before = _without_folder_times(repository)

    try:
        with pytest.raises(RefusedError, match=r"src/app\.py could not be .*nothing was changed"):
            await forge.apply(found, patch)
        assert _without_folder_times(repository) == before
    finally:
        (repository.root / "src").chmod(0o755)


def _without_folder_times(repository: Repository) -> dict[bytes, tuple[object, ...]]:
    seen = look(repository.root)
    return {name: (v[0], v[2]) if str(v[0])[0] == "d" else v for name, v in seen.items()}


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        (".git/hooks/post-commit", "reaches into .git"),
        ("src/.GIT/config", "reaches into .git"),
        ("../outside.txt", "leads outside"),
        ("/etc/outside.txt", "leads outside"),
    ],
)
async def test_patches_that_lead_astray(
    repository: Repository, forge: LocalForge, found: Snapshot, path: str, reason: str
):
    patch = repository.patch({"some.txt": "1\n"}).replace(b"some.txt", path.encode())
    before = look(repository.root)

    with pytest.raises(RefusedError, match=reason):
        await forge.apply(found, patch)

    assert look(repository.root) == before


async def test_a_link_that_leads_outside(
    repository: Repository, forge: LocalForge, found: Snapshot
):
    (repository.root / "passwords").symlink_to("/etc/passwd")
    patch = repository.take_patch()

    with pytest.raises(RefusedError, match="leads outside"):
        await forge.apply(found, patch)


async def test_a_file_below_a_new_link(repository: Repository, forge: LocalForge, found: Snapshot):
    (repository.root / "door").symlink_to("src")
    link = repository.take_patch()
    file = repository.patch({"door/app.py": "1\n"})

    with pytest.raises(RefusedError, match="does not apply"):
        await forge.apply(found, link + file)


@pytest.mark.parametrize("patch", [b"", b"nonsense", b"diff --git a/x b/y\n"])
async def test_what_is_no_patch(forge: LocalForge, found: Snapshot, patch: bytes):
    with pytest.raises(RefusedError):
        await forge.apply(found, patch)


async def test_a_patch_that_is_too_long(forge: LocalForge, found: Snapshot):
    with pytest.raises(RefusedError, match="larger than 32 MB"):
        await forge.apply(found, b"x" * (32 << 20) + b"x")


async def test_a_file_in_a_submodule_s_place(
    repository: Repository, forge: LocalForge, tmp_path: Path
):
    patch = repository.patch({"module/x.txt": "1\n"})
    other = Repository.create(tmp_path / "other", {"x": "1"})
    allow = ("-c", "protocol.file.allow=always")
    repository.git(*allow, "submodule", "add", "-q", str(other.root), "module")
    repository.commit()
    found = await forge.snapshot(str(repository.root))
    before = look(repository.root)

    with pytest.raises(RefusedError, match="module"):
        await forge.apply(found, patch)

    assert look(repository.root) == before


async def test_a_patch_for_other_contents(
    repository: Repository, forge: LocalForge, found: Snapshot
):
    repository.write({"README.md": "# Quite another\n"})
    repository.commit()
    patch = repository.patch({"README.md": "# Other\n"})
    before = look(repository.root)

    with pytest.raises(RefusedError, match="the patch does not apply"):
        await forge.apply(found, patch)

    assert look(repository.root) == before


async def test_a_patch_that_unpacks_without_end(
    repository: Repository, forge: LocalForge, tmp_path: Path
):
    """A binary patch's header says nothing of what it becomes: only memory is a bound."""
    repository.write({"zeros.bin": b"\0" * 0xFFFF})
    repository.commit()
    found = await forge.snapshot(str(repository.root))
    oid = repository.git("rev-parse", "HEAD:zeros.bin").strip()
    patch = _bomb(oid, times=30_000)
    assert len(patch) < 1000
    before = look(repository.root)

    with pytest.raises(RefusedError, match=r"does not apply: .*memory"):
        await forge.apply(found, patch)

    assert look(repository.root) == before


def _bomb(oid: str, *, times: int) -> bytes:
    """A delta that copies all of zeros.bin many times."""
    copy_all = b"\xb0\xff\xff"
    delta = _varint(0xFFFF) + _varint(0xFFFF * times) + copy_all * times
    packed = zlib.compress(delta, 9)
    lines = b""
    for at in range(0, len(packed), 52):
        part = packed[at : at + 52]
        length = bytes([64 + len(part) if len(part) <= 26 else 70 + len(part)])
        lines += length + base64.b85encode(part, pad=True) + b"\n"
    head = f"diff --git a/zeros.bin b/zeros.bin\nindex {oid}..{'1' * 40} 100644\n"
    return head.encode() + b"GIT binary patch\ndelta %d\n%s\n" % (len(delta), lines)


def _varint(number: int) -> bytes:
    out = b""
    while number >= 0x80:
        out += bytes([number & 0x7F | 0x80])
        number >>= 7
    return out + bytes([number])


async def test_a_folder_that_is_gone_or_another(
    repository: Repository, forge: LocalForge, found: Snapshot, tmp_path: Path
):
    patch = repository.patch({"README.md": "# Other\n"})
    repository.root.rename(tmp_path / "moved")

    with pytest.raises(RefusedError, match="there is no folder"):
        await forge.apply(found, patch)
    Repository.create(repository.root, {"other.txt": "1"}, object_format="sha256")
    with pytest.raises(RefusedError, match="another repository now"):
        await forge.apply(found, patch)
