"""Git over HTTP through git's own `http-backend`, with access checks."""

import asyncio
import os
import signal
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from yudai.dev.fake_github import events, pulls
from yudai.dev.fake_github.access import ANONYMOUS, Caller, role_of, seen
from yudai.dev.fake_github.authenticate import identify
from yudai.dev.fake_github.errors import Refusal
from yudai.dev.fake_github.git_repositories import ENV, git_program
from yudai.dev.fake_github.records import Repo
from yudai.dev.fake_github.rest.endpoint import LOGIN
from yudai.dev.fake_github.state import State
from yudai.forge.domain.repository import Role

_MAX_BODY = 256 << 20
_CHUNK = 1 << 16
_TIMEOUT_S = 300.0
_CHALLENGE = {"WWW-Authenticate": 'Basic realm="GitHub"'}
PATHS = {"info/refs": "GET", "git-upload-pack": "POST", "git-receive-pack": "POST"}
"""Below a repository, and how each is asked."""


class _Visit(NamedTuple):
    repo: Repo
    caller: Caller
    service: str
    """The path below the repository."""
    is_push: bool


class GitHttp:
    """One ASGI application for all repositories."""

    def __init__(self, state: State) -> None:
        self._state = state

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        try:
            with self._state.lock:
                visit = self._let_in(request)
                before = (
                    dict(self._state.clone(visit.repo.full).branches()) if visit.is_push else {}
                )
        except Refusal as refusal:
            response = Response(f"{refusal.message}\n", refusal.status, refusal.headers)
            await response(scope, receive, send)
            return
        scope[LOGIN] = visit.caller.login
        await self._run(request, visit, send, partial(self._note_push, visit, before))

    def _let_in(self, request: Request) -> _Visit:
        state, service = self._state, request.url.path.split("/", 3)[3]
        if PATHS.get(service) != request.method:
            raise Refusal(404, "Not Found")
        is_push = "git-receive-pack" in (service, request.query_params.get("service"))
        caller = self._identify(request)
        full = f"{request.path_params['owner']}/{request.path_params['repo']}"
        try:
            repo = seen(state, caller, full)
        except Refusal:
            if caller is ANONYMOUS:
                raise Refusal(401, "Authentication required", headers=_CHALLENGE) from None
            raise Refusal(404, f"Repository not found: {full}") from None
        if is_push:
            self._let_push(caller, repo)
        elif service == "info/refs":
            pulls.look(state, repo)
        return _Visit(repo, caller, service, is_push)

    def _identify(self, request: Request) -> Caller:
        try:
            caller = identify(self._state, request)
        except Refusal:
            raise Refusal(401, "Bad credentials", headers=_CHALLENGE) from None
        if caller.is_app:
            raise Refusal(401, "Bad credentials", headers=_CHALLENGE)
        return caller

    def _let_push(self, caller: Caller, repo: Repo) -> None:
        if caller is ANONYMOUS:
            raise Refusal(401, "Authentication required", headers=_CHALLENGE)
        if repo.archived:
            raise Refusal(403, "This repository was archived so it is read-only.")
        if not role_of(self._state, caller, repo).allows(Role.WRITE):
            raise Refusal(403, f"Permission to {repo.full}.git denied to {caller.login}.")

    async def _run(
        self, request: Request, visit: _Visit, send: Send, at_end: Callable[[], None]
    ) -> None:
        process = await asyncio.create_subprocess_exec(
            git_program(),
            "http-backend",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env=self._environment(request, visit),
            start_new_session=True,
        )
        feeding = asyncio.create_task(_feed(request, process))
        try:
            async with asyncio.timeout(_TIMEOUT_S):
                await _pour(process, send, at_end)
        except (TimeoutError, ValueError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            was_large = await _stop(process, feeding)
            answer = Response("too large\n", 413) if was_large else Response("git failed\n", 500)
            await answer(request.scope, request.receive, send)
        finally:
            await _stop(process, feeding)

    def _environment(self, request: Request, visit: _Visit) -> dict[str, str]:
        headers, folder = request.headers, self._state.clone(visit.repo.full).path
        env = {
            **ENV,
            "GIT_HTTP_EXPORT_ALL": "1",
            "GIT_PROJECT_ROOT": str(folder),
            "PATH_INFO": f"/{visit.service}",
            "QUERY_STRING": request.url.query,
            "REQUEST_METHOD": request.method,
            "CONTENT_TYPE": headers.get("content-type", ""),
            "REMOTE_ADDR": "127.0.0.1",
            **_refusals(visit),
        }
        asked = {
            "GIT_PROTOCOL": "git-protocol",
            "HTTP_CONTENT_ENCODING": "content-encoding",
            # Without it http-backend reads to the end: large pushes come in chunks.
            "CONTENT_LENGTH": "content-length",
        }
        env |= {name: headers[header] for name, header in asked.items() if header in headers}
        return env | ({"REMOTE_USER": visit.caller.login} if visit.caller.login else {})

    def _note_push(self, visit: _Visit, before: dict[str, str]) -> None:
        if visit.service != "git-receive-pack":
            return
        state, repo = self._state, visit.repo
        with state.lock:
            after = state.clone(repo.full).branches()
            for name in sorted({*before, *after}):
                old, new = before.get(name, ""), after.get(name, "")
                if old != new:
                    repo.pushed_at = state.now()
                    events.about_push(state, repo, name, old, new, by=visit.caller.login)
            state.save()


def _refusals(visit: _Visit) -> dict[str, str]:
    """Environment of the hook. Personal tokens are assumed to have the `workflow` scope."""
    token = visit.caller.token
    is_free = token is None or token.kind == "pat" or token.permissions.get("workflows") == "write"
    return {
        "FAKE_PROTECTED": " ".join(visit.repo.protected),
        "FAKE_WORKFLOWS": "1" if is_free else "0",
    }


async def _feed(request: Request, process: asyncio.subprocess.Process) -> bool:
    """Returns whether there was too much of it."""
    pipe, sent = process.stdin, 0
    if pipe is None:
        return False
    try:
        async for chunk in request.stream():
            sent += len(chunk)
            if sent > _MAX_BODY:
                return True
            pipe.write(chunk)
            await pipe.drain()
    except (BrokenPipeError, ConnectionResetError):
        pass
    finally:
        pipe.close()
    return False


async def _pour(
    process: asyncio.subprocess.Process, send: Send, at_end: Callable[[], None]
) -> None:
    """What git says, as it says it.

    Starlette's own streaming would read the request meanwhile, to see whether it is still there:
    git answers before it has read everything.
    """
    if process.stdout is None:
        raise ValueError("no output")
    text = (await process.stdout.readuntil(b"\r\n\r\n")).decode("latin-1")
    pairs = [line.split(":", 1) for line in text.split("\r\n") if ":" in line]
    headers = {name.strip().lower(): value.strip() for name, value in pairs}
    status = int(headers.pop("status", "200").split()[0])
    raw = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": status, "headers": raw})
    while chunk := await process.stdout.read(_CHUNK):
        await send({"type": "http.response.body", "body": chunk, "more_body": True})
    # The effects must be visible once the client has the whole response.
    at_end()
    await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _stop(process: asyncio.subprocess.Process, feeding: "asyncio.Task[bool]") -> bool:
    if not feeding.done():
        feeding.cancel()
    with suppress(asyncio.CancelledError):
        await asyncio.wait([feeding])
    if process.returncode is None:
        # Its output has ended: it is about to.
        with suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), 5)
    if process.returncode is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
    return not feeding.cancelled() and feeding.exception() is None and feeding.result()
