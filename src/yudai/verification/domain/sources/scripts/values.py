"""The declarations of names in a script's test."""

from collections.abc import Iterator

from yudai.verification.domain.sources.script_assertions import names
from yudai.verification.domain.sources.script_closure import Piece
from yudai.verification.domain.sources.script_definitions import pattern_names
from yudai.verification.domain.sources.script_tokens import Script, Statement

_VALUES = frozenset({"const", "let", "var"})


class Values:
    """By name: all tokens of its declarations."""

    def __init__(self, pieces: list[Piece]) -> None:
        self._made: dict[str, list[tuple[Script, Statement]]] = {}
        for piece in pieces:
            script = piece.script
            for at in range(piece.part.start, piece.part.end):
                if script.word(at - 1) in _VALUES or script.word(at - 1) == "=" or at == 0:
                    continue
                if script.word(at) in _VALUES:
                    self._declare(script, at + 1, piece.part.end)
                elif script.word(at + 1) == "=" and script.is_name(at):
                    self._put(script, [script.word(at)], at + 2, piece.part.end)
            if script.word(piece.part.start) in _VALUES:
                self._declare(script, piece.part.start + 1, piece.part.end)

    def made_of(self, name: str, depth: int = 0) -> Iterator[tuple[Script, Statement]]:
        for script, part in self._made.get(name, ())[:4]:
            yield script, part
            if depth < 3:
                for inner in list(names(script, part))[:20]:
                    yield from self.made_of(inner, depth + 1)

    def mention(self, script: Script, part: Statement, wanted: frozenset[str]) -> bool:
        for name in names(script, part):
            if name in wanted:
                return True
            if any(wanted & set(names(s, p)) for s, p in self.made_of(name)):
                return True
        return False

    def _declare(self, script: Script, at: int, end: int) -> None:
        if script.word(at) in {"{", "["}:
            bound = list(pattern_names(script, at))
            at = script.partners[at]
        else:
            bound = [script.word(at)]
        if script.word(at + 1) == "=":
            self._put(script, bound, at + 2, end)

    def _put(self, script: Script, bound: list[str], at: int, end: int) -> None:
        last = at
        for inner in script.level(at, min(end, at + 400)):
            if script.word(inner) in {";", ","} or (
                inner > at and script.tokens[inner].is_first and script.word(inner) in _VALUES
            ):
                break
            last = inner + 1
        for name in bound:
            self._made.setdefault(name, []).append((script, Statement(at, last)))
