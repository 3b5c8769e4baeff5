"""Fail when a file or a function has grown past its cap (style.md 6)."""

import ast
import sys
from pathlib import Path

FILE_CAPS = {"src": 400, "tests": 800}
FUNCTION_CAP = 60
EXEMPT = ("src/yudai/store/migrations/versions", "src/yudai/demo/sample")


def main() -> int:
    found = [line for file in _files() for line in _findings(file)]
    sys.stdout.write("".join(f"{line}\n" for line in found))
    return 1 if found else 0


def _files() -> list[Path]:
    return [
        file
        for top in FILE_CAPS
        for file in sorted(Path(top).rglob("*.py"))
        if not str(file).startswith(EXEMPT)
    ]


def _findings(file: Path) -> list[str]:
    text = file.read_text(encoding="utf-8")
    lines, cap = text.count("\n"), FILE_CAPS[file.parts[0]]
    long_file = [f"{file}: {lines} lines, at most {cap}"] if lines > cap else []
    if file.parts[0] == "tests":
        return long_file
    return long_file + [
        f"{file}:{node.lineno}: {node.name} has {size} lines, at most {FUNCTION_CAP}"
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (size := (node.end_lineno or node.lineno) - node.lineno + 1) > FUNCTION_CAP
    ]


if __name__ == "__main__":
    sys.exit(main())
