"""A fake Prime Intellect on loopback for its unmodified client, with real machines behind it.

    with prime_server(tmp_path) as prime:
        cloud = PrimeCloud(api_key=KEY, base_url=prime.url, ...)

It lives in a thread of its own; what it has, and its faults, are attributes of `prime`.
"""

import asyncio
import datetime
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tests.support.clouds import prime_gateway
from tests.support.clouds.fake_prime_sandboxes import (
    ALWAYS,
    API,
    KEY,
    OVER,
    Breakage,
    Checkpoint,
    FakePrime,
    SandboxHandle,
)
from tests.support.clouds.faults import Fault, FaultyLine
from tests.support.clouds.loopback import Loopback

__all__ = ["ALWAYS", "KEY", "Breakage", "FakePrime", "Fault", "prime_server"]

Handler = Callable[[FakePrime, Request], Awaitable[Response]]


@contextmanager
def prime_server(folder: Path, **settings: Any) -> Generator[FakePrime]:
    prime = FakePrime(folder, **settings)
    try:
        with Loopback(FaultyLine(_app(prime), prime.faults)) as line:
            prime.url = line.url
            yield prime
    finally:
        prime.close()


def _iso(moment: float) -> str:
    return datetime.datetime.fromtimestamp(moment, datetime.UTC).isoformat()


def _refused(status: int, detail: str, **headers: str) -> Response:
    return JSONResponse({"detail": detail}, status, headers)


def _view(sandbox: SandboxHandle) -> dict[str, Any]:
    asked = sandbox.request
    return {
        "id": sandbox.id,
        "name": asked["name"],
        "dockerImage": asked.get("docker_image", ""),
        "cpuCores": asked.get("cpu_cores", 1),
        "memoryGB": asked.get("memory_gb", 1),
        "diskSizeGB": asked.get("disk_size_gb", 5),
        "diskMountPath": "/",
        "gpuCount": 0,
        "vm": True,
        "status": sandbox.status,
        "timeoutMinutes": asked.get("timeout_minutes", 60),
        "labels": sandbox.labels,
        "createdAt": _iso(sandbox.created_at),
        "updatedAt": _iso(sandbox.created_at),
        "errorType": sandbox.error_type,
        "errorMessage": sandbox.error_message,
    }


def _auth(prime: FakePrime, sandbox: SandboxHandle) -> dict[str, str]:
    return {
        "gateway_url": f"{prime.url}/gateway",
        "user_ns": "ns",
        "job_id": sandbox.id,
        "token": sandbox.token,
        "expires_at": _iso(prime.now + 3600),
    }


def _kept(prime: FakePrime, checkpoint: Checkpoint) -> dict[str, Any]:
    """Who has seen it pending sees the next state the next time."""
    seen = {
        "id": checkpoint.id,
        "sandbox_id": checkpoint.sandbox,
        "state": checkpoint.state,
        "depth": 0,
        "docker_image": "",
        "created_at": _iso(checkpoint.created_at),
        "updated_at": _iso(checkpoint.created_at),
    }
    if checkpoint.state == "PENDING":
        checkpoint.state = prime.kept_as
    return seen


def _sandbox(prime: FakePrime, request: Request) -> SandboxHandle:
    return prime.sandboxes[request.path_params["id"]]


async def _create(prime: FakePrime, request: Request) -> Response:
    asked = await request.json()
    known = prime.keys.get(asked["idempotency_key"])
    if known is not None:
        return JSONResponse(_view(prime.sandboxes[known]))
    if len(prime.alive) >= prime.most_sandboxes:
        return _refused(429, "too many sandboxes at once", **{"retry-after": "7"})
    if asked.get("checkpoint_id") and asked["checkpoint_id"] not in prime.checkpoints:
        return _refused(404, "no such checkpoint")
    sandbox = prime.create(asked)
    return JSONResponse({**_view(sandbox), "gatewayAuth": _auth(prime, sandbox)}, 201)


async def _list(prime: FakePrime, request: Request) -> Response:
    query = request.query_params
    wanted, page = set(query.getlist("labels")), int(query["page"])
    size = min(int(query["per_page"]), prime.per_page)
    hits = [b for b in prime.sandboxes.values() if wanted <= set(b.labels)]
    if query.get("is_active") == "true":
        hits = [b for b in hits if b.status not in OVER | {"PAUSED"}]
    if status := query.get("status"):
        hits = [b for b in hits if b.status == status]
    shown = hits[(page - 1) * size : page * size]
    return JSONResponse(
        {
            "sandboxes": [_view(b) for b in shown],
            "total": len(hits),
            "page": page,
            "perPage": size,
            "hasNext": page * size < len(hits),
        }
    )


async def _get(prime: FakePrime, request: Request) -> Response:
    return JSONResponse(_view(_sandbox(prime, request)))


async def _delete(prime: FakePrime, request: Request) -> Response:
    sandbox = _sandbox(prime, request)
    if sandbox.status in OVER:
        return _refused(404, "sandbox not found")
    await asyncio.to_thread(prime.end, sandbox)
    return JSONResponse({"ok": True})


