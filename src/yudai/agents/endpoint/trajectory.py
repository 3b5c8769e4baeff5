"""Turns a command agent's requests and replies into new messages of its trajectory."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from yudai.agents.endpoint.request import words_of
from yudai.agents.messages import facts_of, said
from yudai.agents.messages import kept as kept_text
from yudai.gateway.port import Completion
from yudai.kit.redaction import Redact
from yudai.kit.untyped import Object, as_items, as_object, as_text
from yudai.runs.domain.trajectory.trajectory import TrajectoryMessage
from yudai.store.columns import to_json

KEPT_PER_CALL = 400_000
"""Limit on all new messages of one request, for agents that rewrite their whole history."""
PRINT = "print"
"""Key that identifies a message, even if only a part of it was stored."""
CLAIMED_ROLE = "claimed_role"


class Seen:
    """The recorded messages of an attempt. A message sent twice in one request counts twice."""

    def __init__(self, stored: Iterable[TrajectoryMessage] = ()) -> None:
        self._counts: Counter[str] = Counter()
        for message in stored:
            self.add(message.body)

    def add(self, body: Object) -> None:
        if known := as_text(as_object(body.get("extra")).get(PRINT)):
            self._counts[known] += 1

    def unseen(self, prints: Sequence[str]) -> list[int]:
        """Positions of the new messages."""
        here: Counter[str] = Counter()
        found: list[int] = []
        for place, known in enumerate(prints):
            here[known] += 1
            if here[known] > self._counts[known]:
                found.append(place)
        return found


def fingerprint(message: Object) -> str:
    """A digest of the content, independent of fields that agents omit or add."""
    calls = [
        (as_text(call.get("id")), *_function(call))
        for call in map(as_object, as_items(message.get("tool_calls")))
    ]
    facts = (message["role"], words_of(message), as_text(message.get("tool_call_id")), calls)
    encoded = json.dumps(facts).encode()
    return hashlib.sha256(encoded).hexdigest()[:24]


class _Kept(NamedTuple):
    body: Object
    size: int


class Prepared(NamedTuple):
    """A request's messages, ready to be stored."""

    prints: list[str]
    kept: dict[int, _Kept]
    """The new messages by position."""


def prepared(messages: Sequence[Object], seen: Seen, redact: Redact, *, at: float) -> Prepared:
    """Work proportional to the messages. Do it before taking a database lock."""
    prints = [fingerprint(message) for message in messages]
    kept = {place: _kept(messages[place], redact, at=at) for place in seen.unseen(prints)}
    return Prepared(prints, kept)


def redacted(body: Object, redact: Redact) -> Object:
    return json.loads(redact(to_json(body)))


def bodies_of(ready: Prepared, places: Sequence[int], *, at: float) -> list[Object]:
    """A request's messages as they are stored; above a call's limit only a note of each."""
    left, bodies, dropped = KEPT_PER_CALL, list[Object](), 0
    for place in places:
        kept = ready.kept.get(place)
        if kept is None or kept.size > left:
            dropped += 1
            continue
        left -= kept.size
        bodies.append(kept.body)
    if dropped:
        note = f"[{dropped} more messages of this call were not kept]"
        bodies.append({"role": "user", "content": note, "extra": {"timestamp": at}})
    return bodies


def reply_body(completion: Completion, *, temperature: float, at: float) -> Object:
    """The model's turn, with the same extra facts as mini-SWE-agent's messages."""
    message = said(completion)
    facts = facts_of(completion, temperature=temperature, at=at)
    extra = facts | {PRINT: fingerprint(message)}
    return {"tool_calls": list[Object](), **message, "extra": extra}


def _kept(message: Object, redact: Redact, *, at: float) -> _Kept:
    words = kept_text(words_of(message))
    extra: Object = {"timestamp": at, PRINT: fingerprint(message)}
    role = message["role"]
    if role == "assistant":
        # No model said it: an agent may put anything into its history, and it is no turn.
        role, extra[CLAIMED_ROLE] = "user", role
        words = kept_text(
            "\n".join([words, *map(_call_words, as_items(message.get("tool_calls")))])
        )
    named = {"tool_call_id": message["tool_call_id"]} if message.get("tool_call_id") else {}
    body = {"role": role, "content": words, **named, "extra": extra}
    return _Kept(redacted(body, redact), len(words) + sum(map(len, named.values())))


def _call_words(call: object) -> str:
    return " ".join(_function(as_object(call)))


def _function(call: Object) -> tuple[str, str]:
    function = as_object(call.get("function"))
    return as_text(function.get("name")), as_text(function.get("arguments"))
