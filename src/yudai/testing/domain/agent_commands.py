"""Decides whether a command typed by an agent runs tests, and whether those passed.

The result marks a run's progress and is not part of a verdict. A test run is what a person would
call one.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from yudai.patches.test_paths import TEST_NAMES, name_of
from yudai.testing.domain import programs as known

# Only the beginning of a longer command is read.
MAX_CHARS = 64_000
_MAX_HEREDOCS = 8

_TOKEN = re.compile(
    r"""
      (?P<blank>(?:[ \t\r]|\\\n)+)
    | (?P<line>\n)
    | (?P<comment>\#[^\n]*)
    | (?P<heredoc><<-?[ \t]*(?P<quote>['"]?)(?P<end>[A-Za-z_]\w*)(?P=quote))
    | (?P<redirect>\d*(?:&>>|&>|>>|>\||>&|<&|<<<|<>|>|<)[ \t]*)
    | (?P<operator>&&|\|\||\|&|;;|[|;&()])
    | (?P<word>(?:
          '[^']*'
        | "(?:[^"\\]|\\.)*"
        | \$\{[^}\n]{0,200}\}
        | \$\([^()]*\)
        | `[^`]*`
        | \\[^\n]
        | [^\s|;&()<>'"\\`$]+ | \$
      )+)
    | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_QUOTED = re.compile(r"""'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)""", re.DOTALL)
# Words that only open or close a block; an ordinary command follows them.
_KEYWORDS = frozenset(
    ("if", "then", "elif", "else", "fi", "while", "until", "do", "done", "{", "}")
)


class Call(NamedTuple):
    """One program with its words; `then` is the operator after it: `&&`, `|`, `;`, or nothing."""

    words: tuple[str, ...]
    then: str = ""


def calls(command: str) -> tuple[Call, ...]:
    """All simple commands, in source order."""
    found: list[Call] = []
    words: list[str] = []
    for kind, text in _tokens(command[:MAX_CHARS]):
        if kind == "word":
            if words or text not in _KEYWORDS:
                words.append(_unquoted(text))
        elif words:
            found.append(Call(tuple(words), text))
            words = []
        elif found and found[-1].then in (")", "\n", ";"):
            # `(pytest) || true`: the operator after a group follows its last command.
            found[-1] = found[-1]._replace(then=found[-1].then if text == "\n" else text)
    return (*found, Call(tuple(words))) if words else tuple(found)


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    """Words and operators, without redirections, comments and here-documents."""
    at, ends, is_target = 0, list[str](), False
    while match := _TOKEN.match(text, at):
        at = match.end()
        kind = str(match.lastgroup)
        if match["heredoc"] is not None:
            ends = [*ends, match["end"]][:_MAX_HEREDOCS]
        elif kind == "redirect":
            is_target = True
        elif kind == "word":
            if not is_target:
                yield kind, match[0]
            is_target = False
        elif kind == "line":
            at, ends = _behind(text, at, ends), []
            yield "operator", "\n"
        elif kind == "operator":
            yield kind, match[0]


def _behind(text: str, at: int, ends: list[str]) -> int:
    """The position after the here-documents that the previous line opened."""
    for end in ends:
        closing = re.compile(rf"^\t*{end}$", re.MULTILINE).search(text, at)
        if closing is None:
            return len(text)
        at = min(closing.end() + 1, len(text))
    return at


def _unquoted(word: str) -> str:
    if not any(char in word for char in "'\"\\"):
        return word
    return _QUOTED.sub(lambda match: match[1] or match[2] or match[3] or "", word)


# `unwrapped` removes all other assignments.
_ADDITION = re.compile(r"[A-Za-z_]\w*\+=.*", re.DOTALL | re.ASCII)
_MAX_DEPTH = 4
# Runners print their summary at the end.
_TAIL = 4000


def runs_tests(command: str) -> bool:
    return _has_tests(command, 0)


def passed(command: str, *, exit_code: int, output: str) -> bool | None:
    """Whether its tests passed; None if neither its exit code nor its output shows it.

    After a pipe or a `;` the exit code is that of another program, so only the output is read.
    """
    if _is_decided(calls(command)):
        return exit_code == 0
    end = output[-_TAIL:]
    if known.FAILED.search(end):
        return False
    return True if known.PASSED.search(end) else None


