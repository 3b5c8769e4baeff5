"""The change that a run produced, as git's own text, and what can be read from it."""

from yudai.domain.value import Value


class FileChange(Value):
    path: str
    kind: str
    """added, deleted, modified"""
    added: int
    removed: int
    is_binary: bool
    text: str
    """This file's whole section of the patch, from `diff --git` on."""


class Patch(Value):
    files: tuple[FileChange, ...]

    @property
    def text(self) -> str:
        return "".join(change.text for change in self.files)
