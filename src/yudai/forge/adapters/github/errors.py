"""Translates GitHub's errors into ours, by one table of statuses."""

import json
import re
from collections.abc import Callable
from typing import Any

from yudai.forge.adapters.github.messages import Answer, ApiRequest, Identity, NoResponse
from yudai.forge.adapters.github.retry import Outcome
from yudai.kit.errors import (
    ConflictError,
    ForbiddenError,
    ForgeError,
    LostAnswerError,
    NotFoundError,
    RefusedError,
    UnknownCallerError,
    YudaiError,
)
from yudai.kit.text import clean
from yudai.kit.untyped import Object, as_items, as_object, is_object

_MAX_WORDS = 300
_PLACE = re.compile(
    r"/repos/(?P<owner>[\w.-]{1,100})/(?P<name>[\w.-]{1,100})"
    r"(?:/(?:issues|pulls)/(?P<number>[0-9]{1,15}))?",
    re.ASCII,
)


def fault(outcome: Outcome, ask: ApiRequest, by: Identity) -> YudaiError | None:
    answer = outcome.answer
    if isinstance(answer, NoResponse):
        return _silence(answer, ask, by)
    if answer.status < 300:
        return None
    if outcome.retry_after_s:
        return ForgeError(
            f"GitHub asks to wait for {outcome.retry_after_s:.0f} s",
            retry_after_s=outcome.retry_after_s,
        )
    if answer.status >= 500:
        return _lost(ask, f"GitHub failed with status {answer.status}")
    words = _words(answer, by)
    error, text = _REFUSALS.get(answer.status, _OTHER)
    what = _named(ask)
    return error(text.format(words=words, remedy=by.remedy, status=answer.status, what=what))


def _named(ask: ApiRequest) -> str:
    """Name of the requested thing, for messages."""
    found = _PLACE.search(ask.path)
    if found is None:
        return "such thing"
    repo = f"{found['owner']}/{found['name']}"
    return f"{repo}#{found['number']}" if found["number"] else f"{repo}, or no such thing in it,"


def misread(ask: ApiRequest, what: str) -> ForgeError:
    """A successful response with unexpected content."""
    return _lost(ask, f"GitHub's response was not understood: {what}")


def one_line(text: str) -> str:
    printable = "".join(char if char.isprintable() else " " for char in clean(text[:4000]))
    line = " ".join(printable.split())
    return line if len(line) <= _MAX_WORDS else f"{line[: _MAX_WORDS - 1]}…"


def _silence(silence: NoResponse, ask: ApiRequest, by: Identity) -> YudaiError:
    if silence.is_final and not silence.was_sent:
        return ForbiddenError(f"no request was sent to GitHub, {silence.reason}: {by.remedy}")
    if silence.was_sent:
        return _lost(ask, f"GitHub: {silence.reason}")
    return ForgeError(f"GitHub: {silence.reason}")


def _lost(ask: ApiRequest, words: str) -> ForgeError:
    if ask.may_repeat:
        return ForgeError(f"{words}; try again later")
    return LostAnswerError(f"{words}; it may have been done: look before doing it again")


def _words(answer: Answer, by: Identity) -> str:
    """GitHub's own message with its details, on one line and without our token."""
    try:
        said: Any = json.loads(answer.body)
    except (ValueError, RecursionError):
        said = None
    reply = as_object(said)
    parts = [str(reply.get("message") or "it does not say why"), *_details(reply.get("errors"))]
    token = by.token.get_secret_value()
    text = ": ".join(parts)
    return one_line(text.replace(token, "***") if token else text)


def _details(errors: object) -> list[str]:
    if isinstance(errors, str):
        return [errors]
    return [_detail(error) if is_object(error) else str(error) for error in as_items(errors)[:5]]


def _detail(error: Object) -> str:
    named = (str(error.get(key) or "") for key in ("resource", "field", "code"))
    return str(error.get("message") or " ".join(named)).strip()


_MOVED = (RefusedError, "it has moved at GitHub: use its new name")
_REFUSALS: dict[int, tuple[Callable[[str], YudaiError], str]] = {
    **dict.fromkeys((301, 302, 307, 308), _MOVED),
    401: (UnknownCallerError, "GitHub rejects the credentials ({words}): {remedy}"),
    403: (ForbiddenError, "GitHub does not allow it: {words}"),
    404: (NotFoundError, "there is no {what} at GitHub, or you may not see it"),
    409: (ConflictError, "GitHub: {words}"),
    410: (RefusedError, "{words}: it is switched off, or was deleted, in that repository"),
    422: (RefusedError, "GitHub refuses: {words}"),
    451: (ForbiddenError, "GitHub may not show it for legal reasons: {words}"),
}
_OTHER = (RefusedError, "GitHub refuses with status {status}: {words}")
