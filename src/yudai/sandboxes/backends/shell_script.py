"""Shell scripts: a command as a file, and our bundled ones."""

import re
import shlex
from collections.abc import Mapping
from importlib import resources

from yudai.sandboxes.backends.warden.protocol import CANNOT_RUN

NUL_REFUSED = b"yudai: no shell can run a command that contains a NUL byte\n"

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


def script(command: str, *, cwd: str, env: Mapping[str, str] | None) -> bytes | None:
    """Build the script; None when it holds a NUL byte.

    The preamble shares the command's first line, so that line numbers in messages stay true.
    """
    words = ["BASH_ARGV0=bash", f"cd -- {shlex.quote(cwd)} || exit {CANNOT_RUN}"]
    words += [_export(name, value) for name, value in (env or {}).items()]
    text = encode("; ".join([*words, command]))
    return None if b"\0" in text else text + b"\n"


def package_script(name: str) -> str:
    return (resources.files("yudai.sandboxes.backends") / name).read_text()


def encode(text: str) -> bytes:
    """Bytes of a text; a model may have written lone surrogates that have none."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace")


def _export(name: str, value: str) -> str:
    if not _NAME.match(name):
        raise ValueError(f"not a name of an environment variable: {name!r}")
    return f"export {name}={shlex.quote(value)}"
