"""Finds messages that a Python test checks: exceptions, warnings, logs, stderr, help."""

import ast
from collections.abc import Iterator

from yudai.verification.domain.edits.python_test_tree import Function, dotted
from yudai.verification.domain.proof import Subject
from yudai.verification.domain.sources.names import words
from yudai.verification.domain.sources.places import Finding, literal_pieces
from yudai.verification.domain.sources.python_closure import PythonTest
from yudai.verification.domain.sources.python_definitions import stored, string_of
from yudai.verification.domain.sources.python_places import Places

_CONTEXTS = words(
    """raises warns deprecated_call assertRaises assertWarns assertRaisesRegex assertWarnsRegex
    assertLogs catch_warnings"""
)
_MATCHED = frozenset({"assertRaisesRegex", "assertWarnsRegex"})
_SHOWN = frozenset({"str", "repr", "format", "getMessage", "exconly", "format_exception_only"})
_TRACES = words("format_exc exc_info format_exception format_tb")
_MESSAGES = words("args message msg messages output stderr err reason strerror")
_LOGS = frozenset({"text", "messages", "records", "record_tuples"})
_QUESTIONS = words("startswith endswith search match fullmatch count findall index")
_SHAPES = words("dedent escape encode decode strip lower upper casefold join format")
_NO_WORDING = frozenset({"--help", "-h", "utf-8"})
_HELP = frozenset({"format_help", "print_help", "format_usage", "print_usage", "get_help"})


def compared(test: PythonTest, places: Places) -> Iterator[str]:
    """Texts that the test's assertions expect."""
    for part in (*test.own, *test.helpers):
        for node in ast.walk(part.node):
            for atom in _atoms(node):
                yield from (text for asked in _expected(atom) for text in places.strings(asked))


def wording(test: PythonTest, places: Places) -> Iterator[Finding]:
    shows_help = _shows_help(test)
    for part in (*test.own, *test.helpers):
        messages = _Messages(part.node)
        for node in ast.walk(part.node):
            if isinstance(node, ast.Call):
                yield from _matched(node, places)
            for atom in _atoms(node):
                if shows_help or messages.has(atom):
                    yield from _message(atom, places)


def _message(atom: ast.Compare | ast.Call, places: Places) -> Iterator[Finding]:
    texts = [text for asked in _expected(atom) for text in places.strings(asked)]
    texts = [text for text in texts if any(map(str.isalpha, text)) and text not in _NO_WORDING]
    texts = [text for text in texts if not (text == "Traceback" and _denies(atom))]
    if texts:
        yield Finding(Subject.WORDING, literals=tuple(texts))


def _matched(call: ast.Call, places: Places) -> Iterator[Finding]:
    """`raises(E, match="...")`, `assertRaisesRegex(E, "...")`, `excinfo.match("...")`."""
    name = (dotted(call.func) or [""])[-1]
    patterns: list[ast.expr] = []
    if name in _CONTEXTS:
        patterns = [word.value for word in call.keywords if word.arg in {"match", "expected_regex"}]
    if name in _MATCHED:
        patterns += call.args[1:2]
    if name == "match" and len(call.args) == 1 and dotted(call.func)[:1] != ["re"]:
        patterns = call.args[:1] if _is_info(dotted(call.func)[:-1]) else []
    for pattern in patterns:
        escaped = isinstance(pattern, ast.Call) and dotted(pattern) == ["re", "escape"]
        texts = list(places.strings(pattern))
        pieces = texts if escaped else [piece for text in texts for piece in literal_pieces(text)]
        if pieces or not texts:
            yield Finding(Subject.WORDING, literals=tuple(pieces), is_caught=True)


def _is_info(names: list[str]) -> bool:
    return len(names) == 1 and any(
        word in names[0] for word in ("exc", "err", "info", "raised", "e")
    )


def _atoms(node: ast.AST) -> Iterator[ast.Compare | ast.Call]:
    """The single comparisons of an assertion."""
    if isinstance(node, ast.Assert):
        for inner in ast.walk(node.test):
            if isinstance(inner, ast.Compare) or (
                isinstance(inner, ast.Call) and _name(inner) in _QUESTIONS
            ):
                yield inner
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        name = node.func.attr
        if (name.startswith("assert") and name not in _CONTEXTS) or name == "fnmatch_lines":
            yield node


