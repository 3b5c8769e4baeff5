"""Describes for a person which of base's tests could not be run."""

from collections.abc import Sequence

from yudai.testing.domain.report import Baseline

_MAX_NAMES = 8


def shortfall(baseline: Baseline) -> str:
    """Why base's tests are incomplete: the suite stops early, files do not load; "" if all ran."""
    parts: list[str] = []
    if baseline.is_partial:
        ran = len(baseline.executed)
        tests = "1 test" if ran == 1 else f"{ran} tests"
        parts.append(f"the base's tests end half-way: only the {tests} that ran before count")
    if unloaded := baseline.unloaded:
        parts.append(f"could not be loaded on the base, so nothing in it counts: {_some(unloaded)}")
    return "; ".join(parts)


def why_unverifiable(baseline: Baseline) -> str:
    """Why no patch can be verified; "" if one can."""
    if baseline.is_verifiable:
        return ""
    if not baseline.command:
        return "nothing can be verified: no tests were found, nor a program that could run some"
    if unloaded := baseline.unloaded:
        return f"nothing can be verified: no test of the base could be loaded: {_some(unloaded)}"
    return f"nothing can be verified: `{baseline.command}` ended on the base before a test had run"


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MAX_NAMES} more" if len(names) > _MAX_NAMES else ""
    return ", ".join(names[:_MAX_NAMES]) + more
