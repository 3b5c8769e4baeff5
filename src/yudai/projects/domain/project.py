"""Set-up and test command of a repository: given, from `.yudai.yml`, or detected."""

from pydantic import Field, ValidationError, field_validator

from yudai.kit.errors import RefusedError
from yudai.kit.value import Value
from yudai.kit.yaml_files import DAY_S, MAX_COMMAND, Lines, check_line, nearest_key, read_yaml


class Given(Value):
    """Options of the command line, which take precedence."""

    setup: tuple[str, ...] | None = None
    """None: not given; (): no set-up at all."""
    test: str = ""
    python: str = ""
    has_env: bool = False
    """Whether a Python environment was given, so that Python needs no set-up."""


class Project(Value):
    folder: str = ""
    """Folder of the project in the repository: "" or a path like `packages/api`."""
    setup: tuple[str, ...] = ()
    """Commands that run once, in the sandbox, with a network, in `folder`."""
    setup_from: str = ""
    """Their source, for the plan: `uv.lock`, `.yudai.yml`, `--setup`."""
    test: str = ""
    """The given test command; "": detected in the prepared sandbox."""
    test_from: str = ""
    python: str = ""
    """The required Python version (`3.12`, `>=3.10,<4`); "": any."""
    node: bool = False
    """Whether it needs Node."""
    protected: tuple[str, ...] = ()
    """Globs of paths that no patch may change."""
    setup_timeout_s: float = Field(default=1800, gt=0)
    test_timeout_s: float = Field(default=600, gt=0)
    command_timeout_s: float = Field(default=120, gt=0)
    notes: tuple[str, ...] = ()
    """Warnings, one line each."""


NAMES = (".yudai.yml", ".yudai.yaml")

_LATER = {"image": "images cannot be chosen yet; use `setup` to install what is needed"}


class Timeouts(Value):
    """In seconds."""

    setup: float | None = Field(default=None, gt=0, le=DAY_S)
    test: float | None = Field(default=None, gt=0, le=DAY_S)
    command: float | None = Field(default=None, gt=0, le=DAY_S)


class ProjectFile(Value):
    setup: Lines | None = None
    test: str = Field(default="", max_length=MAX_COMMAND)
    python: str = Field(default="", max_length=100, pattern=r"^[\w.,<>=!~^* -]*$")
    folder: str = Field(default="", max_length=MAX_COMMAND)
    protected: Lines = ()
    timeouts: Timeouts = Timeouts()

    @field_validator("test", "folder")
    @classmethod
    def _sound(cls, value: str) -> str:
        check_line(value or "-")
        return value.strip()

    @field_validator("folder")
    @classmethod
    def _inside(cls, value: str) -> str:
        if value.startswith("/") or ".." in value.split("/"):
            raise ValueError("has to be a folder inside the repository")
        return value.strip("/").removeprefix("./")


def read_project_file(content: bytes, *, name: str = NAMES[0]) -> ProjectFile:
    """Parse the file; RefusedError names an invalid key in one line."""
    document = read_yaml(content, name=name, shape="hold keys and values, like `test: pytest`")
    _check_keys(document, name)
    try:
        return ProjectFile.model_validate(document)
    except ValidationError as error:
        raise RefusedError(f"{name}: {_complaint(error)}") from None


def _check_keys(document: dict[object, object], name: str) -> None:
    for key in document:
        word = str(key)[:100]
        if word in _LATER:
            raise RefusedError(f"{name}: `{word}`: {_LATER[word]}")
        if word not in ProjectFile.model_fields:
            raise RefusedError(
                f"{name}: there is no key `{word}`{nearest_key(word, ProjectFile.model_fields)}"
            )


def _complaint(error: ValidationError) -> str:
    first = error.errors(include_input=False, include_url=False)[0]
    key = ".".join(str(part) for part in first["loc"] if isinstance(part, str))
    message = first["msg"].removeprefix("Value error, ")
    if first["type"] == "extra_forbidden":
        message = f"there is no such key; the keys are {', '.join(Timeouts.model_fields)}"
    return f"`{key}`: {message[:1].lower()}{message[1:]}"
