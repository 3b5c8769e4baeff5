"""The measurements run and say what they measured; how fast is not a test's affair."""

import json

import pytest

from yudai.cli import main


@pytest.mark.parametrize(
    "arguments",
    [
        ["bench", "sandbox", "--rounds", "1"],
        # What it measures runs in test_agent_in_sandbox.py, too.
        pytest.param(["bench", "overhead", "--rounds", "1"], marks=pytest.mark.real),
    ],
)
def test_a_measurement_is_a_ratio_of_two_numbers(arguments: list[str], capsys):
    assert main.run([*arguments, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    for row in result.get("paces", [result]):
        assert row["ratio"] == pytest.approx(row["ours_ms"] / row["bare_ms"], rel=0.02)
        assert row["target"] > 0
