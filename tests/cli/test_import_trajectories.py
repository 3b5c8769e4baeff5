"""`yudai import`, as a person and as a program reads it."""

import json
from pathlib import Path

import pytest

from tests.support.servers.databases import used_home
from tests.support.trajectories import CHAT, RESPONSES, called, version_1, version_2
from yudai.agents.adapters.mini_swe.upstream import MINI_VERSION
from yudai.cli.import_trajectories import run_import
from yudai.cli.show.show import View, run_list, run_show
from yudai.kit.errors import RefusedError
from yudai.operations import telemetry
from yudai.settings import Settings

HOSTILE = "\x1b]0;owned\x07\x1b[2J\u202e"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    telemetry.set_up(verbose=False)
    return Settings.at(used_home(tmp_path / "home"))


def write(folder: Path, value: object, name: str = "it.traj.json") -> Path:
    path = folder / name
    path.write_text(json.dumps(value))
    return path


async def test_what_became_of_each_file_is_printed(tmp_path: Path, settings, capsys):
    files = [write(tmp_path, version_2()), write(tmp_path, version_1(), "old.traj.json")]
    assert await run_import(settings, files, json=False) == 0
    shown = capsys.readouterr().out
    assert shown.count(": imported (solve ") == 2
    assert "fast-1-t0-imported: x is wrong" in shown
    await run_import(settings, files[:1], json=False)
    assert "was imported before" in capsys.readouterr().out
    await run_list(settings, limit=5, json=False)
    assert capsys.readouterr().out.count("completed") == 2


async def test_a_program_finds_it_again(tmp_path: Path, settings, capsys):
    await run_import(settings, [write(tmp_path, version_2(*RESPONSES))], json=True)
    [found] = json.loads(capsys.readouterr().out)["imported"]
    assert found["new"] is True
    await run_show(settings, found["run_id"], json=False, view=View.TRAJECTORY)
    assert json.loads(capsys.readouterr().out) == version_2(*RESPONSES)
    await run_show(settings, found["run_id"], json=False, view=None, step=1)
    shown = capsys.readouterr().out
    for words in ("I look.", "Hm.", "ls", "app.py"):
        assert words in shown
    await run_show(settings, found["solve_id"], json=False, view=None)
    assert "nothing of it was verified here" in capsys.readouterr().out


async def test_mini_swe_agents_inspector_loads_what_was_imported(tmp_path: Path, settings, capsys):
    assert MINI_VERSION  # ours is imported first: upstream prints when it is
    from minisweagent.run.utilities.inspector import TrajectoryInspector

    await run_import(settings, [write(tmp_path, version_1())], json=True)
    [found] = json.loads(capsys.readouterr().out)["imported"]
    await run_show(settings, found["run_id"], json=False, view=View.TRAJECTORY)
    again = tmp_path / "again.traj.json"
    again.write_text(capsys.readouterr().out)
    app = TrajectoryInspector([again])
    async with app.run_test():
        assert app.n_steps == 3


async def test_a_bad_file_is_one_line(tmp_path: Path, settings):
    (tmp_path / "bad.json").write_text("<html>")
    with pytest.raises(RefusedError, match=r"bad\.json: it is not JSON") as error:
        await run_import(settings, [tmp_path / "bad.json"], json=False)
    assert "\n" not in str(error.value)


async def test_hostile_text_reaches_no_terminal(tmp_path: Path, settings, capsys):
    evil = version_2(
        *CHAT[:2],
        called("ls", HOSTILE, content=HOSTILE),
        {"role": HOSTILE, "content": HOSTILE},
        exit_status=HOSTILE,
        config={"model": {"model_name": HOSTILE}},
    )
    evil["messages"][1] = {"role": "user", "content": HOSTILE}
    path = write(tmp_path, evil, "evil\x1b[31m.json")
    await run_import(settings, [path], json=False)
    await run_import(settings, [path], json=True)
    [found] = json.loads(capsys.readouterr().out.partition("\n{")[2].join(("{", "")))["imported"]
    for step in (None, 0, 1):
        await run_show(settings, found["run_id"], json=False, view=None, step=step)
    await run_show(settings, found["solve_id"], json=False, view=None)
    await run_list(settings, limit=5, json=False)
    shown = capsys.readouterr()
    assert not {"\x1b", "\x07", "\u202e"} & {*shown.out, *shown.err}
