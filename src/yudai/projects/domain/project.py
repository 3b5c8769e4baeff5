"""How a repository is made ready and tested: given, from its `.yudai.yml`, or detected."""

from pydantic import Field

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
