"""Eviction: nobody loses what is in use, and what is left fits."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yudai.sandboxes.domain.eviction import GRACE_S, choose
from yudai.sandboxes.port import BaseView

NOW = 1_000_000.0
DAY = 86_400.0
FOR_EVER = float("inf")


def base(key: str, *, size: int | None = 10, days: float = 1, users: int = 0) -> BaseView:
    """One that was last used so many days ago."""
    used_at = NOW - days * DAY
    return BaseView(backend="x", key=key, size_bytes=size, made_at=0, used_at=used_at, users=users)


def keys(*bases: BaseView, max_bytes: int = 1000, max_age_s: float = FOR_EVER) -> str:
    return "".join(b.key for b in choose(bases, max_bytes=max_bytes, max_age_s=max_age_s, now=NOW))


def test_what_fits_and_is_young_stays():
    assert keys(base("a"), base("b", days=9)) == ""


def test_what_no_one_used_for_long_goes_whatever_its_size():
    old = [base("a", days=8), base("b", days=9, size=None), base("c", days=9, users=1)]
    assert keys(*old, base("d", days=6), max_age_s=7 * DAY) == "ba"


def test_the_least_recently_used_go_until_the_rest_fits():
    bases = [base("a", days=1), base("b", days=3), base("c", days=2), base("d", days=4)]
    assert keys(*bases, max_bytes=40) == ""
    assert keys(*bases, max_bytes=39) == "d"
    assert keys(*bases, max_bytes=20) == "db"
    assert keys(*bases, max_bytes=0) == "dbca"


def test_the_old_ones_count_as_gone_before_others_have_to_go():
    bases = [base("old", days=9, size=30), base("a", days=1), base("b", days=2)]
    assert keys(*bases, max_bytes=20, max_age_s=7 * DAY) == "old"


def test_one_in_use_stays_and_counts():
    assert keys(base("a", days=9, users=2), base("b", days=1), max_bytes=15) == "b"


def test_an_unknown_size_makes_no_room():
    assert keys(base("a", days=9, size=None), base("b", days=1), max_bytes=5) == "b"


@pytest.mark.parametrize(("ago_s", "gone"), [(GRACE_S - 1, ""), (GRACE_S, "a")])
def test_one_that_was_just_used_stays(ago_s: float, gone: str):
    assert keys(base("a", days=ago_s / DAY), max_bytes=0, max_age_s=0) == gone


FACTS = st.builds(
    base,
    key=st.text("abc", min_size=1),
    size=st.none() | st.integers(0, 100),
    days=st.floats(0, 30),
    users=st.integers(0, 2),
)


@given(st.lists(FACTS), st.integers(0, 500), st.floats(0, 30 * DAY))
def test_whatever_there_is(bases: list[BaseView], max_bytes: int, max_age_s: float):
    chosen = choose(bases, max_bytes=max_bytes, max_age_s=max_age_s, now=NOW)

    left = list(bases)
    for each in chosen:
        left.remove(each)
        assert not each.users
        assert NOW - each.used_at >= GRACE_S
    free = [b for b in left if not b.users and NOW - b.used_at >= GRACE_S]
    assert not any(NOW - b.used_at > max_age_s for b in free)
    if sum(b.size_bytes or 0 for b in left) > max_bytes:
        assert not any(b.size_bytes for b in free)
