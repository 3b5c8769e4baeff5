"""What every REST endpoint has in common: who asks, the body, pages, entity tags."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urlencode

from yudai.dev.fake_github.access import Caller, require, require_read, seen
from yudai.dev.fake_github.errors import Refusal, not_found
from yudai.dev.fake_github.records import Item, Repo
from yudai.dev.fake_github.state import State, from_iso
from yudai.forge.domain.repository import Role

OLD_VERSION = "2022-11-28"
VERSIONS = frozenset({OLD_VERSION, "2026-03-10"})
PREFIX = "/api/v3"

T = TypeVar("T")


@dataclass(frozen=True)
class Answer:
    document: Any = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True)
class Call:
    """One request that was let in."""

    state: State
    caller: Caller
    path: str
    params: Mapping[str, Any]
    query: Mapping[str, str]
    body: dict[str, Any]
    version: str = ""

    @property
    def repo(self) -> Repo:
        return seen(self.state, self.caller, f"{self.params['owner']}/{self.params['repo']}")

    def may_read(self, permission: str) -> Repo:
        repo = self.repo
        require_read(self.state, self.caller, repo, permission)
        return repo

    def may_write(self, permission: str, role: Role = Role.READ) -> Repo:
        repo = self.repo
        require(self.state, self.caller, repo, permission, role)
        return repo

    def item(self, repo: Repo) -> Item:
        found = repo.items.get(self.params["number"])
        if found is None:
            raise not_found()
        return found

    def number(self, name: str, default: int, most: int = 1 << 31) -> int:
        text = self.query.get(name, "")
        return min(max(int(text), 1), most) if text.isdecimal() else default

    def time(self, name: str) -> float | None:
        text = self.query.get(name, "")
        try:
            return from_iso(text) if text else None
        except ValueError:
            raise Refusal(422, f"{name} must be an ISO 8601 time") from None

    def text(self, name: str, *, resource: str, blank: bool = False) -> str:
        value = self.body.get(name)
        if not isinstance(value, str) or not (blank or value.strip()):
            code = "missing_field" if value is None else "invalid"
            raise Refusal(
                422,
                "Validation Failed",
                errors=[{"resource": resource, "field": name, "code": code}],
            )
        return value

    @property
    def page(self) -> int:
        return self.number("page", 1)

    @property
    def per_page(self) -> int:
        return self.number("per_page", 30, 100)


class Endpoint(NamedTuple):
    method: str
    path: str
    """Below /api/v3, as Starlette writes it."""
    handle: Callable[[Call], Answer]


def paged(call: Call, things: Sequence[T], view: Callable[[T], Any]) -> Answer:
    """The page that was asked for, with links to the others."""
    first = (call.page - 1) * call.per_page
    shown = [view(thing) for thing in things[first : first + call.per_page]]
    last = max(1, -(-len(things) // call.per_page))
    return Answer(shown, headers=links(call, last=last))


def links(call: Call, *, last: int) -> dict[str, str]:
    page = call.page
    pages = {
        "prev": page - 1 if page > 1 else 0,
        "next": page + 1 if page < last else 0,
        "last": last if page < last else 0,
        "first": 1 if page > 1 else 0,
    }
    told = [
        f'<{call.state.url}{call.path}?{urlencode({**call.query, "page": number})}>; rel="{name}"'
        for name, number in pages.items()
        if number
    ]
    return {"Link": ", ".join(told)} if told else {}


def etag(body: bytes) -> str:
    return f'W/"{hashlib.sha256(body).hexdigest()}"'


def encode(document: Any) -> bytes:
    return (
        b""
        if document is None
        else json.dumps(document, ensure_ascii=False).encode("utf-8", "replace")
    )
