"""Copies certificate bundles for sandboxes: only the certificates of a file, nothing else."""

import re
from collections.abc import Iterable
from pathlib import Path

_MARK = rb"-----%s (?:TRUSTED )?CERTIFICATE-----"
_BLOCK = re.compile(_MARK % b"BEGIN" + rb"[^-]*" + _MARK % b"END")
_MAX_BYTES = 16 << 20


def copy_certificates(files: Iterable[Path], target: Path) -> dict[str, str]:
    """Copy bundles into a folder; returns their names there by the path they had.

    Whatever a variable points at, no private key leaves with it.
    """
    target.mkdir(mode=0o755)
    names: dict[str, str] = {}
    for number, file in enumerate(files):
        blocks = _blocks(file)
        if blocks:
            copy = target / f"{number}.pem"
            copy.write_bytes(b"\n".join([*blocks, b""]))
            copy.chmod(0o644)
            names[str(file)] = copy.name
    target.chmod(0o755)
    return names


def _blocks(file: Path) -> list[bytes]:
    try:
        with file.open("rb") as opened:
            content = opened.read(_MAX_BYTES)
    except OSError:
        return []
    return [match.group() for match in _BLOCK.finditer(content)]
