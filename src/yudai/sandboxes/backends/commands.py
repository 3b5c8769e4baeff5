"""What every local box is made of: something that runs one command at a time."""

from collections.abc import Mapping
from typing import Protocol

from yudai.sandboxes.port import DEFAULT_MAX_OUTPUT, WORKSPACE, ExecResult


class Commands(Protocol):
    """Each backend has its own way; the caller takes turns."""

    @property
    def lost(self) -> str:
        """Why no command can be run any more; "" while they can."""
        ...

    def locate(self, path: str) -> str:
        """A path of the port as commands name it; a relative one starts at the workspace."""
        ...

    async def exec(
        self,
        command: str,
        *,
        cwd: str = WORKSPACE,
        env: Mapping[str, str] | None = None,
        timeout_s: float = 60.0,
        max_output: int = DEFAULT_MAX_OUTPUT,
        stdin: bytes = b"",
    ) -> ExecResult: ...

    async def end(self) -> None:
        """Kill everything, for good."""
        ...
