"""Collects one test of a script with its hooks, helpers, values and imports."""

from collections.abc import Iterator
from typing import NamedTuple

from yudai.kit.syntax import UnreadableError
from yudai.verification.domain.sources.names import Texts, words
from yudai.verification.domain.sources.script_definitions import bound
from yudai.verification.domain.sources.script_tokens import (
    Script,
    Statement,
    TokenKind,
    read_script,
    statements,
)

_SUITES = frozenset({"describe", "suite", "context", "xdescribe", "fdescribe"})
_TESTS = words("it test specify xit fit xtest")
_HOOKS = words("before after beforeEach afterEach beforeAll afterAll setup teardown")
_MOST_DEEP = 30
_HOLES = tuple("sdifjoOp#c")


class Block(NamedTuple):
    """A suite, a test, a hook, or another statement of a file."""

    part: Statement
    kind: str
    """suite, test, hook, helper (runs when it is called), import or load."""
    title: str = ""
    is_pattern: bool = False
    """Whether its title has placeholders that each case fills."""
    names: tuple[str, ...] = ()
    module: str = ""
    inner: tuple["Block", ...] = ()


class Piece(NamedTuple):
    part: Statement
    script: Script
    path: str


class ScriptTest(NamedTuple):
    script: Script
    path: str
    own: Piece
    title: Statement | None
    """The position of its title; None if the test was not found and the whole file counts."""
    helpers: tuple[Piece, ...]
    loaded: tuple[Piece, ...]
    imports: dict[str, str]
    """By local name: the module that it comes from."""


def script_test(path: str, text: str, test: str, files: Texts) -> ScriptTest:
    script = read_script(text)
    blocks = _blocks(script, 0, len(script.tokens), 0)
    imports = {name: block.module for block in blocks for name in block.names if block.module}
    trail = _find(blocks, test.partition("::")[2], set())
    whole = Piece(Statement(0, len(script.tokens)), script, path)
    others = list(_helper_files(path, _modules(script), files))
    if trail is None:
        return ScriptTest(script, path, whole, None, tuple(others), (), imports)
    own = Piece(trail[-1].part, script, path)
    loaded = [b.part for b in blocks if b.kind in {"import", "load"}]
    around = [b.part for suite in trail[:-1] for b in suite.inner if b.kind in {"hook", "load"}]
    around += [b.part for b in blocks if b.kind == "hook"]
    known: dict[str, list[Statement]] = {}
    for block in (*blocks, *(b for suite in trail[:-1] for b in suite.inner)):
        for name in block.names if block.kind in {"helper", "load"} else ():
            known.setdefault(name, []).append(block.part)
    helpers = _reached(script, [own.part, *around], known)
    called = _reached(script, loaded, {n: p for n, p in known.items() if n not in imports})
    title = _title(script, trail[-1].part)
    return ScriptTest(
        script,
        path,
        own,
        Statement(title, title + 1) if title is not None else None,
        (*(Piece(p, script, path) for p in helpers if p != own.part), *others),
        tuple(Piece(p, script, path) for p in dict.fromkeys([*loaded, *called])),
        imports,
    )


def _blocks(script: Script, start: int, end: int, depth: int) -> tuple[Block, ...]:
    if depth > _MOST_DEEP:
        raise UnreadableError
    return tuple(_block(script, part, depth) for part in statements(script, start, end))


def _block(script: Script, part: Statement, depth: int) -> Block:
    word = script.word(part.start)
    title = _title(script, part)
    if word in _SUITES | _TESTS and title is not None:
        text, is_pattern = _text_of_title(script, title)
        if word in _TESTS:
            return Block(
                part, "test", text, is_pattern, inner=tuple(_subtests(script, part, depth))
            )
        body = _body(script, title, part.end)
        inner = _blocks(script, body + 1, script.partners[body], depth + 1) if body else ()
        return Block(part, "suite", text, is_pattern, inner=inner)
    if word in _HOOKS and script.word(part.start + 1) == "(":
        return Block(part, "hook")
    found = bound(script, part)
    if found.form == "import":
        return Block(part, "import", names=found.names, module=found.module)
    runs_later = found.form in {"function", "class"} or (
        found.form == "value" and _is_late(script, part)
    )
    return Block(part, "helper" if runs_later else "load", names=found.names)


def _is_late(script: Script, part: Statement) -> bool:
    """Whether it only defines a function, as `const make = () => ...`, and runs nothing."""
    return all(
        script.word(at) != "(" or _begins_function(script, at)
        for at in script.level(part.start, part.end)
    ) and any(script.word(at) in {"=>", "function"} for at in script.level(part.start, part.end))


def _begins_function(script: Script, at: int) -> bool:
    return script.word(script.partners[at] + 1) in {"=>", "{", ":"}


def _subtests(script: Script, part: Statement, depth: int) -> Iterator[Block]:
    """`await t.test("inner", ...)` of Node's own runner."""
    at = part.start + 1
    while at < part.end - 3:
        if not _is_subtest(script, at):
            at += 1
            continue
        inner = Statement(at + 1, script.partners[at + 2] + 1)
        text, is_pattern = _text_of_title(script, at + 3)
        deeper = _subtests(script, inner, depth + 1) if depth < _MOST_DEEP else ()
        yield Block(inner, "test", text, is_pattern, inner=tuple(deeper))
        at = inner.end


def _is_subtest(script: Script, at: int) -> bool:
    words = [script.word(at + 1), script.word(at + 2)]
    is_call = script.word(at) == "." and words[0] in _TESTS and words[1] == "("
    return is_call and script.string(at + 3) is not None and script.is_name(at - 1)


