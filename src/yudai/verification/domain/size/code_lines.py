"""Finds a file's lines of code: no blank lines, comments or documentation strings."""

import re
from functools import lru_cache
from typing import NamedTuple

from yudai.verification.domain.sources.names import words

_C_COMMENT = r"/\*.*?(?:\*/|\Z)"
_LINE = r"[^\n]*"
_DOUBLE = r'"(?:\\.|[^"\\\n])*"?'
_SINGLE = r"'(?:\\.|[^'\\\n])*'?"
_BACKTICK = r"`(?:\\.|[^`\\])*(?:`|\Z)"
_RAW = r"`[^`]*(?:`|\Z)"
_TRIPLE = r'[rRbBuUfF]{0,2}(?:"""(?:\\.|[^\\])*?(?:"""|\Z)|' + r"'''(?:\\.|[^\\])*?(?:'''|\Z))"
# A slash after an operator begins a regular expression, where `/*` begins no comment.
_SCRIPT_PATTERN = (
    r"(?<=[=(,:\[!&|?{};+\n ])/(?![/*])"
    r"(?:\\.|\[(?:\\.|[^\]\\\n]){0,200}\]|[^/\\\[\n]){1,500}/"
)


class _Language(NamedTuple):
    comments: tuple[str, ...]
    texts: tuple[str, ...] = (_DOUBLE, _SINGLE)
    """Strings and regular expressions, where comment marks have no meaning."""
    has_bare_texts: bool = False
    """Whether a string that is a whole statement is documentation."""


_HASH = rf"#(?!!){_LINE}"
_SLASHES = rf"//{_LINE}"
_DASHES = rf"--{_LINE}"
_MARKUP = r"<!--.*?(?:-->|\Z)"
_C = _Language((_SLASHES, _C_COMMENT))
_SCRIPT = _Language((_SLASHES, _C_COMMENT), (_DOUBLE, _SINGLE, _BACKTICK, _SCRIPT_PATTERN))
_LANGUAGES = {
    _Language((_HASH,), (_TRIPLE, _DOUBLE, _SINGLE), has_bare_texts=True): "py pyi pyx",
    _Language((_HASH,)): """rb sh bash zsh pl pm r ex exs nix tf jl yml yaml toml cfg conf mk cmake
        properties Makefile Dockerfile Rakefile Gemfile CMakeLists.txt requirements.txt
        .gitignore .dockerignore .gitattributes .editorconfig .env""",
    _C: "c h cc cpp cxx hpp hh cs java swift kt kts scala dart proto groovy gradle scss less m mm",
    _SCRIPT: "js jsx mjs cjs ts tsx mts cts",
    # A comment that begins with `//go:` is a compiler directive.
    _Language((rf"//(?!go:){_LINE}", _C_COMMENT), (_DOUBLE, _SINGLE, _RAW)): "go",
    # A single quote can also begin a lifetime.
    _Language((_SLASHES, _C_COMMENT), (_DOUBLE,)): "rs zig",
    _Language((_SLASHES, rf"#(?!\[){_LINE}", _C_COMMENT)): "php",
    _Language((_C_COMMENT,)): "css",
    _Language((_MARKUP,), ()): "html htm xml svg",
    _Language((_MARKUP, _SLASHES, _C_COMMENT), _SCRIPT.texts): "vue svelte",
    _Language((_DASHES, _C_COMMENT)): "sql",
    _Language((r"--\[\[.*?(?:\]\]|\Z)", _DASHES)): "lua",
    _Language((r"\{-.*?(?:-\}|\Z)", rf"--(?!\w){_LINE}"), (_DOUBLE,)): "hs elm",
    _Language((rf";{_LINE}",), (_DOUBLE,)): "clj cljs lisp el scm",
    _Language((rf"[;#]{_LINE}",), ()): "ini",
    _Language((rf"%{_LINE}",), ()): "tex erl hrl",
}
_BY_ENDING = {
    ending.lower(): language
    for language, endings in _LANGUAGES.items()
    for ending in words(endings)
}
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")


@lru_cache(maxsize=64)
def code_lines(path: str, text: str, *, is_whole: bool = True) -> frozenset[int]:
    """Numbers of the lines with code, from 1; all lines that are not blank in unknown languages.

    A part of a file can begin or end inside a comment; these lines then count as code.
    """
    language = _BY_ENDING.get(_ending(path), _Language((), ()))
    found: set[int] = set()
    line, depth, before = 1, 0, ""
    for match in _tokens(language).finditer(text):
        kind, token = match.lastgroup, match[0]
        if kind == "end":
            line += 1
            continue
        is_start = line not in found and depth <= 0 and before != "\\"
        is_bare = language.has_bare_texts and kind == "text" and is_start
        if is_bare and (is_whole or "\n" not in token) and _is_alone(text, match.end()):
            kind = "comment"
        if kind != "comment" or not (is_whole or "\n" not in token or _is_closed(token)):
            found.update(_lines_of(token, line))
            before = token[-1]
        if kind == "code":
            depth += sum((c in _OPENING) - (c in _CLOSING) for c in token)
        line += token.count("\n")
    return frozenset(found)


def _ending(path: str) -> str:
    name = path.rpartition("/")[2].lower()
    if name.startswith("requirements") and name.endswith(".txt"):
        return "requirements.txt"
    return name if name in _BY_ENDING else name.rpartition(".")[2]


@lru_cache(maxsize=64)
def _tokens(language: _Language) -> re.Pattern[str]:
    first = {"#", "/", "-", "<", ";", "%", "{", '"', "'", "`"}
    plain = "".join(re.escape(char) for char in sorted(first))
    parts = [
        r"(?P<end>\n)",
        *([rf"(?P<comment>{'|'.join(language.comments)})"] if language.comments else []),
        *([rf"(?P<text>{'|'.join(language.texts)})"] if language.texts else []),
        rf"(?P<code>[^\s{plain}rRbBuUfF]+|\S)",
    ]
    return re.compile("|".join(parts), re.DOTALL)


def _is_closed(comment: str) -> bool:
    return comment.endswith(("*/", "-->", "]]", "-}"))


def _is_alone(text: str, at: int) -> bool:
    """Whether only a comment follows in the line."""
    rest = text[at : at + 500].partition("\n")[0].strip()
    return not rest or rest.startswith("#")


def _lines_of(token: str, line: int) -> set[int]:
    return {line + n for n, part in enumerate(token.split("\n")) if part.strip()}
