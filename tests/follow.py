"""Follow one request: which of our files are entered on its way, in the order of their first call.

`python -m tests.follow` prints how many; with a path's name, `python -m tests.follow poll`, which,
and what is left out. A file counts once a function of it is called after import, and not while a
process is opened. Each path runs in a process of its own, for real: HTTP on loopback, SQLite,
bubblewrap, a contestant with scripted or served replies.
"""

import asyncio
import contextvars
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import httpx
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine

import yudai
from tests.e2e.support import small

SRC = f"{Path(yudai.__file__).parent}/"
_OPENING = (f"{SRC}wiring/", f"{SRC}settings/")
UNCOUNTED: Mapping[str, str] = {
    "kit/": "words of no capability: errors, clock, text, money",
    "store/": "the database: connections, transactions, types of columns",
    "settings/": "read when a process starts, with all that it calls",
    "wiring/": "what opens a process, with all that it calls, not what the process then does",
    "engine/(guard|leases|queries).py": "beats, whatever is asked",
    "sandboxes/reap.py": "sweeps when a process is opened, whatever is asked",
    "arena/blocked_hosts.py": "writes in the background what proxies refused, whatever is asked",
    "projects/domain/": "how set-up is detected: projects/find.py calls it",
    "verification/domain/": "rules, and the reading of sources: verify.py, cross_examination.py and"
    " arena/conclude.py call it",
    "testing/domain/": "commands and reports of test runners: testing/run.py calls it",
    "patches/": "the text of patches",
    "runs/domain/trajectory/": "the format of an agent's messages",
    ".*/tables.py": "rows: what queries.py names",
}
"""What no path counts, and why; regular expressions from the start of a file's name."""
ADAPTERS = {".*/(adapters|backends)/": "behind the port of its package"}


class Way(NamedTuple):
    most: int
    """What docs/explanation/architecture.md promises."""
    follow: Callable[["Trace", Path], None]
    uncounted: Mapping[str, str] = ADAPTERS
    besides: tuple[str, ...] = ()
    """Other ways, whose files are not counted again."""


class Trace:
    """A profile function for every thread."""

    def __init__(self) -> None:
        self.files: list[str] = []
        self.is_on = False
        self.first: Callable[[str, str], bool] | None = None
        """Asked for each call; the one that it accepts switches the trace on."""
        self.ends_with_first = False
        """Off again when that call returns: of plain functions only, as coroutines return often."""
        self._root: FrameType | None = None
        self.elsewhere = contextvars.ContextVar("elsewhere", default="")
        """Of tasks whose files do not count."""

    def install(self) -> None:
        threading.setprofile(self._profile)
        sys.setprofile(self._profile)

    def _profile(self, frame: FrameType, event: str, _: object) -> None:
        if event == "return" and self.ends_with_first and frame is self._root:
            self.is_on, self.first = False, None
        if event != "call" or not frame.f_code.co_filename.startswith(SRC):
            return
        name = frame.f_code.co_filename.removeprefix(SRC)
        if self.first is not None and not self.is_on and self.first(name, frame.f_code.co_name):
            self.is_on, self._root = True, frame
        if self.is_on and name not in self.files and not self._is_apart(frame):
            self.files.append(name)

    def _is_apart(self, frame: FrameType) -> bool:
        """While a module is imported or a process is opened, or in another path's task."""
        above: FrameType | None = frame
        while above is not None:
            file = above.f_code.co_filename
            if file.startswith(_OPENING) or (
                above.f_code.co_name == "<module>" and file.startswith(SRC)
            ):
                return True
            above = above.f_back
        return bool(self.elsewhere.get())


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["--in"]:
        _walk(arguments[1], Path(arguments[2]))
        return 0
    too_many = 0
    for name in arguments or WAYS:
        way, counted = WAYS[name], files(name)
        uncounted = {**UNCOUNTED, **way.uncounted}
        all_files = len(_entered(name))
        sys.stdout.write(
            f"{name}: {len(counted)} of at most {way.most}, {all_files} with what is left out\n"
        )
        if arguments:
            sys.stdout.write(f"  {way.follow.__doc__}\n")
            sys.stdout.write("".join(f"  {file}\n" for file in counted))
            reasons = uncounted | {
                f"files of {other}": "a path of its own" for other in way.besides
            }
            sys.stdout.write("".join(f"  not {part}: {why}\n" for part, why in reasons.items()))
        too_many += len(counted) > way.most
    return 1 if too_many else 0


def files(name: str) -> list[str]:
    """Those that count, in the order in which they are entered."""
    way = WAYS[name]
    uncounted = (*UNCOUNTED, *way.uncounted)
    others = {file for other in way.besides for file in _entered(other)}
    found = [file for file in _entered(name) if file not in others]
    return [file for file in found if not any(re.match(part, file) for part in uncounted)]


@cache
def _entered(name: str) -> tuple[str, ...]:
    with tempfile.TemporaryDirectory() as home:
        words = [sys.executable, "-m", "tests.follow", "--in", name, home]
        done = subprocess.run(words, stdout=subprocess.PIPE, check=True, text=True)
    return tuple(json.loads(done.stdout.splitlines()[-1]))


def _walk(name: str, home: Path) -> None:
    trace = Trace()
    trace.install()
    WAYS[name].follow(trace, home)
    sys.setprofile(None)
    sys.stdout.write(f"\n{json.dumps(trace.files)}\n")


