"""Which of the host's package settings a set-up may see: a fixed list, without credentials.

A token that is part of a URL's path looks like a folder: such a URL is passed on.
"""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from yudai.sandboxes.domain.allowed_hosts import authority, canonical

_PIP = (
    "DEFAULT_TIMEOUT DISABLE_PIP_VERSION_CHECK EXTRA_INDEX_URL FIND_LINKS INDEX_URL NO_BINARY "
    "NO_INDEX ONLY_BINARY PRE PREFER_BINARY PROXY RETRIES TIMEOUT TRUSTED_HOST USE_FEATURE"
)
_UV = (
    "CONCURRENT_BUILDS CONCURRENT_DOWNLOADS CONCURRENT_INSTALLS DEFAULT_INDEX EXCLUDE_NEWER "
    "EXTRA_INDEX_URL FIND_LINKS HTTP_RETRIES HTTP_TIMEOUT INDEX INDEX_STRATEGY INDEX_URL "
    "INSECURE_HOST NATIVE_TLS NO_INDEX OFFLINE PRERELEASE REQUEST_TIMEOUT RESOLUTION SYSTEM_CERTS "
    "TORCH_BACKEND"
)
_NPM = (
    "audit before engine_strict fetch_retries fetch_retry_factor fetch_retry_maxtimeout "
    "fetch_retry_mintimeout fetch_timeout fund http_proxy https_proxy ignore_scripts "
    "legacy_peer_deps maxsockets network_concurrency noproxy prefer_offline prefer_online proxy "
    "registry replace_registry_host strict_peer_deps strict_ssl"
)
_YARN = "ENABLE_STRICT_SSL HTTPS_PROXY HTTP_PROXY HTTP_TIMEOUT NPM_REGISTRY_SERVER REGISTRY"
_PROXIES = "ALL_PROXY HTTPS_PROXY HTTP_PROXY NO_PROXY"
_ABOUT_PROXIES = re.compile(r"prox", re.IGNORECASE)
_CERTIFICATES = (
    "CURL_CA_BUNDLE GIT_SSL_CAINFO NODE_EXTRA_CA_CERTS PIP_CERT REQUESTS_CA_BUNDLE SSL_CERT_FILE "
    "YARN_HTTPS_CA_FILE_PATH"
)


def _named(prefix: str, words: str) -> Iterable[str]:
    return (prefix + word for word in words.split())


_ALLOWED = frozenset(
    [
        *_named("PIP_", _PIP),
        *_named("UV_", _UV),
        *_named("YARN_", _YARN),
        *_named("", _PROXIES),
        *_named("", _PROXIES.lower()),
        "COREPACK_NPM_REGISTRY",
    ]
)
# These are read in any case.
_ALLOWED_NPM = frozenset([*_named("npm_config_", _NPM), *_named("pnpm_config_", _NPM)])
_CERTIFICATE_FILES = frozenset(_CERTIFICATES.split())
_CERTIFICATE_FILES_NPM = frozenset({"npm_config_cafile", "pnpm_config_cafile"})

_USER = re.compile(r"://[^/?#]*@")
_USER_WITHOUT_SCHEME = re.compile(r"^[^/?#\s]*@")
_QUERY = re.compile(r"(://[^\s?#]*)[?#]\S*")
_LOCAL = re.compile(r"[/~]|\.\.?/|.*file:", re.IGNORECASE)
_URL = re.compile(r"\bhttps?://[^\s,;]+", re.IGNORECASE)
_CERTIFICATE_MARK = rb"-----%s (?:TRUSTED )?CERTIFICATE-----"
_CERTIFICATE = re.compile(_CERTIFICATE_MARK % b"BEGIN" + rb"[^-]*" + _CERTIFICATE_MARK % b"END")
_MAX_BUNDLE_BYTES = 16 << 20


class PackageSettings(NamedTuple):
    variables: Mapping[str, str]
    files: tuple[Path, ...] = ()
    """Certificate bundles named by variables."""

    def without_proxies(self) -> "PackageSettings":
        """For a sandbox behind our proxy, which itself uses the host's."""
        kept = {n: v for n, v in self.variables.items() if not _ABOUT_PROXIES.search(n)}
        return self._replace(variables=kept)


NO_PACKAGES = PackageSettings({})


def package_settings(environ: Mapping[str, str]) -> PackageSettings:
    """The variables of that environment that a set-up may see, without secrets."""
    variables: dict[str, str] = {}
    files: dict[Path, None] = {}
    for name, value in environ.items():
        if name in _CERTIFICATE_FILES or name.lower() in _CERTIFICATE_FILES_NPM:
            if value.startswith("/"):
                variables[name] = value
                files[Path(value)] = None
        elif (name in _ALLOWED or name.lower() in _ALLOWED_NPM) and (text := _clean(value)):
            variables[name] = text
    return PackageSettings(variables, tuple(files))


def _clean(value: str) -> str:
    """The value without users, queries and host paths; "" if nothing safe is left."""
    value = _USER.sub("://", value)
    words = [_USER_WITHOUT_SCHEME.sub("", word) for word in value.split()]
    text = " ".join(word for word in words if not _LOCAL.match(word))
    return "" if "@" in text else _QUERY.sub(r"\1", text)


def hosts_of(packages: PackageSettings) -> tuple[str, ...]:
    """Host and port of each URL in a person's package settings.

    Not of proxies: through a proxy everything can be reached.
    """
    found: dict[str, None] = {}
    for value in packages.without_proxies().variables.values():
        for url in _URL.finditer(value):
            try:
                parts = urlsplit(url.group())
                host = canonical(parts.hostname or "")
                port = parts.port or (443 if parts.scheme == "https" else 80)
            except ValueError:
                continue
            found[authority(host, port)] = None
    return tuple(found)


def copy_certificates(files: Iterable[Path], target: Path) -> dict[str, str]:
    """Copy the certificates of these files into a folder; returns the copies' names by path.

    Only certificates are copied: a variable may point at a file with a private key.
    """
    target.mkdir(mode=0o755)
    names: dict[str, str] = {}
    for number, file in enumerate(files):
        blocks = _certificates(file)
        if blocks:
            copy = target / f"{number}.pem"
            copy.write_bytes(b"\n".join([*blocks, b""]))
            copy.chmod(0o644)
            names[str(file)] = copy.name
    target.chmod(0o755)
    return names


def _certificates(file: Path) -> list[bytes]:
    try:
        with file.open("rb") as opened:
            content = opened.read(_MAX_BUNDLE_BYTES)
    except OSError:
        return []
    return [match.group() for match in _CERTIFICATE.finditer(content)]
