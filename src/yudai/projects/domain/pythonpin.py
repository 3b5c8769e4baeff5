"""Which Python a repository asks for, and whether a version is one that it takes."""

import re

from yudai.projects.domain.repository_files import Glance, read_toml, string, table

_PINNED = re.compile(r"(?:cpython-?)?(\d+\.\d+)(?:\.\w+)?")
_CLAUSE = re.compile(r"(\^|~|)\s*(\d+(?:\.\d+)*)(\.\*)?")
_REQUIRES = re.compile(r"""python_requires\s*=\s*["']?([^"'\n)]+)""")


def python_pin(glance: Glance) -> str:
    """`3.12` for an exact pin, else what the project's metadata ask for, else ""."""
    for place in glance.above:
        for line in place.text(".python-version").splitlines():
            if pinned := _PINNED.fullmatch(line.strip()):
                return pinned[1]
    return next((asked for place in glance.above if (asked := _asked(place))), "")


def is_allowed(asked: str, version: str) -> bool:
    """Whether this version satisfies it; what cannot be read is no hindrance."""
    from packaging.specifiers import InvalidSpecifier, SpecifierSet  # noqa: PLC0415 - costs 0.1 s

    pinned = _PINNED.fullmatch(asked)
    try:
        return SpecifierSet(f"=={pinned[1]}.*" if pinned else asked).contains(version)
    except InvalidSpecifier:
        return True


def plain_specifier(constraint: str) -> str:
    """Poetry's constraint as everybody else writes it: `^1.2` is `>=1.2,<2`; "" for any."""
    last = constraint.replace("||", "|").split("|")[-1]
    clauses = (_plain(part.strip()) for part in last.split(","))
    return ",".join(clause for clause in clauses if clause)


def _asked(glance: Glance) -> str:
    document = read_toml(glance.text("pyproject.toml"))
    found = string(table(document, "project").get("requires-python"))
    if not found:
        poetry = table(document, "tool", "poetry", "dependencies")
        found = plain_specifier(string(poetry.get("python")))
    if not found:
        texts = (glance.text("setup.cfg"), glance.text("setup.py"))
        found = next((match[1].strip() for t in texts if (match := _REQUIRES.search(t))), "")
    return _readable(re.sub(r"\s+", "", found))


def _readable(asked: str) -> str:
    from packaging.specifiers import InvalidSpecifier, SpecifierSet  # noqa: PLC0415 - costs 0.1 s

    try:
        return asked if SpecifierSet(asked) else ""
    except InvalidSpecifier:
        return ""


def _plain(part: str) -> str:
    match = _CLAUSE.fullmatch(part)
    if match is None:
        return "" if part == "*" else part
    sign, number, star = match[1], match[2], match[3] or ""
    numbers = [int(n) for n in number.split(".")]
    if sign == "^":
        fixed = next((n for n, value in enumerate(numbers) if value), len(numbers) - 1)
        return f">={number},<{_next(numbers, fixed)}"
    if sign == "~":
        return f">={number},<{_next(numbers, min(1, len(numbers) - 1))}"
    return f"=={number}{star}"


def _next(numbers: list[int], place: int) -> str:
    return ".".join(map(str, [*numbers[:place], numbers[place] + 1]))
