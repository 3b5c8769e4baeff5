"""`yudai publish`: a pull request with the champion's patch, or where it is already."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, Protocol

from rich.console import Console
from rich.text import Text

from yudai.cli import console as consoles
from yudai.cli.console import program
from yudai.cli.exit_codes import OK
from yudai.cli.http.client import AwayError, Remote, read_as
from yudai.cli.records.records import OwnRecords, Records, find_server
from yudai.cli.spinner import working
from yudai.cli.text import one_line, print_json, safe
from yudai.kit.clock import SystemClock
from yudai.kit.errors import ConflictError, NotFoundError, RefusedError
from yudai.kit.ids import LOCAL_USER, SolveId, short
from yudai.kit.retry import retry
from yudai.publishing.domain.publication import RESTING, PublicationState
from yudai.publishing.publisher import Publisher
from yudai.publishing.requests import Publications
from yudai.publishing.views import PublicationView
from yudai.settings import Settings
from yudai.wiring.components import open_context
from yudai.wiring.sandbox_upkeep import open_named_backend

_PAUSE_S = 1.0


@dataclass(frozen=True)
class ServerPublishClient:
    remote: Remote

    async def request(self, solve_id: SolveId) -> PublicationView:
        """Repeating a request whose response was lost finds the running publication."""
        post = partial(self.remote.post, f"/api/solves/{solve_id}/publish")
        found = await retry(post, [_PAUSE_S], on=AwayError)
        return read_as(PublicationView, found, self.remote.url)

    async def view(self, solve_id: SolveId) -> PublicationView | None:
        try:
            return await self.remote.read(PublicationView, f"/api/solves/{solve_id}/publication")
        except NotFoundError:
            return None

    async def wait(self, seen: PublicationView) -> None:
        del seen
        await asyncio.sleep(_PAUSE_S)


_MAX_WAIT_S = 60.0
_STALE = " (its base branch has changed: solve the issue again)"


class PublishClient(Protocol):
    """Who publishes: a server, or this process."""

    async def request(self, solve_id: SolveId) -> PublicationView:
        """ConflictError if there is nothing to publish, or it is being published."""
        ...

    async def view(self, solve_id: SolveId) -> PublicationView | None:
        """None: no publication was requested."""
        ...

    async def wait(self, seen: PublicationView) -> None:
        """Wait until something may have changed."""
        ...


@dataclass(frozen=True)
class LocalPublishClient:
    """Publishes in this process."""

    publisher: Publisher
    publications: Publications
    user_id: str = LOCAL_USER

    async def request(self, solve_id: SolveId) -> PublicationView:
        return await self.publications.request(solve_id, actor=self.user_id)

    async def view(self, solve_id: SolveId) -> PublicationView | None:
        try:
            return await self.publications.view(solve_id)
        except NotFoundError:
            return None

    async def wait(self, seen: PublicationView) -> None:
        await asyncio.sleep(max(0.0, (seen.due_at or 0.0) - self.publications.clock.now()))
        await self.publisher.resume(seen.solve_id)


async def publish(client: PublishClient, solve_id: SolveId, console: Console) -> PublicationView:
    """Request it, wait, and print where it is; RefusedError if it is refused."""
    async with working(console, "publishing: commit, branch, pull request, comment"):
        seen = await _requested(client, solve_id)
        while seen.state not in RESTING:
            _check_wait(seen)
            await client.wait(seen)
            seen = await client.view(solve_id) or seen
    if seen.state is not PublicationState.DONE or seen.pull_number is None:
        why = one_line(seen.reason, width=400) or "there is no pull request"
        hint = _STALE if seen.state is PublicationState.STALE else ""
        raise RefusedError(f"not published: {why}{hint}")
    console.print(Text(describe_pull(seen), style="bold"), soft_wrap=True)
    return seen


def describe_pull(seen: PublicationView) -> str:
    state = "" if seen.pull_state is None else str(seen.pull_state)
    draft = ", a draft" if seen.is_draft and state == "open" else ""
    return safe(f"Pull request #{seen.pull_number} ({state or 'open'}{draft}): {seen.pull_url}")


def _check_wait(seen: PublicationView) -> None:
    if (seen.due_at or 0.0) - SystemClock().now() > _MAX_WAIT_S:
        raise RefusedError(
            f"the forge is unavailable ({one_line(seen.error, width=200)}):"
            f" `{program()} publish {short(seen.solve_id)}` continues later"
        )


async def _requested(client: PublishClient, solve_id: SolveId) -> PublicationView:
    try:
        return await client.request(solve_id)
    except ConflictError:
        seen = await client.view(solve_id)
        is_under_way = seen is not None and (seen.state not in RESTING or seen.pull_number)
        if seen is None or not is_under_way:
            raise
        return seen


async def run_publish(settings: Settings, target: str, *, json: bool) -> int:
    console = consoles.progress() if json else consoles.result()
    async with _open(settings) as opened:
        solve_id = (await opened.records.document(target)).solve.id
        seen = await publish(opened.client, solve_id, console)
    if json:
        print_json(seen.model_dump(mode="json"))
    return OK


class _Opened(NamedTuple):
    records: Records
    client: PublishClient


@asynccontextmanager
async def _open(settings: Settings) -> AsyncGenerator[_Opened]:
    server = await find_server(settings)
    if server is not None:
        # Only here: an HTTP client costs start-up time.
        from yudai.cli.records.http_records import open_server_records

        async with open_server_records(server.url, home=settings.home) as records:
            yield _Opened(records, ServerPublishClient(records.remote))
        return
    # Only here: a forge's client costs start-up time.
    from yudai.wiring.forge import open_forge_services

    async with (
        open_context(settings) as context,
        open_named_backend(settings, None, context.store) as backend,
        open_forge_services(settings, context, backend=backend) as forge_services,
    ):
        asked = Publications(context.store, context.clock, forge_services.forge.url)
        client = LocalPublishClient(forge_services.publisher, asked)
        yield _Opened(OwnRecords(settings, context), client)
