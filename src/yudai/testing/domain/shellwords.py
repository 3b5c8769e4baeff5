"""A shell command taken apart into the programs that it starts; nothing is expanded or run."""

import re
from collections.abc import Iterator
from typing import NamedTuple

# Of what is longer only the beginning is looked at.
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
# Words that only open or close something: what they stand before is a command like any.
_KEYWORDS = frozenset(
    ("if", "then", "elif", "else", "fi", "while", "until", "do", "done", "{", "}")
)


class Call(NamedTuple):
    """One program with its words; `then` is what stands behind it: `&&`, `|`, `;`, or nothing."""

    words: tuple[str, ...]
    then: str = ""


def calls(command: str) -> tuple[Call, ...]:
    """Every simple command, in the order in which they are written."""
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
            # `(pytest) || true`: what follows a group follows its last command.
            found[-1] = found[-1]._replace(then=_stronger(found[-1].then, text))
    return (*found, Call(tuple(words))) if words else tuple(found)


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    """Words and operators; what is redirected, remarked or handed over as a file is left out."""
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
    """Where the text goes on after the files that its last line has announced."""
    for end in ends:
        closing = re.compile(rf"^\t*{end}$", re.MULTILINE).search(text, at)
        if closing is None:
            return len(text)
        at = min(closing.end() + 1, len(text))
    return at


def _stronger(before: str, after: str) -> str:
    return before if after == "\n" else after


def _unquoted(word: str) -> str:
    if not any(char in word for char in "'\"\\"):
        return word
    return _QUOTED.sub(lambda match: match[1] or match[2] or match[3] or "", word)
