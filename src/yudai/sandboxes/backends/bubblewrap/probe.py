"""Checks which guarantees hold on this host, each in a real sandbox."""

import shlex
from pathlib import Path
from typing import NamedTuple

from yudai.sandboxes.backends.bubblewrap import seccomp
from yudai.sandboxes.backends.bubblewrap.create import Built
from yudai.sandboxes.backends.bubblewrap.mounts import Features
from yudai.sandboxes.backends.environment import variables
from yudai.sandboxes.backends.local.cgroups import counts_processes, processors
from yudai.sandboxes.backends.local.processes import own_namespace
from yudai.sandboxes.domain.guarantees import GuaranteeKind, Kept
from yudai.sandboxes.port import NetworkPolicy, Phase, SandboxLimits

_MIB = 1 << 20
_SHORT_S = 0.05
_WHO = {
    Phase.SETUP: "set-up commands",
    Phase.AGENT: "agents' commands",
    Phase.VERIFICATION: "tests",
}
_SHELLS_OWN = frozenset({"_", "OLDPWD", "PWD", "SHLVL"})


class Trial(NamedTuple):
    """The sandbox for the checks, and its limits."""

    built: Built
    features: Features
    limits: SandboxLimits
    host_folder: Path
    """A host folder that the sandbox must not see."""
    network: NetworkPolicy


async def kept(trial: Trial) -> dict[GuaranteeKind, Kept]:
    return {
        "files": await _files(trial),
        "environment": await _environment(trial),
        "network": await _network(trial),
        "processes": await _processes(trial),
        "memory": _memory(trial),
        "process count": _process_count(trial),
        "processors": processors(trial.limits, trial.built.cgroup),
        "disk": _disk(trial.limits),
        "time": await _time(trial),
        "output": (True, "capped while it is read; head and tail are kept"),
        "kernel": _kernel(),
    }


async def _files(trial: Trial) -> Kept:
    hidden = [f"[ ! -e {shlex.quote(str(p))} ]" for p in (trial.host_folder, "/etc/shadow", "/sys")]
    holds = await _says(
        trial, " && ".join([*hidden, "! touch /usr/x /etc/x /x", "echo yes"]), "yes"
    )
    overlay = "an overlay" if trial.features.overlay else "a copy, for overlays are refused here"
    who = trial.features.identity
    how = f"own mounts: system folders read-only; the workspace is {overlay}; {who.how}"
    if who.is_hosts_root:
        how += "; to the kernel it is root and can change the modes of the host's devices"
    return holds and not who.is_hosts_root, how


async def _environment(trial: Trial) -> Kept:
    said = (await trial.built.commands.exec("env")).text
    names = {line.partition("=")[0] for line in said.splitlines()} - _SHELLS_OWN
    expected = variables(home="", path=(), env="")
    return names <= expected.keys(), "cleared; a fixed list is set"


async def _network(trial: Trial) -> Kept:
    devices = "sed -n 's/^ *\\([^:]*\\):.*/\\1/p' /proc/net/dev"
    holds = await _says(trial, devices, "lo") and await _is_apart(trial, "net")
    reached = [f"{_WHO[phase]} reach {_extent(trial.network.hosts(phase))}" for phase in Phase]
    how = f"through Yudai's proxy {', '.join(reached)}"
    return holds, f"own network namespace with a loopback device only; {how}"


def _extent(hosts: tuple[str, ...]) -> str:
    if "*" in hosts:
        return "every public address"
    return f"{len(hosts)} listed hosts" if hosts else "nothing"


async def _processes(trial: Trial) -> Kept:
    await trial.built.commands.exec("setsid sleep 1000 & (nohup sleep 1000 &)")
    holds = await _is_alone(trial) and await _is_apart(trial, "pid")
    return holds, "own process namespace; all its processes are killed after each command"


def _memory(trial: Trial) -> Kept:
    limit = f"{trial.limits.memory_bytes // _MIB} MiB"
    if trial.built.cgroup.memory is not None:
        return True, f"cgroup: {limit} for a sandbox"
    how = f"no writable cgroup: {limit} for each process, not for their sum"
    return False, how


def _process_count(trial: Trial) -> Kept:
    limit = trial.limits.processes
    if trial.built.cgroup.pids is not None:
        return True, f"cgroup: {limit} for a sandbox"
    if counts_processes():
        return True, f"RLIMIT_NPROC: {limit} for a sandbox"
    how = "no writable cgroup, and RLIMIT_NPROC does not count a sandbox separately here"
    return False, how


def _disk(limits: SandboxLimits) -> Kept:
    limit = f"{limits.disk_bytes // _MIB} MiB"
    how = f"{limit} for a file; commands stop at {limit} of workspace, measured every few seconds"
    return True, how


async def _time(trial: Trial) -> Kept:
    result = await trial.built.commands.exec("setsid sleep 1000 & sleep 1000", timeout_s=_SHORT_S)
    holds = result.timed_out and await _is_alone(trial)
    return holds, "a command is killed with all its child processes; its output so far is kept"


def _kernel() -> Kept:
    how = "the host's own: no protection against its bugs"
    if seccomp.program() is not None:
        how += ", but the riskiest system calls are denied"
    return False, how


async def _is_alone(trial: Trial) -> bool:
    """Whether only process 1 and the shell exist; counted without a new process."""
    return await _says(trial, "set -- /proc/[0-9]*; echo $#", "2")


async def _is_apart(trial: Trial, namespace: str) -> bool:
    """Whether the sandbox's namespace differs from ours."""
    said = (await trial.built.commands.exec(f"readlink /proc/self/ns/{namespace}")).text.strip()
    return said.startswith(namespace) and said != own_namespace(namespace)


async def _says(trial: Trial, command: str, expected: str) -> bool:
    result = await trial.built.commands.exec(f"{{ {command}; }} 2>/dev/null")
    return result.text.strip() == expected
