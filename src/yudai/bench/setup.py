"""Shared by measurements: a contestant, and a repository of small files."""

import io
import tarfile
from pathlib import Path

from yudai.solves.domain.matrix import DEFAULT_AGENT, Contestant
from yudai.solves.domain.strategies import Strategy


def contestant(handle: str) -> Contestant:
    return Contestant(
        agent=DEFAULT_AGENT,
        model="scripted/it",
        temperature=0.0,
        max_edits=10,
        strategy=Strategy.BALANCED,
        handle=handle,
    )


def archive(path: Path, files: int) -> Path:
    with tarfile.open(path, "w") as tar:
        for number in range(files):
            content = f"def function_{number}():\n    return {number}\n".encode()
            member = tarfile.TarInfo(f"package/part_{number % 10}/module_{number}.py")
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return path
