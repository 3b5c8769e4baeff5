"""Finds what a Python test checks besides behaviour: files, private names, time."""

import ast
import re
from collections.abc import Collection, Iterator

from yudai.verification.domain.edits.python_test_tree import Function, dotted
from yudai.verification.domain.proof import Subject
from yudai.verification.domain.sources.names import Texts, words
from yudai.verification.domain.sources.places import Finding, Place, finding_of, subject_of_file
from yudai.verification.domain.sources.python_closure import Part, PythonTest, python_test
from yudai.verification.domain.sources.python_definitions import (
    bound_names,
    flat,
    stored,
    string_of,
)
from yudai.verification.domain.sources.python_messages import compared, wording
from yudai.verification.domain.sources.python_places import TEMPORARY, Places

_READS = frozenset(
    {"read_text", "read_bytes", "readlines", "exists", "is_file", "is_dir", "stat", "open"}
)
_READ_FUNCTIONS = words(
    """open exists isfile isdir getsize getline getlines cmp get_data read_text copy copy2
    copyfile copytree"""
)
_LISTS = words("glob rglob iglob iterdir listdir scandir walk")
_WRITES = frozenset({"write_text", "write_bytes", "touch", "mkdir"})
_SOURCE_CALLS = frozenset(
    {"getsource", "getsourcelines", "findsource", "getcomments", "get_instructions"}
)
_CODE_ATTRIBUTES = words("__code__ co_code co_names co_consts co_varnames co_filename")
_FORM = words("""__annotations__ return_annotation get_type_hints get_annotations __all__""")
_SHOWS_DOCUMENTS = frozenset({"getdoc", "render_doc"})
_LONGEST = 20_000
_SEARCHES = words("grep egrep fgrep rg ag ack cat find sed awk head tail wc")
_GIT_SHOWS = words("grep diff show log blame cat-file archive diff-tree diff-index")
_PROGRAMS = words("run check_output check_call call Popen system getoutput popen")
_CLOCKS = words(
    """time perf_counter monotonic process_time thread_time time_ns perf_counter_ns monotonic_ns
    process_time_ns default_timer"""
)
_ORDER = ast.Lt | ast.LtE | ast.Gt | ast.GtE
_ORDER_ASSERTIONS = frozenset(
    {"assertLess", "assertLessEqual", "assertGreater", "assertGreaterEqual", "assertAlmostEqual"}
)
_PATCHES = words("patch setattr getattr hasattr object delattr attrgetter multiple")
_WATCHES = words(
    """assert_called assert_called_once assert_called_with assert_called_once_with assert_any_call
    assert_has_calls assert_not_called called call_count call_args call_args_list mock_calls"""
)
_REPLACES = words("patch setattr object multiple")
_HARMLESS = words("_replace _asdict _fields _make _exit _getframe _ _value_ _name_")


def python_findings(
    path: str,
    text: str,
    test: str,
    *,
    source_paths: Collection[str],
    private: Collection[str],
    files: Texts,
) -> list[Finding]:
    found = python_test(path, text, test, files)
    places = Places(found)
    literals = tuple(compared(found, places))
    findings = [
        *_files(found, places, source_paths, literals),
        *_private(found, frozenset(private)),
        *wording(found, places),
        *_timing(found),
    ]
    return list(dict.fromkeys(findings))


def _nodes(test: PythonTest) -> Iterator[tuple[ast.AST, Part]]:
    for part in (*test.own, *test.helpers):
        for node in ast.walk(part.node):
            yield node, part


