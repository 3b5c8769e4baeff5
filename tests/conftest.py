"""Shared by all tests."""

import gc
import os
import signal
import ssl
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import httpcore2
import pytest
import structlog
from _pytest.nodeid import NodeId
from hypothesis import HealthCheck, settings

from tests.support.rare import leave_more_of_the_same
from tests.support.scratch import use_memory

use_memory(os.environ)

pytest_plugins = [
    "tests.support.conversation_rows",
    "tests.support.rows",
    "tests.support.servers.databases",
    "tests.support.verified_repo",
]

# A busy machine is no property of our code.
settings.register_profile("yudai", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("yudai")

# A script's background job starts with these ignored, and whatever tests start would inherit that.
for _signal in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
    if signal.getsignal(_signal) is signal.SIG_IGN:
        _default = signal.default_int_handler if _signal is signal.SIGINT else signal.SIG_DFL
        signal.signal(_signal, _default)


def _once(make: Callable[..., ssl.SSLContext]) -> Callable[..., ssl.SSLContext]:
    """Certificates take longer to read than most tests, and nobody here shows one."""
    made = cache(lambda _places, *args, **options: make(*args, **options))
    names = ("SSL_CERT_FILE", "SSL_CERT_DIR")
    return lambda *args, **options: made(tuple(map(os.environ.get, names)), *args, **options)


ssl.create_default_context = _once(ssl.create_default_context)
httpcore2.default_ssl_context = _once(httpcore2.default_ssl_context)

# Folders whose tests take long: they go first, so that short ones fill the end of all workers.
_HERE = Path(__file__).parent
_LONG = ("e2e", "contracts", "sandboxes", "verification", "testing", "arena")


def pytest_xdist_auto_num_workers() -> int:
    """Tests of sandboxes and servers wait for them for much of their time."""
    return 2 * len(os.sched_getaffinity(0))


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Iterator[None]:
    """pytest 9.2 does not look where xdist 3.8 writes a test's group: each would start alone."""
    leave_more_of_the_same(items)
    yield
    items.sort(key=lambda item: _turn(item.path.relative_to(_HERE).parts[0]))
    for item in items:
        written = getattr(item, "_nodeid", item.nodeid)
        if written != item.nodeid:
            item._id = NodeId.parse(written)  # type: ignore[attr-defined]


def _turn(folder: str) -> int:
    return _LONG.index(folder) if folder in _LONG else len(_LONG)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """What is loaded stays: it need not be looked through for garbage, now or later."""
    gc.disable()
    yield
    gc.collect()
    gc.freeze()
    gc.enable()


@pytest.fixture(autouse=True)
def signals_stay_as_they_are() -> Iterator[None]:
    """An ignored signal would be inherited by everything that later tests start."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    after = {number: signal.getsignal(number) for number in before}
    for number, handler in before.items():
        signal.signal(number, handler)
    assert after == before


@pytest.fixture(autouse=True)
def logs_stay_as_they_are() -> Iterator[None]:
    """Else what one test made quiet, another would not hear."""
    yield
    if structlog.is_configured():
        structlog.reset_defaults()
