"""One step whole, whatever shape its messages have."""

import json
from typing import Any

import pytest

from tests.support.trajectories import CHAT, RESPONSES, TEXT, answered, called
from yudai.gateway.domain.models import Usage
from yudai.runs.domain.trajectory.messages import (
    commands_of,
    reasoning_of,
    role_of,
    text_of,
    usage_of,
)
from yudai.runs.domain.trajectory.steps import Step, number_turns, step_of
from yudai.runs.domain.trajectory.trajectory import TrajectoryMessage


def step(number: int, *bodies: dict[str, Any]) -> Step:
    numbers = number_turns(bodies)
    messages = [
        TrajectoryMessage(seq=seq, step=turn, role=role_of(body), at=float(seq), body=body)
        for seq, (turn, body) in enumerate(zip(numbers, bodies, strict=True))
    ]
    return step_of(number, [message for message in messages if message.step == number])


def test_a_tool_call_with_its_observation():
    found = step(1, *CHAT)
    assert found.thought == "I run call-1."
    [action] = found.actions
    assert (action.command, action.output, action.returncode) == ("ls", "app.py\n", 0)
    assert found.usage == Usage(
        input_tokens=100, cached_tokens=40, output_tokens=20, cost_micros=5000
    )
    assert (found.started_at, found.seconds) == (2.0, 1.0)


def test_the_prompts_are_step_0_and_the_end_belongs_to_the_last():
    assert [told.role for told in step(0, *CHAT).inputs] == ["system", "user"]
    assert step(0, *CHAT).actions == ()
    last = step(2, *CHAT)
    assert [told.role for told in last.inputs] == ["exit"]
    assert last.actions[0].returncode is None


def test_a_text_reply_of_version_1():
    found = step(1, *TEXT)
    assert found.thought == "THOUGHT: look"
    [action] = found.actions
    assert (action.command, action.output, action.returncode) == ("ls -a", "app.py", 0)


def test_items_of_the_responses_api():
    found = step(1, *RESPONSES)
    assert (found.thought, found.reasoning) == ("I look.", "Hm.")
    assert found.actions[0].output == "app.py\n"
    assert found.usage == Usage(input_tokens=7, cached_tokens=2, output_tokens=3)
    assert step(0, *RESPONSES).inputs[0].text == "Helpful."


def test_parallel_calls_are_matched_by_their_ids_not_their_order():
    turn = called("one", "a")
    turn["extra"]["actions"].append({"command": "two", "tool_call_id": "b"})
    found = step(1, turn, answered("2", "b", returncode=2), answered("1", "a"))
    assert [(a.command, a.output, a.returncode) for a in found.actions] == [
        ("one", "1", 0), ("two", "2", 2),
    ]  # fmt: skip


def test_an_observation_without_its_command_is_kept():
    found = step(1, called("one", "a"), answered("1", "a"), answered("stray", "z"))
    assert [(a.command, a.output) for a in found.actions] == [("one", "1"), ("", "stray")]


def test_a_refused_reply_is_a_turn_of_its_own():
    reply = {"role": "assistant", "content": "I think:\n```bash\nls\n```", "tool_calls": []}
    refusal = {
        "role": "user",
        "content": "There was no tool call.",
        "extra": {"interrupt_type": "FormatError", "cost": 0.25, "response": reply},
    }
    found = step(1, CHAT[0], refusal, CHAT[2])
    assert found.thought.startswith("I think:")
    assert found.actions == ()
    assert [told.text for told in found.inputs] == ["There was no tool call."]
    assert found.usage.cost_micros == 250_000
    assert number_turns([CHAT[0], refusal, CHAT[2]]) == [0, 1, 2]


@pytest.mark.parametrize(
    ("extra", "said"),
    [
        ({"response": {"choices": [{"message": {"content": "words"}}]}}, "words"),
        ({"model_response": "words"}, "words"),
        ({"response": {"output": [{"type": "message", "content": [{"text": "words"}]}]}}, "words"),
        ({}, ""),
    ],
)
def test_what_a_refusal_answers_is_found_in_every_version(extra: dict[str, Any], said: str):
    refusal = {"role": "user", "content": "no", "extra": {"interrupt_type": "FormatError"} | extra}
    assert step(1, refusal).thought == said