def _files(
    test: PythonTest, places: Places, source_paths: Collection[str], literals: tuple[str, ...]
) -> Iterator[Finding]:
    written, is_elsewhere = _written(test, places)
    if not is_elsewhere and not _has_own_folder(test):
        yield from (f._replace(literals=literals) for f in _changed(test, source_paths, written))
    for node, part in _nodes(test):
        yield from (found._replace(literals=literals) for found in _looked_at(node))
        if not isinstance(node, ast.Call):
            continue
        for place in _read(node, places, part.module.path):
            is_own = not written.isdisjoint(place.parts[-1:])
            is_made = len(place.parts) == 1 or "/".join(place.parts) not in source_paths
            if is_own or (is_elsewhere and is_made):
                continue
            is_listing = _name(node) in _LISTS
            finding = finding_of(place, part.module.path, source_paths, is_listing=is_listing)
            if finding is not None:
                yield finding._replace(literals=literals)


def _looked_at(node: ast.AST) -> Iterator[Finding]:
    if isinstance(node, ast.Call):
        yield from _shown(node)
    if not isinstance(node, ast.Attribute):
        return
    if node.attr in _CODE_ATTRIBUTES:
        yield Finding(Subject.SOURCE_TEXT)
    elif node.attr in _FORM:
        yield Finding(Subject.SOURCE_TEXT, node.attr)
    elif node.attr == "__doc__":
        yield Finding(Subject.DOCUMENT)
    elif node.attr == "__version__":
        yield Finding(Subject.DATA_FILE, node.attr)


def _shown(node: ast.Call) -> Iterator[Finding]:
    """Findings for functions that show source, annotations or documentation."""
    name = _name(node)
    if _searches(node):
        yield Finding(Subject.SOURCE_TEXT)
    elif name in _FORM:
        yield Finding(Subject.SOURCE_TEXT, name)
    elif name in _SHOWS_DOCUMENTS or (name == "help" and isinstance(node.func, ast.Name)):
        yield Finding(Subject.DOCUMENT)
    elif name in {"str", "repr", "format"} and any(
        isinstance(inner, ast.Call) and _name(inner) == "signature" for inner in ast.walk(node)
    ):
        yield Finding(Subject.SOURCE_TEXT, "signature")


def _changed(
    test: PythonTest, source_paths: Collection[str], written: set[str]
) -> Iterator[Finding]:
    """Documents and data files that the patch changes and the test names."""
    changed = {path.rpartition("/")[2]: path for path in source_paths}
    for node, _ in _nodes(test):
        text = string_of(node)
        for name in _words_of(text) if text and len(text) < _LONGEST else ():
            path = changed.get(name.rpartition("/")[2], "")
            subject = subject_of_file(path) if path and path.endswith(name) else None
            if subject is not None and path.rpartition("/")[2] not in written:
                yield Finding(subject, path.rpartition("/")[2])


def _has_own_folder(test: PythonTest) -> bool:
    """Whether the test uses a temporary folder, which may contain the files."""
    return any(
        not TEMPORARY.isdisjoint({getattr(node, "id", ""), getattr(node, "arg", "")})
        for node, _ in _nodes(test)
    )


def _words_of(text: str) -> list[str]:
    return re.findall(r"[\w./-]+", text)


def _read(node: ast.Call, places: Places, path: str) -> Iterator[Place]:
    name = _name(node)
    is_method = isinstance(node.func, ast.Attribute) and _root(node.func) not in {
        "os", "io", "glob", "codecs", "linecache", "filecmp", "pkgutil", "json", "path",
    }  # fmt: skip
    if isinstance(node.func, ast.Attribute) and is_method and name in _READS:
        yield from places.of(node.func.value, path)
    elif name in _LISTS:
        yield from places.of(node, path)
    elif name in _READ_FUNCTIONS and node.args and not _is_written(node):
        yield from places.of(node.args[0], path)


def _written(test: PythonTest, places: Places) -> tuple[set[str], bool]:
    """Files that the test creates itself, and whether it changes the folder."""
    names: set[str] = set()
    is_elsewhere = False
    for node, part in _nodes(test):
        if not isinstance(node, ast.Call):
            continue
        name = _name(node)
        is_elsewhere = is_elsewhere or name in {"chdir", "isolated_filesystem", "as_cwd"}
        target: ast.expr | None = None
        if isinstance(node.func, ast.Attribute) and name in _WRITES:
            target = node.func.value
        elif name == "open" and node.args and _is_written(node):
            target = node.args[0]
        if target is not None:
            names.update(p.parts[-1] for p in places.of(target, part.module.path) if p.parts)
    return names, is_elsewhere


