"""Classifies an endpoint's errors, and defines the retries after them."""

import json
import math
import re
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import NamedTuple

from yudai.kit.causes import Cause
from yudai.kit.retry import grown
from yudai.kit.text import clean
from yudai.kit.untyped import as_object, parse

MAX_WORDS = 300
_MAX_TEXT = 20_000

_FORM_REFUSED = frozenset({400, 422})
_RETRYABLE = frozenset({408, 409, 425, 429})
# A proxy in between stopped waiting, while the model may have continued.
_TIMED_OUT = frozenset({408, 504, 524})
_NO_CREDIT = re.compile(
    r"insufficient[_ ](?:quota|credit|balance|funds)|exceeded your current quota"
    r"|requires more credits|credit balance is too low",
    re.IGNORECASE,
)
_OVERFLOW = re.compile(
    r"context[_ ]length[_ ]exceeded|context_window_exceeded|exceed_context_size"
    r"|maximum (?:context|prompt|input) length|max_model_len"
    r"|(?:longer|greater|larger) than the (?:model'?s? )?(?:maximum )?context"
    r"|exceeds? (?:the |your |this |model'?s? |available |maximum |max )*context"
    r"|context (?:window|length|size|limit) (?:is |was )?(?:exceed|too small|overflow)"
    r"|(?:prompt|input|request|conversation|messages) (?:is|are) too (?:long|large) (?:for|:)"
    r"|prompt is too long|prompt too long|input is too long"
    r"|token count.{0,40}exceeds the (?:maximum|limit)|input tokens exceed"
    r"|context length is only|longer than the maximum model length"
    r"|exceeded model token limit|reduce the length of the (?:messages|prompt|input)",
    re.IGNORECASE,
)


class Fault(NamedTuple):
    """Why an attempt gave no completion."""

    words: str
    """Message of one line."""
    status: int = 0
    """HTTP status, or the status in the body of a 200; 0: no response."""
    text: str = ""
    """The full text of the response, to be searched."""
    retry_after: str = ""
    lost: bool = False
    """The model may have worked, and the endpoint may charge for it."""
    hopeless: bool = False
    """Whether a retry would fail the same way."""

    @property
    def is_about_form(self) -> bool:
        """Whether another request format may succeed."""
        return self.status in _FORM_REFUSED

    @property
    def cause(self) -> Cause | None:
        """The error that ends the call at once; None: retry."""
        if self.status == 413 or (self.status != 429 and _OVERFLOW.search(self.text)):
            return Cause.CONTEXT_OVERFLOW
        if _NO_CREDIT.search(self.text):
            return Cause.MODEL_REFUSED
        if self.hopeless:
            return Cause.MODEL_FAILED
        is_refused = 300 <= self.status < 500 and self.status not in _RETRYABLE
        return Cause.MODEL_REFUSED if is_refused else None


def status_fault(status: int, body: bytes, *, retry_after: str = "", location: str = "") -> Fault:
    """The fault of a response with an error status."""
    complaint = _said_by(body)
    words = f"it redirects to {location}" if location else complaint.words
    return Fault(
        one_line(words) or "without further details",
        status=status,
        text=complaint.text,
        retry_after=retry_after,
        lost=status in _TIMED_OUT,
    )


def error_fault(error: object, *, lost: bool) -> Fault:
    """The fault inside a response with a success status."""
    complaint = _of_error(error)
    code = as_object(error).get("code")
    status = code if isinstance(code, int) and 400 <= code < 600 else 502
    return Fault(
        one_line(complaint.words) or "an error without a message",
        status=status,
        text=complaint.text,
        lost=lost or status in _TIMED_OUT,
    )


def malformed(what: str) -> Fault:
    """The fault of a charged response without a completion."""
    return Fault(f"it answered with {what}", status=200, lost=True)


def one_line(text: str) -> str:
    printable = "".join(char if char.isprintable() else " " for char in clean(text[:4000]))
    line = " ".join(printable.split())
    return line if len(line) <= MAX_WORDS else f"{line[: MAX_WORDS - 1]}…"


def is_html(text: str) -> bool:
    return text.lstrip()[:15].lower().startswith(("<!doctype html", "<html"))


class _Complaint(NamedTuple):
    words: str
    text: str


def _said_by(body: bytes) -> _Complaint:
    text = body.decode("utf-8", "replace")
    if is_html(text):
        return _Complaint("a page of HTML", "")
    try:
        data = parse(text)
    except ValueError:
        return _Complaint(text, text[:_MAX_TEXT])
    return _of_error(as_object(data).get("error") or data)


def _of_error(error: object) -> _Complaint:
    """OpenAI's error object, or another server's equivalent."""
    known = as_object(error)
    message = next((said for key in ("message", "detail") if (said := known.get(key))), None)
    # OpenRouter says "Provider returned error" and keeps the provider's own words in here.
    raw = as_object(known.get("metadata")).get("raw")
    words = ": ".join(_dump(said) for said in (message, raw) if said)
    return _Complaint(words or _dump(error), _dump(error)[:_MAX_TEXT])


def _dump(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


class Patience(NamedTuple):
    attempts: int = 4
    attempt_s: float = 300.0
    """Seconds for one whole attempt, which also ends a slow stream."""
    connect_s: float = 15.0
    longest_wait_s: float = 60.0
    """Longest delay that an endpoint may ask for."""
    max_bytes: int = 8 << 20
    """Bytes of one response, uncompressed."""


def pause(failures: int, *, asked_s: float | None, dice: float) -> float:
    """Seconds until the next attempt. `dice` (0 to 1) spreads concurrent callers."""
    if asked_s is not None:
        return asked_s + dice
    return grown(failures, 1.0, longest_s=30.0) * (1 + dice) / 2


def retry_after(header: str, *, now: float) -> float | None:
    """Seconds from now, of a header that gives seconds or a date; None when it says neither."""
    try:
        seconds = float(header)
    except ValueError:
        return _until(header, now)
    return None if math.isnan(seconds) else max(0.0, seconds)


def _until(date: str, now: float) -> float | None:
    try:
        at = parsedate_to_datetime(date)
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
    # A date without a zone is meant as UTC.
    return max(0.0, (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp() - now)
