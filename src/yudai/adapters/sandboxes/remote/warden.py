"""The program of ours that runs commands inside a remote machine, as root and before anybody else.

It stands alone (see parcel.py): Python's own library, and a few modules of ours.
"""

import sys
from collections.abc import Sequence
from importlib import import_module

_VERBS = {
    "init": "warden_init",
    "exec": "warden_exec",
    "kill": "warden_kill",
    "give": "warden_give",
    "seal": "warden_seal",
    "walk": "warden_walk",
}


def main(words: Sequence[str]) -> int:
    """Each verb is a module: a command must not wait until those of others are compiled."""
    verb, *rest = words
    module = import_module(f"yudai.adapters.sandboxes.remote.{_VERBS[verb]}")
    try:
        return module.run(rest)
    except BrokenPipeError:
        return 1
    except OSError as error:
        sys.stdout.write(f"yudai: {verb}: {error}\n")
        return 1