async def _bulk_delete(prime: FakePrime, request: Request) -> Response:
    asked = await request.json()
    wanted = set(asked.get("labels") or ["nothing"])
    names = asked.get("sandbox_ids") or [b.id for b in prime.alive if wanted & set(b.labels)]
    for name in names:
        await asyncio.to_thread(prime.end, prime.sandboxes[name])
    return JSONResponse({"succeeded": names, "failed": [], "message": "done"})


async def _statuses(prime: FakePrime, request: Request) -> Response:
    names = (await request.json())["sandbox_ids"]
    there = [prime.sandboxes[name] for name in names if name in prime.sandboxes]
    return JSONResponse(
        {
            "statuses": [
                {
                    "sandbox_id": b.id,
                    "status": b.status,
                    "error_type": b.error_type,
                    "error_message": b.error_message,
                    "pending_image_build_id": b.image_build,
                }
                for b in there
            ],
            "errors": [
                {"sandbox_id": name, "code": "NOT_FOUND", "message": "gone"}
                for name in names
                if name not in prime.sandboxes
            ],
        }
    )


async def _authorize(prime: FakePrime, request: Request) -> Response:
    return JSONResponse(_auth(prime, _sandbox(prime, request)))


async def _error_context(prime: FakePrime, request: Request) -> Response:
    sandbox = _sandbox(prime, request)
    return JSONResponse({"status": sandbox.status, "errorType": sandbox.error_type})


async def _network(prime: FakePrime, request: Request) -> Response:
    """New rules are applied a moment after they were set."""
    sandbox = _sandbox(prime, request)
    if request.method == "PUT":
        sandbox.request["egress"] = await request.json()
        sandbox.generation += 1
    else:
        sandbox.applied = sandbox.generation
    return JSONResponse(
        {
            "policy": sandbox.request.get("egress", {}),
            "generation": sandbox.generation,
            "applied_generation": sandbox.applied,
            "applied": sandbox.applied == sandbox.generation,
        }
    )


async def _checkpoint(prime: FakePrime, request: Request) -> Response:
    return JSONResponse(_kept(prime, await prime.checkpoint(_sandbox(prime, request))), 201)


async def _checkpoints(prime: FakePrime, request: Request) -> Response:
    name = request.path_params["id"]
    return JSONResponse(
        {"checkpoints": [_kept(prime, c) for c in prime.checkpoints.values() if c.sandbox == name]}
    )


async def _checkpoint_batch(prime: FakePrime, request: Request) -> Response:
    names = (await request.json())["checkpoint_ids"]
    there = [prime.checkpoints[name] for name in names if name in prime.checkpoints]
    return JSONResponse(
        {
            "checkpoints": [_kept(prime, c) for c in there],
            "errors": [
                {"checkpoint_id": n, "code": "NOT_FOUND", "message": "gone"}
                for n in names
                if n not in prime.checkpoints
            ],
        }
    )


async def _one_checkpoint(prime: FakePrime, request: Request) -> Response:
    kept = prime.checkpoints.get(request.path_params["checkpoint"])
    if kept is None:
        return _refused(404, "no such checkpoint")
    if request.method == "GET":
        return JSONResponse(_kept(prime, kept))
    if kept.state == "PENDING":
        return _refused(409, "the checkpoint is pending")
    await asyncio.to_thread(prime.drop, kept)
    return Response(status_code=204)


_GATE = "/gateway/ns/{box}"
_RPC = f"{_GATE}/command_session.CommandSession"
_ROUTES: list[tuple[str, str, Handler]] = [
    ("POST", API, _create),
    ("GET", API, _list),
    ("DELETE", API, _bulk_delete),
    ("POST", f"{API}/status:batchGet", _statuses),
    ("POST", f"{API}/checkpoints:batchGet", _checkpoint_batch),
    ("GET", f"{API}/checkpoints/{{checkpoint}}", _one_checkpoint),
    ("DELETE", f"{API}/checkpoints/{{checkpoint}}", _one_checkpoint),
    ("POST", f"{API}/{{id}}/checkpoints", _checkpoint),
    ("GET", f"{API}/{{id}}/checkpoints", _checkpoints),
    ("GET", f"{API}/{{id}}", _get),
    ("DELETE", f"{API}/{{id}}", _delete),
    ("POST", f"{API}/{{id}}/auth", _authorize),
    ("GET", f"{API}/{{id}}/error-context", _error_context),
    ("GET", f"{API}/{{id}}/egress-policy", _network),
    ("PUT", f"{API}/{{id}}/egress-policy", _network),
    ("POST", f"{_GATE}/upload", prime_gateway.upload),
    ("GET", f"{_GATE}/download", prime_gateway.download),
    ("POST", f"{_RPC}/Start", prime_gateway.start),
    ("POST", f"{_RPC}/Connect", prime_gateway.connect),
    ("POST", f"{_RPC}/SendSignal", prime_gateway.send_signal),
]


def _app(prime: FakePrime) -> Starlette:
    return Starlette(
        routes=[
            Route(path, partial(_answer, prime, handler), methods=[method])
            for method, path, handler in _ROUTES
        ]
    )


async def _answer(prime: FakePrime, handler: Handler, request: Request) -> Response:
    if request.url.path.startswith(API):
        if request.headers.get("authorization") != f"Bearer {KEY}":
            return _refused(401, "bad key")
        if request.path_params.get("id", "") not in {"", *prime.sandboxes}:
            return _refused(404, "sandbox not found")
    return await handler(prime, request)
