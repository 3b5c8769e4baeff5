"""What a script's test is about beside behaviour: files, private names, messages, time."""

import re
from collections.abc import Collection, Iterator

from yudai.verification.domain.proof import Subject
from yudai.verification.domain.sources.names import Texts, words
from yudai.verification.domain.sources.places import Finding, Place, Root, finding_of
from yudai.verification.domain.sources.script_assertions import (
    Assertion,
    arguments,
    assertions,
    names,
    texts,
)
from yudai.verification.domain.sources.script_closure import (
    Piece,
    ScriptTest,
    resolved,
    script_test,
)
from yudai.verification.domain.sources.script_definitions import pattern_names
from yudai.verification.domain.sources.script_tokens import Script, Statement, TokenKind

_READS = words(
    """readFileSync readFile createReadStream existsSync statSync readdirSync readdir accessSync
    access lstatSync"""
)
_WRITES = frozenset({"writeFileSync", "writeFile", "appendFileSync", "mkdirSync"})
_TEMPORARY = words("tmpdir mkdtempSync mkdtemp tmp tmpDir tempDir tempdir")
_PROGRAMS = words("execSync exec execFileSync execFile spawnSync spawn execa execaSync")
_SEARCHES = words("grep rg cat find sed awk")
_THROWS = words(
    """toThrow toThrowError throw throws rejects rejectedWith Throw
    toThrowErrorMatchingInlineSnapshot"""
)
_MESSAGES = frozenset({"stderr", "console"})
_ERROR = re.compile(r"e|ex|err|.*(error|exception|thrown|caught|rejection)", re.IGNORECASE)
_VALUES = frozenset({"const", "let", "var"})
_ORDERS = words(
    """toBeLessThan toBeLessThanOrEqual toBeGreaterThan toBeGreaterThanOrEqual toBeCloseTo below
    above lessThan greaterThan most least isBelow isAbove isAtMost isAtLeast within closeTo"""
)
_HARMLESS = frozenset({"_", "_id", "_type"})


def script_findings(
    path: str,
    text: str,
    test: str,
    *,
    source_paths: Collection[str],
    private: Collection[str],
    files: Texts,
) -> list[Finding]:
    found = script_test(path, text, test, files)
    pieces = [found.own, *found.helpers]
    values = _Values(pieces)
    literals = tuple(
        literal
        for piece in pieces
        for assertion in assertions(piece.script, piece.part)
        for part in assertion.given
        for literal in texts(piece.script, part)
    )
    written = {name for piece in pieces for name in _written(piece, values)}
    findings: dict[Finding, None] = {}
    for piece in pieces:
        for place in _read(piece, values):
            finding = finding_of(place, piece.path, source_paths)
            if finding is not None and finding.name not in written:
                findings[finding._replace(literals=literals)] = None
        if _looks_at_source(piece, found):
            findings[Finding(Subject.SOURCE_TEXT, literals=literals)] = None
        findings.update(dict.fromkeys(_private(piece, found, frozenset(private))))
        findings.update(dict.fromkeys(_wording(piece, found, values)))
        if _is_timed(piece, values, found):
            findings[Finding(Subject.TIMING)] = None
    for place in _data(found, pieces):
        finding = finding_of(place, path, source_paths)
        if finding is not None and finding.subject is Subject.DATA_FILE:
            findings[finding._replace(literals=literals)] = None
    return list(findings)


class _Values:
    """What the names of a test were made of: every token of their declarations."""

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


def _calls(piece: Piece, wanted: frozenset[str]) -> Iterator[tuple[int, list[Statement]]]:
    script = piece.script
    for at in range(piece.part.start, piece.part.end - 1):
        if script.word(at) in wanted and script.word(at + 1) == "(":
            yield at, arguments(script, at + 1)


def _read(piece: Piece, values: _Values) -> Iterator[Place]:
    for _, given in _calls(piece, _READS):
        if given and not values.mention(piece.script, given[0], _TEMPORARY):
            yield _place(piece, given[0], values)


