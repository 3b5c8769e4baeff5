"""Attempts that are repeated."""

from itertools import islice

import pytest

from yudai.kit import retry as retry_module
from yudai.kit.retry import growing, grown, retry, within


class FailingWork:
    def __init__(self, *errors: Exception) -> None:
        self.errors = list(errors)
        self.attempts = 0

    async def __call__(self) -> str:
        self.attempts += 1
        if self.errors:
            raise self.errors.pop(0)
        return "done"


def test_pauses_grow_up_to_the_longest():
    assert list(islice(growing(0.5, longest_s=3.0), 5)) == [0.5, 1.0, 2.0, 3.0, 3.0]
    assert list(islice(growing(1.0, longest_s=9.0, factor=1.5), 3)) == [1.0, 1.5, 2.25]


@pytest.mark.parametrize("failures", range(1, 9))
def test_pause_by_number_is_that_of_the_row(failures: int):
    row = list(islice(growing(0.5, longest_s=7.0), failures))
    assert grown(failures, 0.5, longest_s=7.0) == row[-1]


def test_no_failure_counts_as_the_first():
    assert grown(0, 5.0, longest_s=900.0) == 5.0


def test_pauses_end_before_their_time_does(monkeypatch: pytest.MonkeyPatch):
    now = [100.0]
    monkeypatch.setattr(retry_module.time, "monotonic", lambda: now[0])
    pauses = within(3.0, growing(1.0, longest_s=4.0))
    assert next(pauses) == 1.0
    now[0] = 101.0
    assert next(pauses) == 2.0
    now[0] = 103.0
    assert next(pauses, None) is None


async def test_act_is_repeated_after_each_pause():
    work, told = FailingWork(OSError("a"), OSError("b")), list[tuple[str, float]]()
    done = await retry(
        work, (0.0, 0.01), on=OSError, tell=lambda e, pause_s: told.append((str(e), pause_s))
    )
    assert (done, work.attempts, told) == ("done", 3, [("a", 0.0), ("b", 0.01)])


async def test_last_error_is_raised_when_pauses_end():
    work = FailingWork(OSError("a"), OSError("b"))
    with pytest.raises(OSError, match="b"):
        await retry(work, (0.0,), on=(OSError, KeyError))
    assert work.attempts == 2


async def test_other_errors_are_raised_at_once():
    work = FailingWork(ValueError("a"))
    with pytest.raises(ValueError, match="a"):
        await retry(work, (0.0,), on=OSError)
    assert work.attempts == 1
