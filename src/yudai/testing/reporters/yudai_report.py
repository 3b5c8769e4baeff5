"""Shared by all reporters for Python: writes lines, seals them, and describes failures.

Its name is unlikely to clash, because the module stays loaded in the test process.
"""

from __future__ import annotations

import hmac
import json
import os
from collections import deque
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType, TracebackType

MAX_FRAMES = 20
MAX_MESSAGE = 500
MAX_DEPTH = 20
CWD = str(Path.cwd())
# The workspace, relative to the folder where the tests start.
ROOT = os.path.normpath(os.path.join(CWD, os.environ.get("YUDAI_WORKSPACE", ".")))  # noqa: PTH118, TID251 - without the file system; not our process
FOREIGN = frozenset({"site-packages", "dist-packages", "node_modules", ".venv"})
# unittest's functions that call code around the test itself.
AROUND_A_TEST = frozenset({"_callSetUp", "_callTearDown", "_callCleanup", "doCleanups"})


def open_report(report: str, key: str) -> Callable[..., None]:
    """The function that appends a line. The key for the seal is in no file and no attribute."""
    file = os.open(report, os.O_WRONLY | os.O_APPEND)
    seal = hmac.new(Path(key).read_bytes(), digestmod="sha256")
    Path(key).unlink()

    def emit(event: str, **facts: object) -> None:
        if event == "finished":
            facts["seal"] = seal.hexdigest()
        line = (json.dumps({"event": event, **facts}) + "\n").encode("ascii")
        seal.update(line)
        os.write(file, line)

    return emit


def clean(text: str) -> str:
    """The text as valid UTF-8: file names may contain other bytes."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def describe(
    error: BaseException, kind: str = "", assertion: type[BaseException] = AssertionError
) -> dict[str, object]:
    """Describe a failure within size limits; `kind` is set if the phase already decides it."""
    try:
        return _described(error, kind, assertion)
    except BaseException:  # noqa: BLE001 - an exception's own methods are hostile code
        return {"kind": kind or "unknown", "type": clean(type(error).__name__)}


def is_around_a_test(error: BaseException) -> bool:
    """Whether the error was raised in a set-up or clean-up that unittest called."""
    frames = _walk(error.__traceback__)
    return any(f.f_code.co_name in AROUND_A_TEST and _is_unittest(f) for f, _ in frames)


def _described(
    error: BaseException, kind: str, assertion: type[BaseException]
) -> dict[str, object]:
    leaf = _leaf(error)
    return {
        "kind": kind or _kind_of(leaf, assertion),
        "type": clean(type(leaf).__name__),
        "message": clean(str(leaf)[:MAX_MESSAGE]),
        "frames": _frames(leaf) or _frames(error),
    }


def _leaf(error: BaseException) -> BaseException:
    """The first exception inside groups and doctest's wrappers, which shows the cause."""
    for _ in range(MAX_DEPTH):
        inner: Any = None
        kinds = {kind.__name__ for kind in type(error).__mro__}
        if "BaseExceptionGroup" in kinds:
            inner = getattr(error, "exceptions", None)
        elif "MultipleDoctestFailures" in kinds:
            inner = getattr(error, "failures", None)
        elif "UnexpectedException" in kinds:
            inner = getattr(error, "exc_info", (None,))[1:]
        if not inner or not isinstance(inner[0], BaseException):
            break
        error = inner[0]
    return error


def _kind_of(error: BaseException, assertion: type[BaseException]) -> str:
    kind = type(error)
    if issubclass(kind, (AssertionError, assertion)) or kind.__name__ == "DocTestFailure":
        return "assertion"
    if issubclass(kind, (SystemExit, KeyboardInterrupt)):
        return "exit"
    if "OutcomeException" in {inner.__name__ for inner in kind.__mro__}:
        return _kind_of_outcome(error)
    return "exception"


def _kind_of_outcome(error: BaseException) -> str:
    """The kind of an exception that pytest raises, also for its plugins."""
    if type(error).__name__ == "Exit":
        return "exit"
    return "timeout" if str(error).startswith(("Timeout >", "Timeout (>")) else "assertion"


def _frames(error: BaseException) -> list[dict[str, object]]:
    """Traceback lines in the workspace, the innermost last."""
    found: deque[dict[str, object]] = deque(maxlen=MAX_FRAMES)
    for frame, line in _walk(error.__traceback__):
        path = _inside(frame.f_code.co_filename)
        if path:
            found.append({"path": path, "line": line, "function": clean(frame.f_code.co_name)})
    if isinstance(error, SyntaxError) and error.filename:
        path = _inside(error.filename)
        if path:
            found.append({"path": path, "line": error.lineno or 0})
    return list(found)


def _walk(traceback: TracebackType | None) -> list[tuple[FrameType, int]]:
    frames: list[tuple[FrameType, int]] = []
    while traceback is not None:
        frames.append((traceback.tb_frame, traceback.tb_lineno))
        traceback = traceback.tb_next
    return frames


def _is_unittest(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__", "")).startswith("unittest.")


@lru_cache(maxsize=4096)
def _inside(filename: str) -> str:
    """The file's path in the workspace; "" if the repository does not contain it."""
    if filename.startswith("<"):
        return ""
    path = os.path.normpath(os.path.join(CWD, filename))  # noqa: PTH118 - without the file system
    if not path.startswith(ROOT.rstrip(os.sep) + os.sep):
        return ""
    inner = os.path.relpath(path, ROOT)
    return "" if FOREIGN.intersection(Path(inner).parts) else clean(inner)
