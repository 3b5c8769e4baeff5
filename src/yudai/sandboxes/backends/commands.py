"""What every local sandbox is made of: something that runs one command at a time."""

from typing import Protocol, Unpack

from yudai.sandboxes.port import ExecOptions, ExecResult


class Commands(Protocol):
    """Each backend has its own way; the caller takes turns."""

    @property
    def lost(self) -> str:
        """Why no command can be run any more; "" while they can."""
        ...

    def locate(self, path: str) -> str:
        """A path of the port as commands name it; a relative one starts at the workspace."""
        ...

    async def exec(self, command: str, **options: Unpack[ExecOptions]) -> ExecResult: ...

    async def end(self) -> None:
        """Kill everything, for good."""
        ...
