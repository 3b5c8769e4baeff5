"""A change put onto a tree, three-way where its blobs are known: as git's own text of the result.

All of it happens in a scratch repository without a work tree; what is written there is thrown away.
"""

import re
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from yudai.forge.adapters.git.command import Git, Limits, Ran, TooLongError, TooSlowError
from yudai.forge.adapters.git.mirror import ATTRIBUTES, Mirror, lay_out
from yudai.forge.adapters.git.objects import SUBMODULE, compare
from yudai.forge.adapters.git.patch_tree import MAX_PATCH
from yudai.forge.domain.change import UnfitError
from yudai.kit.errors import RefusedError
from yudai.patches.binary import inflate
from yudai.patches.patch import parse_patch, readable

_DIFF = ("diff", "--binary", "--full-index", "--no-renames", "--no-ext-diff", "--no-textconv")
# A few hundred bytes can describe files of any size: git has bounds, and what it made is measured.
_MEMORY = 512 << 20
_MAX_CHANGED = 256 << 20
_INDEX = re.compile(rb"^index ([0-9a-f]{4,64})\.\.[0-9a-f]{4,64}(?: [0-7]{6})?\r?$", re.MULTILINE)
_MAX_BLOBS = 10_000
_MAX_NAMED = 3
# Git before 2.32 does not merge into an index alone.
_TOO_OLD = "cannot be used together"
_CONFLICT = re.compile(r"^U (.+)$", re.MULTILINE)


class Sides(NamedTuple):
    """A change as two trees."""

    old: str
    new: str


async def put_onto(mirror: Mirror, tree: str, text: bytes) -> bytes:
    """What the text changes in the tree; UnfitError when it conflicts or is no patch for it."""
    if not text.strip():
        return b""
    _refuse_bomb(text)
    limits = _limits(mirror)
    with _scratch(mirror) as git:
        await git.ask("read-tree", tree)
        ran = await _apply(git, text, limits)
        if ran.exit_code != 0:
            raise UnfitError(_why(ran))
        patched = (await git.ask("write-tree")).decode().strip()
        return await _diff(git, Sides(tree, patched), limits)


async def text_of(mirror: Mirror, sides: Sides) -> bytes:
    """The change from one tree to another; UnfitError when it is too large to be judged."""
    return await _diff(mirror.git, sides, _limits(mirror))


async def sides_of_branch(git: Git, base: str, head: str, *, named: str) -> Sides:
    """What happened on a branch since it left the base."""
    ran = await git.run("merge-base", base, head)
    if ran.exit_code != 0:
        raise RefusedError(
            f"{readable(named)} has no commit in common with the base: fetch its whole history, or"
            " give it as a patch"
        )
    return Sides(await _tree_of(git, ran.output.decode().split()[0]), await _tree_of(git, head))


async def sides_of_commit(git: Git, commit: str) -> Sides:
    """What a commit changes in its first parent; of a first commit, in nothing."""
    ran = await git.run("rev-parse", "--verify", "--quiet", f"{commit}^1^{{tree}}")
    parent = ran.output.decode().strip() if ran.exit_code == 0 else ""
    old = parent or (await git.ask("hash-object", "-t", "tree", "--stdin")).decode().strip()
    return Sides(old, await _tree_of(git, commit))


async def lacked_by(git: Git, base: str, sides: Sides) -> list[str]:
    """Names of the objects of both trees that the base does not have; `git` sees all of them."""
    found: list[str] = []
    for tree in sides:
        differences = await compare(git, base, tree, folders=True)
        sides_new = (difference.new for difference in differences)
        found += [tree, *(new.oid for new in sides_new if new.exists and new.mode != SUBMODULE)]
    return list(dict.fromkeys(found))


