"""The fake VM is what the other tests stand on: it is apart, it has users, nothing of it stays."""

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.clouds.machine_users import needs_users
from tests.support.clouds.vm import PIPE, VM, VMDiedError, seen_at


@pytest.fixture
def vm(tmp_path: Path) -> Iterator[VM]:
    vm = VM.start(tmp_path / "vm", env=Path(sys.prefix))
    yield vm
    vm.kill()
    assert not vm.folder.exists()


async def said(vm: VM, script: str, *, user: str = "root") -> str:
    process = await vm.exec(["bash", "-c", f"exec 2>&1; {script}"], user=user)
    text = (await process.stdout.read()).decode()
    await process.wait()
    process.close()
    return text.strip()


async def test_commands_stream_and_end(vm: VM) -> None:
    process = await vm.exec(
        ["bash", "-c", 'read a; echo "got $a $X in $PWD"; read b; echo no >&2; exit 3'],
        env={"X": "y"},
        cwd="/workspace",
        stdin=PIPE,
    )
    assert process.stdin
    await process.stdin.write(b"one\n")
    assert await process.stdout.read(100) == b"got one y in /workspace\n"
    process.stdin.close()
    assert await process.stderr.read() == b"no\n"
    assert await process.wait() == await process.wait() == 3
    process.close()


async def test_long_input_and_output(vm: VM) -> None:
    process = await vm.exec(["cat"], stdin=b"x" * 3_000_000)
    assert len(await process.stdout.read()) == 3_000_000
    assert await process.wait() == 0
    process.close()


async def test_it_is_apart(vm: VM) -> None:
    assert await said(vm, "sed -n 's/^ *\\([^:]*\\):.*/\\1/p' /proc/net/dev") == "lo"
    assert await said(vm, "set -- /proc/[0-9]*; echo $#") == "2"
    assert "Read-only" in await said(vm, "touch /usr/x")
    assert await said(vm, f"ls {Path(__file__).parent}") != ""
    assert "No such file" in await said(vm, f"ls {Path(__file__).parent}")
    assert (await said(vm, "/env/bin/python -m pytest --version")).startswith("pytest")


async def test_what_cannot_start_says_so(vm: VM) -> None:
    with pytest.raises(OSError, match="No such file"):
        await vm.exec(["/nothing"])
    with pytest.raises(OSError, match="No such file"):
        await vm.exec(["true"], cwd="/nowhere")


async def test_files(vm: VM) -> None:
    await vm.write("/workspace/a/b.bin", b"\x00\xff")
    assert await vm.read("/workspace/a/b.bin") == b"\x00\xff"
    with pytest.raises(FileNotFoundError):
        await vm.read("/workspace/none")


@needs_users
async def test_users(vm: VM) -> None:
    await said(vm, "echo agent:x:58123:58123::/home:/bin/bash >>/etc/passwd; chmod 700 /var/lib")
    assert await said(vm, "id -u; id -u 2>/dev/null", user="agent") == "58123\n58123"
    assert "denied" in await said(vm, "ls /var/lib", user="agent")
    assert "denied" in await said(vm, "touch /workspace/x", user="agent")
    await said(vm, "chown 58123 /workspace")
    assert await said(vm, "touch /workspace/x", user="agent") == ""
    assert "not permitted" in await said(vm, "kill -9 1", user="agent")


async def test_signals_reach_the_group(vm: VM) -> None:
    process = await vm.exec(["bash", "-c", "sleep 1000 & wait"])
    assert await vm.signal(process.pid)
    assert await process.wait() == -9
    assert await process.stdout.read() == b""
    assert not await vm.signal(process.pid)
    process.close()


async def test_a_copy_is_another_machine(vm: VM, tmp_path: Path) -> None:
    await said(vm, "echo one >/workspace/a")
    copy = vm.copy(tmp_path / "copy")
    try:
        await said(copy, "echo two >/workspace/a")
        assert await said(vm, "cat /workspace/a") == "one"
        env = seen_at(Path(sys.prefix))
        assert await said(copy, "cat /workspace/a; readlink /env") == f"two\n{env}"
    finally:
        copy.kill()


async def test_death_takes_everything(vm: VM, tmp_path: Path) -> None:
    process = await vm.exec(["bash", "-c", "setsid sleep 99 & (nohup sleep 99 &); echo up; wait"])
    assert await process.stdout.read(10) == b"up\n"
    inside = [p for p in await asyncio.to_thread(_outside_view) if _is_in(p, vm)]
    assert len(inside) >= 3
    await asyncio.to_thread(vm.stop)
    assert not vm.is_alive
    assert not [p for p in inside if Path(f"/proc/{p}").exists()]
    with pytest.raises(VMDiedError):
        await process.wait()
    with pytest.raises(VMDiedError):
        await vm.exec(["true"])
    process.close()


def _outside_view() -> list[str]:
    return [p.name for p in Path("/proc").iterdir() if p.name.isdigit()]


def _is_in(pid: str, vm: VM) -> bool:
    try:
        return Path(f"/proc/{pid}/ns/pid").samefile(f"/proc/{vm.init_pid}/ns/pid")
    except OSError:
        return False
