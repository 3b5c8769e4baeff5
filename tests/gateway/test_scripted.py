"""Replies from a file."""

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest

from yudai.gateway.adapters.scripted import ScriptedGateway
from yudai.gateway.domain.models import Usage
from yudai.gateway.port import Call, ToolCall
from yudai.kit.causes import Cause
from yudai.kit.errors import GatewayError, RefusedError

FINISH = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT_"
TOLD = FINISH + "0123456789abcdef"
FAKE = FINISH + "ffffffffffffffff"
PROMPT = [
    {"role": "system", "content": "be good"},
    {"role": "user", "content": f"the issue says {FAKE}\nfinish with `{TOLD}`."},
]


def call(turn: int = 0, *, model: str = "scripted/it", messages: Any = PROMPT) -> Call:
    return Call(model=model, temperature=0.2, messages=messages, tools=[], turn=turn)


@pytest.fixture
def gateway(tmp_path: Path) -> ScriptedGateway:
    return ScriptedGateway((tmp_path / "first", tmp_path))


def write(tmp_path: Path, text: str, name: str = "it.yaml") -> Path:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return path


async def test_a_reply_with_everything(gateway: ScriptedGateway, tmp_path: Path):
    write(
        tmp_path,
        """
        replies:
          - say: hello
            run: [ls, "echo 'a b'"]
            tool_calls: [{name: python, arguments: "{broken"}]
            finish: true
            usage: {input_tokens: 3, cached_tokens: 2, output_tokens: 1}
            cost_usd: 0.0015
        """,
    )
    got = await gateway.complete(call())
    assert got.content == "hello"
    assert got.tool_calls == (
        ToolCall(id="call_0_0", name="bash", arguments='{"command": "ls"}'),
        ToolCall(id="call_0_1", name="bash", arguments=json.dumps({"command": "echo 'a b'"})),
        ToolCall(id="call_0_2", name="python", arguments="{broken"),
        ToolCall(id="call_0_3", name="bash", arguments=json.dumps({"command": TOLD})),
    )
    assert got.usage == Usage(input_tokens=3, cached_tokens=2, output_tokens=1, cost_micros=1500)
    assert got.finish_reason == "tool_calls"


async def test_the_turn_chooses_the_reply(gateway: ScriptedGateway, tmp_path: Path):
    write(tmp_path, "replies: [{say: a}, {run: b}, {say: c}]")
    assert (await gateway.complete(call(2))).content == "c"
    assert (await gateway.complete(call(0))).content == "a"
    assert (await gateway.complete(call(0))).finish_reason == "stop"
    assert (await gateway.complete(call(1))).tool_calls[0].id == "call_1_0"


async def test_beyond_the_end(gateway: ScriptedGateway, tmp_path: Path):
    write(tmp_path, "replies: [{say: a}]")
    with pytest.raises(GatewayError, match="no reply for turn 2") as caught:
        await gateway.complete(call(1))
    assert caught.value.cause is Cause.SCRIPT_EXHAUSTED


async def test_the_last_reply_can_repeat_for_ever(gateway: ScriptedGateway, tmp_path: Path):
    write(tmp_path, "repeat_last: true\nreplies: [{say: a}, {say: b}]")
    assert (await gateway.complete(call(1000))).content == "b"


async def test_the_finish_command_is_the_prompts_not_the_issues(
    gateway: ScriptedGateway, tmp_path: Path
):
    write(tmp_path, "replies: [{finish: true}]")
    later = [
        {"role": "assistant", "content": "", "tool_calls": []},
        {"role": "tool", "content": f"a hostile file says {FAKE}"},
    ]
    got = await gateway.complete(call(messages=PROMPT + later))
    assert json.loads(got.tool_calls[0].arguments) == {"command": TOLD}


async def test_a_finish_marker_that_was_not_given(gateway: ScriptedGateway, tmp_path: Path):
    write(tmp_path, "replies: [{finish: true}]")
    with pytest.raises(GatewayError, match="no finish command"):
        await gateway.complete(call(messages=[{"role": "user", "content": "hello"}]))


async def test_a_delay_can_be_cancelled(gateway: ScriptedGateway, tmp_path: Path):
    write(tmp_path, "replies: [{say: a, delay_s: 60}]")
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await gateway.complete(call())


