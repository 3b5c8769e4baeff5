"""Whether a test is about this issue: it calls what the issue names with what the issue gives."""

import re
from collections.abc import Iterator, Sequence

from yudai.kit.syntax import UnreadableError
from yudai.verification.domain.edits.script_test_edits import SCRIPTS
from yudai.verification.domain.size.code_lines import code_lines
from yudai.verification.domain.sources.facts import Facts, facts_of, given_in, named_in
from yudai.verification.domain.sources.names import Texts, words
from yudai.verification.domain.sources.python_facts import python_facts
from yudai.verification.domain.sources.script_facts import script_facts

_SHELL = re.compile(r".*\.(?:sh|bash|zsh|bats)|(?:.*/)?Makefile")
_IMPORT = re.compile(
    r"^[ \t]*(?:import[ \t]*\([^)]{0,9000}\)|(?:import|package|use|using|mod|module|#include"
    r"|require|require_relative|namespace|extern)\b[^\n]*)",
    re.MULTILINE,
)
# A test's title and its failure messages are no inputs.
_TITLE = re.compile(
    r"""\b(?:Run|Errorf?|Fatalf?|Logf?|Skipf?|it|describe|context|test|panic|expect|fail|bail)!?
        \s*\(\s*(?:"(?:\\.|[^"\\\n]){0,300}"|`[^`]{0,300}`)""",
    re.VERBOSE,
)
_DEFINED = re.compile(
    r"\b(?:func|fn|fun|def|class|void|struct|trait|interface)[ \t]+(?:\([^()\n]*\)[ \t]*)?\w+"
)
_CALLED = re.compile(r"(?:(?<=\.)|(?<=::)|(?<=->))([A-Za-z_]\w*)|\b([A-Za-z_]\w*)[!?]?[ \t]*\(")
_COMMANDS = re.compile(
    r"(?:^|[|;&(`{!]|\$\(|\bif|\bthen|\bdo)[ \t]*([A-Za-z_][\w.-]*)", re.MULTILINE
)
_STRING = re.compile(
    r""""((?:\\.|[^"\\\n])*)(?:"|$)|'((?:\\.|[^'\\\n]){0,300})'|`([^`]{1,2000})`""", re.MULTILINE
)
_NUMBER = re.compile(r"(?<![\w.])\d[\d_]*(?:\.\d+)?(?![\w.])")
_CODE = re.compile(
    r"\b[A-Za-z_]\w{0,100}\([^()\n]{1,200}\)|\[[^\[\]\n]{1,200}\]|\{[^{}\n]{1,200}\}"
)
_ESCAPES = {r"\n": "\n", r"\t": "\t", r"\"": '"', r"\'": "'", r"\\\\": "\\"}
_MOST_CHARACTERS = 200_000
_NO_CALLS = words(
    """if for while switch match return catch func fn fun def go defer select sizeof typeof new
    assert assert_eq assert_ne debug_assert assertEquals assertEqual assertTrue assertFalse
    assertNull assertThat assertThrows assert_equal refute expect require should must is_equal
    describe context it test tests run Run Equal NotEqual NoError Error ErrorIs Errorf Fatal Fatalf
    Log Logf Helper Skip Skipf Parallel TempDir Setenv Cleanup True False Nil NotNil Contains Len
    panic println print printf Println Printf Sprintf Errorf make append len cap string vec format
    unwrap unwrap_err to_string into clone iter collect as_str is_ok is_err Some None Ok Err
    DeepEqual Fail FailNow toBe toEqual eq be cfg derive main echo exit set cd then do done fi else
    true false grep cat cmp diff mktemp rm cp mv mkdir local export source trap"""
)


def is_tied(path: str, text: str, test: str, *, issue: str, files: Texts | None = None) -> bool:
    facts = _facts(path, text, test, files or {})
    if facts is None:
        return False
    names = {match.text for match in named_in(issue, facts)}
    given = {match.text for match in given_in(issue, facts)}
    # One word cannot be both the name and the input.
    return bool(names and given) and len(names | given) > 1


def is_file_tied(path: str, before: str | None, after: str, *, issue: str) -> bool:
    """Whether a patch's additions to a test file are tied, if its single tests are not known."""
    if path.endswith(".py") or SCRIPTS.fullmatch(path):
        return is_tied(path, after, "", issue=issue)
    known = set((before or "").split("\n"))
    added = "\n".join(line for line in after.split("\n") if line not in known)
    return is_tied(path, added, "", issue=issue)


def match_scores(
    path: str, text: str, test: str, issues: Sequence[str], files: Texts | None = None
) -> list[int]:
    """How much of the issue the test uses; compare only scores of one test."""
    facts = _facts(path, text, test, files or {})
    return [0 if facts is None else _score(facts, issue) for issue in issues]


def part_scores(path: str, text: str, issues: Sequence[str]) -> list[int]:
    """The same scores for a part of a file, which is read line by line."""
    facts = _text_facts(path, text)
    return [_score(facts, issue) for issue in issues]


def _score(facts: Facts, issue: str) -> int:
    return sum(match.weight for match in (*named_in(issue, facts), *given_in(issue, facts)))


def _facts(path: str, text: str, test: str, files: Texts) -> Facts | None:
    try:
        if path.endswith(".py"):
            return python_facts(path, text, test, files)
        if SCRIPTS.fullmatch(path):
            return script_facts(path, text, test, files)
    except (UnreadableError, RecursionError, MemoryError):
        return None
    return _text_facts(path, text)


def _text_facts(path: str, text: str) -> Facts:
    """The facts of a test in another language, read line by line."""
    lines = text[:_MOST_CHARACTERS].split("\n")
    code = code_lines(path, "\n".join(lines))
    said = "\n".join(line for number, line in enumerate(lines, 1) if number in code)
    said = _TITLE.sub(" ", _IMPORT.sub(" ", said))
    strings = list(_strings(said))
    bare = _DEFINED.sub(" ", _STRING.sub('""', said))
    return facts_of(
        names=_names(path, bare),
        strings=strings,
        numbers=_NUMBER.findall(bare),
        code=_CODE.findall(said),
        without=_NO_CALLS,
    )


def _names(path: str, bare: str) -> Iterator[str]:
    if _SHELL.fullmatch(path):
        yield from _COMMANDS.findall(bare)
        return
    for member, called in _CALLED.findall(bare):
        yield member or called


def _strings(said: str) -> Iterator[str]:
    for found in _STRING.findall(said):
        text = "".join(found)
        for escape, char in _ESCAPES.items():
            text = text.replace(escape, char)
        yield text
