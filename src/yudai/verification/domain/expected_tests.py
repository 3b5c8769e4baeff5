"""Which tests of base, as the runner names them, an edit of an expectation is about."""

import re
from collections.abc import Iterable, Sequence

from yudai.verification.domain.expectations import Expectation

_SNAPSHOTS = re.compile(r"(?P<folder>(?:.*/)?)__snapshots__/(?P<name>[^/]+)\.(?P<kind>snap|ambr)")
_BESIDE = re.compile(r"(?P<name>.*)\.snapshot")
_NUMBER = re.compile(r" \d+$")
_SEPARATORS = re.compile(r" > |::|\.")


def owner_of(path: str) -> str:
    """The test file that a snapshot file belongs to; other files belong to themselves."""
    if found := _SNAPSHOTS.fullmatch(path):
        ending = ".py" if found["kind"] == "ambr" else ""
        return f"{found['folder']}{found['name']}{ending}"
    if found := _BESIDE.fullmatch(path):
        return found["name"]
    return path


def match_expectations(
    expectations: Iterable[Expectation], known: Sequence[str]
) -> dict[str, Expectation]:
    """By test id of base."""
    found: dict[str, Expectation] = {}
    for expectation in expectations:
        for test in known:
            if _is_about(expectation, test):
                found.setdefault(test, expectation)
    return found


def _is_about(expectation: Expectation, test: str) -> bool:
    owner = owner_of(expectation.path)
    file, separator, name = test.partition("::")
    if not separator:
        # unittest: dotted, and where its discovery started is not known here.
        module = owner.removesuffix(".py").replace("/", ".")
        inner = expectation.test.replace("::", ".")
        return test.endswith(f".{inner}") and f".{module}.".endswith(
            f".{test.removesuffix(inner).rstrip('.')}."
        )
    if file != owner:
        return False
    if owner != expectation.path:
        return _plain(name) == _plain(_NUMBER.sub("", expectation.test))
    return name == expectation.test or name.startswith(f"{expectation.test}[")


def _plain(titles: str) -> str:
    """As jest joins titles in a key, whoever joined them."""
    return _SEPARATORS.sub(" ", titles)
