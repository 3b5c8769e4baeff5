"""Translates errors of a folder or an S3 server into one line that says what to do.

Nothing of what the server or obstore says is repeated but S3's own code: the rest may hold keys.
"""

import errno
import os
import re
from collections.abc import Generator
from contextlib import contextmanager
from typing import NamedTuple

from yudai.artifacts.port import ArtifactError

_KEYS = "check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and what the key may do there"
_REGION = "set AWS_REGION to the bucket's region"
_CODE = re.compile(r"<Code>(\w{1,64})</Code>")
_ERRNO = re.compile(r"\(os error (\d{1,4})\)")


class _Fault(NamedTuple):
    sign: str
    """Text in obstore's message."""
    what: str
    remedy: str


# The first match counts, so special cases come first.
_FAULTS = (
    _Fault("NoSuchBucket", "does not exist", "create the bucket or correct ARTIFACTS_URL"),
    _Fault(
        "/latest/api/token",
        "cannot be opened without a key",
        "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
    ),
    _Fault("ExpiredToken", "refused the key", "it has expired: renew it"),
    _Fault("RequestTimeTooSkewed", "refused the request", "set this machine's clock"),
    _Fault("PermanentRedirect", "is in another region", _REGION),
    _Fault("AuthorizationHeaderMalformed", "is in another region", _REGION),
    _Fault("BareRedirect", "is in another region", _REGION),
    _Fault("PermissionDenied", "refused access", _KEYS),
    _Fault("Unauthenticated", "refused access", _KEYS),
    _Fault("kind: Connect", "cannot be reached", "check the network and S3_ENDPOINT_URL"),
    _Fault("kind: Timeout", "does not answer", "try again later, or check S3_ENDPOINT_URL"),
)
_UNKNOWN = _Fault("", "failed", "try again later; if it stays so, look at the server's log")

_REMEDIES = {
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT), "free some space"),
    **dict.fromkeys(
        (errno.EACCES, errno.EPERM, errno.EROFS), "let us write there, or set ARTIFACTS_URL"
    ),
}


@contextmanager
def translated(place: str) -> Generator[None]:
    """Translate errors of the disk and of obstore into ArtifactError."""
    from obstore.exceptions import BaseError  # noqa: PLC0415 - see places.py

    try:
        yield
    except (BaseError, OSError) as error:
        number = _number(error)
        explained = _told(place, str(error)) if number is None else _disk(place, number)
        raise explained from None


def is_whole_location(error: FileNotFoundError) -> bool:
    """Whether the whole folder or bucket is missing, not only the object."""
    return "NoSuchBucket" in str(error)


def _number(error: Exception) -> int | None:
    if isinstance(error, OSError) and error.errno is not None:
        return error.errno
    found = _ERRNO.search(str(error))
    return int(found[1]) if found else None


def _told(place: str, text: str) -> ArtifactError:
    fault = next((fault for fault in _FAULTS if fault.sign in text), _UNKNOWN)
    code = _CODE.search(text)
    said = f" ({code[1]})" if code else ""
    return ArtifactError(f"{place} {fault.what}{said}: {fault.remedy}")


def _disk(place: str, number: int) -> ArtifactError:
    remedy = _REMEDIES.get(number, "see to the disk")
    return ArtifactError(f"{place} cannot be used ({os.strerror(number)}): {remedy}")
