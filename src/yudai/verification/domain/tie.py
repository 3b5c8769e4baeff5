"""Whether a test is about this issue: it calls what the issue names with what the issue gives."""

from yudai.kit.syntax import UnreadableError
from yudai.verification.domain.edits.script_test_edits import SCRIPTS
from yudai.verification.domain.sources.facts import Facts, given_in, named_in
from yudai.verification.domain.sources.names import Texts
from yudai.verification.domain.sources.python_facts import python_facts
from yudai.verification.domain.sources.script_facts import script_facts


def is_tied(path: str, text: str, test: str, *, issue: str, files: Texts | None = None) -> bool:
    facts = _facts(path, text, test, files or {})
    if facts is None:
        return False
    names = {match.text for match in named_in(issue, facts)}
    given = {match.text for match in given_in(issue, facts)}
    # One word cannot be both.
    return bool(names and given) and len(names | given) > 1


def match_score(path: str, text: str, test: str, issue: str, files: Texts | None = None) -> int:
    """How much of an issue a test uses: to be compared with the same test's score for others."""
    facts = _facts(path, text, test, files or {})
    if facts is None:
        return 0
    matches = [*named_in(issue, facts), *given_in(issue, facts)]
    return sum(match.weight for match in matches)


def _facts(path: str, text: str, test: str, files: Texts) -> Facts | None:
    try:
        if path.endswith(".py"):
            return python_facts(path, text, test, files)
        if SCRIPTS.fullmatch(path):
            return script_facts(path, text, test, files)
    except (UnreadableError, RecursionError, MemoryError):
        pass
    return None
