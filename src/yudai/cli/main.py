"""Entry point: exit codes, one-line errors, nothing imported before it is needed."""

import os
import signal
import sys
import traceback
from contextlib import suppress
from io import TextIOWrapper
from typing import TYPE_CHECKING

from yudai.cli.exit_codes import BROKEN_PIPE, FAILED, INTERRUPTED, OK, REFUSED

if TYPE_CHECKING:
    from yudai.kit.errors import YudaiError


def main() -> None:
    _make_streams_robust()
    try:
        code = run(sys.argv[1:])
        _flush()
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        code = INTERRUPTED
    except BrokenPipeError:
        code = BROKEN_PIPE
    _let_go()
    sys.exit(code)


def run(arguments: list[str]) -> int:
    """Run one command line and return its exit code."""
    import typer

    from yudai.cli.app import app
    from yudai.kit.errors import YudaiError

    try:
        result: object = typer.main.get_command(app)(
            arguments, prog_name="yudai", standalone_mode=False
        )
    except typer.Abort:
        return INTERRUPTED
    except typer.TyperException as error:
        return _say_usage(error.format_message())
    except YudaiError as error:
        return _say(str(error), REFUSED if _is_refusal(error) else FAILED)
    except BrokenPipeError:
        raise
    except Exception as error:  # noqa: BLE001 - the last line of defence is a line, not a page
        return _say_fault(error, arguments)
    return result if isinstance(result, int) else OK


def _is_refusal(error: "YudaiError") -> bool:
    """Whether the user can fix it. A wrong key counts, even if a provider reports it."""
    from yudai.kit.causes import Cause
    from yudai.kit.errors import InfrastructureError, RefusedError

    if isinstance(error, InfrastructureError):
        return error.cause is Cause.SANDBOX_REFUSED
    return isinstance(error, RefusedError)


def _say_usage(message: str) -> int:
    if message.startswith("Usage:"):
        _write(message)
        return REFUSED
    return _say(f"{message} (see yudai --help)", REFUSED)


def _say_fault(error: Exception, arguments: list[str]) -> int:
    if {"-v", "--verbose"} & {*arguments}:
        _write("".join(traceback.format_exception(error)))
    kind = type(error).__name__
    return _say(f"a bug in Yudai: {kind}: {error} (yudai --verbose ... shows where)", FAILED)


def _say(message: str, code: int) -> int:
    from yudai.cli.text import safe

    # A message may quote untrusted text.
    _write(f"yudai: {safe(' '.join(message.split()))}\n")
    return code


def _write(text: str) -> None:
    # Standard error may be closed or full: the exit code still speaks.
    with suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(text)


def _make_streams_robust() -> None:
    """A terminal that knows only ASCII shows question marks instead of a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")


def _flush() -> None:
    with suppress(AttributeError, ValueError):
        sys.stdout.flush()


def _let_go() -> None:
    """Python flushes both streams again at exit, and complains if the reader is gone."""
    for stream in (sys.stdout, sys.stderr):
        if stream is None:
            continue
        try:
            stream.flush()
        except (OSError, ValueError):
            with suppress(OSError, ValueError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
