"""Maps errors to problems (RFC 9457): one table of codes, one function to responses."""

import math
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any, NamedTuple, cast

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import Field
from sqlalchemy.exc import InterfaceError, OperationalError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as NoConnectionError
from starlette.exceptions import HTTPException
from starlette.routing import Match
from starlette.types import Scope

from yudai.forge.ports.login import SignedOutError
from yudai.kit.causes import Cause
from yudai.kit.errors import (
    ConflictError,
    ForbiddenError,
    ForgeError,
    InfrastructureError,
    NotFoundError,
    RefusedError,
    SandboxError,
    YudaiError,
)
from yudai.kit.text import clean
from yudai.kit.value import Value
from yudai.solves.idempotency import KeyReusedError
from yudai.views.runs import NotYetError

log: structlog.stdlib.BoundLogger = structlog.get_logger()

MEDIA_TYPE = "application/problem+json"
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
RETRY_AFTER_S = 2
_MAX_DETAIL = 2000
_MAX_ERRORS = 50
_NO_HEADERS: Mapping[str, str] = {}


class Code(StrEnum):
    MALFORMED_BODY = "malformed_body"
    UNAUTHENTICATED = "unauthenticated"
    FORBIDDEN = "forbidden"
    CROSS_ORIGIN = "cross_origin"
    NOT_FOUND = "not_found"
    NOT_YET = "not_yet"
    METHOD_NOT_ALLOWED = "method_not_allowed"
    CONFLICT = "conflict"
    TOO_LARGE = "too_large"
    UNSUPPORTED_MEDIA_TYPE = "unsupported_media_type"
    MISDIRECTED_HOST = "misdirected_host"
    INVALID_BODY = "invalid_body"
    INVALID_PARAMETER = "invalid_parameter"
    REFUSED = "refused"
    IDEMPOTENCY_KEY_REUSED = "idempotency_key_reused"
    TOO_MANY_REQUESTS = "too_many_requests"
    INTERNAL = "internal"
    STORE_UNAVAILABLE = "store_unavailable"
    ENGINE_UNAVAILABLE = "engine_unavailable"
    FORGE_UNAVAILABLE = "forge_unavailable"
    SANDBOX_UNAVAILABLE = "sandbox_unavailable"


class Kind(NamedTuple):
    status: int
    title: str


KINDS: dict[Code, Kind] = {
    Code.MALFORMED_BODY: Kind(400, "The body is not JSON"),
    Code.UNAUTHENTICATED: Kind(401, "This needs a login or a key"),
    Code.FORBIDDEN: Kind(403, "The caller may not do this"),
    Code.CROSS_ORIGIN: Kind(403, "Another site's page may not do this"),
    Code.NOT_FOUND: Kind(404, "Not found"),
    Code.NOT_YET: Kind(404, "The run has not reached this yet, or ended before"),
    Code.METHOD_NOT_ALLOWED: Kind(405, "This method is not allowed here"),
    Code.CONFLICT: Kind(409, "Its state does not allow this"),
    Code.TOO_LARGE: Kind(413, "The body is too large"),
    Code.UNSUPPORTED_MEDIA_TYPE: Kind(415, "The body has to be plain application/json"),
    Code.MISDIRECTED_HOST: Kind(421, "This server does not answer to that host name"),
    Code.INVALID_BODY: Kind(422, "The body is invalid"),
    Code.INVALID_PARAMETER: Kind(422, "A parameter is invalid"),
    Code.REFUSED: Kind(422, "The request is refused"),
    Code.IDEMPOTENCY_KEY_REUSED: Kind(422, "The key was used for another request"),
    Code.TOO_MANY_REQUESTS: Kind(429, "Too many requests"),
    Code.INTERNAL: Kind(500, "Yudai failed: this is our fault"),
    Code.STORE_UNAVAILABLE: Kind(503, "The database or artifact store is temporarily unavailable"),
    Code.ENGINE_UNAVAILABLE: Kind(503, "The engine is temporarily unavailable"),
    Code.FORGE_UNAVAILABLE: Kind(503, "The forge is temporarily unavailable"),
    Code.SANDBOX_UNAVAILABLE: Kind(503, "Sandboxes are temporarily unavailable"),
}

# Errors of the framework.
_BY_STATUS = {
    400: Code.MALFORMED_BODY,
    404: Code.NOT_FOUND,
    405: Code.METHOD_NOT_ALLOWED,
    413: Code.TOO_LARGE,
    415: Code.UNSUPPORTED_MEDIA_TYPE,
}


# The first match counts, so narrower classes come first.
_CODES: dict[type[YudaiError], Code] = {
    NotYetError: Code.NOT_YET,
    NotFoundError: Code.NOT_FOUND,
    SignedOutError: Code.UNAUTHENTICATED,
    ForbiddenError: Code.FORBIDDEN,
    ConflictError: Code.CONFLICT,
    KeyReusedError: Code.IDEMPOTENCY_KEY_REUSED,
    RefusedError: Code.REFUSED,
}


class FieldError(Value):
    field: str
    message: str


class Problem(Value):
    type: str = Field(description="`/problems/` and the code.")
    title: str
    status: int
    detail: str = Field(description="What is wrong and what to do.")
    code: Code
    errors: tuple[FieldError, ...] | None = Field(default=None, description="Invalid fields.")
    state: str | None = Field(default=None, description="The state that does not allow it.")
    command_line: str | None = Field(
        default=None, description="`detail` for command-line users, if different."
    )
    request_id: str | None = Field(
        default=None, description="Id of the request in the server's log."
    )


