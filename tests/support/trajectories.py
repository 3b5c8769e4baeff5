"""Trajectory files as mini-SWE-agent's versions write them, small."""

from typing import Any

DIFF = (
    "diff --git a/app.py b/app.py\n"
    "index 2bdd9ad..c8f1dd0 100644\n"
    "--- a/app.py\n"
    "+++ b/app.py\n"
    "@@ -1 +1 @@\n"
    "-x = 1\n"
    "+x = 2\n"
)
PROMPT = (
    "<pr_description>\nConsider the following PR description:\nx is wrong\nIt is 1.\n\n"
    "</pr_description>\n\n<instructions>\nBe brief.\n</instructions>"
)
TEMPLATE = PROMPT.replace("x is wrong\nIt is 1.\n", "{{task}}")
FINISH = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"

Message = dict[str, Any]


def config(**model: Any) -> dict[str, Any]:
    return {
        "agent": {"instance_template": TEMPLATE, "step_limit": 250},
        "model": {"model_name": "vendor/fast-1", "model_kwargs": {"temperature": 0.0}} | model,
        "environment": {"env": {"PAGER": "cat"}},
    }


def version_2(*messages: Message, **info: Any) -> dict[str, Any]:
    """`mini-swe-agent-1.1`, of a SWE-bench run."""
    facts: dict[str, Any] = {
        "model_stats": {"instance_cost": 0.0125, "api_calls": 2},
        "config": config(),
        "mini_version": "2.4.6",
        "exit_status": "Submitted",
        "submission": DIFF.rstrip("\n"),
    }
    return {
        "info": facts | info,
        "messages": list(messages or CHAT),
        "trajectory_format": "mini-swe-agent-1.1",
        "instance_id": "vendor__toy-12",
    }


def version_1(*messages: Message) -> dict[str, Any]:
    """`mini-swe-agent-1`: hand-made messages, no `extra`."""
    return {
        "info": {
            "exit_status": "Submitted",
            "submission": DIFF,
            "model_stats": {"instance_cost": 0.5, "api_calls": 2},
            "mini_version": "1.7.0",
            "config": config(),
        },
        "messages": list(messages or TEXT),
        "trajectory_format": "mini-swe-agent-1",
    }


def version_0(*messages: Message) -> dict[str, Any]:
    """0.2: neither a format nor a configuration."""
    return {
        "info": {
            "exit_status": "LimitsExceeded",
            "submission": "",
            "model_stats": {"instance_cost": 0.1, "api_calls": 2},
        },
        "messages": list(messages or TEXT),
        "instance_id": "vendor__toy-12",
    }


def called(command: str, call_id: str, *, at: float = 10.0, **more: Any) -> Message:
    return {
        "role": "assistant",
        "content": f"I run {call_id}.",
        "tool_calls": [
            {
                "id": call_id,
                "type": "function",
                "function": {"name": "bash", "arguments": f'{{"command": "{command}"}}'},
            }
        ],
        "extra": {
            "actions": [{"command": command, "tool_call_id": call_id}],
            "cost": 0.005,
            "response": {
                "usage": {
                    "prompt_tokens": 100,
                    "completion_tokens": 20,
                    "prompt_tokens_details": {"cached_tokens": 40},
                }
            },
            "timestamp": at,
        },
    } | more


def answered(output: str, call_id: str, *, at: float = 11.0, returncode: int = 0) -> Message:
    return {
        "role": "tool",
        "tool_call_id": call_id,
        "content": f"<returncode>{returncode}</returncode>\n<output>\n{output}</output>",
        "extra": {
            "raw_output": output,
            "returncode": returncode,
            "timestamp": at,
            "exception_info": "",
        },
    }


CHAT: tuple[Message, ...] = (
    {"role": "system", "content": "You are helpful."},
    {"role": "user", "content": PROMPT},
    called("ls", "call-1", at=10.0),
    answered("app.py\n", "call-1", at=11.5),
    called(FINISH, "call-2", at=20.0),
    {"role": "exit", "content": DIFF, "extra": {"exit_status": "Submitted", "submission": DIFF}},
)

TEXT: tuple[Message, ...] = (
    {"role": "system", "content": "You are helpful."},
    {
        "role": "user",
        "content": "Please solve this issue: x is wrong\n\nYou can execute bash commands.",
    },
    {"role": "assistant", "content": "THOUGHT: look\n\n```bash\nls -a\n```", "timestamp": 10.0},
    {"role": "user", "content": "<returncode>0</returncode>\n<output>\napp.py\n</output>"},
    {"role": "assistant", "content": f"Done.\n\n```bash\n{FINISH}\n```"},
    {"role": "user", "content": DIFF},
)

RESPONSES: tuple[Message, ...] = (
    {"type": "message", "role": "system", "content": [{"type": "input_text", "text": "Helpful."}]},
    {"type": "message", "role": "user", "content": [{"type": "input_text", "text": PROMPT}]},
    {
        "object": "response",
        "usage": {
            "input_tokens": 7,
            "output_tokens": 3,
            "input_tokens_details": {"cached_tokens": 2},
        },
        "output": [
            {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Hm."}]},
            {"type": "message", "content": [{"type": "output_text", "text": "I look."}]},
            {
                "type": "function_call",
                "call_id": "call-1",
                "name": "bash",
                "arguments": '{"command": "ls"}',
            },
        ],
        "extra": {"actions": [{"command": "ls", "tool_call_id": "call-1"}], "timestamp": 5.0},
    },
    {
        "type": "function_call_output",
        "call_id": "call-1",
        "output": '{"returncode": 0, "output": "app.py"}',
        "extra": {"raw_output": "app.py\n", "returncode": 0, "timestamp": 6.0},
    },
)