async def blobs_named_in(git: Git, text: bytes) -> list[str]:
    """Blobs that a patch was made against, as far as they are there: they make it three-way."""
    names = list(dict.fromkeys(_INDEX.findall(text)))[:_MAX_BLOBS]
    asked = b"".join(name + b"\n" for name in names if name.strip(b"0"))
    if not asked:
        return []
    listing = await git.ask(
        "cat-file", "--batch-check=%(objectname) %(objecttype)", "--buffer", stdin=asked
    )
    pairs = (line.split(" ") for line in listing.decode("utf-8", "replace").splitlines())
    return [pair[0] for pair in pairs if pair[1:] == ["blob"]]


@contextmanager
def _scratch(mirror: Mirror) -> Generator[Git]:
    """Sees the mirror's objects; keeps its own for itself."""
    with tempfile.TemporaryDirectory(dir=mirror.folder.parent, prefix=".judge-") as name:
        folder = Path(name) / "git"
        lay_out(folder, mirror.object_format)
        (folder / "info" / "attributes").write_text(ATTRIBUTES)
        yield Git(folder, alternates=(mirror.objects,))


async def _apply(git: Git, text: bytes, limits: Limits) -> Ran:
    options = ("--cached", "--binary", "--whitespace=nowarn", "-")
    try:
        ran = await git.run("apply", "--3way", *options, stdin=text, limits=limits)
        if ran.exit_code != 0 and _TOO_OLD in ran.errors:
            ran = await git.run("apply", *options, stdin=text, limits=limits)
    except TooSlowError as error:
        raise UnfitError(str(error)) from None
    return ran


async def _diff(git: Git, sides: Sides, limits: Limits) -> bytes:
    new = [d.new.oid for d in await compare(git, *sides) if d.new.exists]
    asked = "".join(f"{oid}\n" for oid in new).encode()
    sizes = await git.ask("cat-file", "--batch-check=%(objectsize)", stdin=asked)
    # What is not there, as a submodule's commit, has no size.
    if sum(int(size) for size in sizes.split() if size.isdigit()) > _MAX_CHANGED:
        raise UnfitError(f"the files that it changes have more than {_MAX_CHANGED >> 20} MB")
    try:
        ran = await git.run(*_DIFF, *sides, limits=limits._replace(max_output=MAX_PATCH))
    except (TooLongError, TooSlowError):
        raise UnfitError(f"its patch is larger than {MAX_PATCH >> 20} MB") from None
    if ran.exit_code != 0:
        raise UnfitError(f"its patch cannot be written: {readable(ran.error)}")
    return ran.output


def _refuse_bomb(text: bytes) -> None:
    """Before git unpacks it, where it is a text that we read as git does."""
    try:
        parsed = parse_patch(text.decode("utf-8", "surrogateescape"))
    except RefusedError:
        return
    try:
        inflate(parsed, most=_MAX_CHANGED)
    except RefusedError as error:
        raise UnfitError(str(error)) from None


async def _tree_of(git: Git, commit: str) -> str:
    return (await git.ask("rev-parse", f"{commit}^{{tree}}")).decode().strip()


def _limits(mirror: Mirror) -> Limits:
    """Git maps the indexes of packs whole: they count as its memory."""
    indexes = sum(file.stat().st_size for file in (mirror.objects / "pack").glob("*.idx"))
    return Limits(timeout_s=120.0, memory=_MEMORY + indexes, cpu_s=60)


def _why(ran: Ran) -> str:
    conflicts = [readable(path) for path in _CONFLICT.findall(ran.errors)]
    if conflicts:
        more = f" and {len(conflicts) - _MAX_NAMED} more" if len(conflicts) > _MAX_NAMED else ""
        return f"it conflicts with the base in {', '.join(conflicts[:_MAX_NAMED])}{more}"
    lines = [line.removeprefix("error: ") for line in ran.errors.splitlines()]
    said = [line for line in lines if "3-way" not in line and "direct application" not in line]
    said = list(dict.fromkeys(said))
    return f"it does not apply to the base: {readable('; '.join(said[:2]) or ran.error)}"
