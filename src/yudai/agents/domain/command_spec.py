"""Command-line agents of COMMAND_AGENTS: their commands, variables and limits."""

import re
from collections.abc import Mapping
from typing import Annotated, Literal, cast

from pydantic import AfterValidator, Field, ValidationError, field_validator

from yudai.kit.errors import RefusedError
from yudai.kit.value import Value
from yudai.kit.yaml_files import (
    DAY_S,
    MAX_BYTES,
    MAX_COMMAND,
    MAX_ENTRIES,
    Lines,
    check_line,
    nearest_key,
    read_yaml,
)
from yudai.solves.domain.matrix import DEFAULT_AGENT, PATCH

GIVEN = (
    "OPENAI_BASE_URL",
    "OPENAI_API_BASE",
    "OPENAI_API_KEY",
    "OPENAI_MODEL",
    "YUDAI_MODEL",
    "YUDAI_ISSUE_FILE",
    "YUDAI_TEST_COMMAND",
    "YUDAI_STRATEGY",
)
"""Variables that every command gets from us."""
WEAKER = (
    "the agent's loop runs in its sandbox, where the code that it works on can reach it",
    "its steps are the calls that it made to its model; what it did in between is not recorded",
    "its edits are seen only when it has ended: the limit on edits is not enforced",
    "its sandbox reaches our model endpoint",
)
"""Guarantees of mini-SWE-agent that a command agent lacks."""

_NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
_SECRET = re.compile(r"(?:^|_)(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)$", re.IGNORECASE)
_TOP = "agents"


class CommandSpec(Value):
    """One command-line agent."""

    command: Annotated[str, AfterValidator(check_line)]
    """Run by the sandbox's shell in the work tree."""
    setup: Lines = ()
    """Commands to run first, in order, with the same network and variables."""
    env: dict[str, str] = Field(default_factory=dict, max_length=MAX_ENTRIES)
    timeout_s: float | None = Field(default=None, gt=0, le=DAY_S)
    """A time limit shorter than the run's own."""
    protocol: Literal["openai"] = "openai"

    @field_validator("env")
    @classmethod
    def _variables(cls, value: dict[str, str]) -> dict[str, str]:
        for name, text in value.items():
            _check_variable(name, text)
        return value


def read_command_agents(content: bytes, *, name: str) -> Mapping[str, CommandSpec]:
    """Agents by name. RefusedError names the invalid key in one line."""
    if len(content) > MAX_BYTES:
        raise RefusedError(f"{name} has more than {MAX_BYTES >> 10} KB: it is not a list of agents")
    document = read_yaml(content, name=name, shape=f"begin with `{_TOP}:`")
    unknown = next((str(key)[:100] for key in document if key != _TOP), None)
    if unknown is not None:
        raise RefusedError(f"{name}: there is no key `{unknown}`; the only one is `{_TOP}`")
    agents: object = document.get(_TOP) or {}
    if not isinstance(agents, dict):
        raise RefusedError(f"{name}: `{_TOP}` has to hold a name and a command for each agent")
    described = cast("dict[object, object]", agents)
    return {_agent_name(key, name): _spec(str(key), described[key], name) for key in described}


def _agent_name(key: object, name: str) -> str:
    word = str(key)
    if word in (DEFAULT_AGENT, PATCH):
        raise RefusedError(f"{name}: `{word}` is our own word: choose another name")
    if not _NAME.fullmatch(word):
        raise RefusedError(
            f"{name}: {word[:60]!r} is not a valid agent name: use up to 40 of a-z, 0-9 and -"
        )
    return word


def _spec(agent: str, value: object, name: str) -> CommandSpec:
    if not isinstance(value, dict):
        raise RefusedError(f"{name}: `{agent}` needs at least `command: ...`")
    try:
        return CommandSpec.model_validate(value)
    except ValidationError as error:
        raise RefusedError(f"{name}: `{agent}.{_complaint(error)}") from None


def _complaint(error: ValidationError) -> str:
    first = error.errors(include_input=False, include_url=False)[0]
    key = ".".join(str(part) for part in first["loc"])[:100]
    message = first["msg"].removeprefix("Value error, ")
    if first["type"] == "extra_forbidden":
        message = f"there is no such key{nearest_key(key, CommandSpec.model_fields)}"
    if first["type"] == "missing":
        message = "is missing: it is what the sandbox's shell runs"
    # Pydantic's own sentences begin with a capital; ours may begin with a name.
    start = message[:1] if first["type"] == "value_error" else message[:1].lower()
    return f"{key}`: {start}{message[1:]}"


def _check_variable(name: str, text: str) -> None:
    if not _VARIABLE.fullmatch(name):
        raise ValueError(f"{name[:60]!r} is not a valid variable name")
    if name.upper() in GIVEN:
        raise ValueError(f"{name} is set for each run: leave it out")
    if _SECRET.search(name):
        raise ValueError(f"{name} looks like a secret, which must not enter a sandbox")
    if len(text) > MAX_COMMAND or "\x00" in text:
        raise ValueError(f"{name} has to have at most {MAX_COMMAND} characters, and no NUL")
