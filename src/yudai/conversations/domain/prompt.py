"""The bounded prompt for answering a message: facts, earlier messages and the question."""

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from yudai.conversations.domain.conversation import ChatMessage
from yudai.kit.text import cut, line
from yudai.views.domain.document import PlaceEntry, SolveDocument

MIN_BYTES = 3000
"""Minimum for a question with its facts."""
_MAX_SAID = 1500
_FRAME = 300
_LIST = 5


class Detail(NamedTuple):
    """How much of a solve is included."""

    places: int
    width: int


_DETAILS = (Detail(36, 300), Detail(12, 200), Detail(5, 120), Detail(2, 80))


def messages_for(
    question: str,
    *,
    said: Sequence[ChatMessage],
    documents: Sequence[SolveDocument],
    instructions: str,
    token: str,
    limit: int,
) -> list[dict[str, Any]]:
    """At most `limit` bytes. The random token keeps text in the facts from closing their tags."""
    system = instructions.replace("{token}", token)
    left = max(MIN_BYTES, limit) - len(system.encode()) - _FRAME
    asked = cut(question, limit=left // 3).text
    facts = facts_of(documents, limit=left // 3)
    earlier = _transcript(said, limit=left // 3)
    prompt = (
        f"<facts-{token}>\n{facts}\n</facts-{token}>\n"
        f"<earlier-{token}>\n{earlier}\n</earlier-{token}>\n{asked}"
    )
    return [{"role": "system", "content": system}, {"role": "user", "content": prompt}]


def facts_of(documents: Sequence[SolveDocument], *, limit: int) -> str:
    """JSON in as much detail as fits; only the newest solve when nothing else does."""
    for shown in (documents, documents[:1]):
        for detail in _DETAILS:
            facts = json.dumps([_solve(item, detail) for item in shown], ensure_ascii=False)
            if len(facts.encode()) <= limit:
                return facts
    return "[]"


def _solve(document: SolveDocument, detail: Detail) -> dict[str, Any]:
    solve = document.solve
    shown = document.ranking[: detail.places]
    return {
        "id": solve.id,
        "state": solve.state,
        "repo": line(solve.repo, width=detail.width),
        "issue": line(solve.issue, width=detail.width),
        "cost_usd": solve.cost_usd,
        "elapsed_s": round(solve.elapsed_s, 1),
        "champion": solve.champion,
        "reason": line(document.reason, width=2 * detail.width),
        "stopped_by": document.budget_ended,
        "not_started": len(document.not_started),
        "ranking": [_place(place, detail) for place in shown],
        "runs_left_out": len(document.ranking) - len(shown),
    }


def _place(place: PlaceEntry, detail: Detail) -> dict[str, Any]:
    verdict = place.verdict
    lists = {"fixed": verdict.fixed, "broken": verdict.broken, "tampered": verdict.tampered}
    return {
        "rank": place.rank,
        "run": place.run_id,
        "handle": line(place.handle, width=detail.width),
        "state": place.state,
        "cause": place.cause,
        "verdict": verdict.status,
        "summary": line(verdict.summary, width=detail.width),
        **{name: _few(items, detail) for name, items in lists.items() if items},
        "files_changed": place.files_changed,
        "lines_changed": place.lines_changed,
        "cost_usd": place.cost_usd,
        "seconds": round(place.latency_ms / 1000, 1),
        "why": line(place.why, width=detail.width),
    }


def _few(items: Sequence[str], detail: Detail) -> list[str]:
    few = [line(item, width=detail.width) for item in items[:_LIST]]
    return few if len(items) <= _LIST else [*few, f"and {len(items) - _LIST} more"]


def _transcript(said: Sequence[ChatMessage], *, limit: int) -> str:
    """One JSON object per line, oldest first. The oldest are left out when it is too long."""
    lines: list[str] = []
    left = limit
    for message in reversed(said):
        entry = {"role": message.role, "text": cut(message.text, limit=_MAX_SAID).text}
        text = json.dumps(entry, ensure_ascii=False)
        left -= len(text.encode()) + 1
        if left < 0:
            break
        lines.append(text)
    return "\n".join(reversed(lines))
