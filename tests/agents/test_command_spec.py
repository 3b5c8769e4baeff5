"""The file that describes command-line agents."""

import pytest

from yudai.agents.domain.command_spec import GIVEN, CommandSpec, read_command_agents
from yudai.kit.errors import RefusedError
from yudai.kit.yaml_files import MAX_BYTES

NAME = "agents.yml"

WHOLE = b"""
agents:
  aider:
    command: aider --yes --message-file "$YUDAI_ISSUE_FILE"
    setup:
      - git init -q
    env:
      AIDER_ANALYTICS: false
      LEVEL: 1.10
    timeout_s: 600
    protocol: openai
  swe-agent2:
    command: sweagent run
    setup: mkdir -p out
"""


def test_a_whole_file():
    assert read_command_agents(WHOLE, name=NAME) == {
        "aider": CommandSpec(
            command='aider --yes --message-file "$YUDAI_ISSUE_FILE"',
            setup=("git init -q",),
            env={"AIDER_ANALYTICS": "false", "LEVEL": "1.10"},
            timeout_s=600,
        ),
        "swe-agent2": CommandSpec(command="sweagent run", setup=("mkdir -p out",)),
    }


@pytest.mark.parametrize("content", [b"", b"# none yet", b"agents:", b"agents: {}"])
def test_a_file_without_agents(content: bytes):
    assert read_command_agents(content, name=NAME) == {}


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("agents: {", "agents.yml cannot be read"),
        ("- a", "agents.yml has to begin with `agents:`"),
        ("agent: {}", "there is no key `agent`; the only one is `agents`"),
        ("agents: [a]", "`agents` has to hold a name and a command"),
        ("agents: {a: run}", "`a` needs at least `command: ...`"),
        ("agents: {a: {}}", "`a.command`: is missing"),
        ("agents: {a: {command: ''}}", "`a.command`: has to have 1 to 4000 characters"),
        ("agents: {a: {command: x, setup: ['']}}", "`a.setup`: has to have 1 to"),
        ("agents: {a: {comand: x}}", "`a.command`: is missing"),
        ("agents: {a: {command: x, set_up: y}}", "no such key; did you mean `setup`?"),
        ("agents: {a: {command: x, zzz: y}}", "no such key; the keys are command, setup"),
        ("agents: {a: {command: x, timeout_s: soon}}", "`a.timeout_s`: input should be a valid"),
        ("agents: {a: {command: x, timeout_s: 0}}", "`a.timeout_s`: input should be greater"),
        ("agents: {a: {command: x, protocol: mcp}}", "`a.protocol`: input should be 'openai'"),
        ("agents: {a: {command: x, env: {'A B': 1}}}", "'A B' is not a valid variable name"),
        ("agents: {a: {command: x, env: {MY_API_KEY: 1}}}", "MY_API_KEY looks like a secret"),
        ("agents: {mini-swe-agent: {command: x}}", "`mini-swe-agent` is our own word"),
        ("agents: {patch: {command: x}}", "`patch` is our own word"),
        ("agents: {Aider: {command: x}}", "'Aider' is not a valid agent name"),
        ("agents: {-a: {command: x}}", "'-a' is not a valid agent name"),
        (f"agents: {{{'a' * 41}: {{command: x}}}}", "is not a valid agent name"),
    ],
)
def test_what_is_not_right_is_said_in_one_line(content: str, complaint: str):
    with pytest.raises(RefusedError) as refusal:
        read_command_agents(content.encode(), name=NAME)
    assert complaint in str(refusal.value)
    assert "\n" not in str(refusal.value)
    assert NAME in str(refusal.value)


@pytest.mark.parametrize("name", [*GIVEN, "openai_api_key"])
def test_what_we_give_cannot_be_given(name: str):
    content = f"agents: {{a: {{command: x, env: {{{name}: y}}}}}}".encode()
    with pytest.raises(RefusedError, match="is set for each run"):
        read_command_agents(content, name=NAME)


@pytest.mark.parametrize("content", [b"\xff", b"a" * (MAX_BYTES + 1), b"[" * 10_000])
def test_what_is_no_such_file_at_all(content: bytes):
    with pytest.raises(RefusedError):
        read_command_agents(content, name=NAME)


def test_characters_that_no_one_types_are_refused():
    with pytest.raises(RefusedError, match="contains control characters"):
        read_command_agents(b'agents: {a: {command: "x\\ey"}}', name=NAME)
