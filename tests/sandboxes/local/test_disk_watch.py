"""How much disk a workspace takes."""

import os
import shutil
import threading
from contextlib import suppress
from pathlib import Path

from yudai.sandboxes.backends.local.commands import DiskWatch
from yudai.sandboxes.backends.workspace.disk_usage import usage

KIB = 1024


def test_blocks_count_and_sparse_files_do_not(tmp_path: Path):
    (tmp_path / "full").write_bytes(b"x" * 100 * KIB)
    with (tmp_path / "sparse").open("wb") as file:
        file.truncate(1 << 30)

    assert 100 * KIB <= usage(tmp_path) < 200 * KIB


def test_empty_files_count_too(tmp_path: Path):
    for number in range(100):
        (tmp_path / str(number)).touch()

    assert usage(tmp_path) >= 100 * 4 * KIB


def test_links_are_not_followed(tmp_path: Path):
    (tmp_path / "seen").mkdir()
    (tmp_path / "big").write_bytes(b"x" * 1_000_000)
    (tmp_path / "seen/link").symlink_to(tmp_path / "big")
    (tmp_path / "seen/loop").symlink_to(tmp_path)

    assert usage(tmp_path / "seen") < 100 * KIB


def test_no_descriptor_is_left(tmp_path: Path):
    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - only their number
    for number in range(50):
        (tmp_path / f"{number}/{'x' * 200}").mkdir(parents=True)

    usage(tmp_path)

    assert len(os.listdir("/proc/self/fd")) == before  # noqa: PTH208 - only their number


def test_a_tree_that_changes_under_the_look(tmp_path: Path):
    """Whoever works there, it is no error."""
    stop = threading.Event()

    def work() -> None:
        while not stop.is_set():
            for number in range(20):
                (tmp_path / f"d{number}/e").mkdir(parents=True, exist_ok=True)
                (tmp_path / f"d{number}/e/f").touch()
            shutil.rmtree(tmp_path, ignore_errors=True)
            tmp_path.mkdir(exist_ok=True)

    worker = threading.Thread(target=work)
    worker.start()
    try:
        for _ in range(200):
            with suppress(FileNotFoundError):
                usage(tmp_path)
    finally:
        stop.set()
        worker.join()


async def test_a_full_workspace_may_shrink_but_not_grow(tmp_path: Path):
    watch = DiskWatch(tmp_path, 100 * KIB)
    told: list[bool] = []
    for size in (50, 200, 150, 180, 20, 90):
        (tmp_path / "file").write_bytes(b"x" * size * KIB)
        watch._due = 0
        told.append(await watch.is_full())

    assert told == [False, True, False, True, False, False]


async def test_a_fresh_look_is_not_repeated(tmp_path: Path):
    watch = DiskWatch(tmp_path, 0)
    (tmp_path / "file").write_bytes(b"x")

    assert not await watch.is_full()
