"""Binary patches made by hand: small texts that stand for big files."""

import base64
import hashlib
import zlib


def rows(packed: bytes) -> str:
    """Git's base85, as git itself writes it."""
    out: list[str] = []
    for at in range(0, len(packed), 52):
        piece = packed[at : at + 52]
        letter = chr(len(piece) + 64) if len(piece) <= 26 else chr(len(piece) + 70)
        padded = piece + b"\0" * (-len(piece) % 4)
        out.append(letter + base64.b85encode(padded).decode() + "\n")
    return "".join(out)


def varint(number: int) -> bytes:
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])


def section(*blocks: str, old: str = "1" * 40, new: str = "2" * 40) -> bytes:
    """A changed file `f`."""
    body = "".join(f"{block}\n" for block in blocks)
    index = f"index {old}..{new} 100644"
    return f"diff --git a/f b/f\n{index}\nGIT binary patch\n{body}".encode()


def block(kind: str, content: bytes, *, declared: int | None = None) -> str:
    size = len(content) if declared is None else declared
    return f"{kind} {size}\n{rows(zlib.compress(content))}"


def delta_bomb(content: bytes = b"\0" * 1_000_000, times: int = 300) -> bytes:
    """The whole file copied many times: git takes it, all its names are right."""
    base = len(content)
    copy = b"\xf0" + base.to_bytes(3, "little")
    forwards = varint(base) + varint(base * times) + copy * times
    back = varint(base * times) + varint(base) + copy
    return section(
        *(block("delta", forwards), block("delta", back)),
        old=oid(content, times=1),
        new=oid(content, times=times),
    )


def oid(content: bytes, *, times: int) -> str:
    digest = hashlib.sha1(f"blob {len(content) * times}\0".encode(), usedforsecurity=False)
    for _ in range(times):
        digest.update(content)
    return digest.hexdigest()
