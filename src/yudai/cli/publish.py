"""`yudai publish`: a pull request with the champion's patch, or where it is already."""

import asyncio
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from rich.console import Console
from rich.text import Text

from yudai.cli import console as consoles
from yudai.cli.console import program
from yudai.cli.exit_codes import OK
from yudai.cli.http.client import AwayError, Remote, read_as
from yudai.cli.records.choose import find_server
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
from yudai.views.documents import Reader
from yudai.wiring.components import open_context
from yudai.wiring.sandboxes import make_backend

_PAUSE_S = 1.0


@dataclass(frozen=True)
class ServerDesk:
    remote: Remote

    async def ask(self, solve_id: SolveId) -> PublicationView:
        """A lost answer is no second pull request: who asks again is told that it is under way."""
        post = partial(self.remote.post, f"/api/solves/{solve_id}/publish")
        found = await retry(post, [_PAUSE_S], on=AwayError)
        return read_as(PublicationView, found, self.remote.url)

    async def view(self, solve_id: SolveId) -> PublicationView | None:
        try:
            return await self.remote.read(PublicationView, f"/api/solves/{solve_id}/publication")
        except NotFoundError:
            return None

    async def go_on(self, seen: PublicationView) -> None:
        del seen
        await asyncio.sleep(_PAUSE_S)


_MAX_WAIT_S = 60.0
_STALE = " (its base branch has moved on: solve it anew)"


class Desk(Protocol):
    """Who publishes: a server, or this process."""

    async def ask(self, solve_id: SolveId) -> PublicationView:
        """ConflictError where there is nothing to publish, or it is under way."""
        ...

    async def view(self, solve_id: SolveId) -> PublicationView | None:
        """None: nobody has asked for it."""
        ...

    async def go_on(self, seen: PublicationView) -> None:
        """Until something may have changed."""
        ...


@dataclass(frozen=True)
class OwnDesk:
    """In this very process."""

    publisher: Publisher
    publications: Publications
    user_id: str = LOCAL_USER

    async def ask(self, solve_id: SolveId) -> PublicationView:
        return await self.publications.request(solve_id, actor=self.user_id)

    async def view(self, solve_id: SolveId) -> PublicationView | None:
        try:
            return await self.publications.view(solve_id)
        except NotFoundError:
            return None

    async def go_on(self, seen: PublicationView) -> None:
        await asyncio.sleep(max(0.0, (seen.due_at or 0.0) - self.publications.clock.now()))
        await self.publisher.resume(seen.solve_id)


async def publish(desk: Desk, solve_id: SolveId, console: Console) -> PublicationView:
    """Ask, wait, say where it is; RefusedError when it may not be."""
    async with working(console, "publishing: commit, branch, pull request, comment"):
        seen = await _asked(desk, solve_id)
        while seen.state not in RESTING:
            _check_wait(seen)
            await desk.go_on(seen)
            seen = await desk.view(solve_id) or seen
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
            f"the forge cannot be asked now ({one_line(seen.error, width=200)}):"
            f" `{program()} publish {short(seen.solve_id)}` goes on later"
        )


async def _asked(desk: Desk, solve_id: SolveId) -> PublicationView:
    try:
        return await desk.ask(solve_id)
    except ConflictError:
        seen = await desk.view(solve_id)
        is_under_way = seen is not None and (seen.state not in RESTING or seen.pull_number)
        if seen is None or not is_under_way:
            raise
        return seen


async def run_publish(settings: Settings, target: str, *, json: bool) -> int:
    server = await find_server(settings)
    if server is None:
        seen = await _publish_here(settings, target, json=json)
    else:
        seen = await _publish_there(settings, server.url, target, json=json)
    if json:
        print_json(seen.model_dump(mode="json"))
    return OK


async def _publish_here(settings: Settings, target: str, *, json: bool) -> PublicationView:
    # Only here: a forge's client costs start-up time.
    from yudai.wiring.forge import open_forge_services

    console = consoles.progress() if json else consoles.result()
    async with open_context(settings) as context:
        solve_id = (await Reader(context).document(target)).solve.id
        backend = make_backend(settings, store=context.store)
        try:
            async with open_forge_services(settings, context, backend=backend) as forge_services:
                asked = Publications(context.store, context.clock, forge_services.forge.url)
                return await publish(OwnDesk(forge_services.publisher, asked), solve_id, console)
        finally:
            await backend.close()


async def _publish_there(
    settings: Settings, url: str, target: str, *, json: bool
) -> PublicationView:
    # Only here: an HTTP client costs start-up time.
    from yudai.cli.records.http_records import open_server_records

    console = consoles.progress() if json else consoles.result()
    async with open_server_records(url, home=settings.home) as records:
        solve_id = (await records.document(target)).solve.id
        return await publish(ServerDesk(records.remote), solve_id, console)
