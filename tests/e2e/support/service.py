"""The service as an operator starts it: real processes around one home and one database."""

import hashlib
import json
import signal
import subprocess
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import httpx
from sqlalchemy import NullPool, create_engine, select
from sqlalchemy.orm import Session

from tests.e2e.support import small
from tests.e2e.support.arena import Arena, migrate
from tests.e2e.support.leftovers import Leftovers, leftovers
from tests.support.servers.preforked import YUDAI, Warm
from yudai.conversations.tables import ChatMessageRow
from yudai.engine.queries import WorkerRow
from yudai.runs.tables import AttemptRow, RunRow
from yudai.solves.domain.states import SolveState
from yudai.solves.tables import EventRow, SolveRow

T = TypeVar("T")
P = TypeVar("P", bound="Process")

PATIENCE_S = 90.0
"""For what comes sooner or later, on however busy a machine."""
POLL_S = 0.05
SELDOM_S = 0.25
"""For what nobody has to meet at its moment: each look takes time from what is looked at."""
_ALONE = ("serve", "--port", "0")
_API = (*_ALONE, "--no-worker")
_ONCE = {
    "solve.opened",
    "solve.started",
    "base.prepared",
    "baseline.measured",
    "runs.cross_examined",
    "solve.offered",
}


def until(
    is_so: Callable[[], T | None],
    what: str,
    *,
    within_s: float = PATIENCE_S,
    every_s: float = POLL_S,
) -> T:
    """Look again and again; what it found."""
    deadline = time.monotonic() + within_s
    while not (found := is_so()):
        assert time.monotonic() < deadline, f"not so after {within_s} s: {what}"
        time.sleep(every_s)
    return found


class Process:
    """One that is ready; `said` is what it printed then."""

    def __init__(self, popen: subprocess.Popen[str], log: Path) -> None:
        self.log = log
        self._popen = popen
        assert popen.stdout is not None
        line = popen.stdout.readline()
        assert line, f"it never was ready:\n{log.read_text()}"
        self.said: dict[str, Any] = json.loads(line)

    @property
    def pid(self) -> int:
        return self._popen.pid

    @property
    def is_alive(self) -> bool:
        return self._popen.poll() is None

    def send(self, what: signal.Signals) -> float:
        """When it was sent, by the clock that events are written with."""
        self._popen.send_signal(what)
        return time.time()

    def kill(self) -> float:
        moment = self.send(signal.SIGKILL)
        self._popen.wait()
        return moment

    def end(self) -> int:
        """Ask it to leave; its exit code."""
        self.send(signal.SIGTERM)
        return self._popen.wait(PATIENCE_S)

    def close(self) -> None:
        if self.is_alive:
            self.kill()
        assert self._popen.stdout is not None
        self._popen.stdout.close()


class Server(Process):
    def __init__(self, popen: subprocess.Popen[str], log: Path) -> None:
        super().__init__(popen, log)
        self.api = httpx.Client(base_url=self.said["url"], timeout=30)

    def get(self, path: str) -> dict[str, Any]:
        answer = self.api.get(path)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def post(self, path: str, body: object = None, **headers: str) -> dict[str, Any]:
        answer = self.api.post(path, json=body or {}, headers=headers)
        assert answer.status_code in (200, 201, 202), answer.text
        return answer.json()

    def close(self) -> None:
        self.api.close()
        super().close()


