"""Counts the steps that changed the work tree, and keeps the patch as it stood at the cap."""

from yudai.adapters.agents.prompts import edits
from yudai.ports.sandbox import Sandbox


class EditCount:
    """Seen from outside the sandbox, so the agent cannot hide an edit."""

    def __init__(self, sandbox: Sandbox, *, max_edits: int, marker: str) -> None:
        self.count = 0
        self.first_step: int | None = None
        self.patch_at_cap: str | None = None
        self._sandbox = sandbox
        self._max_edits = max_edits
        self._finish_command = f"echo {marker}"
        self._fingerprint = ""

    @property
    def used_up(self) -> bool:
        return self.count >= self._max_edits

    async def begin(self) -> None:
        self._fingerprint = (await self._sandbox.tree()).fingerprint

    async def look(self, step: int) -> str:
        """After a step: count it if files changed; returns what the agent is told of it."""
        fingerprint = (await self._sandbox.tree()).fingerprint
        if fingerprint == self._fingerprint:
            return ""
        self._fingerprint = fingerprint
        if self.used_up:
            return self._ignored()
        self.count += 1
        self.first_step = self.first_step or step
        if not self.used_up:
            return f"This step changed files: edit {self.count} of {self._max_edits}."
        self.patch_at_cap = await self._sandbox.diff()
        return self._capped()

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
