"""Adds the common problem responses to the OpenAPI document."""

from typing import Any

from yudai.api.errors import KINDS, MEDIA_TYPE, Problem
from yudai.api.security.request_guards import SAFE

_ALWAYS = (413, 421, 500, 503)
_CHANGING = (403, 415)
_GUARDED = (401, 403, 429)
_FREE = "health"
_PROBLEM = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
_FRAMEWORKS_OWN = ("HTTPValidationError", "ValidationError")

CONFLICT: dict[int | str, dict[str, Any]] = {409: {"description": "Its state does not allow this."}}
"""Response of routes that change a state."""


def with_problems(document: dict[str, Any]) -> dict[str, Any]:
    """The framework's document with our problems instead of its errors."""
    schemas: dict[str, Any] = document.setdefault("components", {}).setdefault("schemas", {})
    for name in _FRAMEWORKS_OWN:
        schemas.pop(name, None)
    described = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
    schemas |= described.pop("$defs") | {"Problem": described}
    document["components"]["schemas"] = dict(sorted(schemas.items()))
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            _describe(operation, path, method.upper())
    return document


def _describe(operation: dict[str, Any], path: str, method: str) -> None:
    responses: dict[str, Any] = operation["responses"]
    own = {int(status) for status in responses if int(status) >= 400}
    statuses = {*_ALWAYS, *own}
    if method not in SAFE:
        statuses |= set(_CHANGING)
    if _FREE not in operation.get("tags", ()):
        statuses |= set(_GUARDED)
    if "requestBody" in operation:
        statuses |= {400, 422}
    if "{" in path:
        statuses.add(404)
    for status in statuses:
        # Keep a route's own description of a problem.
        description = responses.get(str(status), {}).get("description")
        if description is None or description == "Validation Error":
            description = _described(status)
        responses[str(status)] = {"description": description, "content": _PROBLEM}
    operation["responses"] = dict(sorted(responses.items()))


def _described(status: int) -> str:
    titles = [f"{kind.title} (`{code}`)." for code, kind in KINDS.items() if kind.status == status]
    return " ".join(titles)
