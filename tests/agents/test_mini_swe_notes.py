"""What the agent notes beside its observations: edits with their diffs, tests; and its marks."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.fakes import AnsweringGateway, FolderSandbox
from tests.support.scripted_agent import FINISH, Stage
from yudai.agents.adapters import edit_count
from yudai.agents.adapters.edit_count import MAX_DIFF_BYTES
from yudai.gateway.domain.models import Usage
from yudai.gateway.port import Call, Completion, ToolCall
from yudai.kit.causes import Cause
from yudai.kit.errors import SandboxError

EDIT = "echo 'x = 2' > app.py"
TESTS = "python3 -c 'import unittest; unittest.TextTestRunner'"


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


def extras(stage: Stage) -> list[dict[str, Any]]:
    return [m.body["extra"] for m in stage.told.messages if m.role == "tool"]


def kept(stage: Stage) -> list[dict[str, Any]]:
    return [extra for extra in extras(stage) if "edit" in extra]


async def test_an_edit_is_noted_with_the_diff_as_it_stood(stage: Stage):
    outcome = await stage.play(
        [{"run": "true"}, {"run": ["true", EDIT]}, {"run": "echo > b"}, {"finish": True}]
    )
    nothing, early, first, second, finish = extras(stage)
    assert [extra.get("edit") for extra in (nothing, early, first, second, finish)] == [
        *(None, None, 1, 2, None)
    ]
    assert "+x = 2" in first["diff"]
    assert "b/b" not in first["diff"]
    assert "b/b" in second["diff"]
    assert second["diff"] == outcome.patch
    assert (first["diff_truncated"], second["diff_truncated"]) == (False, False)
    assert not {"diff", "diff_truncated"} & finish.keys()


@pytest.mark.parametrize(("max_edits", "diffs"), [(10, 2), (2, 2), (1, 1)])
async def test_no_diff_is_taken_twice(stage: Stage, max_edits: int, diffs: int):
    outcome = await stage.play(
        [
            {"run": EDIT},
            {"run": "cat app.py"},
            {"run": "echo > b"},
            {"run": "ls"},
            {"finish": True},
        ],
        max_edits=max_edits,
    )
    assert stage.sandbox.diffs == diffs
    assert outcome.edits == diffs
    assert ("b/b" in outcome.patch) is (max_edits > 1)


async def test_without_an_edit_one_diff_tells_that_there_is_none(stage: Stage):
    outcome = await stage.play([{"run": "ls"}, {"finish": True}])
    assert (outcome.patch, stage.sandbox.diffs) == ("", 1)
    assert not kept(stage)


async def test_a_tree_that_no_one_looked_at_is_taken_again(stage: Stage):
    """A run that ends between a command and the look at what it did."""

    class Sleepy(FolderSandbox):
        async def tree(self) -> Any:
            if (self.workspace / "late").exists() and not self.diffs > 1:
                self.diffs += 1
                raise SandboxError("cannot look", cause=Cause.MODEL_FAILED)
            return await super().tree()

    sleepy = Sleepy(stage.root / "sleepy", {"a": "1\n"})
    outcome = await stage.run(stage.script([{"run": "echo > b"}, {"run": "echo > late"}]), sleepy)
    assert outcome.cause is Cause.MODEL_FAILED
    assert "b/late" in outcome.patch


async def test_a_huge_diff_is_cut_in_the_record_and_whole_in_the_patch(stage: Stage):
    outcome = await stage.play([{"run": "seq 1 100000 > big"}, {"finish": True}])
    [noted] = kept(stage)
    assert noted["diff_truncated"]
    assert len(noted["diff"].encode()) <= MAX_DIFF_BYTES
    assert noted["diff"].endswith("\n")
    assert "+100000" in outcome.patch
    assert stage.sandbox.diffs == 1


async def test_binary_files_and_names_that_are_no_text(stage: Stage):
    outcome = await stage.play(
        [
            {"run": r"""printf '\0\377' > bin; printf 'x' > "$(printf '\377').py" """},
            {"finish": True},
        ]
    )
    [noted] = kept(stage)
    assert "GIT binary patch" in noted["diff"]
    assert "GIT binary patch" in outcome.patch
    json.dumps([m.body for m in stage.told.messages], ensure_ascii=False).encode()


async def test_text_that_is_not_utf8_is_kept_in_the_patch_and_marked_in_the_record(stage: Stage):
    outcome = await stage.play([{"run": r"printf 'caf\351\n' > app.py"}, {"finish": True}])
    [noted] = kept(stage)
    assert "+caf\ufffd\n" in noted["diff"]
    assert "+caf\udce9\n" in outcome.patch


async def test_a_diff_that_fails_leaves_the_run_alone(stage: Stage):
    class Refusing(FolderSandbox):
        async def diff(self) -> str:
            if not self.diffs:
                self.diffs += 1
                raise SandboxError("too big for a patch", cause=Cause.PATCH_REFUSED)
            return await super().diff()

    refusing = Refusing(stage.root / "refusing", {"a": "1\n"})
    script = stage.script([{"run": "echo > b"}, {"run": "ls"}, {"finish": True}])
    outcome = await stage.run(script, refusing)
    assert outcome.cause is None
    assert "b/b" in outcome.patch
    [noted] = kept(stage)
    assert (noted["edit"], noted["diff"], noted["diff_truncated"]) == (1, "", True)


async def test_a_diff_that_takes_too_long_is_taken_at_the_end(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
):
    class Slow(FolderSandbox):
        async def diff(self) -> str:
            self.diffs += 1
            if self.diffs == 1:
                await asyncio.sleep(60)
            return await super().diff()

    monkeypatch.setattr(edit_count, "_DIFF_TIME_S", 0.05)
    slow = Slow(stage.root / "slow", {"a": "1\n"})
    outcome = await stage.run(stage.script([{"run": "echo > b"}, {"finish": True}]), slow)
    assert outcome.cause is None
    assert "b/b" in outcome.patch
    assert kept(stage)[0]["diff_truncated"]


async def test_edits_beyond_the_cap_are_none(stage: Stage):
    outcome = await stage.play(
        [{"run": EDIT}, {"run": "echo > late"}, {"finish": True}], max_edits=1
    )
    [noted] = kept(stage)
    assert noted["diff"] == outcome.patch
    assert stage.sandbox.diffs == 1


async def test_tests_are_noted_where_they_were_run(stage: Stage):
    await stage.play([{"run": ["ls", TESTS, "ls"]}, {"run": [FINISH, TESTS]}])
    assert ["is_test" in extra for extra in extras(stage)] == [False, True, False, False, False]


async def test_marks_are_the_first_edit_and_every_test(stage: Stage):
    await stage.play(
        [
            {"run": f"{TESTS} && false", "cost_usd": 0.001},
            {"run": f"{EDIT}; {TESTS}", "cost_usd": 0.002},
            {"run": "echo > b"},
            {"run": f"{TESTS} | tail"},
            {"finish": True},
        ]
    )
    told = stage.told.progress
    assert [len(progress.marks) for progress in told] == [0, 0, 0, 1, 1, 3, 3, 3, 3, 4, 4, 4, 4]
    marks = told[-1].marks
    assert [(m.kind, m.step, m.cost_micros, m.ok) for m in marks] == [
        ("test", 1, 1000, False),
        ("edit", 2, 3000, None),
        ("test", 2, 3000, True),
        ("test", 4, 3000, None),
    ]
    assert {mark.at for mark in marks} == {1_700_000_000.0}


async def test_the_model_is_shown_none_of_it(stage: Stage):
    def answer(call: Call) -> Completion:
        command = (EDIT, TESTS, FINISH)[call.turn]
        bash = ToolCall(id="1", name="bash", arguments=json.dumps({"command": command}))
        return Completion(content="", tool_calls=(bash,), finish_reason="", usage=Usage())

    gateway = AnsweringGateway(answer)
    await stage.run(gateway, stage.sandbox)
    assert kept(stage)
    sent = json.dumps([list(call.messages) for call in gateway.calls])
    for word in ("diff --git", '"diff"', "diff_truncated", "is_test", '"extra"'):
        assert word not in sent
