"""The warden looks at a workspace, and tells what a local sandbox's work tree would tell."""

import asyncio
import os
import secrets
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from tests.contracts.conftest import FILES, LINKS, make_archive
from tests.support.clouds.machine_users import IS_ROOT, needs_users
from tests.support.clouds.vm import copy_disk
from tests.support.fake_vm import VMMachine, remote_commands, start_vm
from yudai.kit.causes import Cause
from yudai.kit.errors import SandboxError
from yudai.sandboxes.backends.environment import GIT_ALONE
from yudai.sandboxes.backends.remote import warden_client
from yudai.sandboxes.backends.remote.commands import RemoteCommands
from yudai.sandboxes.backends.sandbox import Places, take_patch
from yudai.sandboxes.backends.shell_script import package_script
from yudai.sandboxes.backends.warden.protocol import RECORD
from yudai.sandboxes.backends.workspace.manifest import Entry, blob_oid, read
from yudai.sandboxes.backends.workspace.worktree import Change, Worktree

SOURCE = "/var/lib/yudai/source.tar"
SIGNED = GIT_ALONE | {
    f"GIT_{who}_{what}": "x@yudai.invalid"
    for who in ("AUTHOR", "COMMITTER")
    for what in ("NAME", "EMAIL")
}
PLACES = Places(git=f"{RECORD}/git", workspace="/workspace", scratch="/tmp/.yudai")  # noqa: S108 - in the machine


