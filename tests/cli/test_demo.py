"""`yudai demo` in the page: where it is served, and when a browser comes up."""

import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest
from starlette.applications import Starlette

from yudai.cli.demo import DemoOptions, _check, has_desktop
from yudai.cli.records.records import Server
from yudai.cli.serve.serve import ServeOptions, serving
from yudai.kit.errors import RefusedError
from yudai.settings import Settings


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
