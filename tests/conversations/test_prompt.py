import json
from typing import Any

from yudai.conversations.domain.conversation import Milestone
from yudai.conversations.domain.milestones import Facts, Happened, reached, text_of
from yudai.conversations.domain.prompt import facts_of, messages_for
from yudai.kit.ids import RunId, SolveId, short
from yudai.runs.domain.states import RunState
from yudai.solves.domain.states import SolveState
from yudai.verification.domain.verdict import NOTHING
from yudai.views.domain.document import PlaceEntry, SolveDocument, SolveEntry


def document(number: int = 1, *, places: int = 30) -> SolveDocument:
    place: dict[str, Any] = {
        "state": RunState.COMPLETED,
        "cause": None,
        "verdict": NOTHING,
        "files_changed": 1,
        "lines_changed": 2,
        "cost_usd": 0.1,
        "latency_ms": 1500,
        "why": "w" * 400,
    }
    return SolveDocument(
        solve=SolveEntry(
            id=SolveId(f"solve-{number}"),
            state=SolveState.RUNNING,
            repo="toy",
            issue="#1 Sums",
            cost_usd=0.5,
            elapsed_s=1.23456,
            champion=None,
            folder="/home/ada/secret-project",
        ),
        ranking=tuple(
            PlaceEntry(rank=n, handle=f"fast-{n}", run_id=RunId(f"r{n}"), **place)
            for n in range(places)
        ),
        not_started=(),
        reason="",
    )


def test_facts_shrink_until_they_fit() -> None:
    documents = [document(1), document(2)]
    sizes: list[tuple[int, int]] = []
    for limit in (100_000, 20_000, 8000, 3000, 1500):
        text = facts_of(documents, limit=limit)
        assert len(text.encode()) <= limit
        told = json.loads(text)
        sizes.append((len(told), sum(len(solve["ranking"]) for solve in told)))
    assert sizes == [(2, 60), (2, 24), (2, 10), (2, 4), (1, 2)]
    assert facts_of(documents, limit=100) == "[]"
    assert facts_of([], limit=100) == "[]"


def test_a_folder_of_this_machine_is_nobodys_business() -> None:
    assert "secret-project" not in facts_of([document()], limit=100_000)


def test_the_whole_stays_below_its_limit() -> None:
    for limit in (3000, 5000, 16_000):
        messages = messages_for(
            "q" * 20_000,
            said=(),
            documents=[document()],
            instructions="{token}" + "i" * 1500,
            token="f" * 16,
            limit=limit,
        )
        size = sum(len(message["content"].encode()) for message in messages)
        assert limit // 4 < size <= limit


SOLVE = SolveId("0190a000-0000-7000-8000-00005c1f09ab")
FACTS = Facts(SOLVE, "#1 Sums", 1, 3, "fast-1", "red to green", 1, 1, "", 0.0)


def test_what_is_said_when_there_is_little_to_say() -> None:
    said = {milestone: text_of(milestone, FACTS, {}) for milestone in Milestone}
    named = f"Solve {short(SOLVE)} (#1 Sums)"
    assert said[Milestone.QUEUED] == f"{named} is queued: 1 contestant; 3 more are not started."
    assert said[Milestone.FIRST_PASSING_RUN].endswith("first passing run, fast-1: red to green")
    turned = text_of(Milestone.FIRST_PASSING_RUN, FACTS._replace(is_passed=False), {})
    assert turned.endswith("first passing run, fast-1")
    assert said[Milestone.CHAMPION] == f"{named} has a champion, fast-1"
    assert said[Milestone.COMPLETED] == f"{named} is completed."
    assert said[Milestone.FAILED] == f"{named} has failed: no reason was given"
    applied = text_of(Milestone.COMPLETED, FACTS, {"applied": "/home/ada/toy"})
    assert applied == f"{named} is completed: the patch was applied."
    dismissed = text_of(Milestone.COMPLETED, FACTS, {"dismissed": "too large"})
    assert dismissed == f"{named} is completed: it was dismissed: too large"
    dismissed = text_of(Milestone.COMPLETED, FACTS, {"dismissed": ""})
    assert dismissed == f"{named} is completed: it was dismissed."


def test_each_milestone_is_reached_by_its_first_event() -> None:
    def judged(run: str, status: str, at: float) -> Happened:
        return Happened("run.judged", at, RunId(run), {"status": status})

    timeline = [
        Happened("solve.opened", 1, None, {}),
        Happened("solve.started", 2, None, {}),
        Happened("solve.started", 3, None, {}),
        judged("a", "failed", 4),
        judged("b", "passed", 5),
        judged("c", "passed", 6),
        Happened("runs.cross_examined", 7, None, {}),
        Happened("solve.offered", 8, None, {}),
        Happened("solve.settled", 9, None, {}),
    ]
    assert [(item.milestone, item.event.at) for item in reached(timeline)] == [
        ("queued", 1),
        ("running", 2),
        ("first_passing_run", 5),
        ("champion", 8),
        ("awaiting_review", 8),
        ("completed", 9),
    ]
