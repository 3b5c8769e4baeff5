"""Checks settings of a public server before it starts."""

from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

from pydantic import SecretStr

from yudai.accounts.adapters.vault import FernetVault, split_keys
from yudai.kit.errors import RefusedError
from yudai.settings import Settings
from yudai.settings.forge import DEFAULT_SALT, LOOPBACK

MIN_SECRET = 32
MIN_SALT = 8
MIN_PASSWORD = 12
_MIN_DIFFERENT = 8
_WORDS = ("changeme", "change-me", "change_me", "secret", "password", "example", "default")
_PASSWORDS = frozenset({"postgres", "postgresql", "password", "yudai", "admin", "root", "test"})
_EVERYWHERE = frozenset({"0.0.0.0", "::"})  # noqa: S104 - only compared
_PEM = "-----BEGIN "


def check_production(settings: Settings) -> None:
    """RefusedError names every setting that is missing, still its default or too weak."""
    if not settings.is_production:
        return
    wrong = [problem for check in _CHECKS for problem in check(settings)]
    if wrong:
        raise RefusedError(f"this server is not safe to start: {'; '.join(wrong)}")


def own_hosts(settings: Settings) -> tuple[str, ...]:
    """Public host names of this server."""
    if not settings.is_production:
        return ()
    urls = (settings.backend_url, settings.frontend_url, settings.github_redirect_uri)
    hosts = map(host_of, urls)
    return tuple(dict.fromkeys(name for name in (settings.domain, *hosts) if name))


def model_hosts(settings: Settings) -> tuple[str, ...]:
    """Host names that serve only the model endpoint, for sandboxes."""
    if settings.command_agents is None:
        return ()
    urls = (settings.model_endpoint_url, settings.backend_url)
    hosts = map(host_of, urls)
    return tuple(host for host in dict.fromkeys(hosts) if host and host not in own_hosts(settings))


def _salt(settings: Settings) -> Iterator[str]:
    salt = _text(settings.salt)
    if salt == DEFAULT_SALT:
        yield "SALT is the default one: give another"
    elif len(salt) < MIN_SALT:
        yield f"SALT needs at least {MIN_SALT} characters"


def _token_keys(settings: Settings) -> Iterator[str]:
    if settings.token_keys is None:
        yield "TOKEN_KEYS is missing: give a Fernet key"
        return
    try:
        FernetVault(split_keys(settings.token_keys))
    except RefusedError as error:
        yield str(error).replace("TOKEN_KEYS:", "TOKEN_KEYS is not a list of Fernet keys:", 1)


def _app(settings: Settings) -> Iterator[str]:
    if not settings.github_app_client_id:
        yield "GITHUB_APP_CLIENT_ID is missing: users cannot log in"
    if not _text(settings.github_app_client_secret):
        yield "GITHUB_APP_CLIENT_SECRET is missing: users cannot log in"
    if settings.github_app_id:
        yield from _long(
            "GITHUB_WEBHOOK_SECRET", settings.github_webhook_secret, is_needed=True, least=16
        )
        yield from _private_key(settings.github_app_private_key_path)


def _private_key(path: Path | None) -> Iterator[str]:
    if path is None:
        return
    try:
        is_key = path.read_text().lstrip().startswith(_PEM)
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is no text"
        yield f"GITHUB_APP_PRIVATE_KEY_PATH cannot be read ({why})"
        return
    if not is_key:
        yield "GITHUB_APP_PRIVATE_KEY_PATH is not a private key (PEM)"


def _database(settings: Settings) -> Iterator[str]:
    if settings.database_url is not None or not settings.postgres_db:
        return
    password = _text(settings.postgres_password)
    if not password and settings.postgres_host.startswith("/"):
        # A socket: access is controlled by this machine.
        return
    if len(password) < MIN_PASSWORD or password.lower() in _PASSWORDS or _is_weak(password):
        yield f"POSTGRES_PASSWORD is missing or weak: give {MIN_PASSWORD} random characters or more"


def _addresses(settings: Settings) -> Iterator[str]:
    """Addresses that make login cookies unsafe: only loopback may use http."""
    for name, url in (
        ("BACKEND_URL", settings.backend_url),
        ("FRONTEND_URL", settings.frontend_url),
        ("GITHUB_REDIRECT_URI", settings.github_redirect_uri),
    ):
        if url and not _is_safe_url(url):
            yield f"{name} has to begin with https://"
    if (endpoint := settings.model_endpoint_url) is not None and host_of(endpoint) is None:
        yield "MODEL_ENDPOINT_URL is not a URL: give https://host/path"
    if not _has_name(settings):
        yield (
            "DOMAIN is missing, or BACKEND_URL or GITHUB_REDIRECT_URI:"
            " this server does not know its own name"
        )


def _has_name(settings: Settings) -> bool:
    """Whether the server knows its public name, for which it sets cookies."""
    urls = (settings.backend_url, settings.github_redirect_uri)
    names = [name for name in (settings.domain, *map(_name_in, urls)) if name]
    if any(name not in LOOPBACK for name in names):
        return True
    if settings.host in LOOPBACK:
        page = _name_in(settings.frontend_url)
        return bool(names) or page is None or page in LOOPBACK
    # On any other address it would send cookies in clear text.
    return bool(names) and settings.host in _EVERYWHERE


_CHECKS: tuple[Callable[[Settings], Iterator[str]], ...] = (
    lambda settings: _long("SECRET_KEY", settings.secret_key, is_needed=True),
    _salt,
    _token_keys,
    _app,
    _database,
    lambda settings: _long("JWT_SECRET", settings.jwt_secret, is_needed=False),
    _addresses,
)


def _long(
    name: str, secret: SecretStr | None, *, is_needed: bool, least: int = MIN_SECRET
) -> Iterator[str]:
    text = _text(secret)
    if not text:
        if is_needed:
            yield f"{name} is missing: give {least} random characters or more"
    elif len(text) < least:
        yield f"{name} is too short: give {least} random characters or more"
    elif _is_weak(text):
        yield f"{name} is not random: give {least} random characters or more"


def _is_weak(text: str) -> bool:
    return len(set(text)) < _MIN_DIFFERENT or any(word in text.lower() for word in _WORDS)


def _text(secret: SecretStr | str | None) -> str:
    if secret is None:
        return ""
    return secret if isinstance(secret, str) else secret.get_secret_value()


def _is_safe_url(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    is_own_machine = parts.scheme == "http" and parts.hostname in LOOPBACK
    return bool(parts.hostname) and (parts.scheme == "https" or is_own_machine)


def _name_in(url: str | None) -> str | None:
    try:
        return urlsplit(url or "").hostname
    except ValueError:
        return None


def host_of(url: str | None) -> str | None:
    """The host as in a URL, with brackets for IPv6."""
    host = _name_in(url)
    return f"[{host}]" if host and ":" in host else host
