"""Settings about forges, logins and secrets."""

import ipaddress
from pathlib import Path
from typing import Annotated, Literal, Self
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, field_validator, model_validator
from pydantic_settings import BaseSettings, NoDecode

from yudai.solves.domain.origin import PublishMode

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
PUBLIC_GITHUB = "https://github.com"
DEFAULT_SALT = "yudai"
Words = Annotated[tuple[str, ...], NoDecode]


class ForgeSettings(BaseSettings):
    auth_mode: Literal["local", "github"] = Field(
        default="local",
        validation_alias="AUTH_MODE",
        description="`local`: one person, no login, loopback only; `github`: everybody signs in.",
    )
    github_url: str = Field(
        default=PUBLIC_GITHUB,
        validation_alias="GITHUB_URL",
        description="Where repositories are: GitHub, or a GitHub Enterprise server.",
    )
    github_token: SecretStr | None = Field(
        default=None,
        validation_alias="GITHUB_TOKEN",
        description="For whoever has no token of their own. Never in a sandbox.",
    )
    github_app_id: str | None = Field(
        default=None, validation_alias="GITHUB_APP_ID", description="The GitHub App's number."
    )
    github_app_client_id: str | None = Field(
        default=None,
        validation_alias="GITHUB_APP_CLIENT_ID",
        description="The App's client id, for logins.",
    )
    github_app_client_secret: SecretStr | None = Field(
        default=None,
        validation_alias="GITHUB_APP_CLIENT_SECRET",
        description="The App's client secret, for logins.",
    )
    github_app_installation_id: int | None = Field(
        default=None,
        validation_alias="GITHUB_APP_INSTALLATION_ID",
        description="The one installation to use; unset: each repository's own.",
    )
    github_app_private_key_path: Path | None = Field(
        default=None,
        validation_alias="GITHUB_APP_PRIVATE_KEY_PATH",
        description="File with the App's private key (PEM).",
    )
    github_redirect_uri: str | None = Field(
        default=None,
        validation_alias="GITHUB_REDIRECT_URI",
        description="Where GitHub sends a browser after login; unset: /auth/callback here.",
    )
    github_webhook_secret: SecretStr | None = Field(
        default=None,
        validation_alias="GITHUB_WEBHOOK_SECRET",
        description="What webhooks are signed with; unset: none are taken.",
    )
    github_label: str = Field(
        default="yudai",
        min_length=1,
        max_length=50,
        validation_alias="GITHUB_LABEL",
        description="The label that asks for a solve.",
    )
    github_watch: Words = Field(
        default=(),
        validation_alias="GITHUB_WATCH",
        description="Repositories to look through for labels and commands, as owner/name with"
        " commas between; besides those where the App is installed.",
    )
    github_poll_s: float = Field(
        default=60,
        ge=1,
        validation_alias="GITHUB_POLL_SECONDS",
        description="How often they are looked through; webhooks make it quicker, never complete.",
    )
    github_publish: PublishMode = Field(
        default=PublishMode.AUTO,
        validation_alias="GITHUB_PUBLISH",
        description="When a service opens a pull request for a verified champion: `auto`, `ask`"
        " or `never`.",
    )
    github_comment: bool = Field(
        default=True,
        validation_alias="GITHUB_COMMENT",
        description="Whether the result is told in a comment on the issue, champion or none.",
    )
    github_all_comments: bool = Field(
        default=False,
        validation_alias="GITHUB_ALL_COMMENTS",
        description="Whether contestants read comments of people who are no collaborators.",
    )
    github_matrix: str = Field(
        default="",
        max_length=2000,
        validation_alias="GITHUB_MATRIX",
        description="Who competes when a label or command does not say, in the command's words:"
        " `model=gpt-4.1 temp=0.2,0.6`.",
    )
    frontend_url: str | None = Field(
        default=None,
        validation_alias="FRONTEND_URL",
        description="Where the page is served from, if from elsewhere: may call the API, and is"
        " where a login returns to.",
    )
    backend_url: str | None = Field(
        default=None,
        validation_alias="BACKEND_URL",
        description="This server's API as others reach it, for links: https://DOMAIN/api.",
    )
    domain: str | None = Field(
        default=None,
        validation_alias="DOMAIN",
        description="This server's name, when it is not a loopback address.",
    )
    secret_key: SecretStr | None = Field(
        default=None,
        validation_alias="SECRET_KEY",
        description="What logins and keys are hashed with, at least 32 characters; unset in local"
        " mode: one is made in YUDAI_HOME.",
    )
    salt: SecretStr = Field(
        default=SecretStr(DEFAULT_SALT),
        validation_alias="SALT",
        description="Derives keys from SECRET_KEY; its default is refused in production.",
    )
    token_keys: SecretStr | None = Field(
        default=None,
        validation_alias="TOKEN_KEYS",
        description="Fernet keys that users' tokens are encrypted with, newest first, with commas"
        " between; unset in local mode: one is made in YUDAI_HOME.",
    )
    jwt_secret: SecretStr | None = Field(
        default=None,
        validation_alias="JWT_SECRET",
        description="Signs what command agents call models with, at least 32 characters.",
    )
    users: Words = Field(
        default=(),
        validation_alias="YUDAI_USERS",
        description="Logins that may sign in, besides YUDAI_ADMINS, with commas between; unset:"
        " everybody with an account at GITHUB_URL.",
    )
    admins: Words = Field(
        default=(),
        validation_alias="YUDAI_ADMINS",
        description="Logins that may change the models table and see the installation's settings,"
        " with commas between.",
    )
    requests_per_minute: int = Field(
        default=1200,
        ge=1,
        validation_alias="REQUESTS_PER_MINUTE",
        description="Requests of one user, or of one address without a login.",
    )
    trusted_proxies: Words = Field(
        default=(),
        validation_alias="TRUSTED_PROXIES",
        description="Addresses or networks of proxies before this server, with commas between: what"
        " they say in X-Forwarded-For counts as the address that asks. Unset: nobody is believed.",
    )

    @field_validator("github_watch", "users", "admins", "trusted_proxies", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        if isinstance(value, str):
            return tuple(word.strip() for word in value.split(",") if word.strip())
        return value

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
            raise ValueError("GITHUB_APP_ID and GITHUB_APP_PRIVATE_KEY_PATH are given together")
        return self

    @property
    def github_api_url(self) -> str:
        if self.github_url == PUBLIC_GITHUB:
            return "https://api.github.com"
        return f"{self.github_url}/api/v3"

    @property
    def is_production(self) -> bool:
        """Whoever is let in has to be known: weak secrets are refused."""
        return self.auth_mode != "local"
