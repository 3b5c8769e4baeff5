"""Translates git's messages about a forge's refusals into our errors."""

import re
from collections.abc import Callable
from typing import NamedTuple

from yudai.forge.adapters.git.command import Ran
from yudai.kit.errors import ForbiddenError, ForgeError, NotFoundError, RefusedError, YudaiError
from yudai.patches.patch import readable

_MAX_SHOWN = 300
_REMOTE = re.compile(r"^remote: (.*?)\s*$", re.MULTILINE)
_REJECTED = re.compile(r"\[remote rejected\] .*?\((.*)\)")
# Of all that a forge says, the line that gives the reason.
_REASON = re.compile(
    r"GH\d{3}|refus|denied|declin|protect|permission|exceed|limit|secret|not allowed",
    re.IGNORECASE,
)
_FSCK = re.compile(r"(?:object [0-9a-f]{40,64}: )?(\w+: .*)")


class _Answer(NamedTuple):
    sign: re.Pattern[str]
    error: Callable[[str, str], YudaiError]
    """From the repository's address and the forge's own words."""


def _answer(sign: str, error: Callable[[str, str], YudaiError]) -> _Answer:
    return _Answer(re.compile(sign, re.IGNORECASE), error)


_ANSWERS = (
    _answer(
        r"couldn't find remote ref|not our ref|unadvertised object",
        lambda url, _: NotFoundError(f"{url} no longer has this branch or commit"),
    ),
    _answer(
        r"fsck error|error: object [0-9a-f]{40}.*: .*: ",
        lambda url, said: RefusedError(f"{url} has objects that git does not trust: {said}"),
    ),
    _answer(
        r"out of memory|malloc failed|signal (9|11)",
        lambda url, _: RefusedError(f"{url} needs more memory than git may use here"),
    ),
    _answer(
        r"error: 30\d|redirect",
        lambda url, _: RefusedError(
            f"{url} has moved, and redirects are not followed: use its new name"
        ),
    ),
    _answer(
        r"\[remote rejected\]|pre-receive hook declined|GH\d{3}:",
        lambda url, said: RefusedError(f"{url} refuses the branch: {said}"),
    ),
    _answer(
        r"error: 429|rate limit",
        lambda url, said: ForgeError(f"{url} asks to wait for a while: {said}"),
    ),
    _answer(
        r"error: 401|authentication failed|could not read (?:username|password)",
        lambda url, _: ForbiddenError(
            f"{url} does not exist, or this token has no access: log in, or use another one"
        ),
    ),
    _answer(
        r"error: 403|permission to .* denied|write access .* not granted",
        lambda url, said: ForbiddenError(f"{url} does not allow this token: {said}"),
    ),
    _answer(
        r"error: 404|repository .*not found",
        lambda url, _: NotFoundError(f"there is no {url}, or this token has no access to it"),
    ),
    _answer(
        r"transport '.*' not allowed|strange (?:path|host)name|mismatched algorithms",
        lambda url, said: RefusedError(f"{url} cannot be fetched: {said}"),
    ),
)


def failure(ran: Ran, url: str) -> YudaiError:
    """A message without a row counts as a fault of network or forge: a retry may work."""
    url = url.removesuffix(".git")
    text = f"{ran.errors}\n{ran.output.decode('utf-8', 'replace')}"
    for answer in _ANSWERS:
        if answer.sign.search(text):
            return answer.error(url, said(ran))
    return ForgeError(f"{url} could not be reached: {_line(ran.error)}")


def said(ran: Ran) -> str:
    """The forge's own line where it gave one, else git's."""
    remote = [line for line in _REMOTE.findall(ran.errors) if line.strip("= -")]
    reasons = [line for line in remote if _REASON.search(line)] or remote
    rejected = _REJECTED.search(f"{ran.output.decode('utf-8', 'replace')}\n{ran.errors}")
    if reasons:
        return _line(reasons[0].removeprefix("error: "))
    if rejected:
        return _line(rejected[1])
    fsck = _FSCK.fullmatch(ran.error)
    return _line(fsck[1] if fsck else ran.error)


def _line(text: str) -> str:
    return readable(text.strip())[:_MAX_SHOWN]
