"""Package servers that a person's settings name: set-up may reach them."""

import re
from urllib.parse import urlsplit

from yudai.sandboxes.backends.toolchain.package_settings import PackageSettings
from yudai.sandboxes.domain.allowed_hosts import authority, canonical

_URL = re.compile(r"\bhttps?://[^\s,;]+", re.IGNORECASE)


def hosts_of(packages: PackageSettings) -> tuple[str, ...]:
    """Host and port of each URL in a person's package settings.

    Not of proxies: whoever reaches one of those reaches everything.
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
