"""A Chromium for the browser tests: this machine's, else the distribution's, else what to do."""

import os
import shutil
import subprocess
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
INSTALL = (
    ("apt-get", "update", "-qq"),
    ("apt-get", "install", "-qq", "--yes", "--no-install-recommends", "chromium"),
)


def find_chromium() -> str | None:
    """Its path; `CHROMIUM` names another one than the first that works."""
    found = (shutil.which(name) for name in (os.environ.get("CHROMIUM", ""), *NAMES) if name)
    return next((path for path in found if path and _works(path)), None)


def _works(path: str) -> bool:
    """Some distributions have only a script there that says what to install."""
    try:
        said = subprocess.run([path, "--version"], capture_output=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return said.returncode == 0


def _install() -> bool:
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        return False
    sys.stderr.write("installing chromium for the browser tests ...\n")
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    return all(
        subprocess.run(
            command, env=quiet, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=False
        ).returncode
        == 0
        for command in INSTALL
    )


def main() -> int:
    if find_chromium() or (_install() and find_chromium()):
        return 0
    sys.stderr.write(
        "The browser tests need Chromium: install it (`apt-get install chromium`), or name one"
        " with CHROMIUM=/path/to/it\n"
    )
    return 1


if __name__ == "__main__":
    sys.exit(main())
