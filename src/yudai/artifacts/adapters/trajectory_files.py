"""Finished trajectories as files in a folder, for tools that read mini-SWE-agent's format."""

import asyncio
import re
from pathlib import Path

import structlog

from yudai.artifacts.adapters.atomic_files import write_file
from yudai.kit.ids import RunId, SolveId

log = structlog.get_logger()

_MAX_CHARACTERS = 80
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


class TrajectoryFiles:
    def __init__(self, folder: Path) -> None:
        self._folder = folder.expanduser().absolute()

    async def keep(self, repo: str, content: bytes, *, solve_id: SolveId, run_id: RunId) -> None:
        file = self._folder / file_name(repo, solve_id, run_id)
        try:
            await asyncio.to_thread(write_file, file, content)
        except OSError as error:
            log.warning("trajectory.unwritten", file=str(file), reason=error.strerror)


class NoTrajectoryFiles:
    """Keeps no files."""

    async def keep(self, repo: str, content: bytes, *, solve_id: SolveId, run_id: RunId) -> None:
        pass


def file_name(repo: str, solve_id: SolveId, run_id: RunId) -> str:
    return "_".join(_safe(part) for part in (repo, solve_id, run_id)) + ".traj.json"


def _safe(text: str) -> str:
    """Make a safe part of a file name: plain characters, no leading dot or dash."""
    return _UNSAFE.sub("_", text).lstrip("._-")[:_MAX_CHARACTERS] or "unnamed"
