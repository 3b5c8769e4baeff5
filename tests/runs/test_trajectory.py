"""Messages out: mini-SWE-agent's file."""

from typing import Any, NamedTuple

from yudai.gateway.domain.models import Usage
from yudai.runs.domain.trajectory.trajectory import TrajectoryMessage, export


class Outcome(NamedTuple):
    exit_status: str = "Submitted"
    patch: str = "diff --git a/x b/x\n"
    steps: int = 2
    usage: Usage = Usage(cost_micros=1500)
    config: dict[str, object] = {"agent": {}, "mini_version": "2.4.6"}  # noqa: RUF012  not a class variable


def message(role: str, seq: int = 0, **body: Any) -> TrajectoryMessage:
    return TrajectoryMessage(seq=seq, step=0, role=role, at=0, body={"role": role, **body})


def test_the_exported_file():
    told = [message("user", 1, content="b"), message("system", 0, content="a")]
    assert export(told, Outcome()) == {
        "info": {
            "model_stats": {"instance_cost": 0.0015, "api_calls": 2},
            "config": {"agent": {}},
            "mini_version": "2.4.6",
            "exit_status": "Submitted",
            "submission": "diff --git a/x b/x\n",
        },
        "messages": [{"role": "system", "content": "a"}, {"role": "user", "content": "b"}],
        "trajectory_format": "mini-swe-agent-1.1",
    }
