"""What holds in a machine of a provider: its own claims, and what our warden sees to."""

from yudai.sandboxes.domain.guarantees import GuaranteeKind, guarantees
from yudai.sandboxes.port import Capabilities

_HOW: dict[GuaranteeKind, str] = {
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
    kept = guarantees({kind: (True, how.format(size=size)) for kind, how in _HOW.items()})
    return Capabilities(backend=backend, guarantees=kept, version=version)
