"""How a repository is made ready and tested: given, from its `.yudai.yml`, or detected."""

from difflib import get_close_matches
from typing import Any, cast

import yaml
from pydantic import Field, ValidationError, field_validator

from yudai.kit.errors import RefusedError
from yudai.kit.value import Value


class Given(Value):
    """What a person gave on the command line; it goes before everything else."""

    setup: tuple[str, ...] | None = None
    """None: not given; (): no set-up at all."""
    test: str = ""
    python: str = ""
    has_env: bool = False
    """Whether they also gave a Python environment, which leaves nothing to install for Python."""


class Project(Value):
    folder: str = ""
    """Where in the repository the work is: "" or a path like `packages/api`."""
    setup: tuple[str, ...] = ()
    """Commands that run once, in the box, with a network, in `folder`."""
    setup_from: str = ""
    """Where they come from, for the plan: `uv.lock`, `.yudai.yml`, `--setup`."""
    test: str = ""
    """The test command that was given; "": found out in the prepared box."""
    test_from: str = ""
    python: str = ""
    """The Python version it pins or asks for (`3.12`, `>=3.10,<4`); "": any."""
    node: bool = False
    """Whether it needs Node."""
    protected: tuple[str, ...] = ()
    """Globs of paths that no patch may change."""
    setup_timeout_s: float = Field(default=1800, gt=0)
    test_timeout_s: float = Field(default=600, gt=0)
    command_timeout_s: float = Field(default=120, gt=0)
    notes: tuple[str, ...] = ()
    """What a person should know: one line each."""


NAMES = (".yudai.yml", ".yudai.yaml")
MAX_BYTES = 64 << 10

_MAX_COMMAND = 4000
_MAX_ENTRIES = 100
_DAY_S = 86_400
_LATER = {"image": "choosing an image comes later; use `setup` to install what is needed"}


class Timeouts(Value):
    """In seconds."""

    setup: float | None = Field(default=None, gt=0, le=_DAY_S)
    test: float | None = Field(default=None, gt=0, le=_DAY_S)
    command: float | None = Field(default=None, gt=0, le=_DAY_S)


class ProjectFile(Value):
    setup: tuple[str, ...] | None = Field(default=None, max_length=_MAX_ENTRIES)
    test: str = Field(default="", max_length=_MAX_COMMAND)
    python: str = Field(default="", max_length=100, pattern=r"^[\w.,<>=!~^* -]*$")
    folder: str = Field(default="", max_length=_MAX_COMMAND)
    protected: tuple[str, ...] = Field(default=(), max_length=_MAX_ENTRIES)
    timeouts: Timeouts = Timeouts()

    @field_validator("setup", "protected", mode="before")
    @classmethod
    def _listed(cls, value: object) -> object:
        """One text stands for a list of one; an empty one for an empty list."""
        if isinstance(value, str):
            return (value,) if value.strip() else ()
        return value

    @field_validator("setup", "protected")
    @classmethod
    def _short(cls, value: tuple[str, ...] | None) -> tuple[str, ...] | None:
        for text in value or ():
            _check_line(text)
        return value

    @field_validator("test", "folder")
    @classmethod
    def _sound(cls, value: str) -> str:
        _check_line(value or "-")
        return value.strip()

    @field_validator("folder")
    @classmethod
    def _inside(cls, value: str) -> str:
        if value.startswith("/") or ".." in value.split("/"):
            raise ValueError("has to be a folder inside the repository")
        return value.strip("/").removeprefix("./")


def read_project_file(content: bytes, *, name: str = NAMES[0]) -> ProjectFile:
    """RefusedError, in one line that names the key, for anything that is not right."""
    try:
        document = yaml.load(content.decode("utf-8"), Loader=_TextLoader)  # noqa: S506 - a SafeLoader
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise RefusedError(f"{name} cannot be read: {_first_line(error)}") from None
    if document in (None, ""):
        return ProjectFile()
    if not isinstance(document, dict):
        raise RefusedError(f"{name} has to hold keys and values, like `test: pytest`")
    _check_keys(cast("dict[object, object]", document), name)
    try:
        return ProjectFile.model_validate(document)
    except ValidationError as error:
        raise RefusedError(f"{name}: {_complaint(error)}") from None


class _TextLoader(yaml.SafeLoader):
    """Every scalar stays text: `python: 3.10` must not become 3.1."""

    # PyYAML keeps what makes numbers and dates out of words here.
    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012 - PyYAML's own attribute


def _check_keys(document: dict[object, object], name: str) -> None:
    for key in document:
        word = str(key)[:100]
        if word in _LATER:
            raise RefusedError(f"{name}: `{word}`: {_LATER[word]}")
        if word not in ProjectFile.model_fields:
            raise RefusedError(f"{name}: there is no key `{word}`{_nearest(word)}")


def _nearest(word: str) -> str:
    known = list(ProjectFile.model_fields)
    close = get_close_matches(word, known, n=1)
    return f"; did you mean `{close[0]}`?" if close else f"; the keys are {', '.join(known)}"


def _complaint(error: ValidationError) -> str:
    first = error.errors(include_input=False, include_url=False)[0]
    key = ".".join(str(part) for part in first["loc"] if isinstance(part, str))
    message = first["msg"].removeprefix("Value error, ")
    if first["type"] == "extra_forbidden":
        message = f"there is no such key; the keys are {', '.join(Timeouts.model_fields)}"
    return f"`{key}`: {message[:1].lower()}{message[1:]}"


def _check_line(text: str) -> None:
    if not text.strip() or len(text) > _MAX_COMMAND:
        raise ValueError(f"has to have 1 to {_MAX_COMMAND} characters")
    if any(char != "\n" and char != "\t" and not char.isprintable() for char in text):
        raise ValueError("holds characters that cannot be typed")


def _first_line(error: Exception) -> str:
    problem = getattr(error, "problem", None) or str(error) or type(error).__name__
    mark = getattr(error, "problem_mark", None)
    where = "" if mark is None else f" in line {mark.line + 1}"
    return " ".join(str(problem).split())[:200] + where
