"""The parts of mini-SWE-agent that we build on; every import of it goes through here."""

import logging
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def _quiet_import() -> Generator[None]:
    """Keep mini-SWE-agent from printing a banner and from the user's own configuration.

    While it is imported it makes its configuration directory and loads the `.env` in it; this
    package's directory exists and has none.
    """
    ours = {"MSWEA_SILENT_STARTUP": "1", "MSWEA_GLOBAL_CONFIG_DIR": str(Path(__file__).parent)}
    environment = os.environ  # noqa: TID251  mini-SWE-agent has no other setting
    before = {name: environment.get(name) for name in ours}
    environment.update(ours)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del environment[name]
            else:
                environment[name] = value


with _quiet_import():
    from minisweagent import __version__ as MINI_VERSION  # noqa: N812  it is a constant
    from minisweagent import package_dir
    from minisweagent.agents.default import DefaultAgent
    from minisweagent.environments.local import LocalEnvironment
    from minisweagent.exceptions import FormatError, InterruptAgentFlow
    from minisweagent.models.utils import actions_toolcall

# It logs to standard output, where `--json` must stand alone.
logging.getLogger("minisweagent").handlers.clear()

__all__ = [
    "MINI_VERSION",
    "DefaultAgent",
    "FormatError",
    "InterruptAgentFlow",
    "LocalEnvironment",
    "actions_toolcall",
    "package_dir",
]
