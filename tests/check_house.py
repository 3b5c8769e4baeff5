"""Fail when a file, a function or a folder exceeds its cap, a module is named by a gerund, or one
feature of the page imports another."""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path, PurePath

FILE_CAPS = {"src": 400, "tests": 800}
WEB_CAP = 250
GENERATED = "schema.d.ts"
FUNCTION_CAP = 60
FOLDERS = {"src/yudai": (".py",), "web/src": (".ts", ".tsx"), "tests": (".py",)}
FOLDER_CAP = 20
LARGER_FOLDERS = {"src/yudai/dev/fake_github": 30}
FEATURES = "web/src/features"
_FEATURE = re.compile(r"""["']@/features/([\w-]+)""")
EXEMPT = ("src/yudai/store/migrations/versions", "src/yudai/demo/sample")
NOUNS = frozenset(
    {
        "polling",
        "publishing",
        "ranking",
        "routing",
        "spending",
        "tampering",
        "testing",
        "tracing",
        "wiring",
    }
)
"""They end as gerunds do, and are nouns of ours."""


def main() -> int:
    found = list(findings(Path()))
    sys.stdout.write("".join(f"{line}\n" for line in found))
    return 1 if found else 0


def findings(root: Path) -> Iterator[str]:
    """One line for each rule that is broken below this project's root."""
    for top, cap in FILE_CAPS.items():
        for file in _files(root, top, (".py",)):
            yield from _sizes(root, file, cap)
    for file in _files(root, "web/src", (".ts", ".tsx")):
        yield from _web(root, file)
    for top, endings in FOLDERS.items():
        yield from _folders(root, top, endings)
    for file in _files(root, "src/yudai", (".py",)):
        yield from _names(file)


def _files(root: Path, top: str, endings: tuple[str, ...]) -> list[PurePath]:
    """Modules below a folder, named from the root on."""
    found = (file.relative_to(root) for file in (root / top).rglob("*"))
    return sorted(
        file
        for file in found
        if file.suffix in endings and not any(file.is_relative_to(exempt) for exempt in EXEMPT)
    )


def _sizes(root: Path, file: PurePath, cap: int) -> Iterator[str]:
    text = (root / file).read_text(encoding="utf-8")
    lines = text.count("\n")
    if lines > cap:
        yield f"{file}: {lines} lines, at most {cap}"
    if file.parts[0] == "tests":
        return
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        size = (node.end_lineno or node.lineno) - node.lineno + 1
        if size > FUNCTION_CAP:
            yield f"{file}:{node.lineno}: {node.name} has {size} lines, at most {FUNCTION_CAP}"


def _web(root: Path, file: PurePath) -> Iterator[str]:
    if file.name == GENERATED:
        return
    text = (root / file).read_text(encoding="utf-8")
    lines = text.count("\n")
    if lines > WEB_CAP:
        yield f"{file}: {lines} lines, at most {WEB_CAP}"
    own = file.relative_to(FEATURES).parts[0] if file.is_relative_to(FEATURES) else None
    for feature in sorted({*_FEATURE.findall(text)} - {own}) if own else ():
        yield f"{file}: imports the feature {feature!r}; only routes put features together"


def _folders(root: Path, top: str, endings: tuple[str, ...]) -> Iterator[str]:
    counts: dict[PurePath, int] = {}
    for file in _files(root, top, endings):
        if file.stem != "__init__" and not _is_web_test(file):
            counts[file.parent] = counts.get(file.parent, 0) + 1
    for folder, count in counts.items():
        cap = LARGER_FOLDERS.get(folder.as_posix(), FOLDER_CAP)
        if count > cap:
            yield f"{folder}: {count} modules, at most {cap}"


def _is_web_test(file: PurePath) -> bool:
    return file.stem.endswith(".test")


def _names(file: PurePath) -> Iterator[str]:
    gerund = next((part for part in file.stem.split("_") if _is_gerund(part)), None)
    if gerund is not None:
        yield f"{file}: named by the gerund {gerund!r}; use a noun or a verb"


def _is_gerund(word: str) -> bool:
    return word.endswith("ing") and word not in NOUNS


if __name__ == "__main__":
    sys.exit(main())
