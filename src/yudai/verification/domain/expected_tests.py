"""Which tests of base, as the runner names them, an edit of an expectation is about."""

import re
from collections.abc import Iterable, Sequence

from yudai.verification.domain.expectations import Expectation, test_file_of

_NUMBER = re.compile(r" \d+$")
_SEPARATORS = re.compile(r" > |::|\.")


def match_expectations(
    expectations: Iterable[Expectation], known: Sequence[str]
) -> dict[str, list[Expectation]]:
    """By test id of base; a test can have several new values."""
    found: dict[str, list[Expectation]] = {}
    for expectation in expectations:
        for test in known:
            if _is_about(expectation, test):
                found.setdefault(test, []).append(expectation)
    return found


def _is_about(expectation: Expectation, test: str) -> bool:
    owner = test_file_of(expectation.path)
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
