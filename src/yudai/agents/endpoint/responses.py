"""Responses in OpenAI's chat-completions format: replies whole or streamed, and refusals."""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from yudai.agents.endpoint.port import EVENTS, ModelAnswer
from yudai.agents.messages import said
from yudai.gateway.port import Completion
from yudai.kit.causes import POLICIES, Cause
from yudai.kit.text import clean
from yudai.kit.untyped import Object


class Reply(NamedTuple):
    """The envelope of a completion."""

    id: str
    model: str
    created: int

    def whole(self, completion: Completion) -> ModelAnswer:
        body = self._head("chat.completion") | {
            "choices": [
                {
                    "index": 0,
                    "message": said(completion),
                    "finish_reason": clean(completion.finish_reason),
                }
            ],
            "usage": _usage(completion),
        }
        return ModelAnswer(status=200, content=_json(body))

    def streamed(self, completion: Completion, *, with_usage: bool) -> ModelAnswer:
        """A stream with one chunk, because a metered reply is complete before it is sent."""
        lines = [_json(chunk).decode() for chunk in self._chunks(completion, with_usage=with_usage)]
        content = "".join(f"data: {line}\n\n" for line in [*lines, "[DONE]"])
        return ModelAnswer(status=200, content=content.encode(), media_type=EVENTS)

    def _chunks(self, completion: Completion, *, with_usage: bool) -> Iterator[Object]:
        head = self._head("chat.completion.chunk")
        delta = said(completion)
        calls = [{"index": i} | call for i, call in enumerate(delta.pop("tool_calls", []))]
        choice = {
            "index": 0,
            "delta": delta | ({"tool_calls": calls} if calls else {}),
            "finish_reason": clean(completion.finish_reason),
        }
        yield head | {"choices": [choice]}
        if with_usage:
            yield head | {"choices": [], "usage": _usage(completion)}

    def _head(self, kind: str) -> Object:
        return {
            "id": f"chatcmpl-{self.id}",
            "object": kind,
            "created": self.created,
            "model": self.model,
        }


def _usage(completion: Completion) -> Object:
    usage = completion.usage
    return {
        "prompt_tokens": usage.input_tokens,
        "completion_tokens": usage.output_tokens,
        "total_tokens": usage.input_tokens + usage.output_tokens,
        "prompt_tokens_details": {"cached_tokens": usage.cached_tokens},
    }


def listed(model: str) -> ModelAnswer:
    entry = {"id": model, "object": "model", "created": 0, "owned_by": "yudai"}
    return ModelAnswer(status=200, content=_json({"object": "list", "data": [entry]}))


class Refusal(NamedTuple):
    status: int
    kind: str
    code: str
    is_worth_repeating: bool = False


_INVALID = "invalid_request_error"
_SERVER = "server_error"
UNKNOWN_CALLER = Refusal(401, "authentication_error", "invalid_api_key")
BAD_REQUEST = Refusal(400, _INVALID, "invalid_request")
TOO_LARGE = Refusal(413, _INVALID, "too_large")
TOO_SLOW = Refusal(408, _INVALID, "too_slow", is_worth_repeating=True)
TOO_MANY = Refusal(403, "insufficient_quota", "too_many_refused")
AWAY = Refusal(503, _SERVER, "unavailable", is_worth_repeating=True)
OUR_FAULT = Refusal(500, _SERVER, "internal")
# No client repeats a 402 or a 403 by itself, and repeating them would only waste time.
BY_CAUSE: dict[Cause, Refusal] = {
    Cause.OUT_OF_BUDGET: Refusal(402, "insufficient_quota", "out_of_budget"),
    Cause.OUT_OF_STEPS: Refusal(403, "insufficient_quota", "out_of_steps"),
    Cause.OUT_OF_TIME: Refusal(403, "insufficient_quota", "out_of_time"),
    # OpenAI's own word: agents look for it and shorten their history.
    Cause.CONTEXT_OVERFLOW: Refusal(400, _INVALID, "context_length_exceeded"),
    Cause.MODEL_FAILED: Refusal(502, _SERVER, "model_failed", is_worth_repeating=True),
    Cause.MODEL_REFUSED: Refusal(502, _SERVER, "model_refused"),
    Cause.SCRIPT_EXHAUSTED: Refusal(502, _SERVER, "script_exhausted"),
    Cause.STORE_FAILED: AWAY,
}


def refused(refusal: Refusal, message: str) -> ModelAnswer:
    """OpenAI's error object."""
    error = {"message": message, "type": refusal.kind, "param": None, "code": refusal.code}
    headers = {"x-should-retry": "true" if refusal.is_worth_repeating else "false"}
    return ModelAnswer(status=refusal.status, content=_json({"error": error}), headers=headers)


def refused_for(cause: Cause) -> ModelAnswer:
    """Without the endpoint's own text, which may reveal too much to a sandbox."""
    return refused(BY_CAUSE.get(cause, OUR_FAULT), POLICIES[cause].message)


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=True, separators=(",", ":")).encode()
