"""Finds files and sources that a script's test reads in special ways."""

import re
from collections.abc import Collection, Iterator

from yudai.verification.domain.sources.names import words
from yudai.verification.domain.sources.places import Place
from yudai.verification.domain.sources.script_assertions import arguments, texts
from yudai.verification.domain.sources.script_closure import Piece, without_ending
from yudai.verification.domain.sources.script_tokens import Script, Statement
from yudai.verification.domain.sources.scripts.product import (
    chain_end,
    is_root,
    product_of,
)

_PROGRAMS = words("execSync exec execFileSync execFile spawnSync spawn execa execaSync")
_SEARCHES = words("grep rg cat find sed awk head tail wc diff stat")
_SHELLS = words("sh bash zsh dash")
_VALUES = frozenset({"const", "let", "var"})
_NEXT_COMMAND = re.compile(r"[;|&\n]+")


def calls(piece: Piece, wanted: frozenset[str]) -> Iterator[tuple[int, list[Statement]]]:
    """Calls of these functions, also by another name or in brackets."""
    script = piece.script
    also = set(_other_names(script, wanted))
    for at in range(piece.part.start, piece.part.end - 1):
        is_named = script.word(at) in wanted or (
            script.word(at) in also and script.word(at - 1) != "."
        )
        if is_named and script.word(at + 1) == "(":
            yield at, arguments(script, at + 1)
        is_key = script.word(at - 1) == "[" and script.word(at + 1) == "]"
        if is_key and script.string(at) in wanted and script.word(at + 2) == "(":
            yield at, arguments(script, at + 2)


def _other_names(script: Script, wanted: frozenset[str]) -> Iterator[str]:
    """`{ read: slurp }`, `{ read as slurp }`, `const slurp = fs.read`, `createRequire(...)`."""
    for at in range(1, len(script.tokens) - 1):
        word = script.word(at)
        if word in wanted and script.word(at + 1) in {":", "as"} and script.is_name(at + 2):
            if script.word(at - 1) in {"{", ","}:
                yield script.word(at + 2)
        elif script.word(at - 1) in _VALUES and script.word(at + 1) == "=":
            start = at + 2
            end = chain_end(script, start)
            if script.word(end - 1) in wanted and script.word(end) != "(":
                yield word
            if "require" in wanted and script.word(end - 1) == "createRequire":
                yield word


def completed(place: Place, source_paths: Collection[str]) -> Place:
    """A module's file; its suffix may be left out."""
    path = "/".join(place.parts)
    if not path or path in source_paths:
        return place
    found = sorted(
        source for source in source_paths if without_ending(source) == path and source != path
    )
    # Scripts come before data files.
    found.sort(key=lambda source: source.endswith(".json"))
    return place._replace(parts=tuple(found[0].split("/"))) if found else place


def looks_at_source(piece: Piece, functions: Collection[str]) -> bool:
    return _searches(piece) or _shows_functions(piece, functions)


def _searches(piece: Piece) -> bool:
    for _, given in calls(piece, _PROGRAMS):
        said = [text for part in given for text in texts(piece.script, part)]
        is_shell = said[:1] and said[0].rpartition("/")[2] in _SHELLS
        lines = said[1:] if is_shell else said[:1]
        commands = [part.split() for line in lines for part in _NEXT_COMMAND.split(line)]
        if any(c[:1] and (c[0] in _SEARCHES or c[:2] == ["git", "grep"]) for c in commands):
            return True
    return False


def _shows_functions(piece: Piece, functions: Collection[str]) -> bool:
    """`human.toString()`, `String(human)`, `${human}`: the text of a function."""
    script = piece.script
    product = product_of(script)
    for at in range(piece.part.start, piece.part.end):
        if not is_root(script, at, product.kept):
            continue
        end = chain_end(script, at)
        is_text = script.word(end - 1) == "toString"
        last = script.word(end - 3 if is_text else end - 1)
        is_direct = is_text and end == at + 3
        is_function = is_direct or product.originals.get(last, last) in functions
        if is_function and (is_text or _is_made_text(script, at, end)):
            return True
    return False


def _is_made_text(script: Script, start: int, end: int) -> bool:
    before, closer = script.word(start - 1), script.word(end)
    if before == "${":
        return closer == "}"
    if before == "+" or closer == "+":
        return True
    callee = [script.word(start - 4), script.word(start - 2)]
    is_converted = callee[1] in {"String", "inspect"} or callee == ["toString", "call"]
    return before == "(" and is_converted
