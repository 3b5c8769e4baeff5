"""Control groups on this machine."""

import os


def cgroups(name: str) -> frozenset[str]:
    """Those with this in their name."""
    return frozenset(
        f"{parent}/{folder}"
        # Not by glob, which fails when another test's group goes away under it.
        for parent, folders, _ in os.walk("/sys/fs/cgroup")
        for folder in folders
        if name in folder
    )
