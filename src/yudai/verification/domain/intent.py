"""What an issue asks for that no test can show, and how large a change is."""

import re
from collections.abc import Iterable

from yudai.patches.git_diff import FileChange
from yudai.patches.patch import Patch

_DOCUMENTS = re.compile(
    r"(?:.*/)?(?:docs?|documentation)/.*|.*\.(?:md|markdown|rst|txt|adoc)"
    r"|(?:.*/)?(?:changelog|changes|history|news|readme|license|authors|contributors)(?:\.[\w.]*)?",
    re.IGNORECASE,
)
_COMMENT = re.compile(
    r"\s*(?:#(?!!|include|define|if|endif|else|pragma)|//|/\*|\*/|\*(?:\s|$)|<!--|--\s|;;|%%).*"
)
_BLANK = re.compile(r"\s*")
_WITHOUT_PROOF = (
    (
        re.compile(
            r"\brefactor|\brestructur|\bclean(?:ing)?[ -]?up\b|\brenam|\bdeduplicat|\bsimplif",
            re.IGNORECASE,
        ),
        "a refactoring",
    ),
    (
        re.compile(
            r"\bdocs?\b|\bdocument|\breadme\b|\bdocstring|\btypo|\bcomments?\b|\bspelling\b",
            re.IGNORECASE,
        ),
        "documentation",
    ),
    (
        re.compile(
            r"\bperformance\b|\bslow|\bfaster\b|\bspeed|\bquadratic\b|\bO\(n|\blatency\b|\bmemory\b",
            re.IGNORECASE,
        ),
        "performance",
    ),
)


def size_of(source: Patch) -> int:
    """Changed lines of code: no comments, blank lines, documents or changelogs."""
    return sum(_size(change) for change in source.files if not _DOCUMENTS.fullmatch(change.path))


def without_proof(title: str, source: Patch) -> str:
    """Why a person can be asked although no test shows it; empty: tests could show it."""
    if source.files and size_of(source) == 0 and not any(c.is_binary for c in source.files):
        return "it changes documents and comments only"
    found = (kind for words, kind in _WITHOUT_PROOF if words.search(title))
    kind = next(found, "")
    return f"the issue asks for {kind}" if kind else ""


def is_about_performance(title: str) -> bool:
    return _WITHOUT_PROOF[2][0].search(title) is not None


def _size(change: FileChange) -> int:
    if change.is_binary:
        return 1
    return sum(map(_is_code, _lines(change)))


def _lines(change: FileChange) -> Iterable[str]:
    yield from change.added_lines
    yield from change.removed_lines


def _is_code(line: str) -> bool:
    return not (_BLANK.fullmatch(line) or _COMMENT.fullmatch(line))
