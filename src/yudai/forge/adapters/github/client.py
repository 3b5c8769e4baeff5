"""Sends requests to GitHub: caches unchanged responses, follows renames, serialises writes."""

import asyncio
import json
from collections import OrderedDict
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlencode, urljoin, urlsplit

import structlog
from pydantic import BaseModel, TypeAdapter, ValidationError

from yudai.forge.adapters.github.configuration import BOUNDS, PUBLIC_API, AppConfig, Bounds
from yudai.forge.adapters.github.errors import fault, misread
from yudai.forge.adapters.github.messages import Answer, ApiRequest, Identity, NoResponse
from yudai.forge.adapters.github.retry import Sleep, persist
from yudai.kit.clock import Clock

if TYPE_CHECKING:
    from yudai.forge.adapters.github.transport import Wire

log = structlog.get_logger()


_MAX_ENTRIES = 256
_MAX_BYTES = 8 << 20
_MAX_ENTRY_BYTES = 1 << 20


class Memory:
    """Evicts the least recently used."""

    def __init__(self) -> None:
        self._answers: OrderedDict[str, Answer] = OrderedDict()
        self._bytes = 0

    def recall(self, key: str) -> Answer | None:
        if key in self._answers:
            self._answers.move_to_end(key)
        return self._answers.get(key)

    def keep(self, key: str, answer: Answer) -> None:
        self.forget(key)
        if "etag" not in answer.headers or len(answer.body) > _MAX_ENTRY_BYTES:
            return
        self._answers[key] = answer
        self._bytes += len(answer.body)
        while self._bytes > _MAX_BYTES or len(self._answers) > _MAX_ENTRIES:
            _, oldest = self._answers.popitem(last=False)
            self._bytes -= len(oldest.body)

    def forget(self, key: str) -> None:
        if key in self._answers:
            self._bytes -= len(self._answers.pop(key).body)


T = TypeVar("T")
Shape = TypeVar("Shape", bound=BaseModel)

_MOVED = frozenset({301, 302, 307, 308})
_MAX_MOVES = 3
_WRITE_TURNS = 64
# GitHub's guide: at least a second between two requests that write.
_WRITE_PAUSE_S = 1.0


@dataclass
class _WriteTurn:
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    free_at: float = 0.0


class Client:
    def __init__(
        self,
        api_url: str,
        *,
        clock: Clock,
        sleep: Sleep = asyncio.sleep,
        app: AppConfig | None = None,
        bounds: Bounds = BOUNDS,
    ) -> None:
        self._api_url = api_url
        self._clock = clock
        self._sleep = sleep
        self._app = app
        self._bounds = bounds
        self._memory = Memory()
        self._wire: Wire | None = None
        # As many as there are for all writers: two may share one, and none is ever thrown away.
        self._write_turns = tuple(_WriteTurn() for _ in range(_WRITE_TURNS))
        self._pause_s = _WRITE_PAUSE_S if api_url == PUBLIC_API else 0.0

    async def answer(self, request: ApiRequest, *, by: Identity) -> Answer:
        """The response if it succeeded; otherwise raises our errors."""
        key = f"{by.fingerprint} {request.path}?{urlencode(request.params)}"
        known = None if request.is_fresh or request.method != "GET" else self._memory.recall(key)
        sent = _if_changed(request, known) if known else request
        outcome = await persist(
            lambda: self._in_turn(sent, by),
            request,
            bounds=self._bounds,
            now=self._clock.now,
            sleep=self._sleep,
        )
        answer = outcome.answer
        if known and isinstance(answer, Answer) and answer.status == 304:
            return known
        if isinstance(answer, Answer) and answer.status == 401:
            by.on_rejected()
        if error := fault(outcome, request, by):
            raise error
        assert isinstance(answer, Answer)  # noqa: S101 - a silence is a fault
        if request.method == "GET" and answer.status == 200:
            self._memory.keep(key, answer)
        return answer

    async def one(self, shape: type[T], request: ApiRequest, *, by: Identity) -> T:
        return read(shape, request, await self.answer(request, by=by))

    async def pages(self, shape: type[T], request: ApiRequest, *, by: Identity) -> AsyncIterator[T]:
        """All pages up to a limit; reaching it is logged."""
        for _ in range(self._bounds.max_pages):
            answer = await self.answer(request, by=by)
            yield read(shape, request, answer)
            following = answer.next_url
            if not following or not self._is_here(following):
                return
            request = replace(request, path=following, params={})
        log.warning("github.pages_cut", path=request.path, pages=self._bounds.max_pages)

    async def every(self, shape: type[Shape], request: ApiRequest, *, by: Identity) -> list[Shape]:
        return [one async for page in self.pages(list[shape], request, by=by) for one in page]

    async def close(self) -> None:
        if self._wire:
            await self._wire.close()

    async def _in_turn(self, request: ApiRequest, by: Identity) -> Answer | NoResponse:
        if not request.is_write or not by.writer:
            return await self._follow(request, by)
        async with self._turn(by.writer):
            return await self._follow(request, by)

    @asynccontextmanager
    async def _turn(self, writer: str) -> AsyncGenerator[None]:
        turn = self._write_turns[hash(writer) % _WRITE_TURNS]
        async with turn.lock:
            wait = min(turn.free_at - self._clock.now(), self._pause_s)
            if wait > 0:
                await self._sleep(wait)
            try:
                yield
            finally:
                turn.free_at = self._clock.now() + self._pause_s

    async def _follow(self, request: ApiRequest, by: Identity) -> Answer | NoResponse:
        """Follow a renamed repository at the same host; our token is never sent elsewhere."""
        answer = await self._open().send(request, by=by)
        for _ in range(_MAX_MOVES):
            if isinstance(answer, NoResponse) or answer.status not in _MOVED or by.is_app:
                break
            target = self._target(answer)
            if not target:
                break
            # The query is in the new address already.
            params: Mapping[str, str] = {} if urlsplit(target).query else request.params
            answer = await self._open().send(replace(request, path=target, params=params), by=by)
        return answer

    def _target(self, answer: Answer) -> str:
        """Target of a redirect; "" if it is not followed."""
        try:
            target = urljoin(f"{self._api_url}/", answer.headers.get("location", ""))
        except ValueError:
            return ""
        return target if self._is_here(target) else ""

    def _is_here(self, url: str) -> bool:
        try:
            asked, own = urlsplit(url), urlsplit(self._api_url)
            same_host = (asked.scheme, asked.netloc.lower()) == (own.scheme, own.netloc.lower())
        except ValueError:
            return False
        return same_host and asked.path.startswith(f"{own.path}/")

    def _open(self) -> "Wire":
        if self._wire is None:
            from yudai.forge.adapters.github.transport import Wire  # noqa: PLC0415 it imports githubkit

            self._wire = Wire(self._api_url, app=self._app, bounds=self._bounds)
        return self._wire


def _if_changed(request: ApiRequest, known: Answer) -> ApiRequest:
    return replace(request, headers={**request.headers, "If-None-Match": known.headers["etag"]})


def read(shape: type[T], request: ApiRequest, answer: Answer) -> T:
    try:
        return TypeAdapter(shape).validate_python(json.loads(answer.body))
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        what = f"{place}: {first['msg']}"
    except (ValueError, RecursionError):
        what = "it is not JSON"
    raise misread(request, what)