def _is_decided(found: Sequence[Call]) -> bool:
    """Whether its exit code is that of its tests: only `&&` may follow them, and no `!` precede."""
    first = next((at for at, call in enumerate(found) if _is_test(call.words, 0)), len(found))
    *others, last = found[first:] or [Call((), "|")]
    is_last = last.then in ("", ")", "\n", ";") and "!" not in last.words[:1]
    return is_last and all(call.then == "&&" for call in others)


def _has_tests(command: str, depth: int) -> bool:
    return depth <= _MAX_DEPTH and any(_is_test(call.words, depth) for call in calls(command))


def _is_test(words: Sequence[str], depth: int) -> bool:
    added = next((at for at, word in enumerate(words) if not _ADDITION.fullmatch(word)), 0)
    words = tuple(known.unwrapped(words[added:], known.ALL_WRAPPERS, _program).words)
    if not words:
        return False
    program, rest = _program(words[0]), words[1:]
    if program in known.SHELLS:
        return _shell(rest, depth)
    if program == "eval":
        return _has_tests(" ".join(rest), depth + 1)
    if not (known.IDLE | known.IDLE_OF.get(program, frozenset())).isdisjoint(rest):
        return False
    if program == "python":
        return _python(rest)
    return _node(rest) if program in known.NODES else _is_runner(words[0], rest)


def _is_runner(word: str, rest: Sequence[str]) -> bool:
    program, plain = _program(word), _plain(rest)
    if program in known.TEST_PROGRAMS or ("/" in word and _is_script(word)):
        return True
    if program in known.NAMED:
        return any(known.TARGET.fullmatch(name) or name in known.PHASES for name in plain)
    if program in known.PACKAGERS and _package(plain):
        return True
    return bool(plain) and plain[0] in known.FIRST.get(program, ())


def _package(plain: Sequence[str]) -> bool:
    """`npm test`, `yarn workspaces run test:unit`, `yarn jest`."""
    names = [name for name in plain if name not in known.RUN]
    if names[:1] == ["workspace"]:
        names = names[2:]
    is_test = bool(names) and known.TARGET.fullmatch(names[0]) is not None
    return is_test or (bool(names) and names[0] in known.TEST_PROGRAMS)


def _plain(words: Sequence[str]) -> list[str]:
    """The words that are not options, up to `--`; later words belong to another program."""
    found: list[str] = []
    at = 0
    while at < len(words) and words[at] != "--":
        if words[at].startswith("-"):
            at += 2 if words[at] in known.VALUED else 1
            continue
        found.append(words[at])
        at += 1
    return found


def _program(word: str) -> str:
    name = name_of(word).removesuffix(".js").removesuffix(".cmd")
    return "python" if known.PYTHON.fullmatch(name) else name


def _shell(rest: Sequence[str], depth: int) -> bool:
    for at, word in enumerate(rest):
        if re.fullmatch(r"-\w*c\w*", word):
            return _has_tests(" ".join(rest[at + 1 : at + 2]), depth + 1)
        if not word.startswith("-"):
            return _is_script(word)
    return False


def _python(rest: Sequence[str]) -> bool:
    at = 0
    while at < len(rest) and rest[at].startswith("-"):
        if rest[at] == "-m":
            return _module(rest[at + 1 :])
        if rest[at] == "-c":
            return known.CODE.search(" ".join(rest[at + 1 : at + 2])) is not None
        at += 2 if rest[at] in known.VALUED else 1
    name = name_of(rest[at]) if at < len(rest) else ""
    if name in known.FIRST:
        return not known.FIRST[name].isdisjoint(rest[at + 1 : at + 2])
    return _is_test_file(name)


def _module(words: Sequence[str]) -> bool:
    name = words[0] if words else ""
    if name == "django":
        return words[1:2] == ("test",)
    return name in known.MODULES or name.rpartition(".")[2].startswith("test_")


def _node(rest: Sequence[str]) -> bool:
    file = next((word for word in rest if not word.startswith("-")), "")
    return "--test" in rest or _is_test_file(name_of(file))


def _is_test_file(name: str) -> bool:
    is_runner = _program(name) in known.TEST_PROGRAMS
    return is_runner or _is_script(name) or TEST_NAMES.fullmatch(name) is not None


def _is_script(word: str) -> bool:
    return known.SCRIPT.fullmatch(name_of(word)) is not None
