from typing import Any

import pytest

from tests.support.trajectories import CHAT, RESPONSES, TEXT, answered, called
from yudai.runs.domain.trajectory.kinds import Notes, kind_of, notes_of, notes_of_all


@pytest.mark.parametrize(
    ("messages", "kinds"),
    [
        (CHAT, ["prompt", "prompt", "command", "output", "command", "exit"]),
        (TEXT, ["prompt", "prompt", "command", "output", "command", "prompt"]),
        (RESPONSES, ["prompt", "prompt", "command", "output"]),
    ],
)
def test_every_version_has_the_same_kinds(messages: tuple[dict[str, Any], ...], kinds: list[str]):
    assert [kind_of(message) for message in messages] == kinds


ODD: list[tuple[dict[str, Any], str]] = [
    ({"role": "assistant", "content": "I think."}, "thought"),
    ({"role": "assistant", "content": "I think.", "extra": None}, "thought"),
    ({"role": "user", "content": "no call", "extra": {"interrupt_type": "FormatError"}}, "prompt"),
    ({"role": "user", "extra": {"returncode": 1}}, "output"),
    ({"role": "developer", "content": "be brief"}, "prompt"),
    ({}, "output"),
    ({"role": 7, "content": []}, "output"),
]


@pytest.mark.parametrize(("body", "kind"), ODD)
def test_odd_messages_have_a_kind(body: dict[str, Any], kind: str):
    assert kind_of(body) == kind


def test_what_a_message_says_of_itself():
    assert notes_of(called("pytest -q", "1")) == Notes(is_test=True)
    assert notes_of(called("ls", "1")) == Notes()
    assert notes_of(answered("1 passed", "1")) == Notes()
    assert notes_of({"role": "tool", "extra": {"is_test": True, "edit": 3}}) == Notes(
        is_test=True, edit=3
    )


@pytest.mark.parametrize("edit", [0, -1, True, "1", 1.5, None, 1 << 31, 1 << 80, [1]])
def test_an_edit_is_a_number_that_can_be_one(edit: object):
    assert notes_of({"role": "tool", "extra": {"edit": edit}}).edit is None


def test_an_output_is_known_by_its_command():
    told = [
        *CHAT[:2],
        called("ls", "a"),
        answered("x", "a"),
        called("pytest", "b"),
        answered("1 passed", "b"),
        {"role": "assistant", "content": "Hm."},
        answered("of nobody", "b"),
    ]
    assert [notes.is_test for notes in notes_of_all(told)] == [
        *(False, False, False, False, True, True, False, False)
    ]


def test_outputs_of_one_turn_are_distinguished_by_id_and_else_by_order():
    both = called("ls", "a")
    both["extra"]["actions"].append({"command": "pytest", "tool_call_id": "b"})
    swapped = [both, answered("1 passed", "b"), answered("x", "a")]
    assert [notes.is_test for notes in notes_of_all(swapped)] == [True, True, False]
    bare = {"role": "tool", "content": "x"}
    assert [notes.is_test for notes in notes_of_all([both, bare, bare])] == [True, False, True]


def test_version_1_says_its_output_in_the_users_name():
    said = {"role": "assistant", "content": "look\n```bash\npytest\n```"}
    output = {"role": "user", "content": "<returncode>1</returncode>\n<output>\n</output>"}
    assert [notes.is_test for notes in notes_of_all([said, output])] == [True, True]
