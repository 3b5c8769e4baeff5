"""The openai client with limits on time and size; imported with the first call."""

import asyncio
import logging
from typing import Any

import openai

from yudai.gateway.adapters.openai.endpoint import Endpoint
from yudai.gateway.adapters.openai.errors import Fault, Patience, one_line, status_fault

# At DEBUG these write down headers and addresses as they are.
for _name in ("httpcore2", "httpx2", "openai"):
    logging.getLogger(_name).setLevel(logging.WARNING)

# Shorter ones are placeholders like `EMPTY` or `ollama`, which a reply may well contain.
_SHORTEST_KEY = 8
_SENT = "yudai.sent"
_HEADERS = ("location", "retry-after")


class Client:
    def __init__(self, endpoint: Endpoint, patience: Patience) -> None:
        # The key is in our own HTTP client only: here it would be in what openai logs and raises.
        self._openai = openai.AsyncOpenAI(
            base_url=endpoint.base_url,
            api_key="-",
            max_retries=0,
            http_client=_Bounded(endpoint, patience),
        )

    async def post(self, body: dict[str, Any]) -> bytes | Fault:
        """The text of a successful response, or its error."""
        try:
            # All of it as extra: what is given as arguments is copied, at five times the cost.
            raw = await self._openai.chat.completions.with_raw_response.create(
                model="", messages=[], extra_body=body
            )
        except openai.APIStatusError as error:
            headers = error.response.headers
            return status_fault(
                error.status_code,
                error.response.content,
                retry_after=headers.get("retry-after", ""),
                location=headers.get("location", ""),
            )
        except openai.APIConnectionError as error:
            words = one_line(str(error.__cause__ or "")) or "the connection took too long"
            return Fault(f"no answer: {words}", lost=_SENT in error.request.extensions)
        except _AttemptError as error:
            return error.fault
        return raw.content

    async def close(self) -> None:
        await self._openai.close()


class _AttemptError(Exception):
    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.words)
        self.fault = fault


class _Bounded(openai.DefaultAsyncHttpxClient):
    """Sends only our own headers, and reads the whole answer within the bounds."""

    def __init__(self, endpoint: Endpoint, patience: Patience) -> None:
        authorization = {"Authorization": f"Bearer {endpoint.key}"} if endpoint.key else {}
        super().__init__(
            headers={"Content-Type": "application/json", "User-Agent": "yudai"}
            | endpoint.headers
            | authorization,
            timeout=openai.Timeout(patience.attempt_s, connect=patience.connect_s),
            follow_redirects=False,
            # No proxy stands between us and this machine.
            trust_env=not endpoint.is_on_this_machine,
        )
        self._patience = patience
        self._key = endpoint.key.encode()

    async def send(self, request: Any, **_: Any) -> Any:
        # Variables of the environment would add headers that are meant for another endpoint.
        ours = self.build_request(
            request.method,
            request.url,
            content=request.content,
            extensions={"trace": _marking(request)},
        )
        try:
            async with asyncio.timeout(self._patience.attempt_s):
                response = await super().send(ours, stream=True)
                try:
                    content = await self._read(response)
                finally:
                    await response.aclose()
        except TimeoutError:
            words = f"it did not answer within {self._patience.attempt_s:g} s"
            raise _AttemptError(Fault(words, lost=_SENT in request.extensions)) from None
        return type(response)(
            response.status_code,
            headers={name: self._header(response, name) for name in _HEADERS},
            content=content,
            request=request,
        )

    async def _read(self, response: Any) -> bytes:
        """Counts uncompressed bytes. The pieces are small, even of highly compressed data."""
        most = self._patience.max_bytes
        content = bytearray()
        async for piece in response.aiter_bytes():
            content += piece
            if len(content) > most:
                words = f"its response has more than {most >> 20} MB"
                raise _AttemptError(Fault(words, lost=True, hopeless=True))
        return self._without_key(bytes(content))

    def _header(self, response: Any, name: str) -> str:
        value: str = response.headers.get(name, "")
        return self._without_key(value.encode("ascii", "replace")).decode()

    def _without_key(self, content: bytes) -> bytes:
        """Remove the key, because an endpoint may repeat it in an error."""
        is_secret = len(self._key) >= _SHORTEST_KEY
        return content.replace(self._key, b"[key]") if is_secret else content


def _marking(request: Any) -> Any:
    """Marks the request as fully sent, after which it may be charged."""

    async def trace(event: str, info: object) -> None:
        del info
        if event.endswith("send_request_body.complete"):
            request.extensions[_SENT] = True

    return trace
