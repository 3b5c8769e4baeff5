"""Where commands print: results for people on standard output, progress on standard error."""

import shutil
import sys
from pathlib import Path

from rich.console import Console


class _Progress(Console):
    def on_broken_pipe(self) -> None:
        """The terminal is gone, but the work continues."""


class _Result(Console):
    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def progress() -> Console:
    return _Progress(stderr=True, highlight=False)


def result() -> Console:
    return _Result(highlight=False)


def program() -> str:
    """The command that starts this program."""
    started = Path(sys.argv[0])
    found = shutil.which("yudai")
    if started.name != "yudai" or (found and Path(found).resolve() == started.resolve()):
        return "yudai"
    return str(started)
