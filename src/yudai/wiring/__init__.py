"""The composition root: settings become adapters, adapters become services.

Start with `components.py` (what every process needs), then `local_app.py`, `api_service.py` or
`worker.py` for one kind of process. Each backend is imported only when it is chosen.
"""

from typing import TYPE_CHECKING

from yudai.wiring.components import (
    is_shared,
    make_applier,
    make_catalogue,
    make_stopper,
    open_context,
    open_gateway,
    scripted_gateway,
)
from yudai.wiring.home import installation
from yudai.wiring.sandboxes import make_backend

if TYPE_CHECKING:
    from yudai.wiring.local_app import App, open_app

__all__ = [
    "App",
    "installation",
    "is_shared",
    "make_applier",
    "make_backend",
    "make_catalogue",
    "make_stopper",
    "open_app",
    "open_context",
    "open_gateway",
    "scripted_gateway",
]


def __getattr__(name: str) -> object:
    """Import lazily: flows, agents and forges would slow down commands that only read."""
    if name in ("App", "open_app"):
        from yudai.wiring import local_app

        return getattr(local_app, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
