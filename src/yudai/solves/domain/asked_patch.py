"""Patches that a request brings along, or names in its repository: contestants without an agent."""

import base64
import binascii
import re
from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import AfterValidator, ConfigDict, Field, Strict, model_validator
from pydantic_core import PydanticCustomError

from yudai.kit.value import Value
from yudai.solves.domain.matrix import Contestant, patch_contestant

MAX_PATCHES = 32
MAX_TOTAL = 4 << 20
"""Bytes of all patches of a request together."""
MAX_HANDLE = 100
_MAX_BASE64 = MAX_TOTAL * 4 // 3 + 4
_LINE = r"^[^\x00-\x1f\x7f]*$"
_COMMIT = r"^([0-9a-fA-F]{4,64})?$"
# `diff --git a/x b/x`, or the two names of a plain `diff -u`.
_DIFF = re.compile(rb"^(?:diff --git .+|--- .+\r?\n\+\+\+ .+)$", re.MULTILINE)
_KINDS = ("patch", "patch_base64", "branch", "commit", "pull")
NO_PATCH = "this is no patch: give the text of `git diff`, `diff -u` or `git format-patch`"

EXAMPLE_PATCHES: list[Any] = [
    {"handle": "codex", "patch": "diff --git a/calc.py b/calc.py\n..."},
    {"branch": "fix/leap-years", "author": "ada"},
]


class AskedPatch(Value):
    """One of `patch`, `patch_base64`, `branch`, `commit` and `pull`."""

    model_config = ConfigDict(json_schema_extra={"examples": EXAMPLE_PATCHES})

    handle: str = Field(
        default="",
        max_length=MAX_HANDLE,
        pattern=_LINE,
        description="Its name in the solve; unset: the branch's, commit's or pull request's.",
    )
    author: str = Field(
        default="",
        max_length=200,
        pattern=_LINE,
        description="Who wrote it. Patches of one author are not independent. Unset: unique.",
    )
    patch: str = Field(
        default="",
        max_length=MAX_TOTAL,
        description="Text of `git diff`, `diff -u` or `git format-patch`.",
    )
    patch_base64: str = Field(
        default="",
        max_length=_MAX_BASE64,
        description="The same as Base64, for a patch that is not UTF-8.",
    )
    branch: str = Field(
        default="",
        max_length=300,
        pattern=_LINE,
        description="A branch of the repository: what it changes since it left the base.",
    )
    commit: str = Field(
        default="",
        max_length=64,
        pattern=_COMMIT,
        description="A commit of the repository: what it changes in its (first) parent.",
    )
    pull: Annotated[int, Strict()] | None = Field(
        default=None,
        ge=1,
        le=(1 << 31) - 1,
        description="A pull request of the forge's repository, by its number.",
    )

    @model_validator(mode="after")
    def _check(self) -> "AskedPatch":
        given = [name for name in _KINDS if getattr(self, name)]
        if len(given) != 1:
            raise _wrong("patch", f"give exactly one of {', '.join(_KINDS)}")
        if self.is_text and not is_diff(self.content):
            raise _wrong(given[0], NO_PATCH)
        return self

    @property
    def kind(self) -> str:
        """Name of the field that has it, or says where it is."""
        return next(name for name in _KINDS if getattr(self, name))

    @property
    def is_text(self) -> bool:
        return bool(self.patch or self.patch_base64)

    @property
    def content(self) -> bytes:
        """The patch itself; b"" where it is in the repository."""
        if not self.patch_base64:
            return self.patch.encode("utf-8", "surrogateescape")
        try:
            return base64.b64decode(self.patch_base64, validate=True)
        except (binascii.Error, ValueError):
            raise _wrong("patch_base64", "this is no Base64") from None

    @property
    def contestant(self) -> Contestant:
        return patch_contestant(self._name, self.author.strip())

    @property
    def _name(self) -> str:
        number = "" if self.pull is None else f"pull-{self.pull}"
        name = self.handle.strip() or self.branch or self.commit[:12] or number or "patch"
        return name[:MAX_HANDLE]


def is_diff(content: bytes) -> bool:
    """Whether there is a diff in it, whatever it changes."""
    return _DIFF.search(content) is not None


def _check_size(patches: tuple[AskedPatch, ...]) -> tuple[AskedPatch, ...]:
    total = 0
    for number, one in enumerate(patches):
        total += len(one.content)
        if total > MAX_TOTAL:
            message = f"all patches together have at most {MAX_TOTAL:,} bytes"
            field = "patch" if one.patch else "patch_base64"
            raise _wrong(f"{number}.{field}", message)
    return patches


AskedPatches = Annotated[
    tuple[AskedPatch, ...], Field(max_length=MAX_PATCHES), AfterValidator(_check_size)
]


def contestants_of(patches: Sequence[AskedPatch]) -> tuple[Contestant, ...]:
    """In their order, with handles that are not made unique yet."""
    return tuple(one.contestant for one in patches)


def _wrong(field: str, message: str) -> PydanticCustomError:
    """Error of a whole value's validator; `field` names the part."""
    return PydanticCustomError("patch", "{message}", {"message": message, "field": field})
