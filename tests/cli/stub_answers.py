"""What a server answers, in the words of the API."""

import itertools
from typing import Any

from tests.support.solve_rows import SOLVE, run_id
from yudai.kit.ids import SolveId

OLDER = SolveId("0190a000-0000-7000-8000-00000000bbbb")
VERDICT = {"status": "passed", "summary": "red to green"}
PROGRESS = {
    "total": 1, "queued": 0, "running": 1, "verifying": 0, "completed": 0, "failed": 0,
    "cancelled": 0,
}  # fmt: skip
CONTESTANT = {
    "agent": "mini", "model": "fast", "temperature": 0.0, "max_edits": 5, "strategy": "balanced",
    "handle": "fast-t0.0-e5-balanced",
}  # fmt: skip


def summary(solve_id: SolveId, state: str = "awaiting_review") -> dict[str, Any]:
    return {
        "id": solve_id, "state": state, "repo": "toy", "issue": "x is wrong", "progress": PROGRESS,
        "champion": None, "champion_handle": "", "tests": None, "reason": "", "cost_usd": 0.5,
        "elapsed_s": 3.0, "created_at": 990.0, "started_at": 995.0, "finished_at": None,
        "deadline_at": None, "conversation_id": None, "links": {},
    }  # fmt: skip


def document(solve_id: SolveId, **changes: Any) -> dict[str, Any]:
    solve = {
        "id": solve_id, "state": "awaiting_review", "repo": "toy", "issue": "x is wrong",
        "cost_usd": 0.5, "elapsed_s": 3.0, "champion": run_id(0, solve_id), "folder": "/toy",
    }  # fmt: skip
    place = {
        "rank": 1, "handle": "fast-t0.0-e5-balanced", "run_id": run_id(0, solve_id),
        "state": "completed", "cause": None, "verdict": VERDICT, "files_changed": 1,
        "lines_changed": 2, "cost_usd": 0.5, "latency_ms": 1500, "why": "because",
    }  # fmt: skip
    more = {"runs": [], "events": [], "links": {}, "issue_title": "x"}
    parts = {"not_started": [], "reason": "the best", "budget_ended": None, "ranking": [place]}
    return {"solve": solve, **parts, **more, **changes}


def run(position: int, solve_id: SolveId = SOLVE) -> dict[str, Any]:
    return {
        "id": run_id(position, solve_id), "solve_id": solve_id, "position": position,
        "handle": "fast-t0.0-e5-balanced", "contestant": CONTESTANT, "state": "completed",
        "cause": None, "error": "", "edits_capped": False, "message_count": 9, "step_limit": 50,
        "earlier_cost_usd": 0.0, "files_changed": 1, "lines_changed": 2, "queued_at": 990.0,
        "started_at": 995.0, "submitted_at": None, "finished_at": None, "deadline_at": None,
        "links": {},
        "attempt": 1, "exit_status": "Submitted", "api_calls": 7, "edits": 2,
        "tokens": {"input": 10, "cached": 3, "output": 4}, "cost_usd": 0.5, "latency_ms": 1500,
        "rank": 1, "why": "because", "verdict": VERDICT, "sandbox_id": "box",
    }  # fmt: skip


PATH = f"/api/solves/{SOLVE}"
UPDATES = f"{PATH}/updates"
NUMBERS = itertools.count(1)


def lane(position: int, **changes: Any) -> dict[str, Any]:
    return {
        "id": run_id(position),
        "handle": f"fast-t0.{position}-e5-balanced",
        "state": "running",
        "phase": "working",
        "cause": None,
        "error": "",
        "attempt": 1,
        "rev": 1,
        "steps": 2,
        "step_limit": 50,
        "edits": 1,
        "cost_usd": 0.25,
        "tokens": 14,
        "started_at": 1000.0,
        "submitted_at": None,
        "finished_at": None,
        "elapsed_ms": 5000,
        "last_action": "cat a.py",
        "files_changed": 0,
        "lines": 0,
        "verdict": None,
        "tests": None,
        "rank": None,
        "marks": [],
        "url": f"/api/runs/{run_id(position)}",
        "something": "new",
    } | changes


def updates(cursor: str, *lanes: dict[str, Any], **changes: Any) -> dict[str, Any]:
    solve = {"state": changes.pop("state", "running"), "created_at": 990.0, "started_at": 995.0,
             "finished_at": None, "champion": None, "cost_usd": 0.25, "cost_cap_usd": 5.0,
             "deadline_at": None, "reason": "", "progress": PROGRESS}  # fmt: skip
    return {
        "cursor": cursor,
        "epoch": "00000001",
        "server_time": 1010.0,
        "poll_ms": 1,
        "terminal": False,
        "reset": False,
        "more": False,
        "solve": solve,
        "lanes": list(lanes),
        "events": [],
        "messages": {},
        "resets": [],
        "unknown": [],
    } | changes


def event(kind: str, run: str | None = None, **data: Any) -> dict[str, Any]:
    return {"id": next(NUMBERS), "kind": kind, "at": 1001.0, "run_id": run, "data": data}