def _written(piece: Piece, values: _Values) -> Iterator[str]:
    for _, given in _calls(piece, _WRITES):
        parts = _place(piece, given[0], values).parts if given else ()
        yield from parts[-1:]


def _place(piece: Piece, part: Statement, values: _Values) -> Place:
    """Strings in the order in which they are written make a path."""
    script = piece.script
    place = Place(Root.REPOSITORY)
    for at in range(part.start, part.end):
        word, text = script.word(at), script.string(at)
        if word in {"__dirname", "__filename"} or (word == "meta" and script.word(at - 1) == "."):
            place = Place(Root.REPOSITORY, tuple(piece.path.split("/")[:-1]))
        elif text is not None and "file:" not in text and text != "utf8":
            place = place.joined(text.lstrip("/"))
        elif script.is_name(at) and script.word(at - 1) != ".":
            made = list(values.made_of(word))[:1]
            for other, inner in made:
                start = _place(Piece(inner, other, piece.path), inner, _NO_VALUES)
                place = start if not place.parts else place.joined("/".join(start.parts))
    return place


_NO_VALUES = _Values([])


def _looks_at_source(piece: Piece, test: ScriptTest) -> bool:
    script = piece.script
    for _, given in _calls(piece, _PROGRAMS):
        first = next(iter(texts(script, given[0])), "") if given else ""
        words = first.split()
        if words[:1] and (words[0] in _SEARCHES or words[:2] == ["git", "grep"]):
            return True
    return any(
        script.word(at) in test.imports
        and script.word(at + 1) == "."
        and script.word(at + 2) == "toString"
        for at in range(piece.part.start, piece.part.end)
    )


def _data(test: ScriptTest, pieces: list[Piece]) -> Iterator[Place]:
    """`require("../package.json")`, here or by a name of the file that the test uses."""
    mentioned = {name for piece in pieces for name in names(piece.script, piece.part)}
    for name, module in test.imports.items():
        if name in mentioned and module.startswith(".") and module.endswith(".json"):
            yield Place(Root.REPOSITORY).joined(resolved(test.path, module))
    for piece in pieces:
        for _, given in _calls(piece, frozenset({"require", "import"})):
            text = piece.script.string(given[0].start) if given else None
            if text is not None and text.startswith("."):
                yield Place(Root.REPOSITORY).joined(resolved(piece.path, text))


def _private(piece: Piece, test: ScriptTest, private: frozenset[str]) -> Iterator[Finding]:
    script = piece.script
    own = {
        test.script.word(at)
        for at in range(len(test.script.tokens))
        if test.script.is_name(at)
        and (test.script.word(at - 1) in _VALUES or test.script.word(at + 1) in {":", "("})
        and test.script.word(at - 1) not in {".", "?."}
    }
    for at in range(piece.part.start, piece.part.end):
        name = _accessed(script, at, test)
        is_marked = name.startswith("_") and not name.startswith("__") and name not in _HARMLESS
        is_taken = name == "__get__"
        if name and (name in private or is_taken or (is_marked and name not in own)):
            yield Finding(Subject.PRIVATE_NAME, script.string(at) or name)


def _accessed(script: Script, at: int, test: ScriptTest) -> str:
    word = script.word(at)
    if script.is_name(at):
        if script.word(at - 1) in {".", "?."}:
            return word if script.word(at - 2) != "this" else ""
        return word if word in test.imports and "test" not in test.imports[word] else ""
    text = script.string(at)
    if text is not None and script.word(at - 4) == "spyOn" and script.word(at - 1) == ",":
        return text
    is_key = script.word(at - 1) == "[" and script.word(at + 1) == "]" and at > 1
    is_object = script.is_name(at - 2) or script.word(at - 2) in {")", "]"}
    if text is not None and (is_key and is_object):
        return text
    # A module's inside, taken by rewire.
    return "__get__" if text is not None and script.word(at - 2) in {"__get__", "__set__"} else ""


