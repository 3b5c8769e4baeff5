"""The control plane of the fake E2B: sandboxes, snapshots and templates over REST."""

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import parse_qsl, unquote

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tests.support.clouds.e2b_sandboxes import Build, CleanSandboxes, SandboxHandle

Handler = Callable[[Request], Awaitable[Response]]


def refusal(status: int, message: str, **headers: str) -> JSONResponse:
    return JSONResponse({"code": status, "message": message}, status, headers=headers)


class Control:
    def __init__(self, sandboxes: CleanSandboxes, key: str) -> None:
        self._sandboxes = sandboxes
        self._key = key
        self._made: deque[float] = deque()
        self.max_sandboxes = 1000
        self.creations_per_s = 1000
        self.never_ready = 0
        """How many of the next sandboxes never answer."""
        self.failing_forks: set[int] = set()
        """Numbers, within one call, of forks that fail."""
        self.refuses_full_snapshots = False
        self.build_fails = False

    def routes(self) -> list[Route]:
        table: list[tuple[str, str, Handler]] = [
            ("POST", "/v2/sandboxes", self._create),
            ("GET", "/v2/sandboxes", self._list),
            ("POST", "/v2/sandboxes/{id}/connect", self._connect),
            ("GET", "/sandboxes/{id}", self._info),
            ("DELETE", "/sandboxes/{id}", self._delete),
            ("POST", "/sandboxes/{id}/timeout", self._timeout),
            ("POST", "/sandboxes/{id}/pause", self._pause),
            ("POST", "/sandboxes/{id}/fork", self._fork),
            ("POST", "/sandboxes/{id}/snapshots", self._snapshot),
            ("PUT", "/sandboxes/{id}/network", self._network),
            ("GET", "/snapshots", self._snapshots),
            ("DELETE", "/templates/{template}", self._drop),
            ("POST", "/v3/templates", self._request_build),
            ("POST", "/v2/templates/{template}/builds/{build}", self._start_build),
            ("GET", "/templates/{template}/builds/{build}/status", self._build_status),
        ]
        return [Route(p, self._guarded(h), methods=[m]) for m, p, h in table]

    def _guarded(self, handler: Handler) -> Handler:
        async def guarded(request: Request) -> Response:
            if request.headers.get("x-api-key") != self._key:
                return refusal(401, "Invalid API key")
            if "id" in request.path_params and self._find(request) is None:
                return refusal(404, "sandbox was not found")
            return await handler(request)

        return guarded

    def _find(self, request: Request) -> SandboxHandle | None:
        return self._sandboxes.all.get(request.path_params["id"])

    def _sandbox(self, request: Request) -> SandboxHandle:
        return self._sandboxes.all[request.path_params["id"]]

    async def _create(self, request: Request) -> Response:
        body = await request.json()
        if refused := self._admit():
            return refused
        template = body["templateID"]
        if template not in self._sandboxes.templates | self._sandboxes.snapshots.keys():
            return refusal(404, f"template '{template}' not found")
        sandbox = self._sandboxes.add(
            template,
            body.get("metadata") or {},
            body.get("timeout", 300),
            envs=body.get("envVars") or {},
            internet=body.get("allow_internet_access"),
        )
        sandbox.network = body.get("network") or {}
        await self._boot(sandbox)
        return JSONResponse(self._sandboxes.brief(sandbox), 201)

    def _admit(self) -> Response | None:
        now = time.monotonic()
        while self._made and self._made[0] < now - 1:
            self._made.popleft()
        running = [b for b in self._sandboxes.all.values() if b.state == "running"]
        if len(running) >= self.max_sandboxes:
            return refusal(429, "you have reached the maximum number of concurrent E2B sandboxes")
        if len(self._made) >= self.creations_per_s:
            return refusal(429, "too many sandboxes were created", **{"Retry-After": "1"})
        self._made.append(now)
        return None

    async def _boot(self, sandbox: SandboxHandle) -> None:
        if self.never_ready:
            self.never_ready -= 1
            sandbox.is_ready = False
        await asyncio.to_thread(self._sandboxes.boot, sandbox)
        self._end_at(sandbox, sandbox.ends)

    def _end_at(self, sandbox: SandboxHandle, moment: float) -> None:
        sandbox.ends = moment
        if sandbox.ending is not None:
            sandbox.ending.cancel()
        loop = asyncio.get_running_loop()
        sandbox.ending = loop.call_later(
            max(0, moment - time.time()),
            lambda: (
                loop.run_in_executor(None, self._sandboxes.end, sandbox)
                if sandbox.state == "running"
                else None
            ),
        )

    async def _list(self, request: Request) -> Response:
        query = request.query_params
        wanted = {unquote(k): unquote(v) for k, v in parse_qsl(query.get("metadata", ""))}
        states = [s for part in query.getlist("state") for s in part.split(",")]
        found = [
            sandbox
            for sandbox in list(self._sandboxes.all.values())
            if wanted.items() <= sandbox.metadata.items()
            and (not states or sandbox.state in states)
        ]
        return self._page(request, [self._sandboxes.detail(sandbox) for sandbox in found])

    def _page(self, request: Request, items: list[dict[str, Any]]) -> Response:
        limit = int(request.query_params.get("limit", 100))
        start = int(request.query_params.get("nextToken", 0))
        more = start + limit < len(items)
        headers = {"x-next-token": str(start + limit)} if more else {}
        headers["date"] = time.strftime(
            "%a, %d %b %Y %H:%M:%S GMT", time.gmtime(time.time() + self._sandboxes.clock_offset_s)
        )
        return JSONResponse(items[start : start + limit], headers=headers)

    async def _info(self, request: Request) -> Response:
        return JSONResponse(self._sandboxes.detail(self._sandbox(request)))

    async def _delete(self, request: Request) -> Response:
        await asyncio.to_thread(self._sandboxes.end, self._sandbox(request))
        return Response(status_code=204)

    async def _timeout(self, request: Request) -> Response:
        self._end_at(self._sandbox(request), time.time() + (await request.json())["timeout"])
        return Response(status_code=204)

    async def _connect(self, request: Request) -> Response:
        sandbox, body = self._sandbox(request), await request.json()
        ends = max(sandbox.ends, time.time() + body.get("timeout", 0))
        if sandbox.state == "paused":
            await asyncio.to_thread(self._sandboxes.boot, sandbox)
            sandbox.state = "running"
        self._end_at(sandbox, ends)
        return JSONResponse(self._sandboxes.brief(sandbox), 200)

    async def _pause(self, request: Request) -> Response:
        sandbox = self._sandbox(request)
        if sandbox.state == "paused":
            return refusal(409, "sandbox is paused already")
        await asyncio.to_thread(pause, sandbox)
        return Response(status_code=204)

    async def _fork(self, request: Request) -> Response:
        source, body = self._sandbox(request), await request.json()
        results: list[dict[str, Any]] = []
        for number in range(body.get("count", 1)):
            if number in self.failing_forks:
                results.append({"error": {"code": 500, "message": "this fork failed"}})
                continue
            fork = self._sandboxes.add(
                source.template, source.metadata, body.get("timeout", 300), internet=source.internet
            )
            fork.network = dict(source.network)
            assert source.vm
            fork.vm = await asyncio.to_thread(source.vm.copy, fork.folder)
            self._end_at(fork, fork.ends)
            results.append({"sandbox": self._sandboxes.brief(fork)})
        return JSONResponse(results, 201)

    async def _snapshot(self, request: Request) -> Response:
        sandbox, body = self._sandbox(request), await request.json()
        if self.refuses_full_snapshots and body.get("memory") is not False:
            return refusal(400, "full snapshots are off for this team")
        name = await asyncio.to_thread(self._sandboxes.keep, sandbox, body.get("name", ""))
        return JSONResponse({"snapshotID": name, "names": [name]}, 201)

    async def _snapshots(self, request: Request) -> Response:
        query = request.query_params
        found = [
            {"snapshotID": name, "names": [name]}
            for name in self._sandboxes.snapshots
            if query.get("name") in {None, name}
            and query.get("sandboxID") in {None, self._sandboxes.snapshot_of[name]}
        ]
        return self._page(request, found)

    async def _network(self, request: Request) -> Response:
        self._sandbox(request).network = await request.json()
        return Response(status_code=204)

    async def _drop(self, request: Request) -> Response:
        gone = await asyncio.to_thread(self._sandboxes.drop, request.path_params["template"])
        return Response(status_code=204) if gone else refusal(404, "no such template")

    async def _request_build(self, request: Request) -> Response:
        body = await request.json()
        number = f"build{len(self._sandboxes.builds) + 1}"
        template = f"tpl{len(self._sandboxes.builds) + 1}"
        self._sandboxes.builds[number] = Build(template, body["name"], body)
        answer = {"templateID": template, "buildID": number, "public": False}
        names = {"names": [body["name"]], "tags": ["default"], "aliases": [body["name"]]}
        return JSONResponse({**answer, **names}, 202)

    async def _start_build(self, request: Request) -> Response:
        build = self._sandboxes.builds[request.path_params["build"]]
        body = await request.json()
        build.steps, build.image = body["steps"], body.get("fromImage", "")
        build.is_started = True
        return JSONResponse({}, 202)

    async def _build_status(self, request: Request) -> Response:
        """Two answers: the first has the logs, the second says that there are no more."""
        number = request.path_params["build"]
        build = self._sandboxes.builds[number]
        start = int(request.query_params.get("logsOffset", 0))
        entries = [
            {
                "timestamp": self._sandboxes.iso(time.time()),
                "message": str(step["args"]),
                "level": "info",
            }
            for step in build.steps
        ]
        if not self.build_fails:
            self._sandboxes.templates |= {build.name, build.template}
        end = {"status": "error", "reason": {"message": "a step failed"}}
        return JSONResponse(
            {
                "templateID": build.template,
                "buildID": number,
                "logs": [],
                "logEntries": entries[start:],
                **(end if self.build_fails else {"status": "ready"}),
            }
        )


def pause(sandbox: SandboxHandle) -> None:
    """Blocks; memory is not kept."""
    sandbox.state = "paused"
    if sandbox.vm is not None:
        sandbox.vm.stop()
        sandbox.vm = None
