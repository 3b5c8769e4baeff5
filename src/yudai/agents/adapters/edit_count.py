"""Counts the steps that changed the work tree, and keeps the patch after each of them."""

import asyncio
from collections.abc import Awaitable
from typing import Any, NamedTuple

from yudai.agents.prompts import edits
from yudai.kit.errors import SandboxError
from yudai.kit.text import clean
from yudai.runs.domain.trajectory.kinds import DIFF, DIFF_TRUNCATED, EDIT
from yudai.sandboxes.port import Sandbox

MAX_DIFF_BYTES = 100_000


class KeptDiff(NamedTuple):
    text: str
    is_truncated: bool = False


def kept_diff(patch: str, *, limit: int = MAX_DIFF_BYTES) -> KeptDiff:
    """Whole lines from its start, with U+FFFD for bytes that are not UTF-8."""
    # A character has at least one byte, so only the start of a long patch is encoded.
    encoded = clean(patch[: limit + 1]).encode()
    if len(encoded) <= limit and len(patch) <= limit:
        return KeptDiff(encoded.decode())
    whole_lines = encoded[: encoded.rfind(b"\n", 0, limit) + 1]
    return KeptDiff(whole_lines.decode(), is_truncated=True)


class TakenPatch(NamedTuple):
    patch: str = ""
    error: SandboxError | None = None


async def take_patch(diff: Awaitable[str]) -> TakenPatch:
    """Take the patch at the end, even if the run's time has ended."""
    try:
        async with asyncio.timeout(_PATCH_TIME_S):
            return TakenPatch(await diff)
    except SandboxError as error:
        words = f"the patch could not be taken: {error}"
        return TakenPatch(error=SandboxError(words, cause=error.cause))
    except TimeoutError:
        return TakenPatch(error=SandboxError("the patch could not be taken in time"))


_PATCH_TIME_S = 60.0
# A patch that takes longer is not worth the contestant's time: it is taken once, at the end.
_DIFF_TIME_S = 10.0


class Inspection(NamedTuple):
    """The work tree after a step."""

    notice: str = ""
    """The note about the edit count that the agent gets."""
    edit: int | None = None
    """The number of the edit, if it counts."""
    patch: str | None = None
    """The diff of the work tree; None: it could not be taken."""

    @property
    def notes(self) -> dict[str, Any]:
        """The fields stored beside the observation."""
        if self.edit is None:
            return {}
        kept = kept_diff(self.patch or "")
        is_truncated = kept.is_truncated or self.patch is None
        return {EDIT: self.edit, DIFF: kept.text, DIFF_TRUNCATED: is_truncated}


NOTHING_SEEN = Inspection()


class EditCount:
    """Counts edits from outside the sandbox, so that the agent cannot hide one."""

    def __init__(self, sandbox: Sandbox, *, max_edits: int, marker: str) -> None:
        self.count = 0
        self.first_step: int | None = None
        self.patch_at_cap: str | None = None
        self._sandbox = sandbox
        self._max_edits = max_edits
        self._finish_command = f"echo {marker}"
        self._fingerprint = ""
        self._patch: str | None = None
        """The full patch of the tree with that fingerprint; None: not taken."""

    @property
    def used_up(self) -> bool:
        return self.count >= self._max_edits

    async def begin(self) -> None:
        self._fingerprint = (await self._sandbox.tree()).fingerprint

    async def look(self, step: int) -> Inspection:
        """After a step: count it if files changed."""
        fingerprint = (await self._sandbox.tree()).fingerprint
        if fingerprint == self._fingerprint:
            return Inspection()
        self._fingerprint, self._patch = fingerprint, None
        if self.used_up:
            return Inspection(self._ignored())
        self.count += 1
        self.first_step = self.first_step or step
        if self.used_up:
            self.patch_at_cap = await self._sandbox.diff()
            return Inspection(self._capped(), self.count, self.patch_at_cap)
        self._patch = await self._try_diff()
        notice = f"This step changed files: edit {self.count} of {self._max_edits}."
        return Inspection(notice, self.count, self._patch)

    async def take(self) -> str:
        """The patch at the cap, or else of the current work tree. Taken again only if needed."""
        if self.patch_at_cap is not None:
            return self.patch_at_cap
        if self._patch is not None:
            fingerprint = (await self._sandbox.tree()).fingerprint
            if fingerprint == self._fingerprint:
                return self._patch
        return await self._sandbox.diff()

    async def _try_diff(self) -> str | None:
        """Only for the record: the run continues without it."""
        try:
            async with asyncio.timeout(_DIFF_TIME_S):
                return await self._sandbox.diff()
        except (SandboxError, TimeoutError):
            return None

    def _capped(self) -> str:
        return (
            f"You have used all {edits(self._max_edits)}: your patch is the work tree as it is now,"
            f" later changes do not count. Submit now with: {self._finish_command}"
        )

    def _ignored(self) -> str:
        return (
            f"This step changed files, but all {edits(self._max_edits)} were used before: it does"
            f" not count and your patch stays as it was. Submit now with: {self._finish_command}"
        )
