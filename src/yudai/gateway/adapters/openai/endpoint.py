"""An endpoint: its address, its key, and the error if the key is missing."""

import re
from urllib.parse import urlsplit

from pydantic import Field, SecretStr

from yudai.kit.errors import RefusedError
from yudai.kit.hints import BASE_URL, OPENROUTER_KEY, Hint
from yudai.kit.value import Value

OPENROUTER_URL = "https://openrouter.ai/api/v1"
_LOOPBACK = frozenset({"localhost", "::1"})
_HOST = re.compile(r"[0-9a-z_-]+(?:\.[0-9a-z_-]+)*\.?|[0-9a-f]*:[0-9a-f:.]+")
_PRINTABLE = re.compile(r"[!-~]*")


class Endpoint(Value):
    base_url: str
    api_key: SecretStr | None = None
    key_variable: str = ""
    """The variable with the key, for messages."""
    missing_key: tuple[str | Hint, ...] = ()
    """The error if there is no key; (): none is needed."""
    headers: dict[str, str] = Field(default_factory=dict, repr=False)
    reports_cost: bool = False
    """Whether the cost in its replies is used."""

    @property
    def name(self) -> str:
        """For messages: only the host and port, since an address can hold a password."""
        return self.base_url.partition("://")[2].partition("/")[0].rpartition("@")[2]

    @property
    def is_on_this_machine(self) -> bool:
        parts = urlsplit(self.base_url)
        host = parts.hostname or ""
        return parts.scheme == "http" and (host in _LOOPBACK or host.startswith("127."))

    @property
    def key(self) -> str:
        return self.api_key.get_secret_value().strip() if self.api_key else ""

    def refuse_unusable(self) -> None:
        """RefusedError if no call is possible, with the remedy."""
        if not self.base_url:
            raise RefusedError(
                "no server for local models is set: set ",
                BASE_URL,
                " to one, like http://localhost:8000/v1, or leave those models out",
            )
        if not _is_address(self.base_url):
            raise RefusedError(
                "the base URL is not the address of a model endpoint,"
                " such as http://localhost:8000/v1"
            )
        if self.missing_key and not self.key:
            raise RefusedError(*self.missing_key)
        # Also keeps a broken key out of the messages of those who would have to send it.
        if not _PRINTABLE.fullmatch(self.key):
            raise RefusedError(
                f"the key in {self.key_variable or 'use'} has spaces or other invalid"
                " characters: copy it again"
            )


def openrouter(api_key: SecretStr | None) -> Endpoint:
    return Endpoint(
        base_url=OPENROUTER_URL,
        api_key=api_key,
        key_variable="OPENROUTER_API_KEY",
        missing_key=("there is no key for OpenRouter: ", OPENROUTER_KEY),
        headers={"X-Title": "Yudai"},
        reports_cost=True,
    )


def local(base_url: str, api_key: SecretStr | None) -> Endpoint:
    """Any OpenAI-compatible server; it may need no key."""
    return Endpoint(
        base_url=base_url,
        api_key=api_key,
        key_variable="OPENAI_API_KEY",
        reports_cost=urlsplit(base_url).hostname == urlsplit(OPENROUTER_URL).hostname,
    )


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        is_port = parts.port != 0
    except ValueError:
        return False
    is_host = bool(_HOST.fullmatch(parts.hostname or "")) and bool(_PRINTABLE.fullmatch(url))
    return parts.scheme in ("http", "https") and is_host and is_port
