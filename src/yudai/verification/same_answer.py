"""Decides when two patches are the same answer: layout and comments do not count."""

import hashlib
from collections.abc import Iterable

from yudai.kit.syntax import UnreadableError, parse_python, unparse_python
from yudai.patches.git_diff import FileChange
from yudai.patches.patch import Patch
from yudai.verification.case import Texts
from yudai.verification.domain.edits.script_test_edits import SCRIPTS
from yudai.verification.domain.sources.script_tokens import Script, read_script

_DIGITS = 32


def digest(patch: Patch, after: Texts) -> str:
    """Digest of each patched file's tokens, or of the patch's text where a file cannot be read."""
    made = hashlib.sha256()
    for part in _normal_forms(patch, after):
        content = part.encode("utf-8", "surrogateescape")
        made.update(f"{len(content)}:".encode() + content)
    return made.hexdigest()[:_DIGITS]


def _normal_forms(patch: Patch, after: Texts) -> Iterable[str]:
    for change in sorted(patch.files, key=lambda change: change.path):
        yield f"{change.path} {change.new_mode}"
        yield _normal(change, after.get(change.path))


def _normal(change: FileChange, text: str | None) -> str:
    if not text:
        return change.text
    try:
        if change.path.endswith(".py"):
            return unparse_python(parse_python(text))
        if SCRIPTS.fullmatch(change.path):
            return _tokens(read_script(text))
    except (UnreadableError, RecursionError, MemoryError):
        pass
    return text


def _tokens(script: Script) -> str:
    """Tokens of a text. The first of a line is marked: JavaScript may end a statement before it."""
    return "\0".join(f"{t.is_first:d}{t.kind}{t.text}" for t in script.tokens)
