"""Changed expectations: a patch edits what a test of base expects, and nothing else in it."""

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
    """What one test of base expected, and what it expects in a patch."""

    test: str
    """As the runner calls it in its file (`TestC::test_y`, `describe > it`), or a snapshot's key.

    A parametrized test has no brackets here: its ids may contain the value that changed.
    """
    path: str = ""
    before: str
    now: str
    """Source texts. A longer one is an excerpt with a digest of the whole, so that two are equal
    only if all of it is."""
    subject: Subject = Subject()
    """What has to have this value."""
    row: Row | None = None
    """Of a parametrized test: the row that it stands in."""
    line: str = ""
    """The line of the finding that says the same."""

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
    """Whether two expected values are the same: as literals, else as text."""
    first, second = literal_of(one), literal_of(two)
    if first is not None and second is not None:
        return first == second
    return " ".join(one.split()) == " ".join(two.split())


def gives(issue: str, changed: Expectation) -> bool:
    """Whether an issue gives the new value, as code or between quotes, for the very same subject.

    In code it has to be all of a line, or to stand where a result does (`f(1) == 2`, `f(1)  # 2`):
    what a function gets is not what is expected of it. What the issue complains about is not given.
    """
    return says_result(issue, changed.now, changed.subject)


def edited_tests(expectations: Iterable[Expectation]) -> dict[str, tuple[str, ...]]:
    """By test file: the names of tests whose expectations changed, to run them by id.

    A test is meant by its name alone, or by its name with brackets after it. A snapshot's name
    starts with its test's; its file is beside the test's.
    """
    found: dict[str, dict[str, None]] = {}
    for changed in expectations:
        file = test_file_of(changed.path)
        name = changed.test if file == changed.path else _test_of_key(file, changed.test)
        found.setdefault(file, {})[name] = None
    return {file: tuple(names) for file, names in found.items()}


def test_file_of(path: str) -> str:
    """The test file that a snapshot file belongs to; other files are their own."""
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
    """Both from a little before where they begin to differ, if they are too long."""
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
    """How many characters they have in common at their start."""
    pairs = enumerate(zip(one, two, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(two)))


def _shown(line: str, start: int) -> str:
    """All of it, or what stands where it begins to differ."""
    if len(line) <= _SHOWN:
        return readable(line)
    tail = "..." if len(line) > start + _SHOWN else ""
    return readable(f"{'...' if start else ''}{line[start : start + _SHOWN]}{tail}")


def _clean(text: str) -> str:
    """No control characters but the ends of lines, no undecodable bytes."""
    return "\n".join(readable(line.replace("\t", "    ")) for line in text.split("\n"))
