"""Finds what a test checks besides behaviour, unless the issue asks for it."""

import re
from collections.abc import Collection
from functools import partial

from yudai.kit.syntax import UnreadableError
from yudai.verification.domain.edits.script_test_edits import SCRIPTS
from yudai.verification.domain.proof import Subject
from yudai.verification.domain.sources.issue_text import holds, read_issue, stands_alone
from yudai.verification.domain.sources.names import Texts
from yudai.verification.domain.sources.places import Finding
from yudai.verification.domain.sources.python_subjects import python_findings
from yudai.verification.domain.sources.script_subjects import script_findings
from yudai.verification.domain.sources.scripts.additions import functions_of

_SHORTEST_QUOTE = 4
_LITERAL = re.compile(r"""(["'`])((?:(?!\1)[^\\\n{$]){4,200})\1""")


def subjects(  # noqa: PLR0913 - all that a test is judged by
    path: str,
    text: str,
    test: str,
    *,
    issue: str,
    source_paths: Collection[str],
    private: Collection[str] = (),
    files: Texts | None = None,
    sources: Texts | None = None,
    asks_words: bool = True,
    base: Texts | None = None,
) -> tuple[Subject, ...]:
    """The test's subjects, in the order of Subject; empty if the test cannot be read.

    `asks_words`: the message of a caught exception counts, too. `base`: sources before the patch.
    An issue that quotes a text which the patch removes from them asks for another text.
    """
    find = _finder(path, sources or {})
    if find is None:
        return ()
    try:
        findings = find(
            path, text, test, source_paths=source_paths, private=private, files=files or {}
        )
    except (UnreadableError, RecursionError, MemoryError):
        return ()
    found = {
        finding.subject
        for finding in findings
        if not _asks_for(issue, finding) and (asks_words or not finding.is_caught)
    }
    if Subject.WORDING in found and any(
        _quoted(issue, t) for t in _gone(base or {}, sources or {})
    ):
        found.discard(Subject.WORDING)
    return tuple(subject for subject in Subject if subject in found)


def _finder(path: str, sources: Texts):
    if path.endswith(".py"):
        return python_findings
    is_script = SCRIPTS.fullmatch(path) is not None
    return partial(script_findings, functions=functions_of(sources)) if is_script else None


def _asks_for(issue: str, finding: Finding) -> bool:
    if finding.subject is Subject.TIMING:
        return False
    if finding.name and _names(issue, finding.name):
        return True
    if finding.subject is Subject.PRIVATE_NAME:
        return False
    quoted = [text for text in finding.literals if text.strip()]
    if finding.subject is Subject.WORDING:
        return all(_quotes(issue, text) for text in quoted)
    long = [text for text in quoted if len(text.strip()) >= _SHORTEST_QUOTE]
    return bool(long) and all(_says(issue, text) for text in long)


def _quoted(issue: str, text: str) -> bool:
    read = read_issue(issue)
    return text in read.code or any(text in quoted for quoted in read.quoted)


def _gone(before: Texts, after: Texts) -> set[str]:
    """Literals of base with more than one word that the patch removes."""
    return {
        text
        for path, old in before.items()
        for _, text in _LITERAL.findall(old or "")
        if " " in text.strip() and text not in (after.get(path) or "")
    }


def _says(issue: str, text: str) -> bool:
    """Whether the issue contains the text; a single word has to be code or quoted."""
    read = read_issue(issue)
    is_word = text.strip().isalpha()
    return holds("\n".join([read.code, *read.quoted]) if is_word else issue, text)


def _names(issue: str, name: str) -> bool:
    return "*" not in name and stands_alone(issue.casefold(), name.casefold())


def _quotes(issue: str, text: str) -> bool:
    """Whether the issue contains the text; a short one has to be a whole word."""
    plain = text.strip()
    if len(plain) >= _SHORTEST_QUOTE:
        return holds(issue, plain)
    return stands_alone(issue, plain)
