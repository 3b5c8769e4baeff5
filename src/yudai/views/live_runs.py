"""Views of a run and its messages for live updates. Agent text is untrusted and truncated."""

import json
from typing import Any, Literal

from pydantic import Field
from sqlalchemy import Row

from yudai.kit.ids import RunId
from yudai.kit.money import usd
from yudai.kit.text import MAX_BYTES, cut, line
from yudai.kit.untyped import Object, as_object, as_text
from yudai.kit.value import Value, from_attributes
from yudai.runs.domain.progress import RunMark
from yudai.runs.domain.states import FINAL, RunState
from yudai.runs.domain.trajectory.kinds import Kind, kind_of, notes_of
from yudai.runs.domain.trajectory.messages import (
    commands_of,
    starts_turn,
    text_of,
    thought_of,
    usage_of,
)
from yudai.runs.messages import Stored
from yudai.solves.domain.states import SolveState
from yudai.testing.domain.report import Baseline
from yudai.verification.domain.verdict import Tally, VerdictStatus, tally
from yudai.views.domain.document import RunFacts
from yudai.views.solves import SolveFacts

Facts = Row[*tuple[Any, ...]]
"""The columns that one statement reads for a view."""
Phase = Literal["waiting", "starting", "working", "verifying", "done"]

_ACTION_WIDTH = 200
_ERROR_WIDTH = 500
_ROLE_WIDTH = 32
_MAX_COMMANDS = 50


class MarkView(Value):
    """A moment of a run that the live view shows: its first edit, or tests that it ran."""

    kind: Literal["edit", "test"]
    at: float
    step: int
    cost_usd: float
    """Cost of all attempts up to then."""
    ok: bool | None
    """Whether the tests passed; null for an edit, or if unknown."""


class LaneView(RunFacts):
    """One run of a solve as it is now."""

    phase: Phase
    rev: int
    steps: int
    step_limit: int
    tokens: int
    elapsed_ms: int
    last_action: str
    """Its newest command, on one line."""
    lines_changed: int = Field(alias="lines")
    """Lines added and removed."""
    verdict: VerdictStatus | None
    verdict_summary: str = ""
    """One line; empty while there is no verdict."""
    tests: Tally | None
    marks: tuple[MarkView, ...]
    """At most 40: the first edit and the newest tests."""
    url: str


class WatchedSolve(SolveFacts):
    state: SolveState
    champion: RunId | None
    cost_usd: float
    cost_cap_usd: float
    reason: str
    """The reason for the champion, for none, or for the failure."""


class MessageView(Value):
    """One message; its `attempt` and `seq` name it within the run."""

    attempt: int
    seq: int
    step: int
    role: str
    kind: Kind
    is_test: bool
    """Whether its command runs tests, or it is their output."""
    edit: int | None
    """Number of the edit, if its command changed files; the first is 1."""
    text: str
    """The text or output, without its middle if `truncated`."""
    commands: tuple[str, ...]
    truncated: bool
    bytes: int
    """Full size of text and commands."""
    exit_code: int | None
    cost_usd: float | None
    ms: int | None
    """Seconds since the previous message: the time of the model or of the command."""
    at: float
    raw: str
    """Path of the full message."""


def lane_view(run: Facts, *, step_limit: int, baseline: Baseline | None, now: float) -> LaneView:
    """The view of a row that `update_queries.runs` has read."""
    elapsed_s = 0.0 if run.started_at is None else (run.finished_at or now) - run.started_at
    return from_attributes(
        LaneView,
        run,
        handle=line(run.handle, width=_ERROR_WIDTH),
        phase=_phase(run),
        error=line(run.error, width=_ERROR_WIDTH),
        step_limit=step_limit,
        cost_usd=usd(run.earlier_cost_micros + run.cost_micros),
        tokens=run.input_tokens + run.output_tokens,
        elapsed_ms=max(0, int(elapsed_s * 1000)),
        last_action=_last_action(run.last_turn),
        verdict=None if run.verdict is None else run.verdict.status,
        verdict_summary="" if run.verdict is None else run.verdict.summary,
        tests=None if run.verdict is None else tally(run.verdict, baseline),
        marks=tuple(_mark_view(mark, run.earlier_cost_micros) for mark in run.marks or ()),
        url=run_url(run.id),
    )


def message_view(stored: Stored) -> MessageView:
    body = body_of(stored.body)
    commands = [command.text for command in commands_of(body)]
    extra = as_object(body.get("extra"))
    said = cut(_said(body, extra, has_commands=bool(commands)))
    # All of them together get as much room as the text.
    shown = commands[:_MAX_COMMANDS]
    cuts = [cut(command, limit=MAX_BYTES // len(shown)) for command in shown]
    code = extra.get("returncode")
    before = stored.previous_at
    is_test = notes_of(body).is_test if stored.is_test is None else stored.is_test
    return from_attributes(
        MessageView,
        stored,
        role=line(stored.role, width=_ROLE_WIDTH),
        kind=kind_of(body),
        is_test=is_test,
        text=said.text,
        commands=tuple(one.text for one in cuts),
        truncated=said.truncated or len(shown) < len(commands) or any(c.truncated for c in cuts),
        bytes=said.bytes + sum(cut(command).bytes for command in commands),
        exit_code=code if _is_code(code) else None,
        cost_usd=usd(usage_of(body).cost_micros) if starts_turn(body) else None,
        ms=None if before is None else max(0, int((stored.at - before) * 1000)),
        raw=f"{run_url(stored.run_id)}/messages/{stored.seq}/raw?attempt={stored.attempt}",
    )


def body_of(text: str) -> Object:
    """A stored message; empty if it cannot be parsed."""
    try:
        return as_object(json.loads(text))
    except (ValueError, RecursionError):
        return {}


def run_url(run_id: RunId) -> str:
    return f"/api/runs/{run_id}"


def _mark_view(mark: RunMark, earlier_micros: int) -> MarkView:
    return from_attributes(MarkView, mark, cost_usd=usd(earlier_micros + mark.cost_micros))


def _said(body: Object, extra: Object, *, has_commands: bool) -> str:
    raw = extra.get("raw_output")
    if isinstance(raw, str):
        exception = as_text(extra.get("exception_info"))
        return f"{raw}\n{exception}" if exception else raw
    return thought_of(body) if has_commands else text_of(body)


def _is_code(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 31


def _phase(run: Facts) -> Phase:
    if run.state in FINAL:
        return "done"
    if run.state is RunState.RUNNING:
        return "working" if run.message_count else "starting"
    return "verifying" if run.state is RunState.VERIFYING else "waiting"


def _last_action(turn: str | None) -> str:
    commands = () if turn is None else commands_of(body_of(turn))
    return line(commands[-1].text, width=_ACTION_WIDTH) if commands else ""
