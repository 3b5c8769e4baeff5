"""A fake E2B on loopback that the unmodified SDK accepts; each of its sandboxes is a real VM.

    with FakeE2B(tmp_path / "e2b") as e2b:
        await AsyncSandbox.create("base", api_key=e2b.key, api_url=e2b.url, sandbox_url=e2b.url)
        e2b.faults.add("DELETE /sandboxes/.*", Fault(status=500))
        assert e2b.boxes[...].metadata == {...}

It is our reading of the SDK's side: it cannot show what the real service does beyond that.
"""

from collections.abc import Mapping
from pathlib import Path

from starlette.applications import Starlette

from tests.support.clouds.e2b_boxes import Box, Boxes, Build
from tests.support.clouds.e2b_control import Control, pause
from tests.support.clouds.e2b_envd import Envd
from tests.support.clouds.faults import Fault, Faults, FaultyLine
from tests.support.clouds.loopback import Loopback

__all__ = ["FakeE2B", "Fault"]


class FakeE2B:
    key = "e2b_fake_key_that_is_never_shown"

    def __init__(self, folder: Path, *, env: Path | None = None) -> None:
        """`env`: a Python environment of the host that is /env in each sandbox."""
        self._boxes = Boxes(folder, env)
        self.control = Control(self._boxes, self.key)
        self.envd = Envd(self._boxes)
        self.faults = Faults()
        app = Starlette(routes=[*self.control.routes(), *self.envd.routes()])
        self._line = Loopback(FaultyLine(app, self.faults))
        self.url = self._line.url

    def __enter__(self) -> "FakeE2B":
        self._line.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        for box in list(self.boxes.values()):
            self._boxes.end(box)
        self._line.__exit__()
        self._boxes.close()

    @property
    def memory_bytes(self) -> int | None:
        """Of each sandbox, as its template says; None: all that the host has."""
        return self._boxes.memory_bytes

    @memory_bytes.setter
    def memory_bytes(self, size: int | None) -> None:
        self._boxes.memory_bytes = size

    @property
    def boxes(self) -> dict[str, Box]:
        return self._boxes.all

    @property
    def snapshots(self) -> dict[str, Path]:
        return self._boxes.snapshots

    @property
    def builds(self) -> list[Build]:
        return list(self._boxes.builds.values())

    def put_box(self, metadata: Mapping[str, str], *, state: str = "running") -> Box:
        """Somebody else's; it has no machine."""
        box = self._boxes.add("base", metadata, 3600)
        box.state = state
        return box

    def pause(self, box_id: str) -> None:
        pause(self.boxes[box_id])

    def die(self, box_id: str) -> None:
        """Its machine breaks, and it is gone."""
        self._boxes.end(self.boxes[box_id])

    def set_clock(self, offset_s: float) -> None:
        self._boxes.clock_offset_s = offset_s
