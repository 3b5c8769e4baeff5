"""What commands read: this home's database, or a server's API with the same results."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from yudai.artifacts.context import Context
from yudai.artifacts.port import ArtifactKind
from yudai.artifacts.queries import artifact_of
from yudai.cli.http.home_lock import ServerEntry, find_owner, is_owned, known_owner, place_of
from yudai.decisions.choose import dismiss_solve
from yudai.kit.errors import YudaiError
from yudai.kit.ids import LOCAL_USER, RunId, SolveId
from yudai.publishing.views import OutcomeList, outcomes_of
from yudai.runs.domain.trajectory.trajectory import TrajectoryMessage
from yudai.settings import Settings
from yudai.solves.domain.states import RESTING
from yudai.views import documents
from yudai.views.domain.document import SolveDocument
from yudai.wiring.components import is_shared, make_own_answers, make_stopper, open_context

if TYPE_CHECKING:
    from yudai.cli.records.source import Source
    from yudai.views.runs import RunDetail


class Records(Protocol):
    """Solves and runs by id or its unique end; "" means the newest solve."""

    @property
    def server(self) -> str:
        """The server's URL; empty for a local database."""
        ...

    async def document(self, ending: str) -> SolveDocument: ...

    async def recent(self, limit: int) -> Sequence[SolveDocument]: ...

    async def find(self, ending: str) -> SolveId:
        """The named solve, or else the newest active one, or else the newest."""
        ...

    async def run(self, ending: str) -> "RunDetail":
        """Also by its handle in the newest solve."""
        ...

    async def messages(self, run_id: RunId) -> Sequence[TrajectoryMessage]: ...

    async def trajectory(self, run_id: RunId) -> dict[str, Any]: ...

    async def artifact(self, run_id: RunId, kind: ArtifactKind) -> bytes: ...

    async def cancel(self, solve_id: SolveId) -> None:
        """ConflictError if it has already ended."""
        ...

    async def dismiss(self, solve_id: SolveId, reason: str) -> None:
        """ConflictError unless it awaits review."""
        ...

    async def answer(self, solve_id: SolveId, question: str, choice: str) -> None:
        """ConflictError when it needs no answer any more, or has another one."""
        ...

    async def outcomes(self, solve_id: SolveId) -> OutcomeList | None:
        """The outcome of its pull request; None if unknown."""
        ...

    async def remark(self, solve_id: SolveId) -> str:
        """A note for a person who waits for it, if any."""
        ...

    def watch(self, solve_id: SolveId) -> "Source": ...


@dataclass(frozen=True)
class OwnRecords:
    """The database itself."""

    settings: Settings
    context: Context
    server: str = ""

    async def document(self, ending: str) -> SolveDocument:
        return await documents.document(self.context, ending)

    async def recent(self, limit: int) -> Sequence[SolveDocument]:
        return await documents.recent(self.context, limit)

    async def find(self, ending: str) -> SolveId:
        return SolveId((await documents.find_solve(self.context, ending)).id)

    async def run(self, ending: str) -> "RunDetail":
        # Only here: `yudai list` need not wait for it.
        from yudai.views.runs import detail_of

        run = await documents.find_run(self.context, ending)
        async with self.context.store.read() as db:
            return await detail_of(db, run)

    async def messages(self, run_id: RunId) -> Sequence[TrajectoryMessage]:
        return await documents.messages(self.context, run_id)

    async def trajectory(self, run_id: RunId) -> dict[str, Any]:
        return await documents.trajectory(
            self.context, await documents.find_run(self.context, run_id)
        )

    async def artifact(self, run_id: RunId, kind: ArtifactKind) -> bytes:
        return await artifact_of(self.context, run_id, kind)

    async def cancel(self, solve_id: SolveId) -> None:
        await make_stopper(self.context).cancel(solve_id)

    async def dismiss(self, solve_id: SolveId, reason: str) -> None:
        await dismiss_solve(self.context, solve_id, reason, user_id=LOCAL_USER)

    async def answer(self, solve_id: SolveId, question: str, choice: str) -> None:
        """And conclude it here: it may be that no other process does."""
        # Only here: `yudai list` need not wait for it.
        from yudai.decisions.answer import Answer

        given = Answer(question, choice, LOCAL_USER)
        solve = await documents.find_solve(self.context, solve_id)
        await make_own_answers(self.context).give(solve_id, given, owner_id=solve.user_id)

    async def outcomes(self, solve_id: SolveId) -> OutcomeList | None:
        return await outcomes_of(self.context.store, solve_id)

    async def remark(self, solve_id: SolveId) -> str:
        solve = await documents.find_solve(self.context, solve_id)
        waits = solve.durable and solve.state not in RESTING
        if not waits or is_shared(self.settings) or is_owned(self.settings.home):
            return ""
        return "No server runs here now: the solve continues when `yudai serve` is started again."

    def watch(self, solve_id: SolveId) -> "Source":
        from yudai.cli.records.source import DatabaseSource

        async def is_dead() -> bool:
            return await make_stopper(self.context).is_dead(solve_id)

        return DatabaseSource(self.context, solve_id, is_dead)


class Server(NamedTuple):
    url: str
    is_ours: bool
    """A server on our home and database, whose results can be applied from here."""
    version: str = ""


@asynccontextmanager
async def open_records(settings: Settings) -> AsyncGenerator[Records]:
    """Read a server's solves from our own database."""
    url = settings.server or _elsewhere(settings)
    if url is None:
        async with open_context(settings) as context:
            yield OwnRecords(settings, context)
        return
    # Only here: an HTTP client costs start-up time that a look at the database need not pay.
    from yudai.cli.records.http_records import open_server_records

    async with open_server_records(url, home=settings.home) as records:
        yield records


async def find_server(settings: Settings) -> Server | None:
    """Who runs a new solve; None: this process.

    A server that starts a moment later does no harm: a solve of this process stays its own.
    """
    if settings.server is not None:
        owner = known_owner(settings.home)
        is_owner = owner is not None and owner.url == settings.server.strip().rstrip("/")
        return Server(settings.server, is_owner and _is_ours(owner, settings))
    if not is_owned(settings.home):
        return None
    owner = await find_owner(settings.home, _answers)
    return None if owner is None else Server(owner.url, _is_ours(owner, settings), owner.version)


async def _answers(entry: ServerEntry) -> bool:
    from yudai.cli.http.client import open_remote

    try:
        async with open_remote(entry.url) as remote:
            await remote.version()
    except YudaiError:
        return False
    return True


def _is_ours(owner: ServerEntry | None, settings: Settings) -> bool:
    return owner is not None and owner.database == place_of(settings)


def _elsewhere(settings: Settings) -> str | None:
    """The server of this home, if its solves are in another database."""
    owner = known_owner(settings.home)
    return None if owner is None or _is_ours(owner, settings) else owner.url
