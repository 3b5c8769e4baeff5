"""The warden: runs commands inside a remote machine, as root and started before anything else.

It is self-contained (see remote/warden_client.py): the standard library and a few of our modules.
"""

import sys
from collections.abc import Sequence
from importlib import import_module


def main(words: Sequence[str]) -> int:
    """Each verb is a module: a command must not wait until those of others are compiled."""
    verb, *rest = words
    module = import_module(f"yudai.sandboxes.backends.warden.{verb}")
    try:
        return module.run(rest)
    except BrokenPipeError:
        return 1
    except OSError as error:
        sys.stdout.write(f"yudai: {verb}: {error}\n")
        return 1
