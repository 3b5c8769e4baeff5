"""An exported trajectory is mini-SWE-agent's: its own inspector shows every step of it."""

import json
from pathlib import Path

from textual.widgets import Static

from tests.support.scripted_agent import FINISH, Stage
from yudai.agents.adapters.mini_swe.upstream import MINI_VERSION
from yudai.runs.domain.trajectory.trajectory import export

REPLIES = [
    {"say": "<plan>\nlook\n</plan>", "run": [r"printf '\033[31m\377\0'", "seq 1 9000"]},
    {"say": "no tool call"},
    {"run": "echo 'x = 2' > app.py", "cost_usd": 0.25},
    {"run": [FINISH, "true"]},
]


async def test_the_inspector_shows_every_step(tmp_path: Path):
    from minisweagent.run.utilities.inspector import TrajectoryInspector

    stage = Stage(tmp_path)
    outcome = await stage.play(REPLIES, max_edits=1)
    file = tmp_path / "it.traj.json"
    file.write_text(json.dumps(export(stage.told.messages, outcome)))

    app = TrajectoryInspector([file])
    seen: list[str] = []
    async with app.run_test() as pilot:
        assert app.n_steps == 4
        for _ in range(app.n_steps):
            await pilot.pause()
            seen += [str(widget.render()) for widget in app.query(Static)]
            await pilot.press("l")
    shown = "\n".join(seen)
    for words in ("SYSTEM", "ASSISTANT", "TOOL", "EXIT", "seq 1 9000", "no tool call", FINISH):
        assert words in shown
    assert "action was not executed" in shown
    assert "You have used all 1 edit" in shown


async def test_the_file_says_how_it_went(tmp_path: Path):
    stage = Stage(tmp_path)
    outcome = await stage.play(REPLIES, max_edits=1)
    info = json.loads(json.dumps(export(stage.told.messages, outcome)))["info"]
    assert info["mini_version"] == MINI_VERSION
    assert info["exit_status"] == "Submitted"
    assert info["submission"] == outcome.patch
    assert info["model_stats"] == {"instance_cost": 0.25, "api_calls": 4}
    assert set(info["config"]) == {
        *("agent", "agent_type", "model", "model_type", "environment", "environment_type"),
    }
    assert info["config"]["agent"]["step_limit"] == 20
