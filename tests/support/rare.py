"""What `make test` leaves to `make test-real`: more of the same, at the price of many minutes.

Of a test with further values, only SQLite and bubblewrap meet all of them on every commit, and each
other database or backend the first one. By marks a test leaves more than that, or less:

    @pytest.mark.real                     whatever it is given
    @pytest.mark.real_on("prime", "x")    when it is given one of these
    @pytest.mark.real_except("a-b")       unless its values have one of these ids
    @pytest.mark.always                   not even if its module says so
"""

from collections.abc import Iterable

import pytest

THOROUGH = {"sqlite", "bubblewrap"}
KINDS = ("database_kind", "backend", "fresh", "anywhere")


def leave_more_of_the_same(items: Iterable[pytest.Item]) -> None:
    """Before anybody sorts or chooses: the first value is the first one that is written down."""
    met: set[tuple[str, str]] = set()
    for item in items:
        if not isinstance(item, pytest.Function) or not hasattr(item, "callspec"):
            continue
        kind = _slow_kind(item)
        key = (item.nodeid.partition("[")[0], kind)
        if _is_left(item) or (kind and key in met):
            item.add_marker("real")
        elif kind:
            met.add(key)


def _slow_kind(item: pytest.Function) -> str:
    given = item.callspec.params
    return " ".join(sorted({str(given[name]) for name in KINDS if name in given} - THOROUGH))


def _is_left(item: pytest.Function) -> bool:
    given = {value for value in item.callspec.params.values() if isinstance(value, str)}
    if item.get_closest_marker("always"):
        return False
    on, but = item.get_closest_marker("real_on"), item.get_closest_marker("real_except")
    return bool(on and given & set(on.args)) or bool(but and item.callspec.id not in but.args)
