"""What holds in a machine of a provider: its own claims, and what our warden sees to."""

from yudai.sandboxes.port import Capabilities, Guarantee

_HOW = {
    "files": "separate VM run by the provider (their claim)",
    "environment": "nothing of ours is in the VM but what a command is given",
    "network": "the provider's egress rules, closed unless a phase has hosts (their claim)",
    "processes": "commands run as another user; all it has left is killed after each",
    "processors": "{size}",
    "memory": "{size}",
    "process count": "counted in the VM, for the user of the commands",
    "disk": "measured in the VM while a command runs",
    "time": "a command is killed in the VM with all it started; its output so far is kept",
    "output": "capped in the VM and once more here",
    "kernel": "the VM's own (their claim)",
}


def vm_capabilities(
    backend: str, *, version: str, size: str = "the size of the VM"
) -> Capabilities:
    kept = [Guarantee(name=n, holds=True, how=how.format(size=size)) for n, how in _HOW.items()]
    return Capabilities(backend=backend, isolated=True, guarantees=tuple(kept), version=version)
