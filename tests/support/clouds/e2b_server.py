"""A fake E2B on loopback that the unmodified SDK accepts; each of its sandboxes is a real VM.

    with FakeE2B(tmp_path / "e2b") as e2b:
        await AsyncSandbox.create("base", api_key=e2b.key, api_url=e2b.url, sandbox_url=e2b.url)
        e2b.faults.add("DELETE /sandboxes/.*", Fault(status=500))
        assert e2b.sandboxes[...].metadata == {...}

It is our reading of the SDK's side: it cannot show what the real service does beyond that.
"""

from collections.abc import Mapping
from pathlib import Path

from starlette.applications import Starlette

from tests.support.clouds.e2b_control import Control, pause
from tests.support.clouds.e2b_envd import Envd
from tests.support.clouds.e2b_sandboxes import Build, CleanSandboxes, SandboxHandle
from tests.support.clouds.faults import Fault, Faults, FaultyLine
from tests.support.clouds.loopback import Loopback

__all__ = ["FakeE2B", "Fault"]


class FakeE2B:
    key = "e2b_fake_key_that_is_never_shown"

    def __init__(self, folder: Path, *, env: Path | None = None) -> None:
        """`env`: a Python environment of the host that is /env in each sandbox."""
        self._sandboxes = CleanSandboxes(folder, env)
        self.control = Control(self._sandboxes, self.key)
        self.envd = Envd(self._sandboxes)
        self.faults = Faults()
        app = Starlette(routes=[*self.control.routes(), *self.envd.routes()])
        self._line = Loopback(FaultyLine(app, self.faults))
        self.url = self._line.url

    def __enter__(self) -> "FakeE2B":
        self._line.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        for sandbox in list(self.sandboxes.values()):
            self._sandboxes.end(sandbox)
        self._line.__exit__()
        self._sandboxes.close()

    @property
    def memory_bytes(self) -> int | None:
        """Of each sandbox, as its template says; None: all that the host has."""
        return self._sandboxes.memory_bytes

    @memory_bytes.setter
    def memory_bytes(self, size: int | None) -> None:
        self._sandboxes.memory_bytes = size

    @property
    def sandboxes(self) -> dict[str, SandboxHandle]:
        return self._sandboxes.all

    @property
    def snapshots(self) -> dict[str, Path]:
        return self._sandboxes.snapshots

    @property
    def builds(self) -> list[Build]:
        return list(self._sandboxes.builds.values())

    def put_sandbox(self, metadata: Mapping[str, str], *, state: str = "running") -> SandboxHandle:
        """Somebody else's; it has no machine."""
        sandbox = self._sandboxes.add("base", metadata, 3600)
        sandbox.state = state
        return sandbox

    def pause(self, sandbox_id: str) -> None:
        pause(self.sandboxes[sandbox_id])

    def die(self, sandbox_id: str) -> None:
        """Its machine breaks, and it is gone."""
        self._sandboxes.end(self.sandboxes[sandbox_id])

    def set_clock(self, offset_s: float) -> None:
        self._sandboxes.clock_offset_s = offset_s
