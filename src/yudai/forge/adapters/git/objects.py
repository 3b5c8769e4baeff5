"""Git's objects: trees listed, contents read, both many at a time."""

import hashlib
from collections.abc import Iterable
from typing import NamedTuple

from yudai.forge.adapters.git.command import Git, Limits

LINK = "120000"
SUBMODULE = "160000"
EXECUTABLE = "100755"
ABSENT = "000000"
_FOLDER = "040000"


class Entry(NamedTuple):
    mode: str
    oid: str
    size: int
    path: bytes

    @property
    def is_file(self) -> bool:
        """A file or a link: neither a folder nor a submodule."""
        return self.mode not in (_FOLDER, SUBMODULE)


class Side(NamedTuple):
    """A file before or after a change."""

    mode: str
    oid: str

    @property
    def exists(self) -> bool:
        return self.mode != ABSENT

    @property
    def is_link(self) -> bool:
        return self.mode == LINK


class Difference(NamedTuple):
    path: bytes
    old: Side
    new: Side


async def list_tree(git: Git, tree: str, *, path: str = "") -> list[Entry]:
    """Every file, link, submodule and folder below a tree, or one of them, with sizes."""
    scope = ("--", path) if path else ("-r", "-t")
    listing = await git.ask("ls-tree", "-l", "-z", "--full-tree", tree, *scope)
    return [_entry(item) for item in listing.split(b"\0") if item]


async def find_entry(git: Git, tree: str, path: str) -> Entry | None:
    if "\0" in path or {"", ".", ".."} & set(path.split("/")):
        return None
    found = await list_tree(git, tree, path=path)
    wanted = path.encode("utf-8", "surrogateescape")
    return next((entry for entry in found if entry.path == wanted), None)


async def compare(git: Git, old: str, new: str, *, folders: bool = False) -> list[Difference]:
    """What is different between two trees."""
    more = ("-t",) if folders else ()
    raw = await git.ask("diff-tree", "-r", *more, "-z", "--raw", "--no-renames", old, new)
    return parse_raw(raw)


def parse_raw(raw: bytes) -> list[Difference]:
    """Read git's `--raw -z` with full object names."""
    items = raw.split(b"\0")
    return [_difference(*pair) for pair in zip(items[::2], items[1::2], strict=False)]


async def read_objects(git: Git, oids: Iterable[str], *, max_bytes: int) -> dict[str, "Content"]:
    """Contents by name; missing ones are left out."""
    asked = "".join(f"{oid}\n" for oid in dict.fromkeys(oids))
    if not asked:
        return {}
    output = await git.ask(
        "cat-file", "--batch", stdin=asked.encode(), limits=Limits(max_output=max_bytes)
    )
    found: dict[str, Content] = {}
    at = 0
    while at < len(output):
        end = output.index(b"\n", at)
        words = output[at:end].decode().split(" ")
        at = end + 1
        if words[-1] != "missing":
            oid, kind, size = words[0], words[1], int(words[2])
            found[oid] = Content(kind, output[at : at + size])
            at += size + 1
    return found


class Content(NamedTuple):
    kind: str
    body: bytes

    @property
    def whole(self) -> bytes:
        """The bytes that are hashed for its id and compressed in its file."""
        return f"{self.kind} {len(self.body)}\0".encode() + self.body

    def oid(self, object_format: str) -> str:
        return hashlib.new(object_format, self.whole, usedforsecurity=False).hexdigest()


def _entry(item: bytes) -> Entry:
    words, _, path = item.partition(b"\t")
    mode, _kind, oid, size = words.decode().split()
    # A folder has none, and what is missing is found out when it is copied.
    return Entry(mode, oid, int(size) if size.isdigit() else 0, path)


def _difference(words: bytes, path: bytes) -> Difference:
    old_mode, new_mode, old, new, _status = words.decode().removeprefix(":").split(" ")
    return Difference(path, Side(old_mode, old), Side(new_mode, new))
