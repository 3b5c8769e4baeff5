"""Whether a process lives: by the lock that it holds, and by itself where it can be seen."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from yudai.sandboxes.backends.local import processes
from yudai.sandboxes.backends.local.home import Home
from yudai.sandboxes.backends.local.processes import Holder, is_held, take

_DYING = """
import os, sys, time
from pathlib import Path
from yudai.sandboxes.backends.local.home import Home
sandbox = Home(Path(sys.argv[1])).new_sandbox("dead")
child = os.fork()
if child == 0:
    time.sleep(float(sys.argv[2]))
    os.execvp("sleep", ["sleep", "60"])
print(child, sandbox.id, flush=True)
time.sleep(60)
"""


@contextmanager
def killed(root: Path, *, starting_s: float) -> Generator[str]:
    """Yields the sandbox of a process that was killed while a program was started by it."""
    line = (sys.executable, "-c", _DYING, str(root), str(starting_s))
    with subprocess.Popen(line, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        child, sandbox = process.stdout.readline().split()
        process.kill()
        process.wait()
        try:
            yield sandbox
        finally:
            os.kill(int(child), 9)


def test_a_child_that_outlives_it_keeps_nothing_of_it(tmp_path: Path):
    """Between `vfork` and `exec` it holds whatever its parent held."""
    home = Home(tmp_path)
    mine = home.new_sandbox("me")
    with killed(tmp_path, starting_s=60) as sandbox:
        [lease] = [path for path in home.lease().parent.iterdir() if path != home.lease()]
        with pytest.raises(BlockingIOError):
            os.close(take(lease / "lock"))

        assert [record.id for record in home.abandoned()] == [sandbox]
        assert [record.id for record in home.living()] == [mine.id]
        assert home.reap_leases() == []

        assert not lease.exists()
    home.release()


def test_it_is_waited_for_a_moment(tmp_path: Path):
    """What it starts has no name of its own before, by which it could be found and ended."""
    home = Home(tmp_path)
    with killed(tmp_path, starting_s=0.15) as sandbox:
        assert [record.id for record in home.abandoned()] == [sandbox]
        [lease] = (tmp_path / "leases").iterdir()
        os.close(take(lease / "lock"))


def of_another_machine(holder: Holder) -> Holder:
    return holder.model_copy(update={"place": "elsewhere"})


def of_another_time(holder: Holder) -> Holder:
    return holder.model_copy(update={"started": holder.started - 1})


@pytest.mark.parametrize(("change", "held"), [(of_another_machine, True), (of_another_time, False)])
def test_by_the_lock_alone_where_no_one_can_know(
    tmp_path: Path, change: Callable[[Holder], Holder], *, held: bool
):
    lock = take(tmp_path / "lock")
    holder = Holder.model_validate_json((tmp_path / "lock").read_bytes())
    assert is_held(tmp_path / "lock")
    (tmp_path / "lock").write_text(change(holder).model_dump_json())

    assert is_held(tmp_path / "lock") is held

    os.close(lock)
    assert not is_held(tmp_path / "lock")


@pytest.mark.parametrize("content", ["", "{", '{"place": ""}'])
def test_a_lock_that_names_no_one_is_trusted(tmp_path: Path, content: str):
    lock = take(tmp_path / "lock")
    (tmp_path / "lock").write_text(content)
    assert is_held(tmp_path / "lock")
    os.close(lock)


def test_where_processes_are_not_shown_it_names_no_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(processes, "_PROC", tmp_path)
    lock = take(tmp_path / "lock")
    assert (tmp_path / "lock").read_bytes() == b""
    assert is_held(tmp_path / "lock")
    os.close(lock)


def test_one_that_is_free_costs_no_time(tmp_path: Path):
    os.close(take(tmp_path / "lock"))
    began = time.monotonic()
    assert not is_held(tmp_path / "lock")
    assert not is_held(tmp_path / "none" / "lock")
    assert time.monotonic() - began < 0.4