def _expected(atom: ast.Compare | ast.Call) -> Iterator[ast.expr]:
    """The written parts of an expected value, not those returned by a call."""
    is_plain = isinstance(atom, ast.Compare)
    sides = [atom.left, *atom.comparators] if is_plain else atom.args[:2]
    for side in sides:
        calls = (inner for inner in ast.walk(side) if isinstance(inner, ast.Call))
        if not isinstance(side, ast.Attribute | ast.Subscript) and all(
            _name(call) in _SHAPES for call in calls
        ):
            yield side


def _put_in(node: ast.FormattedValue | ast.BinOp) -> list[ast.expr]:
    """The values inserted into a text by an f-string or by `%`."""
    if isinstance(node, ast.FormattedValue):
        return [node.value]
    if not isinstance(node.op, ast.Mod):
        return []
    return node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]


def _name(call: ast.Call) -> str:
    return (dotted(call.func) or [""])[-1] or getattr(call.func, "attr", "")


def _denies(asked: ast.expr) -> bool:
    return any(isinstance(node, ast.NotIn) for node in ast.walk(asked))


def _shows_help(test: PythonTest) -> bool:
    for part in test.own:
        for node in ast.walk(part.node):
            if string_of(node) in {"--help", "-h"}:
                return True
            if isinstance(node, ast.Attribute) and node.attr in _HELP:
                return True
    return False


class _Messages:
    """Names in a piece of code that hold an exception or its message."""

    def __init__(self, tree: ast.AST) -> None:
        self._raised: set[str] = set()
        self._said: set[str] = set()
        self._errors: set[str] = set()
        for node in ast.walk(tree):
            self._read(node)
        for _ in range(4):
            before = len(self._said) + len(self._raised)
            for node in ast.walk(tree):
                if isinstance(node, ast.Assign):
                    self._assign(node)
            if len(self._said) + len(self._raised) == before:
                break

    def has(self, node: ast.expr) -> bool:
        return any(self._says(inner) for inner in ast.walk(node))

    def _read(self, node: ast.AST) -> None:
        if isinstance(node, ast.ExceptHandler) and node.name:
            self._raised.add(node.name)
        elif isinstance(node, ast.withitem) and node.optional_vars is not None:
            call = node.context_expr
            if isinstance(call, ast.Call) and not _CONTEXTS.isdisjoint(dotted(call)[-1:]):
                self._raised.update(stored(node.optional_vars))
        elif isinstance(node, Function):
            names = {argument.arg for argument in node.args.args}
            self._raised.update(names & {"recwarn"})

    def _assign(self, node: ast.Assign) -> None:
        value = node.value
        names = {name for target in node.targets for name in stored(target)}
        pair = node.targets[0]
        if isinstance(value, ast.Call) and dotted(value)[-1:] in (["readouterr"], ["communicate"]):
            if isinstance(pair, ast.Tuple) and len(pair.elts) > 1:
                self._said.update(stored(pair.elts[1]))
        elif isinstance(value, ast.Call) and not _CONTEXTS.isdisjoint(dotted(value)[-1:]):
            self._raised.update(names)
        elif self.has(value):
            self._said.update(names)
        elif self._is_raised(value):
            self._raised.update(names)

    def _says(self, node: ast.AST) -> bool:
        if isinstance(node, ast.Name):
            return node.id in self._said
        if isinstance(node, ast.Attribute):
            return self._is_message(node)
        if isinstance(node, ast.FormattedValue | ast.BinOp):
            return any(map(self._is_raised, _put_in(node)))
        if isinstance(node, ast.Call):
            name = (dotted(node.func) or [""])[-1]
            if name == "getMessage" or name in _TRACES:
                return True
            return name in _SHOWN and any(map(self._is_raised, [*node.args, node.func]))
        return False

    def _is_message(self, node: ast.Attribute) -> bool:
        if node.attr in {"stderr", "err"}:
            return True
        if node.attr in _LOGS and dotted(node)[:-1] == ["caplog"]:
            return True
        return node.attr in _MESSAGES and self._is_raised(node.value)

    def _is_raised(self, node: ast.expr) -> bool:
        """`e`, `excinfo.value`, `warned[0].message`."""
        for _ in range(10):
            if isinstance(node, ast.Attribute | ast.Subscript):
                node = node.value
            elif isinstance(node, ast.Call):
                node = node.func
        return isinstance(node, ast.Name) and node.id in self._raised
