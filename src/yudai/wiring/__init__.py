"""Composition root: settings become adapters, adapters become services."""

from yudai.wiring.embedded import App, open_app
from yudai.wiring.parts import (
    BACKENDS,
    DEFAULT_BACKEND,
    Library,
    installation,
    is_shared,
    make_applier,
    make_backend,
    make_catalogue,
    make_stopper,
    open_gateway,
    open_library,
    scripted_gateway,
)

__all__ = [
    "BACKENDS",
    "DEFAULT_BACKEND",
    "App",
    "Library",
    "installation",
    "is_shared",
    "make_applier",
    "make_backend",
    "make_catalogue",
    "make_stopper",
    "open_app",
    "open_gateway",
    "open_library",
    "scripted_gateway",
]
