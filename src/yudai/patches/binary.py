"""Binary parts of a patch: how big the files become, and what is new in them.

Git inflates each block to the size that it declares, and a delta declares in its first bytes how
big its result is: a few hundred bytes can stand for any size, so it is read before git runs.
"""

import base64
import re
import zlib
from collections.abc import Iterator
from typing import NamedTuple

from yudai.kit.errors import RefusedError
from yudai.patches.patch import FileChange, Patch, readable

_MARK = "GIT binary patch"
_HEADER = re.compile(r"(literal|delta) (\d{1,12})")
_LENGTHS = {
    letter: number
    for number, letter in enumerate("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", 1)
}
_GROUP = 5
"""Characters of base85 for four bytes."""
_MORE = 0x80
_COPY = 0x80
_MAX_SHIFT = 63


class Block(NamedTuple):
    """One way to make a file: forwards, or back again."""

    kind: str
    """literal, delta"""
    inflated: int
    """Bytes that git unpacks to read it."""
    result: int
    """Bytes of the file that it makes."""
    new: bytes
    """What it brings by itself: a literal's contents, a delta's insertions."""


class Inflation(NamedTuple):
    """What all binary parts of a patch come to."""

    size: int
    new: dict[str, bytes]
    """By path, only forwards."""


def inflate(patch: Patch, *, most: int) -> Inflation:
    """RefusedError as soon as more than `most` bytes would come out, or a block is damaged."""
    size = 0
    new: dict[str, bytes] = {}
    for change in patch.files:
        if not change.is_binary:
            continue
        for number, block in enumerate(read_blocks(change, most=most - size)):
            size += max(block.inflated, block.result)
            if size > most:
                raise _too_much(change, most)
            if number == 0:
                new[change.path] = block.new
    return Inflation(size, new)


def read_blocks(change: FileChange, *, most: int) -> Iterator[Block]:
    """The blocks of one file, none unpacked beyond `most` bytes."""
    lines = iter(change.text.split("\n"))
    for line in lines:
        if line == _MARK:
            break
    for line in lines:
        if not line:
            continue
        header = _HEADER.fullmatch(line)
        if header is None:
            raise _damaged(change)
        declared = int(header[2])
        if declared > most:
            raise _too_much(change, most)
        packed = b"".join(_bytes_of(row, change) for row in iter(lines.__next__, ""))
        yield _block(header[1], _unpack(packed, declared, change), change)


def _block(kind: str, content: bytes, change: FileChange) -> Block:
    if kind == "literal":
        return Block(kind, len(content), len(content), content)
    try:
        _source, at = _varint(content, 0)
        result, at = _varint(content, at)
        return Block(kind, len(content), result, _insertions(content, at))
    except IndexError:
        raise _damaged(change) from None


def _varint(content: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = content[at]
        at += 1
        value |= (byte & ~_MORE) << shift
        shift += 7
        if not byte & _MORE:
            return value, at
        if shift > _MAX_SHIFT:
            raise IndexError


def _insertions(content: bytes, at: int) -> bytes:
    """Follow the instructions; what is copied from the old file is not new."""
    new = bytearray()
    while at < len(content):
        order = content[at]
        at += 1
        if order & _COPY:
            at += (order & ~_COPY).bit_count()
        else:
            new += content[at : at + order]
            at += order
    return bytes(new)


def _bytes_of(row: str, change: FileChange) -> bytes:
    """A line of git's base85: its first letter says how many bytes it holds."""
    count = _LENGTHS.get(row[:1], 0)
    groups, rest = divmod(len(row) - 1, _GROUP)
    if not count or rest or not 4 * groups - 4 < count <= 4 * groups:
        raise _damaged(change)
    try:
        return base64.b85decode(row[1:])[:count]
    except ValueError:
        raise _damaged(change) from None


def _unpack(packed: bytes, declared: int, change: FileChange) -> bytes:
    """Exactly what is declared, or nothing: git would not take it otherwise."""
    machine = zlib.decompressobj()
    try:
        content = machine.decompress(packed, declared + 1)
    except zlib.error:
        raise _damaged(change) from None
    if len(content) != declared or not machine.eof:
        raise _damaged(change)
    return content


def _damaged(change: FileChange) -> RefusedError:
    return RefusedError(f"{readable(change.path)}: its binary patch is damaged")


def _too_much(change: FileChange, most: int) -> RefusedError:
    return RefusedError(
        f"{readable(change.path)}: its binary patch unpacks to more than is published "
        f"({most} bytes left)"
    )
