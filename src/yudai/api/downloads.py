"""Downloads: streamed, never rendered as a page, and cached while they are valid.

A blob is named by its content's hash. Where the address names that hash (`?v=`) the answer may be
cached forever; other responses are revalidated each time, and a 304 says that nothing changed.
"""

from collections.abc import AsyncIterable
from typing import Any, NamedTuple

from fastapi import Request, Response
from fastapi.responses import StreamingResponse

from yudai.artifacts.port import ArtifactRef, Artifacts
from yudai.kit.errors import NotFoundError

FOR_EVER = "private, max-age=31536000, immutable"
ASK_AGAIN = "private, no-cache"

# No browser may execute the content.
_HEADERS = {"Content-Security-Policy": "sandbox", "X-Content-Type-Options": "nosniff"}


class Download(NamedTuple):
    """A download. `name` is ours, with nothing from a request or an agent."""

    name: str
    media_type: str
    tag: str = ""
    """Changes with the content."""
    is_for_ever: bool = False
    size: int | None = None


def documented(media_type: str, description: str) -> dict[int | str, dict[str, Any]]:
    """Documentation for a route's `responses`."""
    schema = {} if media_type == "application/json" else {"type": "string"}
    content = {media_type: {"schema": schema}}
    return {
        200: {"description": description, "content": content},
        304: {"description": "Not changed."},
    }


async def send_blob(
    request: Request, artifacts: Artifacts, ref: ArtifactRef, file: Download, *, version: str | None
) -> Response:
    """Send a stored artifact; a requested version must be its hash."""
    if version not in (None, ref.sha256):
        raise NotFoundError(f"this {ref.kind.readable} was replaced: request it without `v`")
    named = file._replace(tag=ref.sha256, size=ref.size, is_for_ever=version is not None)
    if is_known(request, named):
        return unchanged(named)
    return send(named, await artifacts.stream(ref))


def send(file: Download, parts: AsyncIterable[bytes]) -> Response:
    headers = _headers(file)
    if file.size is not None:
        headers["Content-Length"] = str(file.size)
    return StreamingResponse(parts, media_type=file.media_type, headers=headers)


def unchanged(file: Download) -> Response:
    return Response(status_code=304, headers=_headers(file))


def is_known(request: Request, file: Download) -> bool:
    """Whether the client has this version."""
    given = ",".join(request.headers.getlist("if-none-match"))
    tags = {tag.strip().removeprefix("W/") for tag in given.split(",")}
    return f'"{file.tag}"' in tags or "*" in tags


def _headers(file: Download) -> dict[str, str]:
    return _HEADERS | {
        "ETag": f'"{file.tag}"',
        "Cache-Control": FOR_EVER if file.is_for_ever else ASK_AGAIN,
        "Content-Disposition": f'attachment; filename="{file.name}"',
    }
