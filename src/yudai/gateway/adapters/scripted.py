"""Replays replies from a file: models without cost and with fixed replies."""

import asyncio
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import yaml
from pydantic import BeforeValidator, Field, ValidationError

from yudai.gateway.domain.models import (
    BUNDLED_SCRIPTS,
    SCRIPT_SUFFIXES,
    SCRIPTED_PREFIX,
    Model,
    Usage,
)
from yudai.gateway.port import Call, Completion, ToolCall
from yudai.kit.causes import Cause
from yudai.kit.errors import GatewayError, RefusedError
from yudai.kit.money import MICROS_PER_USD
from yudai.kit.value import Value

MAX_BYTES = 8 << 20


class ScriptedCall(Value):
    """A raw tool call, for malformed ones."""

    name: str
    arguments: str


class Tokens(Value):
    input_tokens: int = Field(default=0, ge=0)
    cached_tokens: int = Field(default=0, ge=0)
    output_tokens: int = Field(default=0, ge=0)


def _listed(value: object) -> object:
    return [value] if isinstance(value, str) else value


class Reply(Value):
    say: str = ""
    run: Annotated[tuple[str, ...], BeforeValidator(_listed)] = ()
    """Commands, one `bash` call each."""
    tool_calls: tuple[ScriptedCall, ...] = ()
    finish: bool = False
    """Call the finish command named in the prompt, after everything else."""
    usage: Tokens = Tokens()
    cost_usd: float = Field(default=0.0, ge=0, le=1000)
    delay_s: float = Field(default=0.0, ge=0, le=3600)
    finish_reason: str = ""

    @property
    def spent(self) -> Usage:
        return Usage(**self.usage.model_dump(), cost_micros=round(self.cost_usd * MICROS_PER_USD))


class Script(Value):
    replies: tuple[Reply, ...] = Field(min_length=1)
    repeat_last: bool = False
    """Repeat the last reply, instead of ending as exhausted."""

    def reply(self, turn: int) -> Reply | None:
        if turn < len(self.replies):
            return self.replies[turn]
        return self.replies[-1] if self.repeat_last else None


def read_script(path: Path) -> Script:
    """RefusedError says in one line what is wrong with the file."""
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise RefusedError(f"{path} cannot be read: {error.strerror}") from None
    if len(content) > MAX_BYTES:
        raise RefusedError(f"{path} is not a script: it is larger than {MAX_BYTES >> 20} MB")
    try:
        return Script.model_validate(_parse(content))
    except yaml.YAMLError as error:
        problem = " ".join(str(error).split())[:200]
        raise RefusedError(f"{path} is neither YAML nor JSON: {problem}") from None
    except ValidationError as error:
        raise RefusedError(f"{path} is not a script: {_first_problem(error)}") from None


def _parse(content: bytes) -> Any:
    # JSON is YAML; the C loader is ten times as fast where there is one.
    return yaml.load(content, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506  both are safe loaders


def _first_problem(error: ValidationError) -> str:
    problem = error.errors(include_url=False, include_context=False, include_input=False)[0]
    where = ".".join(str(part) for part in problem["loc"])
    return f"{where}: {problem['msg']}" if where else problem["msg"]


_NOTHING_BUNDLED: Mapping[str, Path] = {}
_FINISH = re.compile(r"echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT_[0-9a-f]{16}")


class _Version(NamedTuple):
    mtime_ns: int
    size: int


class _Known(NamedTuple):
    path: Path
    version: _Version | None
    script: Script


class ScriptedGateway:
    """Keeps no state of a run: the call's turn chooses the reply."""

    def __init__(
        self, roots: tuple[Path, ...], *, bundled: Mapping[str, Path] = _NOTHING_BUNDLED
    ) -> None:
        """Names of `bundled` scripts are reserved for them."""
        self._roots = roots
        self._bundled = bundled
        self._known: dict[str, _Known] = {}

    def check(self, model: Model) -> None:
        self.script(model.model_id)

    async def complete(self, call: Call) -> Completion:
        reply = self.script(call.model).reply(call.turn)
        if reply is None:
            raise GatewayError(
                f"{call.model} has no reply for turn {call.turn + 1}: add one to the file,"
                " or `repeat_last: true`",
                cause=Cause.SCRIPT_EXHAUSTED,
            )
        if reply.delay_s:
            await asyncio.sleep(reply.delay_s)
        calls = tuple(
            ToolCall(id=f"call_{call.turn}_{index}", name=name, arguments=arguments)
            for index, (name, arguments) in enumerate(_tool_calls(reply, call.messages))
        )
        return Completion(
            content=reply.say,
            tool_calls=calls,
            finish_reason=reply.finish_reason or ("tool_calls" if calls else "stop"),
            usage=reply.spent,
            has_cost=True,
            temperature_used=call.temperature,
        )

    def script(self, model: str) -> Script:
        """The script behind a model's name; RefusedError when there is none that can be used."""
        known = self._known.get(model)
        if known is not None and known.version == _version(known.path):
            return known.script
        path = self._find(model)
        # The version comes first: a change while reading is then seen by the next call.
        known = _Known(path, _version(path), read_script(path))
        self._known[model] = known
        return known.script

    def _find(self, model: str) -> Path:
        name = model.removeprefix(SCRIPTED_PREFIX)
        if not model.startswith(SCRIPTED_PREFIX) or not name or "\x00" in name:
            raise RefusedError(f"{model!r} is not a scripted model: name it {SCRIPTED_PREFIX}FILE")
        if name in self._bundled:
            return self._bundled[name]
        if name.startswith(BUNDLED_SCRIPTS):
            # Any user may use these names, so they open no file and reveal no folder.
            raise RefusedError(f"there is no script {model}: none with that name is bundled")
        for path in self._candidates(name):
            if path.is_file():
                return path
        places = ", ".join(str(root) for root in self._roots)
        raise RefusedError(
            f"there is no script for {model}: put {name}.yaml into one of {places}"
            f" or give an absolute path"
        )

    def _candidates(self, name: str) -> Iterator[Path]:
        # Below the roots only: an absolute path says openly that it leaves them.
        for root in (Path("/"),) if name.startswith("/") else self._roots:
            inside = root.resolve()
            for suffix in SCRIPT_SUFFIXES:
                path = (inside / (name.lstrip("/") + suffix)).resolve()
                if path.is_relative_to(inside):
                    yield path


def _version(path: Path) -> _Version | None:
    try:
        stat = path.stat()
    except OSError:
        return None
    return _Version(stat.st_mtime_ns, stat.st_size)


def _tool_calls(reply: Reply, messages: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    for command in reply.run:
        yield "bash", json.dumps({"command": command})
    for call in reply.tool_calls:
        yield call.name, call.arguments
    if reply.finish:
        yield "bash", json.dumps({"command": _finish_command(messages)})


def _finish_command(messages: list[dict[str, Any]]) -> str:
    """From the last message before the first reply, because the issue's text precedes it."""
    found = ""
    for message in messages:
        if message["role"] == "assistant":
            break
        for match in _FINISH.finditer(str(message["content"])):
            found = match[0]
    if not found:
        raise GatewayError("the prompt names no finish command to call")
    return found
