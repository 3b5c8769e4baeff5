"""`yudai demo` in the page: where it is served, and when a browser comes up."""

import asyncio
import io
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest
from rich.console import Console
from starlette.applications import Starlette

from tests.support.servers.databases import used_home
from tests.support.solve_rows import SOLVE, Ring
from yudai.arena.cancel import Stopper
from yudai.cli.demo import DemoOptions, ServiceClient, _check, has_desktop
from yudai.cli.records.records import Server
from yudai.cli.serve.serve import ServeOptions, serving
from yudai.kit.errors import RefusedError
from yudai.settings import Settings
from yudai.solves import timeline as events
from yudai.solves.domain.states import SolveState
from yudai.views import documents
from yudai.wiring.components import open_context

if TYPE_CHECKING:
    from yudai.wiring.api_service import Service


@pytest.mark.parametrize("variables", [{"DISPLAY": ":0"}, {"WAYLAND_DISPLAY": "wayland-0"}])
def test_a_browser_comes_up_where_someone_sees_it(variables: dict[str, str]):
    far = {"SSH_CONNECTION": "10.0.0.1 1 10.0.0.2 22"}
    assert has_desktop(variables, is_terminal=True)
    assert not has_desktop(variables, is_terminal=False)
    assert not has_desktop(variables | far, is_terminal=True)
    assert not has_desktop(dict.fromkeys(variables, ""), is_terminal=True)
    assert not has_desktop({}, is_terminal=True)


@pytest.mark.parametrize(
    ("given", "option"),
    [
        (DemoOptions(sandbox="process"), "--sandbox"),
        (DemoOptions(parallel=2), "--parallel"),
        (DemoOptions(reducer="expert"), "--reducer"),
    ],
)
def test_another_server_chooses_for_itself(given: DemoOptions, option: str):
    server = Server("http://127.0.0.1:8000", is_ours=True)
    with pytest.raises(RefusedError, match=f"{option} is for the server"):
        _check(given, server)
    _check(DemoOptions(opens=False), server)


@asynccontextmanager
async def nothing(*_: object) -> AsyncGenerator[Starlette]:
    yield Starlette()


async def test_a_port_that_is_taken_does_not_stop_it(tmp_path: Path):
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = taken.getsockname()[1]
        settings = Settings.at(tmp_path)
        with pytest.raises(RefusedError, match=f"port {port} of 127.0.0.1 is in use"):
            async with serving(settings, ServeOptions(port=port), opening=nothing):
                pass
        given = ServeOptions(port=port, any_port=True)
        async with serving(settings, given, opening=nothing) as served:
            assert served.entry.url != f"http://127.0.0.1:{port}"


class Screen(io.StringIO):
    """Says when something was written to it."""

    def __init__(self) -> None:
        super().__init__()
        self.is_used = asyncio.Event()

    def write(self, text: str, /) -> int:
        self.is_used.set()
        return super().write(text)


async def test_ctrl_c_cancels_the_solve_of_a_demo(tmp_path: Path):
    settings, screen = Settings.at(used_home(tmp_path)), Screen()
    async with open_context(settings) as context:
        ring = Ring(context)
        await ring.solve(None, state=SolveState.RUNNING, finished_at=None)
        async with context.store.change() as db:
            await events.append(db, SOLVE, kind="solve.started", at=1.0)
        solves = SimpleNamespace(stopper=Stopper(context.store, context.clock))
        service = SimpleNamespace(
            settings=settings, context=context, submitter=SimpleNamespace(solves=solves)
        )
        client = ServiceClient(cast("Service", service), Console(file=screen, width=100))
        following = asyncio.create_task(client.follow(SOLVE))
        await asyncio.wait_for(screen.is_used.wait(), 20)
        following.cancel()
        with pytest.raises(asyncio.CancelledError):
            await following
        assert (await documents.find_solve(context, SOLVE)).state == "cancelled"
    assert "Stopping: sandboxes are being removed" in screen.getvalue()
