"""When a test shows that something became twice as fast."""

import pytest

from yudai.verification.domain.proof import Pair, faster, waits_by_itself

TWICE = [Pair(0.4, 0.2)] * 5


def test_five_pairs_that_are_twice_as_fast():
    found = faster("t", TWICE, tied=True)
    assert found is not None
    assert (found.base_s, found.patch_s, found.tied) == (0.4, 0.2, True)


@pytest.mark.parametrize(
    "pairs",
    [
        pytest.param([], id="nothing"),
        pytest.param(TWICE[1:], id="four"),
        pytest.param([*TWICE[1:], Pair(0.4, 0.21)], id="one-slower"),
        pytest.param([Pair(0.04, 0.001)] * 5, id="noise"),
    ],
)
def test_what_shows_nothing(pairs: list[Pair]):
    assert faster("t", pairs, tied=True) is None


@pytest.mark.parametrize(
    "source",
    [
        "time.sleep(0 if fixed() else 1)",
        "await new Promise((done) => setTimeout(done, 500))",
        "Atomics.wait(cells, 0, 0, 500)",
    ],
)
def test_tests_that_wait_by_themselves(source: str):
    assert waits_by_itself(source)


@pytest.mark.parametrize("source", ["assert total([1, 2]) == 3", "sleepy = total([1])"])
def test_tests_that_only_call_the_product(source: str):
    assert not waits_by_itself(source)
