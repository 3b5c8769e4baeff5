"""Recognises issues whose solution no test can show."""

import re

from yudai.patches.git_diff import FileChange
from yudai.patches.patch import Patch

# A title that reports a fault asks for a change that a test can show.
_FAILURE = re.compile(
    r"\b(?:crash|fail|rais|throw|hang|break|broke|ignor|reject|return|overwrit|corrupt|los[et]"
    r"|exception|traceback|wrong result|cannot|can't|does not work|doesn't work|is not|isn't)",
    re.IGNORECASE,
)
_LEAD = (
    r"^\W*(?:\[[^\]]*\]\W*|[\w./() -]{1,40}:\s*)?"
    r"(?:please\s|(?:we|you)\s(?:should|could)\s|let's\s)?"
)
_DOCUMENT = (
    r"(?:docs?|documentation|readme|doc-?strings?|changelog|code comments?"
    r"|[\w-]+\.(?:md|rst|adoc))"
)
_EDIT = (
    r"(?:fix\w*|correct\w*|updat\w+|improv\w+|add\w*|writ\w+|extend\w*|clarif\w+|complet\w+|expand"
    r"|explain\w*|mention\w*|rewrit\w+|reword\w*|missing|outdated|wrong|broken|incorrect"
    r"|misleading|unclear)"
)
_REFACTORING = (
    rf"{_LEAD}(?:refactor(?:ing)?|restructur(?:e|ing)|re-?organi[sz](?:e|ing)|clean(?:ing)?[ -]?up"
    r"|de-?duplicat(?:e|ing)|simplif(?:y|ying))\b(?!\()",
    rf"{_LEAD}renam(?:e|ing)\s.*\b(?:to|into|as)\s",
    r"\b(?:needs?|wants?|do|some)\s(?:an?\s)?(?:refactoring|clean-?up)\b",
)
_DOCUMENTATION = (
    r"^\W*(?:docs?|documentation)\W*(?:\([^)]*\))?:",
    rf"\b{_EDIT}\b.*\b{_DOCUMENT}(?:\W*$|\s(?:of|for|in|on|about|to)\b)",
    rf"\b{_EDIT}\s(?:the\s)?comments(?:\W*$|\sin\b)",
    rf"{_LEAD}document\s+(?:the|that|how|what|when|why|which|all|[`\"'-])",
    rf"\b{_DOCUMENT}\s.*\b(?:is|are|seems?|looks?)\s(?:\w+\s)?"
    r"(?:outdated|wrong|missing|incorrect|misleading|unclear|incomplete|stale)\b",
    rf"\b{_DOCUMENT}\sdo(?:es)?(?:n't|\snot)\s(?:mention|say|explain|describe|list|document)",
    r"^\W*(?:fix(?:e[sd])?\s+)?(?:an?\s+)?(?:typos?|misspell\w*|spelling)\b",
    rf"\b(?:typos?|misspell\w*|spelling|grammar)\b.*\b{_DOCUMENT}",
    r"\bundocumented\b",
)
_PERFORMANCE = (
    r"\b(?:performance|(?:too|very|so|is|are|extremely)\s(?:\w+\s)?slow"
    r"|slow(?:er|ness|ly|s down)|faster"
    r"|speed(?:s|ing)?[ -]?up|quadratic|latency)\b|\bO\(n",
    r"\bslow\b(?! (?:motion|start|mode|query log|log))",
    r"\bmemory\s(?:usage|use|consumption|footprint|leak)|\b(?:too much|out of|less)\smemory\b",
)
_PERFORMANCE_WORDS = re.compile("|".join(_PERFORMANCE), re.IGNORECASE)
_WITHOUT_PROOF = (
    (re.compile("|".join(_REFACTORING), re.IGNORECASE), "a refactoring"),
    (re.compile("|".join(_DOCUMENTATION), re.IGNORECASE), "documentation"),
    (_PERFORMANCE_WORDS, "performance"),
)


def without_proof(title: str, source: Patch, size: int) -> str:
    """Why a person can be asked without a test; empty if a test could show the change."""
    if size == 0 and not any(c.is_binary for c in source.files) and any(map(_says, source.files)):
        return "it changes documents and comments only"
    if _FAILURE.search(title):
        return ""
    kind = next((kind for words, kind in _WITHOUT_PROOF if words.search(title)), "")
    return f"the issue asks for {kind}" if kind else ""


def _says(change: FileChange) -> bool:
    """Whether it changes more than blank lines."""
    return any(line.strip() for line in (*change.added_lines, *change.removed_lines))


def is_about_performance(title: str) -> bool:
    return _PERFORMANCE_WORDS.search(title) is not None
