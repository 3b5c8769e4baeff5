"""A backend's folder: whose sandboxes are whose."""

import subprocess
import time
from pathlib import Path

import pytest

from yudai.sandboxes.backends.bubblewrap.host import find_bwraps
from yudai.sandboxes.backends.local.home import Home
from yudai.sandboxes.backends.local.processes import children, look, seeing


def test_what_belongs_to_a_free_lease_is_abandoned(tmp_path: Path):
    living, dead = Home(tmp_path), Home(tmp_path)
    mine = living.new_sandbox("me")
    left = dead.new_sandbox("you")
    assert living.abandoned() == []

    dead.release()

    assert [record.id for record in living.abandoned()] == [left.id]
    assert {record.id for record in living.records()} == {mine.id, left.id}
    living.release()


def test_a_sandbox_without_a_record_belongs_to_no_one(tmp_path: Path):
    home = Home(tmp_path)
    home.lease()
    (home.sandboxes / "strange").mkdir()
    (home.sandboxes / "broken").mkdir()
    (home.sandboxes / "broken" / "box.json").write_text("{")

    assert {record.id for record in home.abandoned()} == {"strange", "broken"}
    assert home.remove_sandbox("strange")
    assert not home.remove_sandbox("strange")
    home.release()


def test_leases_of_the_dead_are_reaped(tmp_path: Path):
    living = Home(tmp_path)
    mine = living.lease()
    dead = mine.parent / "dead"
    dead.mkdir()
    (dead / "lock").touch()

    living.reap_leases()

    assert list(mine.parent.iterdir()) == [mine]
    living.release()
    assert list(mine.parent.iterdir()) == []


@pytest.mark.parametrize("is_orphan", [True, False])
def test_what_tried_out_this_host_for_the_dead_is_ended(tmp_path: Path, *, is_orphan: bool):
    home = Home(tmp_path)
    mine = home.lease()
    dead = mine.parent / "0123456789abcdef"
    (dead / "trial").mkdir(parents=True)
    (dead / "lock").touch()
    # Not all of `/`: mounts of other tests below it come and go while bubblewrap reads them.
    programs = [
        word for at in ("/usr", "/lib", "/lib64", "/bin") for word in ("--ro-bind-try", at, at)
    ]
    words = (*programs, "--ro-bind", str(dead / "trial"), "/mnt", "sleep", "1000")
    above = subprocess.Popen([find_bwraps()[0], "--unshare-pid", *words])
    try:
        while not (inside := children(above.pid)) or not seeing(dead):
            assert above.poll() is None, "bubblewrap ended by itself"
            time.sleep(0.01)
        if is_orphan:
            above.kill()
            above.wait()
        home.reap_leases()
        above.wait(10)
        while any(look(pid) for pid in inside):
            time.sleep(0.01)
    finally:
        above.kill()
    assert list(mine.parent.iterdir()) == [mine]
    home.release()


def test_records_survive_a_restart(tmp_path: Path):
    home = Home(tmp_path)
    record = home.new_sandbox("me", cgroups=lambda sandbox: (Path("/x") / sandbox,))

    assert Home(tmp_path).find(record.id) == record
    assert record.cgroups == (Path("/x") / record.id,)
    assert Home(tmp_path).find("none") is None
    home.release()


def test_folders_are_for_their_owner_only(tmp_path: Path):
    home = Home(tmp_path / "new")
    record = home.new_sandbox("me")

    for folder in (home.bases, home.sandboxes, home.lease(), home.sandbox(record.id)):
        assert folder.stat().st_mode & 0o077 == 0
    home.release()


@pytest.mark.parametrize("name", ["..", "a/b", "", ".x"])
def test_a_sandbox_has_no_name_that_leads_elsewhere(tmp_path: Path, name: str):
    with pytest.raises(ValueError, match="not a valid folder name"):
        Home(tmp_path).find(name)
