"""Contests that recorded values decide, or hand to a person."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.support.verified_repo import Files, Ground
from tests.verification.attacks import node_scene, python_scene
from tests.verification.contest import Contest, Judged
from yudai import demo
from yudai.verification.domain.rules import RULES, Rule

pytestmark = pytest.mark.xdist_group("recorded")

SAMPLE = demo.ROOT / "sample"
DEMO: Files = {
    str(path.relative_to(SAMPLE)): path.read_text()
    for path in SAMPLE.rglob("*")
    if path.is_file() and "__pycache__" not in path.parts
}
RIGHT = ("laconic", "surgeon", "architect")
WITHOUT = RULES.without(Rule.VALUES_ARE_RECORDED)


def answer(name: str, folder: Path) -> Files:
    """What a contestant of the demo changes: its script's edits, made in a copy."""
    work = folder / name
    shutil.copytree(SAMPLE, work)
    script = yaml.safe_load((demo.CONTESTANTS / f"{name}.yaml").read_text())
    for reply in script["replies"]:
        commands = reply.get("run", "")
        if "write_text" in commands or "cat > " in commands:
            kept = [line for line in commands.split("\n") if "-m pytest" not in line]
            programs = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
            subprocess.run(
                ["bash", "-c", "\n".join(kept)], cwd=work, check=True, env={"PATH": programs}
            )
    texts = {str(path.relative_to(work)): path for path in work.rglob("*.py")}
    return {
        name: path.read_text()
        for name, path in texts.items()
        if name not in DEMO or path.read_text() != DEMO[name]
    }


async def on_demo(ground: Ground, folder: Path, *names: str, rules: object = RULES) -> Judged:
    issue = (demo.ROOT / "issue.md").read_text()
    answers = {name: answer(name, folder) for name in names}
    return await Contest(ground, DEMO, issue, answers, rules=rules).judge()  # type: ignore[arg-type]


async def test_on_the_demo_a_special_case_is_a_question_beside_the_right_answer(
    ground: Ground, tmp_path: Path
):
    found = await on_demo(ground, tmp_path, "laconic", "literalist")
    assert found.champion == ""
    assert found.asked == ["behaviours"]
    text = found.question.text
    assert text.startswith("What should `")
    assert "laconic says `" in text
    assert "literalist says `" in text
    assert found.answered(behaviours="laconic").champion == "laconic"


@pytest.mark.real
async def test_without_recorded_values_the_special_case_wins(ground: Ground, tmp_path: Path):
    found = await on_demo(ground, tmp_path, "laconic", "literalist", rules=WITHOUT)
    assert found.champion == "literalist"


@pytest.mark.real
async def test_the_demo_s_right_answers_do_not_differ(ground: Ground, tmp_path: Path):
    found = await on_demo(ground, tmp_path, *RIGHT, "literalist")
    assert found.champion == "surgeon"
    assert found.asked == []
    values = found.examination.values
    assert values.inputs > 80
    assert {frozenset({one.one, one.other}) for one in values.differences} <= {
        frozenset({"literalist", name}) for name in RIGHT
    }


INSIDE = """
    import sys

    def human(seconds):
        if 'pytest' in sys.modules and seconds and seconds % 3600 == 0:
            return f'{seconds // 3600}h'
        return f'{seconds}s'
    """


async def test_what_is_right_only_inside_a_runner_has_failed(ground: Ground):
    answers: dict[str, Files] = {
        "inside": {"durations.py": INSIDE, "tests/test_right.py": python_scene.EXAMPLE_TEST},
        "right": {"durations.py": python_scene.RIGHT, "tests/test_more.py": python_scene.GOOD_TEST},
    }
    base = {**python_scene.BASE, "durations.py": "def human(seconds):\n    return f'{seconds}s'\n"}
    found = await Contest(ground, base, python_scene.ISSUE, answers).judge()
    assert found.champion == "right"
    assert found.verdict("inside").summary == (
        "passes tests/test_right.py::test_example only inside a test runner: human(3600) is '3600s'"
    )


async def test_in_javascript_the_issue_decides_where_it_names_the_input(ground: Ground):
    issue = f"{node_scene.ISSUE} And `human(7200)` should be `2h`.".replace("  ", " ")
    inside = node_scene.RIGHT.replace(
        "seconds % 3600 === 0", "process.env.NODE_TEST_CONTEXT && seconds % 3600 === 0"
    )
    answers: dict[str, Files] = {
        "stub": {
            "durations.js": node_scene.STUB,
            "test/example.test.js": node_scene.EXAMPLE_TEST,
        },
        "inside": {"durations.js": inside},
        "right": {
            "durations.js": node_scene.RIGHT,
            "test/mine.test.js": node_scene.EXAMPLE_TEST,
        },
    }
    found = await Contest(ground, node_scene.BASE, issue, answers, node=True).judge()
    assert found.champion == "right"
    assert found.verdict("stub").summary == 'says that human(7200) is "7200s", the issue "2h"'
    assert 'only inside a test runner: human(3600) is "3600s"' in found.verdict("inside").summary
