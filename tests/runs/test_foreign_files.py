"""Trajectory files of every version in; whatever is wrong with one is a line."""

import json
import math
from typing import Any

import pytest

from tests.support.trajectories import (
    CHAT,
    DIFF,
    FINISH,
    RESPONSES,
    TEXT,
    config,
    version_0,
    version_1,
    version_2,
)
from yudai.kit.causes import Cause
from yudai.kit.errors import RefusedError
from yudai.runs.domain.exit_status import EXIT_CAUSES, UPSTREAM_CAUSES, cause_of
from yudai.runs.domain.trajectory.foreign_files import (
    MAX_DEPTH,
    MAX_MESSAGES,
    REDACTED,
    Imported,
    parse,
    read_trajectory,
)


def read(value: object) -> Imported:
    return read_trajectory(parse(json.dumps(value).encode()), name="a file")


def test_version_2():
    run = read(version_2())
    assert (run.repo, run.issue.title, run.issue.body) == ("vendor/toy", "x is wrong", "It is 1.")
    assert run.contestant.handle == "fast-1-t0-imported"
    assert (run.contestant.model, run.contestant.temperature) == ("vendor/fast-1", 0.0)
    assert (run.state, run.cause, run.exit_status, run.steps) == ("completed", None, "Submitted", 2)
    assert (run.usage.cost_micros, run.usage.input_tokens) == (12_500, 200)
    assert run.patch == DIFF
    assert (run.started_at, run.finished_at) == (10.0, 20.0)
    assert [message.step for message in run.messages] == [0, 0, 1, 1, 2, 2]
    assert [message.body for message in run.messages] == list(CHAT)
    assert run.document == version_2()


def test_version_1():
    run = read(version_1())
    assert (run.issue.title, run.repo) == ("x is wrong", "imported")
    assert [message.step for message in run.messages] == [0, 0, 1, 1, 2, 2]
    assert (run.usage.cost_micros, run.started_at) == (500_000, 10.0)
    assert run.patch == DIFF


def test_version_0_has_no_configuration():
    run = read(version_0())
    assert (run.contestant.model, run.repo) == ("unknown", "vendor/toy")
    assert (run.state, run.cause) == ("failed", Cause.OUT_OF_STEPS)
    assert run.patch == ""


def test_the_oldest_file_is_the_list_of_its_messages():
    run = read(list(TEXT))
    assert (run.exit_status, run.patch, run.steps) == ("Submitted", DIFF, 2)
    assert read(list(TEXT[:4])).state == "cancelled"
    assert run.document["messages"] == list(TEXT)
    assert read(run.document).messages == run.messages


def test_items_of_the_responses_api_keep_their_shape():
    run = read(version_2(*RESPONSES))
    assert [message.role for message in run.messages] == ["system", "user", "assistant", "tool"]
    assert [message.body for message in run.messages] == list(RESPONSES)
    assert run.issue.title == "x is wrong"


@pytest.mark.parametrize(
    ("status", "state", "cause"),
    [
        ("Submitted", "completed", None),
        ("TimeExceeded", "failed", Cause.OUT_OF_TIME),
        ("RateLimitError", "failed", Cause.MODEL_FAILED),
        ("ContextWindowExceededError", "failed", Cause.CONTEXT_OVERFLOW),
        ("ZeroDivisionError", "failed", Cause.AGENT_FAILED),
        ("Cancelled", "cancelled", None),
        ("", "cancelled", None),
    ],
)
def test_the_exit_status_says_what_became_of_it(status: str, state: str, cause: Cause | None):
    messages = [message for message in CHAT if message["role"] != "exit"]
    run = read(version_2(*messages, exit_status=status))
    assert (run.state, run.cause) == (state, cause)


def test_no_exit_status_has_two_meanings():
    assert not EXIT_CAUSES.keys() & UPSTREAM_CAUSES.keys()
    assert cause_of("Timeout") is Cause.MODEL_FAILED


@pytest.mark.parametrize("submission", ["", "All done!", "--- a\n", None])
def test_a_submission_that_is_no_diff_is_no_patch(submission: str | None):
    run = read(version_2(*TEXT[:-1], submission=submission))
    assert (run.state, run.patch) == ("completed", "")


def test_a_diff_that_git_did_not_make_our_way_is_kept():
    diff = "--- a/x.py\t2024\n+++ b/x.py\t2024\n@@ -1 +1 @@\n--- x\n+++ y\n"
    assert read(version_2(submission=diff)).patch == diff


