"""Whether a change that was closed unmerged was brought onto its base branch by hand."""

import math
import re
from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple

from yudai.publishing.domain.branch_history import Act, Change, is_picked, second

_SUFFIX = re.compile(r".* \(#([0-9]{1,9})\)")
_TRAILER = re.compile(r"(?i)(?:PR|PR-URL|Pull-Request|Pull Request|GH-PR):[ \t]*(\S+)[ \t]*")


class LandingSign(StrEnum):
    PATCH = "patch"
    """The same change, to the letter."""
    PICKED = "picked"
    """It says which commit of ours it was picked from."""
    NUMBER = "number"
    """It names our pull request as the one that it is."""


class Landing(NamedTuple):
    act: Act
    sign: LandingSign


def find_landing(change: Change, acts: Iterable[Act]) -> Landing | None:
    """The first commit of the base branch since then that is our change."""
    for act in acts:
        if second(act) < math.floor(change.since):
            continue
        sign = _sign(change, act)
        if sign is not None:
            return Landing(act, sign)
    return None


def _sign(change: Change, act: Act) -> LandingSign | None:
    if act.patch_id and act.patch_id == change.patch_id:
        return LandingSign.PATCH
    if is_picked(act.message, change.shas):
        return LandingSign.PICKED
    return LandingSign.NUMBER if _names(act.message, change) else None


def _names(message: str, change: Change) -> bool:
    """In the subject's end as a squash has it, or in a trailer; never anywhere in the text."""
    subject, _, rest = message.rstrip().partition("\n")
    suffix = _SUFFIX.fullmatch(subject)
    if suffix is not None and int(suffix[1]) == change.number:
        return True
    trailers = rest.rpartition("\n\n")[2].splitlines()
    here = {
        f"#{change.number}",
        f"{change.repo}#{change.number}".lower(),
    }
    ending = f"/{change.repo}/pull/{change.number}".lower()
    found = (_TRAILER.fullmatch(line) for line in trailers)
    values = [match[1].lower() for match in found if match is not None]
    return any(value in here or value.endswith(ending) for value in values)