def _wording(piece: Piece, test: ScriptTest, values: _Values) -> Iterator[Finding]:
    script = piece.script
    is_chai = any("chai" in module for module in test.imports.values())
    shows_help = any(text in {"--help", "-h"} for text in texts(test.script, test.own.part))
    for assertion in assertions(script, piece.part):
        asked = list(_asked(script, assertion, is_chai=is_chai))
        looks = (
            values.mention(script, assertion.subject, _MESSAGES)
            or _spies(script, assertion)
            or _is_said(script, assertion.subject)
        )
        if looks or shows_help:
            asked += [text for part in assertion.given for text in texts(script, part)]
            if assertion.root == "assert":
                asked += texts(script, assertion.subject)
        asked = [t for t in asked if any(map(str.isalpha, t)) and t not in {"--help", "-h"}]
        if asked:
            yield Finding(Subject.WORDING, literals=tuple(asked))


def _is_said(script: Script, part: Statement) -> bool:
    """`error.message`; a message of something else is the product's data."""
    return any(
        script.word(at) in {"message", "stack"}
        and script.word(at - 1) in {".", "?."}
        and _ERROR.fullmatch(script.word(at - 2)) is not None
        for at in range(part.start + 2, part.end)
    )


def _spies(script: Script, assertion: Assertion) -> bool:
    subject = "".join(names(script, assertion.subject))
    return "CalledWith" in assertion.matcher and subject.startswith("console")


def _asked(script: Script, assertion: Assertion, *, is_chai: bool) -> Iterator[str]:
    """What a thrown error has to say."""
    if assertion.matcher not in _THROWS:
        return
    for part in assertion.given:
        is_text = script.string(part.start) is not None
        if assertion.root == "assert" and is_text and not is_chai:
            # Node's own takes it for what is said when nothing is thrown.
            continue
        if script.word(part.start) == "{":
            yield from _message_of(script, part)
        else:
            yield from texts(script, part)


def _message_of(script: Script, part: Statement) -> Iterator[str]:
    for given in arguments(script, part.start):
        if script.word(given.start) == "message":
            yield from texts(script, given)


def _is_timed(piece: Piece, values: _Values, test: ScriptTest) -> bool:
    script = piece.script
    if "useFakeTimers" in names(test.script, Statement(0, len(test.script.tokens))):
        return False
    for assertion in assertions(script, piece.part):
        parts = [assertion.subject, *assertion.given]
        if _is_order(script, assertion) and any(_has_clock(script, p, values) for p in parts):
            return True
    return _has_short_limit(script, piece.part)


def _is_order(script: Script, assertion: Assertion) -> bool:
    if assertion.matcher in _ORDERS:
        return True
    signs = {"<", ">", "<=", ">="}
    return any(script.word(at) in signs for at in range(*assertion.subject))


def _has_clock(script: Script, part: Statement, values: _Values) -> bool:
    parts = [(script, part)]
    parts += [made for name in names(script, part) for made in values.made_of(name)]
    return any(_calls_clock(s, at) for s, p in parts for at in range(p.start, p.end))


def _calls_clock(script: Script, at: int) -> bool:
    if script.word(at) == "hrtime":
        return True
    is_now = script.word(at) == "now" and script.word(at - 1) == "." and script.word(at + 1) == "("
    return is_now and script.word(at - 2) in {"Date", "performance"}


def _has_short_limit(script: Script, part: Statement) -> bool:
    """A limit below a second says how fast something has to be, not that it ends."""
    for at in range(part.start, part.end - 2):
        if script.word(at) == "timeout" and script.word(at + 1) in {"(", ":"}:
            is_own = script.word(at - 2) == "this" or script.string(at - 3) is not None
            token = script.tokens[at + 2]
            if is_own and token.kind is TokenKind.NUMBER and len(token.text) < 4:
                return True
    return False