class Installation:
    """Everything shares one home, as on one machine; `url` is None for SQLite."""

    def __init__(self, root: Path, url: str | None = None, **variables: str) -> None:
        place = {} if url is None else {"DATABASE_URL": url}
        self.arena = Arena(root, **place, **variables)
        self.home = self.arena.home
        self.books = Books(url or f"sqlite:///{self.home / 'yudai.db'}")
        self.processes: list[Process] = []
        self.root = root
        root.joinpath("home").mkdir(parents=True, exist_ok=True)
        if url is None:
            migrate(self.home)

    def open(self, workers: int) -> None:
        """An API and so many workers, all started at the same moment."""
        api = self._popen(*_API)
        waiting = [self._popen("worker") for _ in range(workers)]
        self._keep(Server(*api))
        for each in waiting:
            self._keep(Process(*each))

    def serve(self, *, alone: bool = True) -> Server:
        """The API, and in the same process the worker, unless others are to do its work."""
        return self._keep(Server(*self._popen(*(_ALONE if alone else _API))))

    def serve_at(self, port: int) -> Server:
        """As `serve`, where one was before."""
        return self._keep(Server(*self._popen("serve", "--port", str(port))))

    @property
    def server(self) -> Server:
        """The newest one."""
        return next(one for one in reversed(self.processes) if isinstance(one, Server))

    def workers(self, number: int) -> Sequence[Process]:
        """So many that are alive, started together where some are missing."""
        alive = [one for one in self.processes if type(one) is Process and one.is_alive]
        missing = [self._popen("worker") for _ in range(number - len(alive))]
        return [*alive, *(self._keep(Process(*each)) for each in missing)][:number]

    def workers_by_id(self, number: int) -> dict[str, Process]:
        return {self.worker_id(process): process for process in self.workers(number)}

    def worker_id(self, process: Process) -> str:
        """Of its newest lease."""
        return max(row.id for row in self.books.workers() if row.pid == process.pid)

    def leftovers(self) -> Leftovers:
        return leftovers(self.home)

    def close(self) -> None:
        for process in self.processes:
            process.close()
        self.books.close()

    def _popen(self, *words: str) -> tuple[subprocess.Popen[str], Path]:
        log = self.root / f"{words[0]}-{len(list(self.root.glob('*.log')))}.log"
        with log.open("w") as errors:
            popen = Warm(
                [str(YUDAI), "--verbose", *words, "--json"],
                cwd=self.root,
                env=self.arena.variables,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
        return popen, log

    def _keep(self, process: P) -> P:
        self.processes.append(process)
        return process


@contextmanager
def installed(root: Path, url: str | None = None, **variables: str) -> Generator[Installation]:
    installation = Installation(root, url, **variables)
    try:
        yield installation
    finally:
        installation.close()


class Books:
    """What the database says, read beside everybody."""

    def __init__(self, url: str) -> None:
        # The database may have been away since the last look, and a file may be another one.
        pool = {"pool_pre_ping": True} if url.startswith("postgresql") else {"poolclass": NullPool}
        self._engine = create_engine(url.replace("sqlite+aiosqlite", "sqlite"), **pool)

    def close(self) -> None:
        self._engine.dispose()

    def solve(self, solve_id: str) -> SolveRow:
        return self._all(select(SolveRow).where(SolveRow.id == solve_id))[0]

    def runs(self, solve_id: str) -> list[RunRow]:
        query = select(RunRow).where(RunRow.solve_id == solve_id)
        return self._all(query.order_by(RunRow.position))

    def attempts(self, solve_id: str) -> list[AttemptRow]:
        """Those that were given up."""
        query = select(AttemptRow).join(RunRow, RunRow.id == AttemptRow.run_id)
        return self._all(query.where(RunRow.solve_id == solve_id))

    def events(self, solve_id: str, *kinds: str) -> list[EventRow]:
        query = select(EventRow).where(EventRow.solve_id == solve_id).order_by(EventRow.id)
        return self._all(query.where(EventRow.kind.in_(kinds)) if kinds else query)

    def milestones(self, solve_id: str) -> list[str | None]:
        query = select(ChatMessageRow).where(ChatMessageRow.solve_id == solve_id)
        return [row.milestone for row in self._all(query.order_by(ChatMessageRow.id))]

    def workers(self) -> list[WorkerRow]:
        return self._all(select(WorkerRow))

    def _all(self, query: Any) -> list[Any]:
        with Session(self._engine) as db:
            return list(db.scalars(query))


def rested(books: Books, solve_id: str) -> str:
    """The state that it came to."""
    at_work = (SolveState.QUEUED, SolveState.RUNNING)
    until(
        lambda: books.solve(solve_id).state not in at_work,
        f"solve {solve_id} comes to rest",
        every_s=SELDOM_S,
    )
    return books.solve(solve_id).state


def has_nothing_twice(books: Books, solve_id: str) -> bool:
    """Whether each run was judged once and the solve concluded once, by its timeline."""
    events = books.events(solve_id)
    judged = [event.run_id for event in events if event.kind == "run.judged"]
    ends = [event.kind for event in events if event.kind in _ONCE]
    return len(judged) == len(set(judged)) and sorted(ends) == sorted(_ONCE)


def slow(arena: Arena, first_s: float, second_s: float) -> str:
    """A contestant that is right, and thinks so long before its two replies."""
    return arena.script(
        f"slow-{first_s:g}-{second_s:g}",
        {"say": small.PLAN, "run": [small.TEST, small.FIX], "delay_s": first_s},
        {**small.FINISH, "delay_s": second_s},
    )


def ask(folder: Path, model: str, *, runs: int = 1, **limits: int) -> dict[str, Any]:
    """A body for so many runs of one model."""
    temperatures = [number / 10 for number in range(runs)]
    return {
        "repo_path": str(folder),
        "issue_text": small.ISSUE,
        "matrix": {"models": [model], "temperatures": temperatures, "strategies": ["balanced"]},
        "limits": limits,
    }


def key_of(body: dict[str, Any]) -> dict[str, str]:
    """A header by which this request is known again."""
    return {"Idempotency-Key": hashlib.sha256(json.dumps(body).encode()).hexdigest()}


def replayed(house: Installation, body: dict[str, Any]) -> str:
    """Send the same request again; the solve that it made the first time."""
    answer = house.server.api.post("/api/solves", json=body, headers=key_of(body))
    assert answer.status_code == 202
    assert answer.headers["Idempotency-Replayed"] == "true"
    return answer.json()["id"]
