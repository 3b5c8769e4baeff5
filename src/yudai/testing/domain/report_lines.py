"""Turns a reporter's lines into a report. All lines are untrusted."""

import hmac
from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from typing import Literal, NamedTuple

from pydantic import ValidationError

from yudai.kit.value import Value
from yudai.testing.domain.report import RED, Failure, FailureKind, Frame, Outcome, TestReport

_MAX_FAILURES = 500
_MAX_FRAMES = 20
_MAX_MESSAGE = 500
_MAX_PATH = 500
_MAX_NAME = 200
_MAX_LINE = 10_000_000


class Line(Value):
    """One event, appended when it happened."""

    event: Literal["started", "result", "trouble", "uncollected", "finished"]
    id: str = ""
    outcome: Outcome = Outcome.ERROR
    failure: Failure | None = None
    """With `started`: the test's previous failure, used if no result follows."""
    seconds: float | None = None
    collected: int = 0
    """With `finished`: the number of tests to run."""
    seal: str = ""
    """With `finished`: a MAC of all lines before, made with a key that only the reporter had."""


class Ending(NamedTuple):
    """How the test process ended."""

    exit_code: int
    duration_s: float = 0.0
    timed_out: bool = False


def read_report(content: bytes, ending: Ending, *, key: bytes, prefix: str = "") -> TestReport:
    """Read a report. It is finished only if it is sealed and every test has a result.

    `prefix` is the folder of the tests in the workspace; every id gets it.
    """
    lines = _lines(content, prefix)
    return TestReport(
        outcomes=_outcomes(lines),
        exit_code=ending.exit_code,
        finished=not ending.timed_out and _is_sealed(content, key) and _is_complete(lines),
        collection_errors=tuple(sorted({line.id for line in lines if line.event == "uncollected"})),
        duration_s=ending.duration_s,
        timed_out=ending.timed_out,
        failures=_bounded({**_failures(lines), **_unended(lines, ending)}),
        durations=_durations(lines),
    )


def seal(content: bytes, key: bytes) -> str:
    return hmac.new(key, content, "sha256").hexdigest()


def _is_sealed(content: bytes, key: bytes) -> bool:
    """Whether the last line seals all others: code under test may have written to the file."""
    before, _, last = content.removesuffix(b"\n").rpartition(b"\n")
    try:
        line = Line.model_validate_json(last)
    except ValidationError:
        return False
    covered = before + b"\n" if before else b""
    return line.event == "finished" and hmac.compare_digest(
        line.seal.encode(), seal(covered, key).encode()
    )


def _is_complete(lines: Sequence[Line]) -> bool:
    results = sum(line.event == "result" for line in lines)
    return lines[-1].collected == results


def _outcomes(lines: Sequence[Line]) -> dict[str, Outcome]:
    outcomes: dict[str, Outcome] = {}
    for line in lines:
        if line.event in {"result", "trouble"} and outcomes.get(line.id) not in RED:
            outcomes[line.id] = line.outcome
    for line in lines:
        if line.event == "started":
            # This test hung or ended the interpreter.
            outcomes.setdefault(line.id, Outcome.ERROR)
    return outcomes


def _failures(lines: Iterable[Line]) -> dict[str, Failure]:
    """For each red test, the failure that made it red."""
    failures: dict[str, Failure] = {}
    for line in lines:
        is_red = line.event in {"result", "trouble"} and line.outcome in RED
        if line.failure and (is_red or line.event == "uncollected"):
            failures.setdefault(line.id, line.failure)
    return failures


def _unended(lines: Sequence[Line], ending: Ending) -> dict[str, Failure]:
    """Failures of tests that began and have no result."""
    ended = {line.id for line in lines if line.event in {"result", "trouble"}}
    kind = FailureKind.TIMEOUT if ending.timed_out else FailureKind.EXIT
    return {
        line.id: line.failure or Failure(kind=kind)
        for line in lines
        if line.event == "started" and line.id not in ended
    }


def _bounded(failures: Mapping[str, Failure]) -> dict[str, Failure]:
    """The first failures in full; of all others only kind and type."""
    return {
        test: _trimmed(failure, with_details=number < _MAX_FAILURES)
        for number, (test, failure) in enumerate(failures.items())
    }


def _trimmed(failure: Failure, *, with_details: bool) -> Failure:
    kind, name = failure.kind, failure.type[:_MAX_NAME]
    if not with_details:
        return Failure(kind=kind, type=name)
    frames = tuple(_short(frame) for frame in failure.frames if _is_inside(frame.path))
    message = failure.message[:_MAX_MESSAGE]
    return Failure(kind=kind, type=name, message=message, frames=frames[-_MAX_FRAMES:])


def _short(frame: Frame) -> Frame:
    line = min(max(frame.line, 0), _MAX_LINE)
    return Frame(path=frame.path, line=line, function=frame.function[:_MAX_NAME])


def _is_inside(path: str) -> bool:
    parts = path.split("/")
    return len(path) <= _MAX_PATH and ".." not in parts and "" not in parts


def _durations(lines: Iterable[Line]) -> dict[str, float]:
    """The longest duration of each test; invalid durations are left out."""
    durations: dict[str, float] = {}
    for line in lines:
        seconds = line.seconds
        if line.event == "result" and seconds is not None and isfinite(seconds) and seconds >= 0:
            durations[line.id] = max(seconds, durations.get(line.id, 0.0))
    return durations


def _lines(content: bytes, prefix: str) -> list[Line]:
    lines: list[Line] = []
    for line in content.split(b"\n"):
        try:
            read = Line.model_validate_json(line)
        except ValidationError:
            continue
        lines.append(read.model_copy(update={"id": prefix + read.id}) if prefix else read)
    return lines