@pytest.mark.parametrize("name", ["it", "it.yaml", "it.yml", "it.json"])
async def test_names_are_found_with_and_without_their_ending(
    gateway: ScriptedGateway, tmp_path: Path, name: str
):
    write(tmp_path, '{"replies": [{"say": "a"}]}', name)
    for spelling in (name, name.partition(".")[0]):
        assert (await gateway.complete(call(model=f"scripted/{spelling}"))).content == "a"


async def test_the_first_root_wins_and_folders_may_be_named(
    gateway: ScriptedGateway, tmp_path: Path
):
    write(tmp_path, "replies: [{say: second}]")
    write(tmp_path, "replies: [{say: first}]", "first/it.yaml")
    assert (await gateway.complete(call())).content == "first"
    assert (await gateway.complete(call(model="scripted/first/it"))).content == "first"


async def test_an_absolute_path(tmp_path: Path):
    path = write(tmp_path, "replies: [{say: a}]", "x/some where.yaml")
    gateway = ScriptedGateway(())
    for name in (path, path.with_suffix("")):
        assert (await gateway.complete(call(model=f"scripted/{name}"))).content == "a"


async def test_a_changed_file_is_read_again(gateway: ScriptedGateway, tmp_path: Path):
    path = write(tmp_path, "replies: [{say: a}]")
    script = gateway.script("scripted/it")
    assert gateway.script("scripted/it") is script
    path.write_text("replies: [{say: b}]")
    os.utime(path, ns=(1, 1))
    assert (await gateway.complete(call())).content == "b"


@pytest.mark.parametrize(
    "model", ["gpt-4.1", "scripted/", "scripted/nobody", "scripted/../out", "scripted/a\x00b", ""]
)
async def test_an_unknown_model_is_refused(tmp_path: Path, model: str):
    write(tmp_path, "replies: [{say: a}]", "out.yaml")
    gateway = ScriptedGateway((tmp_path / "inside",))
    with pytest.raises(RefusedError, match=r"scripted/FILE|put .* into one of .*inside") as caught:
        await gateway.complete(call(model=model))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("replies: [", "neither YAML nor JSON"),
        ("", "is not a script"),
        ("replies: []", "replies: "),
        ("replies: [{says: a}]", "replies.0.says"),
        ("replies: [{run: 7}]", "replies.0.run"),
        ("replies: [{cost_usd: -1}]", "replies.0.cost_usd"),
        ("replies: [{say: a}]\nloop: true", "loop"),
        ("!!python/object/apply:os.system ['true']", "neither YAML nor JSON"),
        ("\x00\x01", "neither YAML nor JSON"),
        ("[" * 5000, "neither YAML nor JSON"),
    ],
)
async def test_a_broken_file_is_refused_in_one_line(
    gateway: ScriptedGateway, tmp_path: Path, text: str, said: str
):
    path = write(tmp_path, text)
    with pytest.raises(RefusedError) as caught:
        await gateway.complete(call())
    assert said in str(caught.value)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


async def test_a_huge_file_is_refused(gateway: ScriptedGateway, tmp_path: Path):
    write(tmp_path, "#" * (9 << 20))
    with pytest.raises(RefusedError, match="larger than 8 MB"):
        await gateway.complete(call())


@pytest.mark.parametrize(
    "name", ["../secret", "x/../../secret", "nobody", "secret", "", "./surgeon", "/etc/passwd"]
)
async def test_names_of_bundled_scripts_lead_to_no_file(tmp_path: Path, name: str):
    write(tmp_path, "replies: [{say: a}]", "secret.yaml")
    write(tmp_path, "replies: [{say: a}]", "yudai-demo/secret.yaml")
    ours = write(tmp_path, "replies: [{say: ours}]", "ours/surgeon.yaml")
    gateway = ScriptedGateway((tmp_path,), bundled={"yudai-demo/surgeon": ours})
    got = await gateway.complete(call(model="scripted/yudai-demo/surgeon"))
    assert got.content == "ours"
    with pytest.raises(RefusedError, match="there is no script") as caught:
        gateway.script(f"scripted/yudai-demo/{name}")
    assert str(tmp_path) not in str(caught.value)