def post(trace: Trace, home: Path) -> None:
    """The second request: the first one of a process opens what the others find open."""

    async def follow() -> None:
        async with _api(home) as http:
            await _ask(http, home)
            trace.is_on = True
            await _ask(http, home)
            trace.is_on = False

    asyncio.run(follow())


def poll(trace: Trace, home: Path) -> None:
    """The third one, with a cursor that is the newest."""

    async def follow() -> None:
        async with _api(home) as http:
            path = f"/api/solves/{await _ask(http, home)}/updates"
            cursor = (await http.get(path)).json()["cursor"]
            await http.get(path, params={"cursor": cursor})
            trace.is_on = True
            answer = await http.get(path, params={"cursor": cursor})
            trace.is_on = False
            assert answer.status_code == 200, answer.text

    asyncio.run(follow())


def work(trace: Trace, home: Path) -> None:
    """From the queue to the champion; the rounds of upkeep are left out."""
    from yudai.wiring import worker
    from yudai.wiring.components import open_gateway

    async def follow() -> None:
        async with _api(home) as http:
            solve_id = await _ask(http, home)
        worker.make_rounds = lambda *_: ()
        trace.first = lambda name, _: name == "arena/flow.py"
        settings = _settings(home)
        async with (
            open_gateway(settings) as gateway,
            worker.open_worker(settings, gateway=gateway),
        ):
            while await _state(settings, solve_id) in ("queued", "running"):  # noqa: ASYNC110
                await asyncio.sleep(0.2)
            trace.is_on = False

    asyncio.run(follow())


def solve(trace: Trace, home: Path) -> None:
    """What the command does; its solve is what a worker does."""
    from yudai.engine.adapters.in_process import InProcessEngine

    begin = InProcessEngine.start

    async def start(engine: InProcessEngine, solve_id: Any, *, user_id: str = "") -> None:
        context = contextvars.copy_context()
        context.run(trace.elsewhere.set, "the worker's path")
        task = asyncio.create_task(begin(engine, solve_id, user_id=user_id), context=context)
        await task

    InProcessEngine.start = start  # type: ignore[method-assign]
    trace.is_on = True
    _command(home, _contestant(home))
    trace.is_on = False


def call(trace: Trace, home: Path) -> None:
    """The second one of a run, up to its answer."""
    from tests.support.servers.openai_server import OpenAIServer

    calls: list[str] = []

    def is_second(name: str, function: str) -> bool:
        if (name, function) == ("agents/adapters/mini_swe/model.py", "query"):
            calls.append(function)
            return len(calls) == 2
        return False

    trace.first, trace.ends_with_first = is_second, True
    with OpenAIServer(small.right_brain()) as server:
        _command(home, "it", "--base-url", server.url, "--price", "it=1,1")


def _command(home: Path, model: str, *more: str) -> None:
    from yudai.cli.main import run

    os.environ.update(YUDAI_HOME=str(home / "yudai"), COLUMNS="100")
    words = ["solve", str(_repository(home)), "--text", small.ISSUE, "--model", model, "--yes"]
    assert run([*words, *more]) == 0


@asynccontextmanager
async def _api(home: Path) -> AsyncGenerator[Any]:
    """A server without a worker, and a client of it."""
    from yudai.cli.serve.listen import answering, bind, url_of
    from yudai.cli.serve.serve import ServeOptions, make_api
    from yudai.wiring.api_service import open_service

    settings = _settings(home)
    listener = bind("127.0.0.1", 0)
    async with (
        open_service(settings) as service,
        answering(make_api(service, settings, ServeOptions(), url_of(listener)), listener),
        httpx.AsyncClient(base_url=url_of(listener), timeout=60) as http,
    ):
        yield http


async def _ask(http: Any, home: Path) -> str:
    body = {
        "repo_path": str(_repository(home)),
        "issue_text": small.ISSUE,
        "matrix": {"models": [_contestant(home)]},
    }
    answer = await http.post("/api/solves", json=body, headers={"Idempotency-Key": str(id(body))})
    assert answer.status_code == 202, answer.text
    return answer.json()["id"]


async def _state(settings: Any, solve_id: str) -> str:
    engine = create_async_engine(settings.store_url)
    async with engine.connect() as db:
        found = await db.execute(text("SELECT state FROM solves WHERE id = :id"), {"id": solve_id})
        state = str(found.scalar_one())
    await engine.dispose()
    return state


def _settings(home: Path) -> Any:
    from yudai.settings import Settings

    return Settings.model_validate({"YUDAI_HOME": home / "yudai"})


def _repository(home: Path) -> Path:
    folder = home / "repository"
    return folder if folder.exists() else small.make(folder)


def _contestant(home: Path) -> str:
    """A script that is right, named so that any process finds it."""
    replies = [{"say": small.PLAN, "run": [small.TEST, small.FIX]}, small.FINISH]
    script = home / "right.json"
    script.write_text(json.dumps({"replies": replies}))
    return f"scripted/{script.with_suffix('')}"


WAYS: Mapping[str, Way] = {
    "POST /api/solves": Way(30, post),
    "worker to champion": Way(
        40, work, ADAPTERS | {"agents/": "behind agents/port.py"}, besides=("model call",)
    ),
    "yudai solve FOLDER": Way(24, solve, besides=("POST /api/solves", "worker to champion")),
    "model call": Way(
        24, call, {"(cli|views|engine|solves/claims|sandboxes)": "what watches it meanwhile"}
    ),
    "poll": Way(15, poll),
}

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
