"""Scripts: files of replies that stand in for a model."""

from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import BeforeValidator, Field, ValidationError

from yudai.gateway.domain.usage import Usage
from yudai.kit.errors import RefusedError
from yudai.kit.money import MICROS_PER_USD
from yudai.kit.value import Value

MAX_BYTES = 8 << 20


class ScriptedCall(Value):
    """A tool call as it stands, for malformed ones."""

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
    """Call the finish command that the prompt told, after all else."""
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
    """The last reply is given again and again; without it the script is exhausted."""

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
        raise RefusedError(f"{path} is no script: it is larger than {MAX_BYTES >> 20} MB")
    try:
        return Script.model_validate(_parse(content))
    except yaml.YAMLError as error:
        problem = " ".join(str(error).split())[:200]
        raise RefusedError(f"{path} is neither YAML nor JSON: {problem}") from None
    except ValidationError as error:
        raise RefusedError(f"{path} is no script: {_first_problem(error)}") from None


def _parse(content: bytes) -> Any:
    # JSON is YAML; the C loader is ten times as fast where there is one.
    return yaml.load(content, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506  both are safe loaders


def _first_problem(error: ValidationError) -> str:
    problem = error.errors(include_url=False, include_context=False, include_input=False)[0]
    where = ".".join(str(part) for part in problem["loc"])
    return f"{where}: {problem['msg']}" if where else problem["msg"]
