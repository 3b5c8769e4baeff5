"""The strategies: one row each, which requests, help texts, documents and the page read.

A new one is a member, its row, and its recipe as `agents/strategies/<name>.md`. This module loads
nothing heavy: the command line reads it at its start.
"""

from enum import StrEnum


class Strategy(StrEnum):
    BALANCED = "balanced"
    TEST_FIRST = "test-first"
    STACKTRACE_FIRST = "stacktrace-first"
    SMALL_STEPS = "small-steps"
    MINIMAL_FIX = "minimal-fix"


STRATEGIES: dict[Strategy, str] = {
    Strategy.BALANCED: "Reproduce, name the root cause, test, fix, run everything",
    Strategy.TEST_FIRST: "No code is touched before a new test of the issue is red",
    Strategy.STACKTRACE_FIRST: "From the failure inwards, frame by frame, to the bad value",
    Strategy.SMALL_STEPS: "One edit at a time, each one tested before the next",
    Strategy.MINIMAL_FIX: "The least to review: one changed place, no clean-up",
}
DEFAULT = Strategy.BALANCED


def choices() -> str:
    """For help: every name, the default marked."""
    return ", ".join(f"{name} (default)" if name is DEFAULT else name for name in STRATEGIES)
