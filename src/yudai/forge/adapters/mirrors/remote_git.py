"""Git restricted to one forge, one protocol, one credential and a time limit."""

import base64
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from pydantic import SecretStr

from yudai.forge.adapters.git.command import LIMITS, Git, Limits, Ran, TooSlowError
from yudai.forge.adapters.mirrors.git_errors import failure
from yudai.forge.domain.repository import RepoRef, repo_ref
from yudai.forge.ports.remote import Credential
from yudai.kit.errors import ForgeError, RefusedError

_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
_FORGE = re.compile(r"https?://(?:\[[0-9A-Fa-f:]{2,45}\]|[A-Za-z0-9.-]{1,253})(?::\d{1,5})?")


class Address(NamedTuple):
    """URL of a repository, built from checked parts only."""

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
        raise RefusedError(f"{repo.forge[:200]!a} is not a forge's URL: give https://host")
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


# What old programs wrote wrongly without harm; anything else that fsck finds is refused.
_HARMLESS = ("badTimezone", "missingSpaceBeforeDate", "zeroPaddedFilemode")
_USER = "x-access-token"
_SETTINGS = {
    # Big files are copied as they come, not held in memory.
    "core.bigFileThreshold": "32m",
    "core.askPass": "",
    "credential.helper": "",
    "fetch.recurseSubmodules": "no",
    "fetch.unpackLimit": "1",
    "fetch.writeCommitGraph": "false",
    "http.followRedirects": "false",
    "maintenance.auto": "false",
    "pack.threads": "2",
    "push.gpgSign": "false",
    # Else a base that moved on is not known as such, and all history would be sent.
    "push.negotiate": "true",
    "push.recurseSubmodules": "no",
    "transfer.bundleURI": "false",
    "transfer.fsckObjects": "true",
    **{f"fetch.fsck.{name}": "ignore" for name in _HARMLESS},
}


@dataclass(frozen=True)
class Network:
    """Network settings for forges. Loopback never uses a proxy."""

    proxy: SecretStr | None = None
    ca_file: Path | None = None
    fetch_s: float = 900.0
    push_s: float = 300.0
    ask_s: float = 60.0
    slow_bytes: int = 1000
    """Bytes a second below which a transfer is given up after `slow_s` seconds."""
    slow_s: int = 30


@dataclass(frozen=True)
class Wire:
    network: Network
    allow_http: bool = False

    def address(self, repo: RepoRef) -> Address:
        return address_of(repo, allow_http=self.allow_http)

    def git(self, git: Git, address: Address, *, by: Credential) -> Git:
        """The same git with access to that one forge; the token is only in its environment."""
        network = self.network
        settings = {
            **_SETTINGS,
            f"protocol.{address.scheme}.allow": "always",
            "http.lowSpeedLimit": str(network.slow_bytes),
            "http.lowSpeedTime": str(network.slow_s),
        }
        if network.ca_file is not None:
            settings["http.sslCAInfo"] = str(network.ca_file)
        secrets: dict[str, SecretStr] = {}
        if network.proxy is not None and not address.is_loopback:
            secrets["http.proxy"] = network.proxy
        if by.token.get_secret_value():
            secrets[f"http.{address.origin}/.extraHeader"] = _header(by.token)
        env = {**git.env, "GIT_ALLOW_PROTOCOL": address.scheme}
        return replace(git, settings=settings, env=env, secrets=secrets)

    async def run(
        self, git: Git, address: Address, *args: str, by: Credential, stdin: bytes = b"",
        limits: Limits = LIMITS,
    ) -> Ran:  # fmt: skip
        """ForgeError when it takes too long; a refusal is a result."""
        try:
            return await self.git(git, address, by=by).run(*args, stdin=stdin, limits=limits)
        except TooSlowError as error:
            raise ForgeError(f"{address.url.removesuffix('.git')}: {error}") from None

    async def branch_head(self, git: Git, address: Address, branch: str, *, by: Credential) -> str:
        """Its commit, "" when there is no such branch."""
        ref = f"refs/heads/{branch}"
        limits = Limits(timeout_s=self.network.ask_s, max_output=1 << 20)
        ran = await self.run(
            git, address, "ls-remote", "--", address.url, ref, by=by, limits=limits
        )
        if ran.exit_code != 0:
            raise failure(ran, address.url)
        lines = (line.partition("\t") for line in ran.output.decode("utf-8", "replace").split("\n"))
        return next((oid for oid, _, name in lines if name == ref), "")


def _header(token: SecretStr) -> SecretStr:
    pair = f"{_USER}:{token.get_secret_value()}"
    return SecretStr(f"Authorization: Basic {base64.b64encode(pair.encode()).decode()}")