def _is_written(node: ast.Call) -> bool:
    modes = [string_of(argument) for argument in node.args[1:2]]
    modes += [string_of(word.value) for word in node.keywords if word.arg == "mode"]
    return any(mode and mode[0] in "wax" for mode in modes)


def _searches(node: ast.Call) -> bool:
    """Searches for text in the tree by another program, or in loaded code."""
    name = _name(node)
    if name in _SOURCE_CALLS or _root(node.func) == "dis":
        return True
    if name not in _PROGRAMS or not node.args:
        return False
    first = node.args[0]
    words = (
        [string_of(e) or "" for e in first.elts] if isinstance(first, ast.List | ast.Tuple) else []
    )
    words = words or (string_of(first) or "").split()
    if words[:1] == ["git"]:
        return bool(_GIT_SHOWS & set(words[1:]))
    return bool(words) and words[0].rpartition("/")[2] in _SEARCHES


def _name(node: ast.Call) -> str:
    if isinstance(node.func, ast.Attribute):
        return node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else ""


def _root(node: ast.expr) -> str:
    names = dotted(node)
    return names[-2] if len(names) > 1 else ""


def _private(test: PythonTest, private: frozenset[str]) -> Iterator[Finding]:
    own = frozenset(_own_names(test))
    helpers = {module.path.rpartition("/")[2].removesuffix(".py") for module in test.modules}
    helpers |= {"conftest", "tests", "test"}
    is_watched = any(getattr(node, "attr", "") in _WATCHES for node, _ in _nodes(test))
    for node, part in _nodes(test):
        for name in _private_names(node, part, helpers):
            last = name.rpartition(".")[2]
            if not is_watched and _is_replacement(node) and last not in private:
                continue
            if _is_private(last, private) and (last in private or last not in own):
                yield Finding(Subject.PRIVATE_NAME, last)


def _private_names(node: ast.AST, part: Part, helpers: set[str]) -> Iterator[str]:
    if isinstance(node, ast.Attribute):
        if dotted(node)[:-1] not in (["self"], ["cls"]):
            yield node.attr
    elif isinstance(node, ast.Name) and (target := part.module.imported.get(node.id)):
        if not helpers & set(target.split(".")[:-1]):
            yield from (word for word in target.split(".") if word)
    elif isinstance(node, ast.Call) and _name(node) in _PATCHES:
        for argument in node.args[:2]:
            yield from (string_of(argument) or "").split(".")
    elif isinstance(node, ast.Subscript) and _is_namespace(node.value):
        yield string_of(node.slice) or ""


def _is_replacement(node: ast.AST) -> bool:
    """Whether this replaces a name of base for the test's own purposes."""
    return isinstance(node, ast.Call) and _name(node) in _REPLACES


def _is_namespace(node: ast.expr) -> bool:
    return dotted(node)[-1:] in (["vars"], ["__dict__"], ["__globals__"])


def _is_private(name: str, private: frozenset[str]) -> bool:
    is_marked = name.startswith("_") and not name.startswith("__") and name not in _HARMLESS
    is_mangled = name.startswith("_") and "__" in name[1:] and not name.endswith("__")
    return name in private or is_marked or is_mangled


def _own_names(test: PythonTest) -> Iterator[str]:
    """Names that the test files define, also on classes and on `self`."""
    for module in test.modules:
        for node in ast.walk(module.tree):
            if isinstance(node, Function | ast.ClassDef):
                yield node.name
                for part in flat(node.body):
                    if not isinstance(part, ast.Import | ast.ImportFrom):
                        yield from bound_names(part)
            elif isinstance(node, ast.Attribute) and _is_set_on_self(node):
                yield node.attr


