"""The sandbox backends: one row each, which settings, command line, doctor and metrics read.

A new backend is a package below `sandboxes/backends/`, a row here and its making in
`wiring/sandboxes.py`.
"""

from typing import Literal, NamedTuple

BackendName = Literal["bubblewrap", "process", "container", "e2b", "prime"]


class BackendRow(NamedTuple):
    set_up: str = ""
    """What a person must set up to use it; empty: nothing."""
    is_registered: bool = False
    """Whether its sandboxes are recorded in the database, because they can outlive this host."""
    key: str = ""
    """The setting with the key of its provider, which charges for sandboxes."""
    purpose: str = ""
    """What that key is for."""
    is_isolated: bool = True


BACKENDS: dict[BackendName, BackendRow] = {
    "bubblewrap": BackendRow(),
    "process": BackendRow(is_isolated=False),
    "container": BackendRow(
        "no podman or docker found: install one, or set CONTAINER_ENGINE", is_registered=True
    ),
    "e2b": BackendRow(
        "not set up: set E2B_API_KEY, and install yudai[e2b]",
        is_registered=True,
        key="e2b_api_key",
        purpose="sandboxes at E2B",
    ),
    "prime": BackendRow(
        "not set up: set PRIME_API_KEY, and install yudai[prime]",
        is_registered=True,
        key="prime_api_key",
        purpose="sandboxes at Prime Intellect",
    ),
}
DEFAULT: BackendName = "bubblewrap"
FALLBACK: BackendName = "container"
"""The backend to use if none was chosen and the default does not work."""
REGISTERED = tuple(name for name, row in BACKENDS.items() if row.is_registered)
PROVIDERS = tuple(name for name, row in BACKENDS.items() if row.key)
UNISOLATED = tuple(name for name, row in BACKENDS.items() if not row.is_isolated)


def choices(quote: str = "") -> str:
    """For help: every name, the default first, those that isolate nothing last."""
    safe = [name for name in BACKENDS if name not in (DEFAULT, *UNISOLATED)]
    shown = [f"{quote}{name}{quote}" for name in safe]
    last = " or ".join(f"{quote}{name}{quote}" for name in UNISOLATED)
    return f"{quote}{DEFAULT}{quote} (default), {', '.join(shown)}, or {last} (isolates nothing)"
