import os
import signal
import subprocess
import sys
import time

import pytest

from yudai.engine.adapters import host_processes
from yudai.engine.adapters.host_processes import host_name, is_gone, is_here, is_there


def test_a_process_is_gone_when_it_has_ended_whether_or_not_it_was_waited_for():
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    assert not is_gone(host_name(), process.pid)
    process.kill()
    # Ended, and not waited for: what a container without an init is full of.
    assert process.stdin is not None
    while not is_gone(host_name(), process.pid):
        assert process.returncode is None
    process.wait()
    assert is_gone(host_name(), process.pid)
    process.stdin.close()


def test_nothing_is_known_of_other_machines(monkeypatch: pytest.MonkeyPatch):
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    here = host_name()
    assert is_gone(here, process.pid)
    assert not is_gone("elsewhere", process.pid)
    assert not is_gone(f"{here}.", process.pid)
    assert not is_gone("", 0)


def test_a_machine_is_the_same_after_it_was_booted_and_from_within_its_containers():
    name, boot, space = host_name().split(" ")
    for host in (f"{name} {boot} {space}", f"{name} earlier x", f"inside {boot} x", name):
        assert is_here(host)
    for host in (f"other {boot}x {space}", "other", "", f"{name}x"):
        assert not is_here(host)


def test_nothing_is_known_where_processes_are_not_shown(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
):
    monkeypatch.setattr(host_processes, "_PROC", tmp_path_factory.mktemp("empty"))
    assert not is_gone(host_name(), 2**22)


def test_a_suspended_process_is_there_and_one_with_its_number_is_not():
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    with process:
        process.send_signal(signal.SIGSTOP)
        now = time.time()
        assert is_there(host_name(), process.pid, now)
        assert not is_there("elsewhere", process.pid, now)
        # One that was known an hour ago cannot be this one.
        assert not is_there(host_name(), process.pid, now - 3600)
        process.kill()
    assert not is_there(host_name(), process.pid, now)
    assert is_there(host_name(), os.getpid(), now)
