"""The URL a repository is fetched from: built from checked parts, never taken from input."""

import re
from typing import NamedTuple
from urllib.parse import urlsplit

from yudai.forge.domain.repository import RepoRef, repo_ref
from yudai.kit.errors import RefusedError

_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
_FORGE = re.compile(r"https?://(?:\[[0-9A-Fa-f:]{2,45}\]|[A-Za-z0-9.-]{1,253})(?::\d{1,5})?")


class Address(NamedTuple):
    url: str
    origin: str
    scheme: str
    is_loopback: bool


def address_of(repo: RepoRef, *, allow_http: bool = False) -> Address:
    """RefusedError for anything but https, or http to this machine where that is allowed."""
    host = _host(repo.forge)
    is_loopback = host in _LOOPBACK
    scheme = repo.forge.partition(":")[0]
    if not host or (scheme == "http" and not (allow_http and is_loopback)):
        raise RefusedError(f"{repo.forge[:200]!a} is no forge: give https://host")
    checked = repo_ref(repo.forge, repo.owner, repo.name)
    return Address(f"{checked.url}.git", repo.forge, scheme, is_loopback)


def _host(forge: str) -> str:
    if not _FORGE.fullmatch(forge):
        return ""
    try:
        # An impossible port is found out when it is asked for.
        host, port = urlsplit(forge).hostname, urlsplit(forge).port
    except ValueError:
        return ""
    return host if host and port != 0 else ""