def _title(script: Script, part: Statement) -> int | None:
    """The first string in the last call's brackets: after `.each(...)` or a table."""
    at, title = part.start + 1, None
    while at < part.end:
        word = script.word(at)
        if word == "(":
            inner = at + 1
            title = inner if script.string(inner) is not None else None
            at = script.partners[at] + 1
        elif word == "." and script.is_name(at + 1):
            at += 2
        elif word == "<":
            at += 1
            while at < part.end and script.word(at) != ">":
                at += 1
            at += 1
        elif script.tokens[at].kind is TokenKind.TEMPLATE:
            at = _after_template(script, at)
        else:
            break
    return title


def _after_template(script: Script, at: int) -> int:
    while script.word(at + 1) == "${":
        at = script.partners[at + 1] + 1
    return at + 1


def _text_of_title(script: Script, at: int) -> tuple[str, bool]:
    """The title, with placeholders as NUL."""
    text = script.string(at) or ""
    parts = [text]
    while script.word(at + 1) == "${":
        at = script.partners[at + 1] + 1
        parts.append(script.string(at) or "")
    joined = "\0".join(parts)
    for hole in _HOLES:
        joined = joined.replace(f"%{hole}", "\0")
    joined = "".join(f"\0{_after_word(p)}" if i else p for i, p in enumerate(joined.split("$")))
    return joined, "\0" in joined


def _after_word(text: str) -> str:
    at = 0
    while at < len(text) and (text[at].isalnum() or text[at] in "_.{}"):
        at += 1
    return text[at:]


def _body(script: Script, title: int, end: int) -> int | None:
    """The position of the opening brace of the function after a title."""
    for at in script.level(title, end - 1):
        if script.word(at) == "{" and script.word(at - 1) in {")", "=>"}:
            return at
    return None


def _find(
    blocks: tuple[Block, ...], title: str, failed: set[tuple[Statement, int]]
) -> tuple[Block, ...] | None:
    for exact in (True, False):
        for block in blocks:
            if block.kind not in {"suite", "test"} or block.is_pattern is exact:
                continue
            if (block.part, len(title)) in failed:
                continue
            found = _find_in(block, title, failed)
            if found is not None:
                return found
            failed.add((block.part, len(title)))
    return None


def _find_in(
    block: Block, title: str, failed: set[tuple[Statement, int]]
) -> tuple[Block, ...] | None:
    if block.kind == "test" and fits(block.title, title):
        return (block,)
    for at in _ends(title, block.title):
        found = _find(block.inner, title[at:], failed)
        if found is not None:
            return (block, *found)
    return None


def _ends(title: str, begin: str) -> Iterator[int]:
    """The positions where the rest of the title can begin, after this beginning."""
    at = title.find(" > ")
    for _ in range(20):
        if at < 0:
            return
        if fits(begin, title[:at]):
            yield at + 3
        at = title.find(" > ", at + 3)


def fits(pattern: str, title: str) -> bool:
    """Whether a title fits this pattern, with a text for each placeholder."""
    first, *rest = pattern.split("\0")
    if not rest:
        return title == pattern
    if not title.startswith(first):
        return False
    at = len(first)
    for part in rest[:-1]:
        at = title.find(part, at)
        if at < 0:
            return False
        at += len(part)
    return len(title) - len(rest[-1]) >= at and title.endswith(rest[-1])


def _reached(
    script: Script, roots: list[Statement], known: dict[str, list[Statement]]
) -> list[Statement]:
    """Declarations that these mention, transitively."""
    waiting = list(roots)
    found: dict[Statement, None] = {}
    while waiting:
        part = waiting.pop()
        if part in found:
            continue
        found[part] = None
        for at in range(part.start, part.end):
            if script.is_name(at) and script.word(at - 1) not in {".", "?."}:
                waiting.extend(known.get(script.tokens[at].text, ()))
    return list(found)


def _helper_files(path: str, modules: list[str], files: Texts) -> Iterator[Piece]:
    """Imported helper files of the tests, as a whole, and those that they import."""
    waiting = [(path, module) for module in modules]
    seen: set[str] = set()
    while waiting and len(seen) < 50:
        origin, module = waiting.pop()
        where = resolved(origin, module)
        for name in files:
            text = files[name]
            if text is None or name in seen or without_ending(name) != without_ending(where):
                continue
            seen.add(name)
            script = _readable(text)
            if script is None:
                continue
            end = len(script.tokens)
            yield Piece(Statement(0, end), script, name)
            waiting.extend((name, inner) for inner in _modules(script))


def _modules(script: Script) -> list[str]:
    """All modules loaded by a literal name, at any depth in the file."""
    return [
        text
        for at in range(len(script.tokens))
        if (text := script.string(at)) is not None
        and (
            script.word(at - 1) in {"from", "import"}
            or (script.word(at - 1) == "(" and script.is_name(at - 2))
        )
        and text.startswith(".")
    ]


def _readable(text: str) -> Script | None:
    try:
        return read_script(text)
    except UnreadableError:
        return None


def resolved(path: str, module: str) -> str:
    """`../src/x.js`, imported in `tests/a.js`, is `src/x.js`; other names stay as they are."""
    if not module.startswith("."):
        return module
    parts = path.split("/")[:-1]
    for part in module.split("/"):
        if part == "..":
            parts = parts[:-1]
        elif part not in {".", ""}:
            parts.append(part)
    return "/".join(parts)


def without_ending(path: str) -> str:
    folder, slash, name = path.rpartition("/")
    for ending in (".js", ".jsx", ".ts", ".tsx", ".mjs", ".cjs", ".mts", ".cts", ".json"):
        name = name.removesuffix(ending)
    if name == "index":
        return folder
    return f"{folder}{slash}{name}"
