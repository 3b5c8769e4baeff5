"""Locks of files: one holder, others wait or hear that it is held."""

import asyncio
import os
from pathlib import Path

import pytest

from yudai.kit.locks import is_locked, lock, wait_for_lock


def test_one_holds_it_until_it_lets_go(tmp_path: Path):
    held = lock(tmp_path / "lock")
    with pytest.raises(BlockingIOError):
        lock(tmp_path / "lock")
    assert is_locked(tmp_path / "lock")

    os.close(held)

    assert not is_locked(tmp_path / "lock")
    os.close(lock(tmp_path / "lock"))


def test_who_looks_makes_no_file(tmp_path: Path):
    with pytest.raises(FileNotFoundError):
        is_locked(tmp_path / "lock")
    assert not list(tmp_path.iterdir())


async def test_it_is_waited_for(tmp_path: Path):
    held = lock(tmp_path / "lock")
    with pytest.raises(TimeoutError):
        await wait_for_lock(tmp_path / "lock", patience_s=0.1)

    waiting = asyncio.create_task(wait_for_lock(tmp_path / "lock"))
    await asyncio.sleep(0)
    os.close(held)

    os.close(await waiting)
