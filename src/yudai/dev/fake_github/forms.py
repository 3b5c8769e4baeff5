"""What browsers and clients post: forms of this site, or JSON."""

import json
from typing import Any, cast
from urllib.parse import parse_qs, urlsplit

from starlette.requests import Request

from yudai.dev.fake_github.authenticate import read_body
from yudai.dev.fake_github.errors import Refusal

_MAX_BODY = 256 << 10


async def fields_of(request: Request) -> dict[str, str]:
    content = await read_body(request, _MAX_BODY)
    if "json" in request.headers.get("content-type", ""):
        return {name: str(value) for name, value in _from_json(content).items()}
    found = parse_qs(content.decode("utf-8", "replace"), keep_blank_values=True)
    return {name: values[-1] for name, values in found.items()}


def _from_json(content: bytes) -> dict[str, Any]:
    try:
        told = json.loads(content)
    except ValueError:
        raise Refusal(400, "Problems parsing JSON") from None
    if not isinstance(told, dict):
        raise Refusal(400, "Problems parsing JSON")
    return cast("dict[str, Any]", told)


def refuse_other_sites(request: Request) -> None:
    """Only this server's own pages may act in somebody's name."""
    origin = request.headers.get("origin", "")
    try:
        is_ours = urlsplit(origin).netloc == request.headers.get("host")
    except ValueError:
        is_ours = False
    site = request.headers.get("sec-fetch-site", "same-origin")
    if not origin or not is_ours or site not in ("same-origin", "none"):
        raise Refusal(403, "only pages of this server may do that")
