"""Programs of the host that some tests start in sandboxes; without one, its tests are skipped."""

import shutil
import subprocess

import pytest


def _has_pip() -> bool:
    python = shutil.which("python3")
    asked = [python, "-m", "pip", "--version"] if python else ["false"]
    return subprocess.run(asked, capture_output=True, check=False).returncode == 0


needs_curl = pytest.mark.skipif(shutil.which("curl") is None, reason="this machine has no curl")
needs_pip = pytest.mark.skipif(not _has_pip(), reason="python3 of this machine has no pip")
