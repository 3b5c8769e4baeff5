"""A machine's first and last steps as a base, and looks at its workspace: asked of its warden."""

import asyncio
import json
import secrets
import shlex
from functools import partial
from typing import Any, NamedTuple

from yudai.kit.causes import Cause
from yudai.kit.errors import SandboxError
from yudai.sandboxes.backends.remote import warden_bundle
from yudai.sandboxes.backends.remote.cloud import DeniedError
from yudai.sandboxes.backends.remote.warden_client import PYTHON, Line
from yudai.sandboxes.backends.warden.protocol import ARCHIVE, FOLDER, MAX_CHANGES, Heard
from yudai.sandboxes.backends.workspace.manifest import Entry
from yudai.sandboxes.backends.workspace.worktree import Change

_STEP_S = 300.0
_IS_NEW = "import sys; sys.exit(sys.version_info < (3, 10))"
_LOOK = f"mkdir -p {FOLDER} && {PYTHON} -c {shlex.quote(_IS_NEW)}"
_NEEDS = f"the sandbox's image needs python3, version 3.10 or newer, and a {FOLDER} to write to"
_LAST_WORDS = 500


class Welcome(NamedTuple):
    """A machine as its warden has found it."""

    separate: bool
    """Whether commands run as another user than the warden, and so cannot touch it."""
    python: str


async def init(line: Line) -> Welcome:
    try:
        async with asyncio.timeout(_STEP_S):
            return await _init(line)
    except TimeoutError:
        raise line.lose("the sandbox does not answer") from None


async def _init(line: Line) -> Welcome:
    said = await line.insist(partial(line.machine.run, _LOOK, timeout_s=_STEP_S))
    if said.exit_code != 0:
        last = said.output.decode("utf-8", "replace").strip()[-_LAST_WORDS:]
        raise DeniedError(f"{_NEEDS}: {last}")
    await line.put(ARCHIVE, warden_bundle.content(), timeout_s=_STEP_S)
    header = (await _ask(line, "init")).header
    if header["lacks"]:
        raise DeniedError(f"the sandbox's image lacks {', '.join(map(str, header['lacks']))}")
    return Welcome(separate=bool(header["separate"]), python=str(header["python"]))


async def give(line: Line) -> None:
    await _ask(line, "give")


async def seal(line: Line) -> None:
    await _ask(line, "seal")


async def changes(line: Line) -> dict[str, Change]:
    """Changed paths in order, as a local box's work tree would tell them."""
    name = secrets.token_hex(8)
    heard = await _ask(line, "walk", name)
    if refused := heard.header.get("refused"):
        raise SandboxError(str(refused), cause=Cause.PATCH_REFUSED)
    try:
        words: dict[str, Any] = json.loads(heard.body)
        return {path: _change(word) for path, word in words.items()}
    except (TypeError, ValueError) as error:
        raise line.lose(f"the sandbox's warden talks nonsense: {error}") from error


async def _ask(line: Line, verb: str, name: str = "") -> Heard:
    words = (verb, name) if name else (verb,)
    try:
        return await line.ask(name or verb, *words, timeout_s=_STEP_S, max_body=MAX_CHANGES)
    except TimeoutError:
        raise line.lose(f"the sandbox does not answer: {verb}") from None


def _change(word: list[Any] | None) -> Change:
    if word is None:
        return Change(None, 0)
    mode, oid, size = word
    return Change(Entry(str(mode), str(oid)), int(size))
