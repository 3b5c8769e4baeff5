"""Where a request says that its repository is."""

import re
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from yudai.kit.errors import RefusedError

_REMOTE = re.compile(
    r"https://(?P<host>[a-z0-9-]+(?:\.[a-z0-9-]+)*(?::[0-9]{1,5})?)"
    r"/(?P<owner>[a-z0-9_.-]+)/(?P<name>[a-z0-9_.-]+?)(?:\.git)?/?",
    re.IGNORECASE,
)
# A forge on this machine, for trying it out.
_LOOPBACK = re.compile(
    r"http://(?P<host>(?:127\.0\.0\.1|localhost|\[::1\])(?::[0-9]{1,5})?)"
    r"/(?P<owner>[a-z0-9_.-]+)/(?P<name>[a-z0-9_.-]+?)(?:\.git)?/?",
    re.IGNORECASE,
)
_SHORT = re.compile(r"(?P<owner>[a-z0-9_.-]+)/(?P<name>[a-z0-9_.-]+)", re.IGNORECASE)


class Folder(NamedTuple):
    """A repository on this machine."""

    path: str


class Remote(NamedTuple):
    """A repository at a forge."""

    url: str
    """`owner/name` without a forge means the configured forge."""
    repo: str


def place_at(url: str) -> Folder | Remote:
    """`repo_url` of a request; RefusedError says what is wrong with it."""
    if url.startswith("/"):
        return folder_at(url)
    if url.startswith("file:"):
        return _file(url)
    return _remote(url)


def folder_at(path: str) -> Folder:
    if not path.startswith("/"):
        raise RefusedError("give the absolute path: the server has another working directory")
    # `/a/` and `/a//.` mean `/a`, as on a command line.
    return Folder("/" + "/".join(part for part in path.split("/") if part not in ("", ".")))


def _file(url: str) -> Folder:
    try:
        parts = urlsplit(url)
        path = unquote(parts.path, errors="strict")
    except ValueError:
        raise RefusedError("repo_url is not a URL: write file:///folder") from None
    if parts.netloc not in ("", "localhost") or not path.isprintable():
        raise RefusedError("a file:// URL names a folder on this machine: file:///folder")
    return folder_at(path)


def _remote(url: str) -> Remote:
    found = _REMOTE.fullmatch(url) or _LOOPBACK.fullmatch(url)
    short = _SHORT.fullmatch(url)
    parts = found or short
    if parts is None or {parts["owner"], parts["name"]} & {".", ".."}:
        raise RefusedError(
            "repo_url is https://host/owner/name or owner/name, without anything else"
        )
    repo = f"{parts['owner']}/{parts['name']}"
    if found is None:
        return Remote(repo, repo)
    scheme = url.partition(":")[0].lower()
    return Remote(f"{scheme}://{found['host'].lower()}/{repo}", repo)
