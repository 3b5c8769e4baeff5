"""What `bench verdict` measures with: a suite of a known length, and patches that fit it."""

import asyncio
import sys
from pathlib import Path

import pytest

from yudai.bench import verdict


def test_a_ratio_is_of_medians():
    cost = verdict.cost("x", [(1.0, 2.0), (2.0, 9.0), (3.0, 3.0)], target=1.2)
    assert (cost.other_s, cost.ours_s, cost.ratio) == (2.0, 3.0, 1.5)


def test_a_program_that_fails_is_no_measurement(tmp_path: Path):
    with pytest.raises(RuntimeError, match="ended with 3"):
        asyncio.run(
            verdict.execute([sys.executable, "-c", "raise SystemExit(3)"], tmp_path, {}, (0,))
        )


@pytest.mark.real
def test_it_measures_judging(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(verdict, "JUDGE_SUITE_S", 0.5)
    measured = asyncio.run(verdict.measure(tmp_path, against=None, rounds=1))
    [cost] = measured.costs
    assert cost.ratio == pytest.approx(cost.ours_s / cost.other_s, rel=0.02)