def _is_set_on_self(node: ast.Attribute) -> bool:
    return isinstance(node.ctx, ast.Store) and dotted(node)[:-1] == ["self"]


def _timing(test: PythonTest) -> Iterator[Finding]:
    if any(_is_timed(test, part) for part in (*test.own, *test.helpers)):
        yield Finding(Subject.TIMING)


def _is_timed(test: PythonTest, part: Part) -> bool:
    function = part.node
    arguments = function.args.args if isinstance(function, Function) else []
    if part in test.own and any(argument.arg == "benchmark" for argument in arguments):
        return True
    clocks = _clock_names(part)
    return any(
        _compares_time(node, clocks, part) or _is_short_limit(node) for node in ast.walk(part.node)
    )


def _clock_names(part: Part) -> set[str]:
    """Names that hold a time, or a value computed from one."""
    names: set[str] = set()
    for _ in range(4):
        before = len(names)
        for node in ast.walk(part.node):
            if isinstance(node, ast.Assign) and _has_clock(node.value, names, part):
                names.update(name for target in node.targets for name in stored(target))
        if len(names) == before:
            break
    return names


def _has_clock(node: ast.AST, names: set[str], part: Part) -> bool:
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and inner.id in names:
            return True
        if isinstance(inner, ast.Call) and _is_clock(inner, part):
            return True
    return False


def _is_clock(call: ast.Call, part: Part) -> bool:
    names = dotted(call.func)
    target = ".".join([part.module.imported.get(names[0], ""), *names[1:]]) if names else ""
    if target.startswith(("time.", "timeit.")) and names:
        return target.rpartition(".")[2] in _CLOCKS | {"timeit", "repeat"}
    return target.startswith("datetime.") and names[-1] in {"now", "utcnow"}


def _compares_time(node: ast.AST, clocks: set[str], part: Part) -> bool:
    if isinstance(node, ast.Assert) and _has_elapsed(node.test, clocks, part):
        return True
    if isinstance(node, ast.Compare) and any(isinstance(op, _ORDER) for op in node.ops):
        sides = [node.left, *node.comparators]
    elif isinstance(node, ast.Call) and _name(node) in _ORDER_ASSERTIONS:
        sides = list(node.args)
    else:
        return False
    if any(_is_plain_number(side) for side in sides):
        return any(_has_clock(side, clocks, part) for side in sides)
    # A time plus or minus a number is only another time.
    return any(_has_elapsed(side, clocks, part) for side in sides) or (
        all(_has_clock(side, clocks, part) for side in sides) and len(sides) == 2
    )


def _has_elapsed(node: ast.AST, clocks: set[str], part: Part) -> bool:
    """Whether this is a difference of two times, or computed from one."""
    spans = {
        name
        for assign in ast.walk(part.node)
        if isinstance(assign, ast.Assign) and _subtracts(assign.value, clocks, part)
        for target in assign.targets
        for name in stored(target)
    }
    named = any(isinstance(inner, ast.Name) and inner.id in spans for inner in ast.walk(node))
    return named or _subtracts(node, clocks, part)


def _subtracts(node: ast.AST, clocks: set[str], part: Part) -> bool:
    return any(
        isinstance(inner, ast.BinOp)
        and isinstance(inner.op, ast.Sub)
        and _has_clock(inner.left, clocks, part)
        and _has_clock(inner.right, clocks, part)
        for inner in ast.walk(node)
    )


def _is_plain_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float)


def _is_short_limit(node: ast.AST) -> bool:
    """Whether the limit is below a second, and so measures speed and not only an end."""
    if not isinstance(node, ast.Call) or not {"timeout", "wait_for", "join"} & {*dotted(node)[-1:]}:
        return False
    limits = [*node.args[-1:], *(word.value for word in node.keywords if word.arg == "timeout")]
    return any(
        isinstance(limit, ast.Constant) and isinstance(limit.value, float) and limit.value < 1
        for limit in limits
    )
