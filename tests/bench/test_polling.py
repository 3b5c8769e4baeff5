"""The measurement works; what it measures is for people to judge."""

from pathlib import Path

import pytest

from yudai.bench.polling import TARGET, measure


@pytest.mark.real
async def test_it_measures_both_sides(tmp_path: Path):
    result = await measure(tmp_path, requests=60, rounds=1, lengths=(5, 60))

    assert (result.lanes, result.requests, result.rounds, result.target) == (8, 60, 1, TARGET)
    assert (result.short_messages, result.long_messages) == (5, 60)
    assert min(result.live_us, result.idle_us, result.live_ms, result.idle_ms) > 0
    # Of the time nobody can be sure on a busy machine, of the bytes everybody can.
    assert result.idle_bytes < 600
    assert abs(result.long_bytes - result.short_bytes) < 100