def test_what_the_agent_was_told_of_its_edits_is_kept():
    shown = json.dumps({"returncode": 0, "output": "", "notice": "This step changed files."})
    observation = answered("", "a") | {"content": shown}
    assert step(1, called("touch x", "a"), observation).actions[0].notice.startswith("This step")


def test_the_raw_output_is_shown_not_what_the_model_saw_of_it():
    observation = answered("x" * 50_000, "a") | {"content": "cut"}
    assert len(step(1, called("seq", "a"), observation).actions[0].output) == 50_000


def test_output_may_hold_tags_of_its_own():
    text = "<returncode>1</returncode>\n<output>\n<output>\n</output>\n</output>"
    observation = {"role": "user", "content": text}
    reply = {"role": "assistant", "content": "```bash\ncat x\n```"}
    [action] = step(1, reply, observation).actions
    assert (action.returncode, action.output) == (1, "<output>\n</output>")


def test_anthropic_blocks():
    use = {"role": "assistant", "content": [
        {"type": "text", "text": "Now."},
        {"type": "tool_use", "id": "t", "input": {"command": "pwd"}},
    ]}  # fmt: skip
    result = {
        "role": "tool",
        "content": [{"type": "tool_result", "tool_use_id": "t", "content": "/"}],
    }
    found = step(1, use, result)
    assert (found.thought, found.actions[0].command, found.actions[0].output) == (
        "Now.",
        "pwd",
        "/",
    )


def test_a_malformed_tool_call_is_shown_as_it_was_written():
    body = {"role": "assistant", "tool_calls": [{"function": {"arguments": "{oops"}}]}
    assert commands_of(body)[0].text == "{oops"


def test_what_was_never_read_as_a_command_is_found_where_the_model_wrote_it():
    body = {key: value for key, value in RESPONSES[2].items() if key != "extra"}
    assert [(c.text, c.call_id) for c in commands_of(body)] == [("ls", "call-1")]
    said = {"role": "assistant", "content": "```bash\nls\n```\nthen\n```bash\nnever closed"}
    assert [c.text for c in commands_of(said)] == ["ls"]


def test_reasoning_beside_a_reply():
    assert reasoning_of({"role": "assistant", "reasoning_content": "Hm."}) == "Hm."
    assert reasoning_of({"role": "assistant", "reasoning": "Hm."}) == "Hm."


HOSTILE: list[dict[str, Any]] = [
    {},
    {"role": 7, "content": 7, "extra": 7, "tool_calls": 7, "output": 7},
    {"role": "assistant", "content": [None, 1, {"type": "text", "text": 5}], "tool_calls": [None]},
    {"role": "assistant", "tool_calls": [{"function": None}], "extra": {"actions": [None, {}]}},
    {"object": "response", "output": [None, {"type": "message", "content": 3}]},
    {"extra": {"usage": {"input_tokens": -1, "output_tokens": True}, "cost": "1", "timestamp": {}}},
    {"extra": {"interrupt_type": "FormatError", "response": {"choices": [None]}}},
    {"role": "tool", "content": "[" * 5000, "extra": {"returncode": "x", "raw_output": 1}},
]


@pytest.mark.parametrize("body", HOSTILE)
def test_nothing_in_a_message_can_break_its_reading(body: dict[str, Any]):
    assert isinstance(text_of(body), str)
    assert isinstance(reasoning_of(body), str)
    assert isinstance(role_of(body), str)
    assert usage_of(body) == Usage()
    found = step(number_turns([body])[0], body)
    assert all(isinstance(action.command, str) for action in found.actions)


def test_many_unclosed_fences_are_read_in_a_moment():
    assert commands_of({"role": "assistant", "content": "x```bash\n" * 200_000}) == ()