@pytest.fixture(scope="module")
def disk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of a machine that holds a sealed base; set-up left a file and changed another."""
    top = tmp_path_factory.mktemp("warden")
    source = make_archive(top / "source.tar", links=LINKS)
    vm = start_vm(top / "disk")

    async def build() -> None:
        machine = VMMachine(vm)
        commands = remote_commands(machine)
        await commands.init()
        await machine.put(SOURCE, source.read_bytes())
        await own_step(commands, "unpack.sh")
        await commands.give()
        done = await commands.exec("echo made >artefact && echo '# set up' >>README.md")
        assert done.exit_code == 0, done.text
        await own_step(commands, "seal.sh")
        await commands.seal()

    try:
        asyncio.run(build())
    finally:
        vm.stop()
    return top / "disk"


async def own_step(commands: RemoteCommands, name: str) -> None:
    names = {"SOURCE": SOURCE, "RECORD": RECORD}
    done = await commands.as_root().exec(package_script(name), env=SIGNED | names)
    assert done.exit_code == 0, done.text


@pytest.fixture
async def machine(disk: Path, tmp_path: Path) -> AsyncGenerator[VMMachine]:
    copy_disk(disk, tmp_path / "vm")
    vm = start_vm(tmp_path / "vm")
    yield VMMachine(vm)
    vm.kill()


@pytest.fixture
def sandbox(machine: VMMachine) -> RemoteCommands:
    return remote_commands(machine)


async def changed(sandbox: RemoteCommands, command: str) -> tuple[str, ...]:
    result = await sandbox.exec(command)
    assert result.exit_code == 0, result.text
    return tuple(await sandbox.changes())


async def test_a_fresh_machine_has_no_changes(sandbox: RemoteCommands):
    assert await changed(sandbox, "git status --porcelain -uno; cat artefact README.md") == ()
    assert (await sandbox.exec("stat -c %U . src README.md .git | sort -u | wc -l")).text == "1\n"
    assert (
        await sandbox.exec("echo x >>README.md && git commit -qam y && git log --format=%s")
    ).text


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        pytest.param("sed -i s/41/42/ src/app.py", ("src/app.py",), id="edit"),
        pytest.param("echo x >new; mkdir d; echo x >d/y", ("d/y", "new"), id="new"),
        pytest.param("rm -r src/deep", ("src/deep/one.py", "src/deep/two.py"), id="gone"),
        pytest.param("chmod +x README.md; chmod -x tool.sh", ("README.md", "tool.sh"), id="mode"),
        pytest.param("rm link; ln -s tool.sh link", ("link",), id="link"),
        pytest.param("echo >.gitignore; echo x >a.log", (".gitignore",), id="the base's rules"),
        pytest.param("echo again >artefact; touch README.md", (), id="nobody's"),
        pytest.param("echo x >$'\\377\\376\\n'; echo y >ü", ("ü", "\udcff\udcfe\n"), id="names"),
        pytest.param("git init -q sub; echo x >sub/file; rm -rf .git", (), id="repositories"),
        pytest.param("mkdir shut; echo x >shut/a; chmod 0 shut; echo y >f", ("f",), id="shut"),
    ],
)
async def test_changes_are_reported(
    sandbox: RemoteCommands, command: str, expected: tuple[str, ...]
):
    assert await changed(sandbox, command) == expected
    assert await changed(sandbox, "true") == expected


async def test_they_are_those_of_a_local_work_tree(
    sandbox: RemoteCommands, machine: VMMachine, tmp_path: Path
):
    await sandbox.exec(
        "sed -i s/41/42/ src/app.py; rm crlf.txt; printf '\\0' >b; chmod +x README.md"
    )
    told = await sandbox.changes()

    workspace = machine.vm.folder / "workspace"
    sealed = read(machine.vm.folder / RECORD.lstrip("/"), workspace)
    assert told == Worktree(workspace, sealed, pristine={}).changes()
    assert told["b"] == Change(Entry("100644", blob_oid(b"\0")), 1)
    assert told["crlf.txt"] == Change(None, 0)


async def test_a_change_that_keeps_size_and_time_is_reported(sandbox: RemoteCommands):
    await sandbox.exec("printf aaaa >f; touch -d @1 f")
    seen = [(await sandbox.changes())["f"]]
    for letter in "bcd":
        await sandbox.exec(f"printf {letter * 4} >f; touch -d @1 f")
        seen.append((await sandbox.changes())["f"])

    assert len(set(seen)) == 4


async def test_a_second_look_reads_nothing_again(sandbox: RemoteCommands, machine: VMMachine):
    known = machine.vm.folder / "var/lib/yudai/sealed/known.json"
    assert not known.exists()
    await sandbox.exec("echo x >f; sleep 0.2")

    await sandbox.changes()
    first = known.stat().st_ino
    await sandbox.changes()

    assert known.stat().st_ino == first
    assert blob_oid(b"x\n") in known.read_text()


async def test_the_agent_cannot_change_what_is_sealed(sandbox: RemoteCommands):
    hostile = "rm -rf /var/lib/yudai/record /var/lib/yudai/sealed; echo x >/var/lib/yudai/record/x"
    result = await sandbox.exec(
        f"{hostile}; echo x >>/var/lib/yudai/record/git/config; ls {RECORD}"
    )

    if IS_ROOT:
        assert "git" in result.text.split()
        assert await changed(sandbox, "true") == ()
        assert (await sandbox.exec("cat /var/lib/yudai/sealed/base.json")).exit_code == 1


async def test_a_patch_is_made_of_it(sandbox: RemoteCommands):
    await sandbox.exec("sed -i s/41/42/ src/app.py; rm data.bin; echo x >$'\\377'")

    patch = await take_patch(sandbox, await sandbox.changes(), PLACES)

    assert "+    return 42" in patch
    assert "deleted file" in patch
    assert await take_patch(sandbox, await sandbox.changes(), PLACES) == patch
    assert FILES["data.bin"]


async def test_too_many_changes_are_refused(sandbox: RemoteCommands):
    """As many as would fill the line: the warden is told a smaller limit than its own."""
    small = f"sed -i 's/^MAX_CHANGES = .*/MAX_CHANGES = 2000/' {LIBRARY}/protocol.py"
    assert (await sandbox.as_root().exec(small)).exit_code == 0
    assert len(await changed(sandbox, "touch a1 a2")) == 2

    await sandbox.exec("for i in $(seq 100); do echo $i >f$i; done")
    with pytest.raises(SandboxError, match="too many") as refused:
        await sandbox.changes()

    assert refused.value.cause is Cause.PATCH_REFUSED
    assert sandbox.lost == ""
    assert await changed(sandbox, "rm f*") == ("a1", "a2")


LIBRARY = "/var/lib/yudai/library/yudai/sandboxes/backends/warden"


@needs_users
async def test_an_environment_is_closed_when_the_base_is_sealed(disk: Path, tmp_path: Path):
    copy_disk(disk, tmp_path / "vm")
    (tmp_path / "vm/env").unlink()
    (tmp_path / "vm/env").mkdir()
    vm = start_vm(tmp_path / "vm")
    try:
        sandbox = remote_commands(VMMachine(vm))
        await sandbox.give()
        made = "mkdir bin; echo 'echo hi' >bin/p; chmod 700 bin/p; ln -s p bin/q; ln bin/p bin/r"
        assert (await sandbox.exec(made, cwd="/env")).exit_code == 0
        await sandbox.seal()

        for command in ("rm bin/r", "touch x", "echo x >>bin/q", "echo x >>bin/r", "mv bin b"):
            assert (await sandbox.exec(command, cwd="/env")).exit_code != 0, command
        assert (await sandbox.exec("ls bin; bin/q", cwd="/env")).text == "p\nq\nr\nhi\n"
    finally:
        vm.kill()


@needs_users
async def test_what_has_a_second_name_elsewhere_is_not_given_away(
    sandbox: RemoteCommands, machine: VMMachine
):
    secret = machine.vm.folder / "root" / secrets.token_hex(4)
    secret.write_text("root's own")
    secret.chmod(0o600)
    os.link(secret, machine.vm.folder / "workspace/linked")
    (machine.vm.folder / "workspace/soft").symlink_to(f"/root/{secret.name}")

    await sandbox.give()

    assert secret.stat().st_uid == 0
    assert (await sandbox.exec("cat linked soft")).exit_code == 1


async def test_nonsense_is_no_answer(sandbox: RemoteCommands, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(warden_client, "_PAUSES_S", ())
    with pytest.raises(SandboxError, match="does not answer") as lost:
        await warden_client.ask(sandbox._line, "no-such-verb")
    assert lost.value.cause is Cause.SANDBOX_LOST
