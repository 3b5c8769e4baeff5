"""Reads the reports of our reporters, and recognises incomplete or forged ones."""

import hmac
from collections.abc import Sequence
from typing import Literal, NamedTuple

from pydantic import ValidationError

from yudai.kit.value import Value
from yudai.testing.domain.report import RED, Outcome, TestReport


class Line(Value):
    """One thing that happened, appended as it did."""

    event: Literal["started", "result", "trouble", "uncollected", "finished"]
    id: str = ""
    outcome: Outcome = Outcome.ERROR
    collected: int = 0
    """With `finished`: how many tests there were to run."""
    seal: str = ""
    """With `finished`: made with a key that only the reporter had, over all lines before."""


class Ending(NamedTuple):
    """How the process that ran the tests ended."""

    exit_code: int
    duration_s: float = 0.0
    timed_out: bool = False


def read_report(content: bytes, ending: Ending, *, key: bytes, prefix: str = "") -> TestReport:
    """Only a sealed report in which every test has its result counts as finished.

    `prefix` is put before every id: where in the workspace the tests were run.
    """
    lines = _lines(content, prefix)
    return TestReport(
        outcomes=_outcomes(lines),
        exit_code=ending.exit_code,
        finished=not ending.timed_out and _is_sealed(content, key) and _is_complete(lines),
        collection_errors=tuple(sorted({line.id for line in lines if line.event == "uncollected"})),
        duration_s=ending.duration_s,
        timed_out=ending.timed_out,
    )


def seal(content: bytes, key: bytes) -> str:
    return hmac.new(key, content, "sha256").hexdigest()


def _is_sealed(content: bytes, key: bytes) -> bool:
    """Whether the last line seals all others: code under test may have written some of them."""
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
            # Begun and never ended: this is the test that hung or took the interpreter down.
            outcomes.setdefault(line.id, Outcome.ERROR)
    return outcomes


def _lines(content: bytes, prefix: str) -> list[Line]:
    lines: list[Line] = []
    for line in content.split(b"\n"):
        try:
            read = Line.model_validate_json(line)
        except ValidationError:
            continue
        lines.append(read.model_copy(update={"id": prefix + read.id}) if prefix else read)
    return lines
