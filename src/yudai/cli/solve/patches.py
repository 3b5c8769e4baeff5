"""Patches on the command line: files, branches, commits and pull requests, with their authors."""

import base64
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from yudai.cli.options import Given, Options
from yudai.kit.errors import RefusedError
from yudai.kit.text import nearest
from yudai.patches.patch import readable
from yudai.solves.domain.asked_patch import MAX_HANDLE, MAX_TOTAL, NO_PATCH, is_diff

NOTHING = (
    "say what to judge: --patch FILE, --branch NAME, --commit SHA, owner/repo#PR, or --solve ID"
)
_NOT_AGAIN = "--solve judges that solve's own patches, issue, base and tests again"


def asked_patches(options: Options, pulls: Sequence[int]) -> list[dict[str, Any]]:
    """As the request has them, in the order of the options."""
    given, files = options.judged or Given(), options.patch or ()
    found: list[dict[str, Any]] = [_from_file(name) for name in files]
    found += [{"branch": name} for name in given.branches]
    found += [{"commit": name} for name in given.commits]
    found += [{"pull": number} for number in pulls]
    names = [
        *map(_handle, files),
        *given.branches,
        *(name[:12] for name in given.commits),
        *(f"pull-{number}" for number in pulls),
    ]
    for author, at in _authors(given.authors, names, files):
        found[at]["author"] = author
    return found


def check_again(options: Options, given: Given) -> None:
    """RefusedError for what an earlier solve has already, beside --solve."""
    own = {
        "--patch": options.patch,
        "--branch": given.branches,
        "--commit": given.commits,
        "--author": given.authors,
        "--issue": given.issue,
        "--text": options.text,
        "--issue-file": options.issue_file,
        "--base": options.base,
        "--dirty": options.dirty,
        "--setup": options.setup,
        "--test": options.test,
        "--env": options.env,
        "the repository": given.targets,
    }
    for name, value in own.items():
        if value:
            raise RefusedError(f"{_NOT_AGAIN}: leave {name} out")


def _from_file(name: str) -> dict[str, Any]:
    content = _read(name)
    if not is_diff(content):
        raise RefusedError(f"{readable(name)}: {NO_PATCH}")
    try:
        return {"handle": _handle(name), "patch": content.decode()}
    except UnicodeDecodeError:
        encoded = base64.b64encode(content).decode()
        return {"handle": _handle(name), "patch_base64": encoded}


def _read(name: str) -> bytes:
    """A file, or standard input for `-`."""
    try:
        if name == "-":
            content = sys.stdin.buffer.read(MAX_TOTAL + 1)
        else:
            with Path(name).open("rb") as file:
                content = file.read(MAX_TOTAL + 1)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise RefusedError(f"cannot read the patch {readable(name)}: {why}") from None
    if len(content) > MAX_TOTAL:
        raise RefusedError(f"{readable(name)} is larger than {MAX_TOTAL >> 20} MB: no patch is")
    return content


def _handle(name: str) -> str:
    return "stdin" if name == "-" else readable(Path(name).name)[:MAX_HANDLE]


def _authors(
    pairs: Sequence[str], handles: Sequence[str], files: Sequence[str]
) -> Iterator[tuple[str, int]]:
    """A patch is named by its handle, or a file as it was typed."""
    for pair in pairs:
        author, sign, handle = pair.partition("=")
        if not sign or not author.strip() or not handle:
            raise RefusedError(f"--author is NAME=HANDLE, such as ada=fix.patch, not {pair!a}")
        places = {at for at, name in enumerate(handles) if name == handle}
        places |= {at for at, name in enumerate(files) if name == handle}
        if not places:
            raise RefusedError(
                f"--author: there is no patch {handle!a}: {nearest(handle, handles)}"
            )
        yield from ((author.strip(), at) for at in sorted(places))
