"""Faults to inject: before a request is done, or after it, when only its answer is lost."""

import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal


@dataclass
class Fault:
    path: str
    """A regular expression that is searched for in the path."""
    status: int | Literal["drop"] = "drop"
    """`drop`: the connection is closed without an answer."""
    method: str = ""
    """Only this one; "": any."""
    times: int = 1
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    after: bool = False
    """Do what is asked, then lose the answer."""
    message: str = "the fake is configured to fail"
    skip: int = 0
    """How many requests are let through first."""
    strike: Callable[[], None] | None = None
    """What else happens at that moment, such as the death of the caller."""
    hits: int = 0


class Faults:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._faults: list[Fault] = []

    def add(self, fault: Fault) -> Fault:
        with self._lock:
            self._faults.append(fault)
        return fault

    def clear(self) -> None:
        with self._lock:
            self._faults.clear()

    def take(self, method: str, path: str) -> Fault | None:
        """The first that is meant; it counts as used."""
        with self._lock:
            return next((f for f in self._faults if _strikes(f, method, path)), None)


def _strikes(fault: Fault, method: str, path: str) -> bool:
    if fault.method not in ("", method) or not re.search(fault.path, path):
        return False
    if fault.skip:
        fault.skip -= 1
        return False
    if fault.hits >= fault.times:
        return False
    fault.hits += 1
    return True