def test_secrets_of_the_configuration_are_left_out():
    facts = config(model_kwargs={"api_key": "sk-1", "temperature": 0.5, "max_tokens": 9})
    env = {"GITHUB_TOKEN": "ghp", "PAGER": "cat"}
    facts["environment"] = {"env": env, "run_args": ["--rm", {"password": "ghp"}]}
    run = read(version_2(config=facts))
    text = json.dumps(run.document)
    assert "sk-1" not in text
    assert "ghp" not in text
    kept = run.document["info"]["config"]
    assert kept["model"]["model_kwargs"] == {
        "api_key": REDACTED, "temperature": 0.5, "max_tokens": 9,
    }  # fmt: skip
    assert kept["environment"]["env"]["PAGER"] == "cat"
    assert run.contestant.temperature == 0.5


def test_the_issue_is_named_after_the_file_where_there_is_no_task():
    assert read([{"role": "assistant", "content": FINISH}]).issue.title == "a file"


def test_our_own_prompt_is_understood():
    prompt = "Solve it.\n\n<issue>\n<title>x is wrong</title>\n\nIt is 1.\n</issue>\n\n## How"
    issue = read([{"role": "user", "content": prompt}]).issue
    assert (issue.title, issue.body) == ("x is wrong", "It is 1.")


def test_a_very_long_task_is_cut():
    issue = read([{"role": "user", "content": "# " + "t" * 9000 + "\n" + "b" * 300_000}]).issue
    assert (len(issue.title), len(issue.body)) == (500, 200_000)


def stats(**facts: Any) -> dict[str, Any]:
    return version_2(model_stats=facts)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (7, "it has no messages"),
        ({}, "it has no messages"),
        ([], "it has no messages"),
        ({"trajectory": []}, "SWE-agent's own format"),
        ({"messages": {}}, "it has no messages"),
        ({"messages": [1]}, "message 0 is int"),
        ({"messages": [{}, None]}, "message 1 is NoneType"),
        (version_2() | {"trajectory_format": "mini-swe-agent-9"}, "its format is"),
        (version_2() | {"trajectory_format": ["x"]}, "its format is"),
        (version_2() | {"info": []}, "its info"),
        (version_2(exit_status=3), "its exit status"),
        (version_2(submission=["x"]), "its submission"),
        (stats(api_calls=1.5), "API calls"),
        (stats(api_calls=-1), "API calls"),
        (stats(api_calls=10**30), "API calls"),
        (stats(instance_cost="free"), "its cost"),
        (stats(instance_cost=-1), "its cost"),
        (stats(instance_cost=10**30), "its cost"),
        (stats(instance_cost=10**15), "out of range"),
        (version_2(config=config(model_kwargs={"temperature": 9})), "its temperature"),
        (version_2(config=config(model_kwargs={"temperature": "hot"})), "its temperature"),
    ],
)
def test_a_file_that_is_wrong_is_refused(value: object, words: str):
    with pytest.raises(RefusedError, match=words) as error:
        read(value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"\xff\xfe", "not UTF-8"),
        (b'[{"a": NaN}]', "NaN is no number"),
        (b'[{"a": 1e999}]', "1e999 is no number"),
        (b"9" * 5000, "not JSON"),
        (b"[" * 100_000, "nested deeper"),
        (b'{"a":' * 100_000, "nested deeper"),
        (b"[" * (MAX_DEPTH + 1) + b"]" * (MAX_DEPTH + 1), "nested deeper"),
    ],
)
def test_what_is_not_json_is_refused(content: bytes, words: str):
    with pytest.raises(RefusedError, match=words):
        parse(content)


def test_a_flood_of_messages_is_refused():
    with pytest.raises(RefusedError, match="more than 100000 messages"):
        read([{}] * (MAX_MESSAGES + 1))


def test_a_byte_order_mark_is_no_fault():
    assert parse(b"\xef\xbb\xbf[]") == []


def test_what_no_database_takes_is_no_reason_to_refuse():
    odd = {"role": "\ud800", "content": "\x00\udcff", "\udfff": {"\x00": math.pi}}
    run = read([*TEXT, odd])
    assert run.messages[-1].body == odd


def test_hostile_times_are_no_times():
    odd = [{"role": "user", "content": "x", "timestamp": at} for at in (-1, "x", 10**400, True)]
    run = read(odd)
    assert (run.started_at, run.finished_at) == (None, None)
