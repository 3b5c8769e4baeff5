"""`yudai answer`, in our own database and at a server."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.cli.stub_answers import document, summary
from tests.cli.stub_server import Stub, problem, serving
from tests.decisions.questions import EXPECTATION, INTERFACE, AskingDecider, conclude, question_rows
from tests.support.servers.databases import used_home
from tests.support.solve_rows import SOLVE, Ring, failed, passed, run_id
from yudai.arena.conclude import Concluder
from yudai.artifacts.context import Context
from yudai.cli.answer import run_answer
from yudai.cli.show.show import run_list, run_show
from yudai.kit.errors import ConflictError, NotFoundError, RefusedError
from yudai.operations import telemetry
from yudai.settings import Settings
from yudai.solves.domain.states import SolveState
from yudai.verification.domain.question import Question
from yudai.wiring import components
from yudai.wiring.components import open_context


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    telemetry.set_up(verbose=False)
    return Settings.at(used_home(tmp_path))


@pytest.fixture
async def ring(settings: Settings) -> AsyncIterator[Ring]:
    async with open_context(settings) as context:
        yield Ring(context)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, ring: Ring):
    """A solve that asks these; the command's own process decides likewise."""

    async def ask(*questions: Question) -> None:
        def concluder(context: Context) -> Concluder:
            return Concluder(context, AskingDecider(*questions))

        monkeypatch.setattr(components, "make_concluder", concluder)
        await ring.solve(failed(), state=SolveState.RUNNING, finished_at=None)
        await conclude(ring.context, AskingDecider(*questions))

    return ask


async def test_the_only_question_needs_no_name(asked, settings: Settings, capsys):
    await asked(EXPECTATION)
    assert await run_answer(settings, SOLVE, ["accept"], json=True) == 0
    shown = json.loads(capsys.readouterr().out)
    assert (shown["solve"]["state"], shown["solve"]["champion"]) == ("awaiting_review", run_id(0))
    [question] = shown["questions"]
    assert (question["choice"], question["answered_by"]) == ("accept", "local")
    # Once more it is no other answer.
    assert await run_answer(settings, SOLVE, ["accept"], json=True) == 0
    with pytest.raises(ConflictError, match="answered this question already: accept"):
        await run_answer(settings, SOLVE, ["reject"], json=True)


async def test_no_champion_is_exit_code_two(asked, settings: Settings, capsys):
    await asked(EXPECTATION)
    assert await run_answer(settings, SOLVE[-8:], ["reject"], json=False) == 2
    assert "reject, says local" in capsys.readouterr().out


async def test_without_a_choice_it_prints_what_is_needed_to_decide(
    asked, ring: Ring, settings: Settings, capsys
):
    hostile = EXPECTATION.model_copy(update={"detail": "- assert x == 3\n+ assert \x1b[31mx"})
    await asked(hostile, INTERFACE)
    first, second = await question_rows(ring.context)
    assert await run_answer(settings, SOLVE, [], json=False) == 2
    said = capsys.readouterr().out
    assert "Needs you: 2 questions" in said
    assert "\x1b[31m" not in said
    assert "  - assert x == 3" in said
    assert "About: fast-t0.0-e5-balanced" in said
    for row in (first, second):
        assert f"answer 0000aaaa {row.id[-8:]} accept" in said
    with pytest.raises(RefusedError, match="2 open questions: name one of"):
        await run_answer(settings, SOLVE, ["accept"], json=False)
    with pytest.raises(NotFoundError, match="there is no question"):
        await run_answer(settings, SOLVE, ["zzzz", "accept"], json=False)
    with pytest.raises(RefusedError, match="one question and one choice"):
        await run_answer(settings, SOLVE, ["1", "2", "3"], json=False)
    # The other question is about the same run, which is no champion before both are answered.
    assert await run_answer(settings, SOLVE, [second.id[-6:], "accept"], json=False) == 2
    assert await run_answer(settings, SOLVE, ["accept"], json=False) == 0


async def test_the_exact_command_is_shown_with_the_solve(asked, settings: Settings, capsys):
    await asked(EXPECTATION)
    assert await run_show(settings, "", json=False, view=None) == 0
    said = capsys.readouterr().out
    assert "Needs you: one question" in said
    assert EXPECTATION.text in said
    assert "answer 0000aaaa accept" in said
    assert "Take it" not in said
    assert await run_list(settings, limit=5, json=False) == 0
    assert "needs you" in capsys.readouterr().out


async def test_a_solve_that_asks_nothing(ring: Ring, settings: Settings, capsys):
    await ring.solve(passed())
    assert await run_answer(settings, "", [], json=False) == 0
    assert "has no open question" in capsys.readouterr().out
    with pytest.raises(RefusedError, match="asks no question"):
        await run_answer(settings, "", ["accept"], json=False)


async def test_a_server_gets_the_answer_and_is_watched_until_it_has_decided(
    settings: Settings, capsys
):
    there_is = {**EXPECTATION.model_dump(mode="json"), "id": "0190a000-q", "asked_at": 1.0}
    question = {**there_is, "choice": None, "answered_by": "", "answered_at": None}
    waiting = document(SOLVE, questions=[question])
    waiting["solve"]["champion"] = None
    async with serving(Stub()) as stub:
        stub.on("GET", f"/api/solves/{SOLVE}", waiting)
        stub.on("POST", f"/api/solves/{SOLVE}/questions/0190a000-q", summary(SOLVE, "running"))
        there = settings.model_copy(update={"server": stub.url})
        assert await run_answer(there, SOLVE, [], json=False) == 2
        said = capsys.readouterr().out
        assert f"answer 0000aaaa accept --server {stub.url}" in said
        assert await run_answer(there, SOLVE, ["accept"], json=True) == 2
        [told] = [asked for asked in stub.asked if asked.method == "POST"]
        assert told.body == {"choice": "accept"}
        refusal = problem(409, "wim has answered this question already: reject")
        stub.on("POST", f"/api/solves/{SOLVE}/questions/0190a000-q", refusal)
        with pytest.raises(ConflictError, match="wim has answered"):
            await run_answer(there, SOLVE, ["accept"], json=False)
