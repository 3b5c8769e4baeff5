"""Resolves paths in tests to files of the repository, and classifies these files."""

import re
from collections.abc import Collection, Iterable, Iterator
from enum import StrEnum
from typing import NamedTuple

from yudai.patches.test_paths import is_test_path
from yudai.verification.domain.proof import Subject

_SOURCE = re.compile(
    r".*\.(py|pyx|pyi|[cm]?[jt]sx?|go|rs|rb|java|kt|cs|c|cc|cpp|h|hpp|php|swift|scala|vue|svelte|sh)",
    re.IGNORECASE,
)
_DOCUMENT = re.compile(
    r"(readme|changelog|changes|license|licence|copying|contributing|authors|history|news|security"
    r"|upgrading|notice)\b.*|.*\.(md|mdx|rst|adoc|asciidoc)",
    re.IGNORECASE,
)
_DATA = re.compile(
    r".*\.(json5?|ya?ml|toml|cfg|ini|txt|lock|csv|tsv|xml|env|html?|s?css|sql|po|mo|properties|in)"
    r"|version|(?:docker|make|proc|gem|rake|pip)file|manifest(\..*)?|\.[\w.-]+|py\.typed",
    re.IGNORECASE,
)
_DOCUMENTS = frozenset({"docs", "doc", "documentation"})


class Root(StrEnum):
    REPOSITORY = "repository"
    PRODUCT = "product"
    """The folder of an imported module."""
    TEMPORARY = "temporary"
    UNKNOWN = "unknown"


class Place(NamedTuple):
    root: Root
    parts: tuple[str, ...] = ()
    """The parts of the path; `*` for an unknown part."""

    def joined(self, text: str) -> "Place":
        if text.startswith("/"):
            return Place(Root.UNKNOWN)
        parts = list(self.parts)
        for part in re.split(r"[/\\]", text):
            if part == ".." and parts:
                parts.pop()
            elif part not in {"", "."}:
                parts.append(part)
        return Place(self.root, tuple(parts[:50]))

    def up(self, levels: int = 1) -> "Place":
        return Place(self.root, self.parts[: max(0, len(self.parts) - levels)])


class Finding(NamedTuple):
    """A subject of a test, with the names and texts by which an issue can ask for it."""

    subject: Subject
    name: str = ""
    """The file or the private name."""
    literals: tuple[str, ...] = ()
    """The literals that the test compares with it."""
    is_caught: bool = False
    """Whether it is the message of an exception that the same assertion expects."""


def finding_of(
    place: Place, test_path: str, source_paths: Collection[str], *, is_listing: bool = False
) -> Finding | None:
    """The finding for a test that reads this file."""
    path = "/".join(place.parts)
    if place.root is Root.TEMPORARY or _is_of_tests(path, test_path, place.root):
        return None
    if place.root is Root.UNKNOWN:
        is_known = len(place.parts) > 1 and any(_ends_with(s, place.parts) for s in source_paths)
        return Finding(Subject.SOURCE_TEXT, path) if is_known else None
    subject = _subject(place, source_paths, is_listing=is_listing)
    return Finding(subject, place.parts[-1] if place.parts else "") if subject else None


def _subject(place: Place, source_paths: Collection[str], *, is_listing: bool) -> Subject | None:
    name = place.parts[-1] if place.parts else ""
    path = "/".join(place.parts)
    if _DOCUMENT.fullmatch(name) or (_DOCUMENTS & set(place.parts[:1]) and name != path):
        return Subject.DOCUMENT
    if _SOURCE.fullmatch(name):
        return Subject.SOURCE_TEXT
    if _DATA.fullmatch(name):
        return Subject.DATA_FILE
    if path in source_paths:
        return Subject.SOURCE_TEXT
    folder = "/".join(_known(place.parts))
    is_folder = any(source.startswith(f"{folder}/" if folder else "") for source in source_paths)
    is_open = name in {"", "*", "**"} or is_listing or place.root is Root.PRODUCT
    return Subject.SOURCE_TEXT if is_folder and is_open else None


def subject_of_file(path: str) -> Subject | None:
    """The subject of a document or data file, by its name; code may be run instead of read."""
    name = path.rpartition("/")[2]
    if _DOCUMENT.fullmatch(name):
        return Subject.DOCUMENT
    return Subject.DATA_FILE if _DATA.fullmatch(name) else None


def _known(parts: Iterable[str]) -> Iterator[str]:
    for part in parts:
        if "*" in part:
            return
        yield part


def _is_of_tests(path: str, test_path: str, root: Root) -> bool:
    if root is not Root.REPOSITORY:
        return False
    folder = test_path.rpartition("/")[0]
    return is_test_path(path) or (is_test_path(f"{folder}/x") and path.startswith(f"{folder}/"))


def _ends_with(path: str, parts: tuple[str, ...]) -> bool:
    return tuple(path.split("/")[-len(parts) :]) == parts


def literal_pieces(pattern: str) -> list[str]:
    """The plain-text parts of a regular expression."""
    pieces = [""]
    at = 0
    while at < len(pattern):
        char, following = pattern[at], pattern[at + 1 : at + 2]
        at += 1
        if char == "\\" and following:
            at += 1
            char = "" if following.isalnum() else following
        elif char in "^$*+?{}[]|()" or (char == "." and following in {"*", "+", "?"}):
            char = ""
        if char:
            pieces[-1] += char
        elif pieces[-1]:
            pieces.append("")
    return [piece.strip() for piece in pieces if piece.strip()]
