"""Where commands print: results for people on standard output, progress on standard error."""

import shutil
import sys
from pathlib import Path

from rich.console import Console


class _Progress(Console):
    def on_broken_pipe(self) -> None:
        """Nobody looks any more: the work goes on."""


class _Result(Console):
    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def progress() -> Console:
    return _Progress(stderr=True, highlight=False)


def result() -> Console:
    return _Result(highlight=False)


def program() -> str:
    """What a person types to start us again."""
    started = Path(sys.argv[0])
    found = shutil.which("yudai")
    if started.name != "yudai" or (found and Path(found).resolve() == started.resolve()):
        return "yudai"
    return str(started)