class ApiError(Exception):
    """An error of the HTTP edge."""

    def __init__(
        self, code: Code, detail: str, *, headers: Mapping[str, str] = _NO_HEADERS
    ) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.headers = headers


class ErrorFacts(NamedTuple):
    """Contents of a problem response."""

    code: Code
    detail: str
    errors: tuple[FieldError, ...] | None = None
    state: str | None = None
    command_line: str = ""
    headers: Mapping[str, str] = _NO_HEADERS


_AWAY = ErrorFacts(Code.STORE_UNAVAILABLE, "try again in a moment")
_BUG = ErrorFacts(Code.INTERNAL, "the server's log says more, under this request's id")


def register(app: FastAPI) -> None:
    """Register handlers for expected errors; others are caught by the middleware."""
    for kind in (ApiError, YudaiError, HTTPException, RequestValidationError, SQLAlchemyError):
        app.add_exception_handler(kind, _handle)


async def _handle(request: Request, error: Exception) -> JSONResponse:
    return answer(error, request.scope)


def answer(error: Exception, scope: Scope) -> JSONResponse:
    facts = _facts_of(error, scope)
    status, title = KINDS[facts.code]
    request_id = scope.get("state", {}).get("request_id")
    headers = dict(facts.headers)
    if status == 503:
        log.warning("request.unavailable", path=scope["path"], error=repr(error)[:500])
        headers.setdefault("Retry-After", str(RETRY_AFTER_S))
    if status == 500:
        log.error("request.failed", path=scope["path"], method=scope["method"], exc_info=error)
    problem = Problem(
        type=f"/problems/{facts.code}",
        title=title,
        status=status,
        detail=clean(facts.detail[:_MAX_DETAIL]),
        code=facts.code,
        errors=facts.errors,
        state=facts.state or None,
        command_line=clean(facts.command_line[:_MAX_DETAIL]) or None,
        request_id=request_id,
    )
    content = problem.model_dump(mode="json", exclude_none=True)
    return JSONResponse(content, status, headers=headers, media_type=MEDIA_TYPE)


def _facts_of(error: Exception, scope: Scope) -> ErrorFacts:
    match error:
        case ApiError():
            return ErrorFacts(error.code, error.detail, headers=error.headers)
        case RequestValidationError():
            return _invalid(error)
        case HTTPException():
            return _framework(error, scope)
        case YudaiError():
            return _ours(error)
        case OperationalError() | InterfaceError() | NoConnectionError():
            return _AWAY
        case _:
            return _BUG


def _ours(error: YudaiError) -> ErrorFacts:
    for kind, code in _CODES.items():
        if isinstance(error, kind):
            state = error.state if isinstance(error, ConflictError) else None
            said, detail = str(error), error.over_http()
            command_line = said if said != detail else ""
            return ErrorFacts(code, detail, _named(error), state, command_line=command_line)
    if isinstance(error, ForgeError):
        wait_s = max(RETRY_AFTER_S, math.ceil(error.retry_after_s))
        headers = {"Retry-After": str(wait_s)}
        return ErrorFacts(Code.FORGE_UNAVAILABLE, str(error), headers=headers)
    if isinstance(error, SandboxError):
        return ErrorFacts(Code.SANDBOX_UNAVAILABLE, str(error))
    if isinstance(error, InfrastructureError) and error.cause is Cause.STORE_FAILED:
        return _AWAY
    return _BUG


def _named(error: YudaiError) -> tuple[FieldError, ...] | None:
    field = error.field if isinstance(error, RefusedError) else ""
    message = clean(error.over_http()[:_MAX_DETAIL])
    return (FieldError(field=clean(field[:300]), message=message),) if field else None


def _framework(error: HTTPException, scope: Scope) -> ErrorFacts:
    code = _BY_STATUS.get(error.status_code, Code.INTERNAL)
    if code is Code.METHOD_NOT_ALLOWED:
        allowed = ", ".join(_allowed(scope))
        return ErrorFacts(code, f"possible here: {allowed}", headers={"Allow": allowed})
    if code is Code.NOT_FOUND:
        return ErrorFacts(code, "there is nothing at this path")
    return ErrorFacts(code, str(error.detail))


def _allowed(scope: Scope) -> list[str]:
    """Methods of all routes of this path; the framework names only the first route's."""
    routes = cast("FastAPI", scope["app"]).router.routes
    return [
        method
        for method in METHODS
        if any(route.matches({**scope, "method": method})[0] is Match.FULL for route in routes)
    ]


def _invalid(error: RequestValidationError) -> ErrorFacts:
    found = cast("list[dict[str, Any]]", error.errors())
    if any(each["type"] == "json_invalid" for each in found):
        return ErrorFacts(Code.MALFORMED_BODY, "the body is incomplete, or not JSON")
    errors = tuple(_field_errors(found[:_MAX_ERRORS]))
    is_body = found[0]["loc"][0] == "body"
    first = errors[0]
    detail = f"{first.field}: {first.message}" if first.field else first.message
    return ErrorFacts(Code.INVALID_BODY if is_body else Code.INVALID_PARAMETER, detail, errors)


def _field_errors(found: Iterable[Mapping[str, Any]]) -> Iterable[FieldError]:
    for each in found:
        # A validator of the whole body may name the field.
        parts = (*each["loc"][1:], *_part(each))
        field = ".".join(map(str, parts))
        message = str(each["msg"]).removeprefix("Value error, ")
        yield FieldError(field=clean(field[:300]), message=clean(message[:300]))


def _part(found: Mapping[str, Any]) -> tuple[str, ...]:
    field = found.get("ctx", {}).get("field")
    return (field,) if isinstance(field, str) else ()
