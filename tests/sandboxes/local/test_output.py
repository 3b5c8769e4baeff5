"""Capped output: bounded, with the true head and tail."""

import itertools
import re

from hypothesis import given
from hypothesis import strategies as st

from yudai.sandboxes.backends.workspace.output import Capture

_MARKER = re.compile(rb"\n\[\.\.\. (\d+) bytes dropped \.\.\.\]\n")


def captured(data: bytes, limit: int, *, cuts: list[int]):
    capture = Capture(limit)
    edges = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    for begin, end in itertools.pairwise(edges):
        capture.feed(data[begin:end])
    return capture.result()


@given(st.binary(max_size=3000), st.integers(0, 4000), st.lists(st.integers(0, 3000), max_size=9))
def test_it_never_exceeds_the_limit_and_loses_nothing_below_it(data, limit, cuts):
    output, truncated = captured(data, limit, cuts=cuts)

    assert len(output) <= limit
    assert truncated is (len(data) > limit)
    if not truncated:
        assert output == data


@given(
    st.binary(min_size=600, max_size=2000),
    st.lists(st.integers(0, 3000), max_size=9),
)
def test_head_and_tail_are_the_true_ones(data, cuts):
    output, _ = captured(data, 500, cuts=cuts)

    marker = next(m for m in _MARKER.finditer(output) if data.startswith(output[: m.start()]))
    head, tail = output[: marker.start()], output[marker.end() :]
    assert data.startswith(head)
    assert data.endswith(tail)
    assert len(head) + len(tail) + int(marker[1]) == len(data)
    assert min(len(head), len(tail)) > 200


def test_memory_stays_near_the_limit():
    capture = Capture(10_000)
    for _ in range(1000):
        capture.feed(b"x" * 100_000)

    assert len(capture._whole) + len(capture._tail) <= 20_000
