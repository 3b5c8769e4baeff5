"""Every operation asked in every way that its contract allows, and in many that it does not."""

import json
import zlib
from contextlib import AsyncExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import load_all_checks
from schemathesis.generation.hypothesis.builder import HypothesisTestConfig, create_test
from schemathesis.generation.hypothesis.builder import HypothesisTestMode as Mode
from schemathesis.generation.meta import CoveragePhaseData
from schemathesis.specs.openapi.checks import positive_data_acceptance
from starlette.types import ASGIApp, Receive, Scope, Send

from tests.support.api_client import RecordingEngine, app_of, open_place
from tests.support.servers.databases import _migrated_file
from tests.support.solve_rows import SOLVE, Ring, passed, run_id
from yudai.conversations import queries as conversations
from yudai.conversations.tables import ConversationRow
from yudai.kit.ids import ConversationId, SolveId
from yudai.solves.domain.states import SolveState
from yudai.store.urls import sqlite_url

CONTRACT = Path(__file__).parents[2] / "docs" / "reference" / "openapi.json"
RUNNING = SolveId("0190a000-0000-7000-8000-00000000bbbb")
TALK = ConversationId("0190a000-0000-7000-8000-00000000cccc")
HOST = "testserver"


class Server:
    """Opened on the loop that requests are carried out on, once for all of them."""

    def __init__(self) -> None:
        self._app: ASGIApp | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
            return
        assert self._app is not None
        await self._app(scope, receive, send)

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        async with AsyncExitStack() as stack:
            folder = Path(stack.enter_context(TemporaryDirectory()))
            (folder / "yudai.db").write_bytes(_migrated_file())
            url = sqlite_url(folder / "yudai.db")
            opened = open_place(folder / "home", url, RecordingEngine())
            place = await stack.enter_async_context(opened)
            ring = Ring(place.context)
            await ring.solve(passed(), passed(), None)
            await ring.solve(passed(), None, id=RUNNING, state=SolveState.RUNNING)
            async with place.context.store.change() as db:
                row = ConversationRow(id=TALK, created_at=1.0)
                await conversations.add(db, row)
            self._app = app_of(place, hosts=[HOST])
            await send({"type": "lifespan.startup.complete"})
            await receive()
        await send({"type": "lifespan.shutdown.complete"})


document = json.loads(CONTRACT.read_text())
schema = schemathesis.openapi.from_dict(document)
schema.app = Server()
NAMES = [each["operationId"] for item in document["paths"].values() for each in item.values()]
# Their body is that of `POST /api/solves`, whose every field is gone through there.
REPEATED = {"solve", "solveIssue", "forecastSolve"}
# A long schema takes its time, and says no to many guesses.
CHECKS = (HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large)
# A guess is never an id that is there, so that every other one is put in its place.
KNOWN = {
    "solve_id": [SOLVE, RUNNING],
    "run_id": [run_id(0), run_id(2), run_id(1, RUNNING)],
    "conversation_id": [TALK],
}


@schema.hook
def map_path_parameters(
    context: schemathesis.HookContext, path_parameters: dict[str, Any] | None
) -> dict[str, Any] | None:
    chosen = zlib.crc32(repr(path_parameters).encode())
    if path_parameters is None or chosen % 4 == 0:
        return path_parameters
    known = path_parameters.keys() & KNOWN.keys()
    return path_parameters | {name: KNOWN[name][chosen % len(KNOWN[name])] for name in known}


# Not by `schema.parametrize()`: it makes all cases while tests are collected, in each process that
# collects, and gives pytest 9.2 one name for all operations, of which xdist runs a single one.
@pytest.mark.parametrize("guesses", [3, pytest.param(30, marks=pytest.mark.real)])
@pytest.mark.parametrize("name", NAMES)
def test_every_operation_keeps_its_contract(name: str, guesses: int) -> None:
    told: set[tuple[str | None, str | None, str]] = set()

    @settings(max_examples=guesses, deadline=None, derandomize=True, suppress_health_check=CHECKS)
    def keeps_its_contract(case: schemathesis.Case) -> None:
        about = case.meta and case.meta.phase.data
        # Of five wrong types of one field the first one is sent.
        if isinstance(about, CoveragePhaseData):
            known = (about.parameter, about.location, about.description)
            if known in told:
                return
            told.add(known)
        # The schema cannot say everything: that a repository has one place, that a model is known.
        # Ten seconds, as is usual, are too few for a busy machine.
        case.call_and_validate(timeout=60, excluded_checks=[positive_data_acceptance])

    load_all_checks()
    modes = [mode for mode in Mode if mode is not Mode.COVERAGE or name not in REPEATED]
    config = HypothesisTestConfig(project=schema.config, modes=modes)
    operation = schema.find_operation_by_id(name)
    create_test(operation=operation, test_func=keeps_its_contract, config=config)()
