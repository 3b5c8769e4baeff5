"""Settings about forges, logins and secrets."""

import ipaddress
from pathlib import Path
from typing import Literal, Self
from urllib.parse import urlsplit

from pydantic import SecretStr, field_validator, model_validator
from pydantic_settings import BaseSettings

from yudai.settings.variable import Words, variable
from yudai.solves.domain.origin import PublishMode

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
PUBLIC_GITHUB = "https://github.com"
DEFAULT_SALT = "yudai"


class ForgeSettings(BaseSettings):
    auth_mode: Literal["local", "github"] = variable(
        "AUTH_MODE",
        "local",
        "`local`: one person, no login, loopback only; `github`: everyone signs in.",
    )
    github_url: str = variable(
        "GITHUB_URL",
        PUBLIC_GITHUB,
        "URL of GitHub, or of a GitHub Enterprise server.",
    )
    github_token: SecretStr | None = variable(
        "GITHUB_TOKEN", None, "Token for users who have none of their own. Never enters a sandbox."
    )
    github_app_id: str | None = variable("GITHUB_APP_ID", None, "The GitHub App's id.")
    github_app_client_id: str | None = variable(
        "GITHUB_APP_CLIENT_ID", None, "The App's client id, for logins."
    )
    github_app_client_secret: SecretStr | None = variable(
        "GITHUB_APP_CLIENT_SECRET", None, "The App's client secret, for logins."
    )
    github_app_installation_id: int | None = variable(
        "GITHUB_APP_INSTALLATION_ID",
        None,
        "The installation to use; unset: that of each repository.",
    )
    github_app_private_key_path: Path | None = variable(
        "GITHUB_APP_PRIVATE_KEY_PATH", None, "File with the App's private key (PEM)."
    )
    github_redirect_uri: str | None = variable(
        "GITHUB_REDIRECT_URI",
        None,
        "Where GitHub sends a browser after login; unset: /auth/callback here.",
    )
    github_webhook_secret: SecretStr | None = variable(
        "GITHUB_WEBHOOK_SECRET", None, "Secret that signs webhooks; unset: none are accepted."
    )
    github_label: str = variable(
        "GITHUB_LABEL", "yudai", "The label that asks for a solve.", min_length=1, max_length=50
    )
    github_watch: Words = variable(
        "GITHUB_WATCH",
        (),
        "Repositories to poll for labels and commands, besides those where the App is"
        " installed: owner/name, separated by commas.",
    )
    github_poll_s: float = variable(
        "GITHUB_POLL_SECONDS",
        60,
        "Seconds between polls; webhooks only make a reaction faster.",
        ge=1,
    )
    github_publish: PublishMode = variable(
        "GITHUB_PUBLISH",
        PublishMode.AUTO,
        "When a service opens a pull request for a verified champion: `auto`, `ask` or `never`.",
    )
    github_comment: bool = variable(
        "GITHUB_COMMENT",
        default=True,
        description="Whether the result is posted as a comment on the issue, champion or not.",
    )
    github_all_comments: bool = variable(
        "GITHUB_ALL_COMMENTS",
        default=False,
        description="Whether contestants read comments by people who are not collaborators.",
    )
    github_matrix: str = variable(
        "GITHUB_MATRIX",
        "",
        "The matrix for a label or command that gives none, in the command's syntax:"
        " `model=gpt-4.1 temp=0.2,0.6`.",
        max_length=2000,
    )
    frontend_url: str | None = variable(
        "FRONTEND_URL",
        None,
        "URL of the page if another server serves it: it may call the API, and a login"
        " returns to it.",
    )
    backend_url: str | None = variable(
        "BACKEND_URL", None, "Public URL of this server's API, for links: https://DOMAIN/api."
    )
    domain: str | None = variable(
        "DOMAIN", None, "This server's public host name; not needed on a loopback address."
    )
    secret_key: SecretStr | None = variable(
        "SECRET_KEY",
        None,
        "Key for the hashes of logins and API keys, at least 32 characters; unset in"
        " local mode: created in YUDAI_HOME.",
    )
    salt: SecretStr = variable(
        "SALT",
        SecretStr(DEFAULT_SALT),
        "Salt for the keys derived from SECRET_KEY; the default is refused in production.",
    )
    token_keys: SecretStr | None = variable(
        "TOKEN_KEYS",
        None,
        "Fernet keys that encrypt users' tokens, newest first, separated by commas;"
        " unset in local mode: one is created in YUDAI_HOME.",
    )
    jwt_secret: SecretStr | None = variable(
        "JWT_SECRET", None, "Signs the run tokens of command agents, at least 32 characters."
    )
    users: Words = variable(
        "YUDAI_USERS",
        (),
        "Logins that may sign in, besides YUDAI_ADMINS, separated by commas; unset:"
        " everyone with an account at GITHUB_URL.",
    )
    admins: Words = variable(
        "YUDAI_ADMINS",
        (),
        "Logins that may change the models table and see the installation's settings,"
        " separated by commas.",
    )
    requests_per_minute: int = variable(
        "REQUESTS_PER_MINUTE",
        1200,
        "Requests per user, or per address without a login.",
        ge=1,
    )
    trusted_proxies: Words = variable(
        "TRUSTED_PROXIES",
        (),
        "Addresses or networks of the reverse proxies, separated by commas: their"
        " X-Forwarded-For is trusted as the client's address. Unset: it is ignored.",
    )

    @field_validator("github_url")
    @classmethod
    def _known_forge(cls, url: str) -> str:
        parts = urlsplit(url.rstrip("/"))
        is_safe = parts.scheme == "https" or parts.hostname in LOOPBACK
        if not parts.hostname or parts.username or parts.path or parts.query or not is_safe:
            raise ValueError("give https://host without a path")
        return f"{parts.scheme}://{parts.netloc.lower()}"

    @field_validator("trusted_proxies")
    @classmethod
    def _networks(cls, words: tuple[str, ...]) -> tuple[str, ...]:
        try:
            return tuple(str(ipaddress.ip_network(word, strict=False)) for word in words)
        except ValueError:
            raise ValueError("give addresses or networks: 127.0.0.1,10.0.0.0/8") from None

    @model_validator(mode="after")
    def _whole_app(self) -> Self:
        if bool(self.github_app_id) != bool(self.github_app_private_key_path):
            raise ValueError("set both GITHUB_APP_ID and GITHUB_APP_PRIVATE_KEY_PATH, or neither")
        return self

    @property
    def github_api_url(self) -> str:
        if self.github_url == PUBLIC_GITHUB:
            return "https://api.github.com"
        return f"{self.github_url}/api/v3"

    @property
    def is_production(self) -> bool:
        """Refuse weak secrets when users log in."""
        return self.auth_mode != "local"
