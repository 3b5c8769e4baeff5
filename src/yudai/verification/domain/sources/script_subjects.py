"""Finds what a script's test checks besides behaviour: files, private names, messages, time."""

from collections.abc import Collection, Iterator

from yudai.verification.domain.proof import Subject
from yudai.verification.domain.sources.names import Texts, words
from yudai.verification.domain.sources.places import Finding, Place, Root, finding_of
from yudai.verification.domain.sources.script_assertions import (
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
from yudai.verification.domain.sources.script_tokens import Script, Statement
from yudai.verification.domain.sources.scripts.clocks import is_timed
from yudai.verification.domain.sources.scripts.loaded import calls, completed, looks_at_source
from yudai.verification.domain.sources.scripts.messages import wording
from yudai.verification.domain.sources.scripts.product import is_taken_apart, product_of
from yudai.verification.domain.sources.scripts.values import Values

_READS = words(
    """readFileSync readFile createReadStream existsSync statSync readdirSync readdir accessSync
    access lstatSync"""
)
_WRITES = frozenset({"writeFileSync", "writeFile", "appendFileSync", "mkdirSync"})
_TEMPORARY = words("tmpdir mkdtempSync mkdtemp tmp tmpDir tempDir tempdir")
_DECLARES = frozenset({"const", "let", "var"})
_HARMLESS = frozenset({"_", "_id", "_type"})


def script_findings(  # noqa: PLR0913 - all that a test is judged by
    path: str,
    text: str,
    test: str,
    *,
    source_paths: Collection[str],
    private: Collection[str],
    files: Texts,
    functions: Collection[str] = (),
) -> list[Finding]:
    """The test's findings; `functions`: functions and classes that the sources define."""
    found = script_test(path, text, test, files)
    pieces = [found.own, *found.helpers]
    values = Values(pieces)
    helpers = {
        piece.script.word(piece.part.start + 1): piece
        for piece in pieces
        if piece.script.word(piece.part.start) == "function"
    }
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
            finding = finding_of(completed(place, source_paths), piece.path, source_paths)
            if finding is not None and finding.name not in written:
                findings[finding._replace(literals=literals)] = None
        if looks_at_source(piece, functions):
            findings[Finding(Subject.SOURCE_TEXT, literals=literals)] = None
        findings.update(dict.fromkeys(_private(piece, found, frozenset(private))))
        findings.update(dict.fromkeys(wording(piece, found, values, helpers)))
        if is_timed(piece, values, found):
            findings[Finding(Subject.TIMING)] = None
    for place in _data(found, pieces):
        finding = finding_of(completed(place, source_paths), path, source_paths)
        if finding is not None and finding.subject is Subject.DATA_FILE:
            findings[finding._replace(literals=literals)] = None
    return list(findings)


def _read(piece: Piece, values: Values) -> Iterator[Place]:
    for _, given in calls(piece, _READS):
        if given and not values.mention(piece.script, given[0], _TEMPORARY):
            yield _place(piece, given[0], values)


def _written(piece: Piece, values: Values) -> Iterator[str]:
    for _, given in calls(piece, _WRITES):
        parts = _place(piece, given[0], values).parts if given else ()
        yield from parts[-1:]


def _place(piece: Piece, part: Statement, values: Values) -> Place:
    """The path that the strings form, in source order."""
    script = piece.script
    place = Place(Root.REPOSITORY)
    for at in range(part.start, part.end):
        word, text = script.word(at), script.string(at)
        if word in {"__dirname", "__filename"} or (word == "meta" and script.word(at - 1) == "."):
            place = Place(Root.REPOSITORY, tuple(piece.path.split("/")[:-1]))
        elif text is not None and script.word(at - 2) == "URL" and script.word(at + 1) == ",":
            # `new URL("../x", import.meta.url)` is relative to its own file.
            return Place(Root.REPOSITORY).joined(resolved(piece.path, text))
        elif text is not None and _is_resolved(script, at):
            place = Place(Root.REPOSITORY).joined(resolved(piece.path, text))
        elif text is not None and "file:" not in text and text != "utf8":
            place = place.joined(text.lstrip("/"))
        elif script.is_name(at) and script.word(at - 1) != ".":
            made = list(values.made_of(word))[:1]
            for other, inner in made:
                start = _place(Piece(inner, other, piece.path), inner, _NO_VALUES)
                place = start if not place.parts else place.joined("/".join(start.parts))
    return place


_NO_VALUES = Values([])


def _is_resolved(script: Script, at: int) -> bool:
    """Whether the string is relative to its own file, as in `require.resolve("./x")`."""
    owner = script.word(at - 4) if script.word(at - 3) == "." else ""
    return script.word(at - 2) == "resolve" and owner in {"require", "meta"}


def _data(test: ScriptTest, pieces: list[Piece]) -> Iterator[Place]:
    """`require("../package.json")`, here or by a name of the file that the test uses."""
    mentioned = {name for piece in pieces for name in names(piece.script, piece.part)}
    for name, module in test.imports.items():
        if name in mentioned and module.startswith("."):
            yield Place(Root.REPOSITORY).joined(resolved(test.path, module))
    for piece in pieces:
        for _, given in calls(piece, frozenset({"require", "import"})):
            at = given[0].start if given else 0
            at += 4 if piece.script.word(at + 2) == "resolve" else 0
            text = piece.script.string(at) if given else None
            if text is not None and text.startswith("."):
                yield Place(Root.REPOSITORY).joined(resolved(piece.path, text))


def _private(piece: Piece, test: ScriptTest, private: frozenset[str]) -> Iterator[Finding]:
    script = piece.script
    own = {
        test.script.word(at)
        for at in range(len(test.script.tokens))
        if test.script.is_name(at)
        and (test.script.word(at - 1) in _DECLARES or test.script.word(at + 1) in {":", "("})
        and test.script.word(at - 1) not in {".", "?."}
    }
    originals = product_of(script).originals
    for at in range(piece.part.start, piece.part.end):
        name = originals.get(script.word(at), "")
        is_private = name in private or _is_marked(name)
        if name and is_private and script.is_name(at) and not is_taken_apart(script, at):
            yield Finding(Subject.PRIVATE_NAME, name)
    for at in range(piece.part.start, piece.part.end):
        name = _accessed(script, at, test)
        is_taken = name == "__get__"
        if name and (name in private or is_taken or (_is_marked(name) and name not in own)):
            yield Finding(Subject.PRIVATE_NAME, script.string(at) or name)


def _is_marked(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name not in _HARMLESS


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
    # A private name of a module, read by rewire.
    return "__get__" if text is not None and script.word(at - 2) in {"__get__", "__set__"} else ""
