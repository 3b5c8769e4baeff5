"""What the measurements of the service make of what they see; the processes are in tests/e2e."""

import os

import pytest

from yudai.bench import memory
from yudai.bench.fanout import agents_s, percentile
from yudai.bench.recovery import first_again


def run(state: str, started_at: float, submitted_at: float | None) -> dict[str, object]:
    times = {"started_at": started_at, "submitted_at": submitted_at}
    return {"state": state, "error": "it broke", **times}


def test_agents_are_at_work_from_the_first_start_to_the_last_submit():
    assert agents_s([run("completed", 10.0, 31.0), run("verifying", 12.0, 40.5)]) == 30.5


def test_a_contestant_that_failed_is_no_measurement():
    with pytest.raises(RuntimeError, match="it broke"):
        agents_s([run("completed", 10.0, 31.0), run("failed", 12.0, None)])


def test_a_percentile_is_one_of_the_range():
    assert percentile([float(number) for number in range(101)], 95) == 95.0
    assert percentile([7.0, 7.0, 7.0], 50) == 7.0


def test_only_a_second_start_counts_as_going_on():
    first = {"kind": "run.started", "at": 1.0, "data": {"from": "queued"}}
    again = {"kind": "run.started", "at": 5.0, "data": {"from": "queued", "attempt": 2}}
    later = {**again, "at": 6.0}
    judged = {"kind": "run.judged", "at": 2.0, "data": {"attempt": 2}}
    assert first_again([first, judged]) is None
    assert first_again([first, judged, later, again]) == 5.0


def test_memory_is_read_as_the_kernel_writes_it():
    text = "Name:\tyudai\nVmPeak:\t  999 kB\nVmHWM:\t  123456 kB\nThreads:\t4\n"
    assert memory.field_kb(text, "VmHWM") == 123456
    assert memory.field_kb(text, "Pss") == 0
    assert memory.peak_mb(os.getpid()) > 10


def test_descendants_are_all_generations_and_no_one_else():
    parents = {1: 0, 10: 1, 11: 10, 12: 11, 20: 1, 13: 10}
    assert memory.descendants(10, parents) == {11, 12, 13}
    assert memory.descendants(12, parents) == set()
