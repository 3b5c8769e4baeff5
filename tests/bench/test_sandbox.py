"""The measurement works; what it measures is for people to judge."""

from pathlib import Path

from yudai.bench.sandbox import TARGET, measure


async def test_it_measures_both_sides(tmp_path: Path):
    result = await measure(tmp_path, n=2, rounds=1)

    assert (result.n, result.rounds, result.target) == (2, 1, TARGET)
    assert 0 < result.ours_min_ms <= result.ours_ms
    assert 0 < result.bare_min_ms <= result.bare_ms
    assert result.ratio > 0
    assert result.command_ms > 0
    assert not list((tmp_path / "sandboxes/boxes").iterdir())
