"""An installation's home folder and its name."""

import os
from contextlib import suppress

from yudai.kit.clock import SystemClock
from yudai.kit.errors import RefusedError
from yudai.settings import Settings


def installation(settings: Settings) -> str:
    """The random name of this installation, which marks its sandboxes."""
    file = settings.home / "installation"
    if not file.exists():
        make_home(settings)
        draft = settings.home / f".installation-{SystemClock().token()}"
        draft.write_text(SystemClock().token())
        # A link appears atomically, and the first one stays.
        with suppress(FileExistsError):
            file.hardlink_to(draft)
        draft.unlink()
    return file.read_text().strip()


def make_home(settings: Settings) -> None:
    why = "it is read-only"
    try:
        settings.home.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        why = error.strerror
    if not os.access(settings.home, os.W_OK | os.X_OK):
        raise RefusedError(
            f"cannot write to {settings.home} ({why}): set YUDAI_HOME to a folder of your own"
        )
