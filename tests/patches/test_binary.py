"""Binary parts of patches: git's own are read rightly, bombs are seen by their first bytes."""

import os
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.forge.repositories import Repository
from tests.support.resource_bombs import block, delta_bomb, rows, section
from yudai.kit.errors import RefusedError
from yudai.patches.binary import inflate, read_blocks
from yudai.patches.patch import parse_patch

MB = 1 << 20


def parsed(patch: bytes):
    return parse_patch(patch.decode("utf-8", "surrogateescape"))


def test_git_s_own_literals_and_deltas_are_read(tmp_path: Path):
    old = os.urandom(40_000)
    new = old[:20_000] + b"SOMETHING NEW" + old[20_000:]
    repository = Repository.create(tmp_path / "r", {"old.bin": old, "b.txt": "text\n"})
    patch = parsed(
        repository.patch({"old.bin": new, "new.bin": b"\0fresh\0" * 9, "b.txt": "other\n"})
    )

    found = inflate(patch, most=MB)
    assert found.new == {"new.bin": b"\0fresh\0" * 9, "old.bin": b"SOMETHING NEW"}
    by_path = {change.path: list(read_blocks(change, most=MB)) for change in patch.files}
    assert [block.kind for block in by_path["old.bin"]] == ["delta", "delta"]
    assert [block.result for block in by_path["old.bin"]] == [len(new), len(old)]
    assert found.size == len(new) + len(old) + 63


@given(st.binary(min_size=1, max_size=400))
def test_every_content_comes_out_as_it_went_in(content: bytes):
    patch = parsed(section(block("literal", content), block("literal", b"")))

    assert inflate(patch, most=MB) == (len(content), {"f": content})


def test_a_literal_bomb_is_refused_by_what_it_declares():
    bomb = section(block("literal", b"\0" * 25 * MB))

    assert len(bomb) < MB
    with pytest.raises(RefusedError, match="f: its binary patch unpacks to more"):
        inflate(parsed(bomb), most=20 * MB)


def test_a_literal_that_declares_less_than_it_holds_is_not_unpacked_further():
    bomb = section(block("literal", b"\0" * 25 * MB, declared=10))

    with pytest.raises(RefusedError, match="damaged"):
        inflate(parsed(bomb), most=20 * MB)


def test_a_delta_bomb_of_a_few_hundred_bytes_is_refused_by_its_result():
    bomb = delta_bomb()

    assert len(bomb) < 350
    with pytest.raises(RefusedError, match="unpacks to more"):
        inflate(parsed(bomb), most=20 * MB)


def test_many_small_files_count_together():
    part = block("literal", b"\0" * MB)
    patch = b"".join(section(part).replace(b"a/f b/f", f"a/{n} b/{n}".encode()) for n in range(5))

    assert inflate(parsed(patch), most=5 * MB).size == 5 * MB
    with pytest.raises(RefusedError, match="4: its binary patch"):
        inflate(parsed(patch), most=5 * MB - 1)


def test_the_way_back_counts_too():
    back = section(block("literal", b"x"), block("literal", b"\0" * 2 * MB))

    with pytest.raises(RefusedError, match="unpacks to more"):
        inflate(parsed(back), most=MB)


@pytest.mark.parametrize(
    "broken",
    [
        "literal 5\n" + "zzz\n",
        "literal 5\n" + "!abcde\n",
        'literal 5\nE"""""\n',
        "literal 5\n" + rows(b"this is not zlib"),
        "literal 5\n" + rows(zlib.compress(b"hello")[:-3]),
        "literal 4\n" + rows(zlib.compress(b"hello")),
        "literal 6\n" + rows(zlib.compress(b"hello")),
        "literal 5\n" + "B00000\n",
        block("delta", b""),
        block("delta", b"\x81"),
        block("delta", b"\xff" * 20),
    ],
)  # fmt: skip
def test_what_is_damaged_is_refused(broken: str):
    with pytest.raises(RefusedError, match=r"damaged|unpacks to more"):
        inflate(parsed(section(broken)), most=MB)


def test_a_line_that_is_no_block_is_damaged():
    change = parsed(section(block("literal", b"x"))).files[0]
    odd = change.model_copy(update={"text": change.text + "nonsense\n"})

    with pytest.raises(RefusedError, match="damaged"):
        list(read_blocks(odd, most=MB))


def test_big_random_contents_are_read_in_time():
    content = os.urandom(MB)

    assert inflate(parsed(section(block("literal", content))), most=MB).new == {"f": content}
