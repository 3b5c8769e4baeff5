"""Poetry's lock as plain requirements, so that no Poetry is needed to install them."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from yudai.kit.untyped import as_items
from yudai.projects.domain.repository_files import Table, read_toml, string, table, words

_MAIN = "main"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_VERSION = re.compile(r"[A-Za-z0-9.!+_-]+")
_EXTRA = re.compile(r"\s*(?:and\s+)?extra\s*==\s*[\"'][^\"']*[\"']\s*(?:and\s+)?")


class Locked(NamedTuple):
    requirements: tuple[str, ...]
    """`name==version ; markers`, sorted."""
    names: frozenset[str]
    notes: tuple[str, ...]


def read_poetry_lock(text: str, *, groups: Collection[str], extras: Collection[str]) -> Locked:
    """What these groups (and the main one) need; an empty collection of groups: all of them."""
    document = read_toml(text)
    packages = [table(p) for p in as_items(document.get("package"))]
    wanted = {_MAIN, *groups} if groups else set[str]()
    optional = bool(set(table(document, "extras")) & set(extras))
    chosen = [p for p in packages if _is_chosen(p, wanted, optional=optional)]
    edges = _edge_markers(packages)
    lines: dict[str, str] = {}
    notes: list[str] = []
    for package in chosen:
        name, version = string(package.get("name")), string(package.get("version"))
        if not _NAME.fullmatch(name) or not _VERSION.fullmatch(version):
            continue
        kind = string(table(package, "source").get("type"))
        if kind in {"git", "url", "directory", "file"}:
            notes.append(f"poetry.lock takes {name} from a {kind} source: it is not installed")
            continue
        marker = _marker(package, wanted, edges.get(_normal(name), []))
        lines.setdefault(f"{_normal(name)} {marker}", _line(name, version, marker))
    names = frozenset(_normal(string(package.get("name"))) for package in chosen)
    return Locked(tuple(sorted(lines.values())), names, tuple(notes))


def _line(name: str, version: str, marker: str) -> str:
    return f"{name}=={version} ; {marker}" if marker else f"{name}=={version}"


def _is_chosen(package: Table, wanted: AbstractSet[str], *, optional: bool) -> bool:
    if package.get("optional") is True and not optional:
        return False
    named = words(package.get("groups")) or tuple(filter(None, [string(package.get("category"))]))
    return not wanted or not named or not wanted.isdisjoint(named)


def _marker(package: Table, wanted: Collection[str], edges: list[str]) -> str:
    """The package's own marker (Poetry 2), by group where they differ; else that of its edges."""
    own = package.get("markers")
    if isinstance(own, str):
        return _one_line(own)
    if by_group := table(own):
        named = words(package.get("groups"))
        found = [string(by_group.get(g)) for g in named if not wanted or g in wanted]
        return _any_of(found)
    return "" if "groups" in package else _any_of(edges)


def _edge_markers(packages: list[Table]) -> dict[str, list[str]]:
    """Older locks say only at who depends on a package when it is needed."""
    found: dict[str, list[str]] = defaultdict(list)
    for package in packages:
        for name, entry in table(package, "dependencies").items():
            for marker in _markers_of(entry):
                found[_normal(name)].append(_EXTRA.sub("", marker))
    return found


def _markers_of(entry: object) -> Iterator[str]:
    if isinstance(entry, str):
        yield ""
    for choice in as_items(entry) or [entry]:
        if fields := table(choice):
            yield string(fields.get("markers"))


def _any_of(markers: list[str]) -> str:
    if not markers or not all(markers):
        return ""
    unique = list(dict.fromkeys(map(_one_line, markers)))
    return unique[0] if len(unique) == 1 else " or ".join(f"({marker})" for marker in unique)


def _one_line(marker: str) -> str:
    return " ".join(marker.split())


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
