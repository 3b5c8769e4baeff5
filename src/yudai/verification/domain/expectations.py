"""Changed expectations: a patch edits only the values that a test of base expects."""

import re
from collections.abc import Iterable
from hashlib import sha256

from yudai.kit.value import Value
from yudai.patches.patch import readable
from yudai.verification.domain.expected.change import Change, Row
from yudai.verification.domain.expected.literals import literal_of
from yudai.verification.domain.expected.subject import Subject, says_result

_MAX = 500
_SHOWN = 60
_CONTEXT = 40
_SNAPSHOTS = "__snapshots__"


class Expectation(Value):
    """A value that a test of base expects, before and after a patch."""

    test: str
    """The test's name in its file (`TestC::test_y`, `describe > it`), or a snapshot's key.

    A parametrized test's name has no brackets here: its ids may contain the changed value.
    """
    path: str = ""
    before: str
    now: str
    """Source texts. A long one is an excerpt with a digest of the whole text, so that two excerpts
    are equal only if the whole texts are."""
    subject: Subject = Subject()
    """The expression that has to have this value."""
    row: Row | None = None
    """The table row that holds the value, in a parametrized test."""
    line: str = ""
    """The line of the matching tampering finding."""

    @property
    def reason(self) -> str:
        before, now = " ".join(self.before.split()), " ".join(self.now.split())
        start = max(0, _same(before, now) - _CONTEXT // 2)
        values = " -> ".join(_shown(text, start) for text in (before, now))
        return f"changes what {readable(self.test)} expects: {values}"


def expectation(change: Change) -> Expectation:
    before, now = _excerpts(_clean(change.before), _clean(change.now))
    name = _clean(change.test)[:_MAX]
    return Expectation(test=name, before=before, now=now, subject=change.subject, row=change.row)


def same_value(one: str, two: str) -> bool:
    """Whether two expected values are the same, compared as literals if possible, else as text."""
    first, second = literal_of(one), literal_of(two)
    if first is not None and second is not None:
        return first == second
    return " ".join(one.split()) == " ".join(two.split())


def gives(issue: str, changed: Expectation) -> bool:
    """Whether an issue gives the new value, as code or in quotes, for the same subject.

    In code it has to be a whole line or a result (`f(1) == 2`, `f(1)  # 2`): an argument is not an
    expected value. A value that the issue complains about does not count.
    """
    return says_result(issue, changed.now, changed.subject)


def edited_tests(expectations: Iterable[Expectation]) -> dict[str, tuple[str, ...]]:
    """By test file: the names of tests with changed expectations, to run them by id.

    A name matches the test itself and its parametrized ids. A snapshot's name starts with its
    test's name; its file is next to the test file.
    """
    found: dict[str, dict[str, None]] = {}
    for changed in expectations:
        file = test_file_of(changed.path)
        name = changed.test if file == changed.path else _test_of_key(file, changed.test)
        found.setdefault(file, {})[name] = None
    return {file: tuple(names) for file, names in found.items()}


def test_file_of(path: str) -> str:
    """The test file that a snapshot file belongs to; any other file is returned unchanged."""
    folder, _, name = path.rpartition("/")
    beside = folder.removesuffix(_SNAPSHOTS).rstrip("/")
    start = f"{beside}/" if beside else ""
    if name.endswith(".snap"):
        return start + name.removesuffix(".snap")
    if name.endswith(".ambr"):
        return f"{start}{name.removesuffix('.ambr')}.py"
    return path.removesuffix(".snapshot")


def _test_of_key(file: str, key: str) -> str:
    if file.endswith(".py"):
        # syrupy: `TestC.test_y[param].1`
        return re.sub(r"(\[.*|\.\d+)$", "", key, flags=re.DOTALL).replace(".", "::")
    # jest and vitest: `describe it: hint 1`, with or without ` > ` between the titles.
    return re.sub(r"(: [^:]*)? \d+$", "", key)


def _excerpts(before: str, now: str) -> tuple[str, str]:
    """Shortened copies of two long texts that start shortly before the first difference."""
    same = _same(before, now)
    return _excerpt(before, same), _excerpt(now, same)


def _excerpt(text: str, same: int) -> str:
    if len(text) <= _MAX:
        return text
    digest = f" (sha256 {sha256(text.encode()).hexdigest()[:16]})"
    start = max(0, same - _CONTEXT)
    room = _MAX - len(digest) - 6
    head, tail = ("..." if start else ""), ("..." if len(text) > start + room else "")
    return f"{head}{text[start : start + room]}{tail}{digest}"


def _same(one: str, two: str) -> int:
    """Length of the common start of two texts."""
    pairs = enumerate(zip(one, two, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(two)))


def _shown(line: str, start: int) -> str:
    """The whole text if it is short, else the part where the difference starts."""
    if len(line) <= _SHOWN:
        return readable(line)
    tail = "..." if len(line) > start + _SHOWN else ""
    return readable(f"{'...' if start else ''}{line[start : start + _SHOWN]}{tail}")


def _clean(text: str) -> str:
    """The text without control characters, except line ends, and without undecodable bytes."""
    return "\n".join(readable(line.replace("\t", "    ")) for line in text.split("\n"))
