"""The host's package settings: what a set-up may see of them, and that no credential is in it."""

from pathlib import Path

import pytest

from yudai.sandboxes.backends.toolchain.package_settings import NO_PACKAGES, package_settings

TOKEN = "t0ken"  # noqa: S105 - no secret


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PIP_INDEX_URL", "https://packages.example/simple"),
        ("PIP_EXTRA_INDEX_URL", "https://a.example/simple https://b.example/simple"),
        ("PIP_TRUSTED_HOST", "packages.example:8080"),
        ("PIP_DEFAULT_TIMEOUT", "60"),
        ("UV_INDEX_URL", "https://packages.example/simple"),
        ("UV_DEFAULT_INDEX", "https://packages.example/simple"),
        ("UV_INDEX", "first=https://a.example/simple https://b.example/simple"),
        ("UV_HTTP_TIMEOUT", "60"),
        ("UV_EXCLUDE_NEWER", "2026-01-01T00:00:00Z"),
        ("NPM_CONFIG_REGISTRY", "https://npm.example/"),
        ("npm_config_registry", "https://npm.example/"),
        ("Npm_Config_Strict_Ssl", "false"),
        ("pnpm_config_registry", "https://npm.example/"),
        ("YARN_NPM_REGISTRY_SERVER", "https://npm.example/"),
        ("HTTPS_PROXY", "http://proxy.example:3128"),
        ("https_proxy", "proxy.example:3128"),
        ("NO_PROXY", "localhost,127.0.0.1,.example"),
        ("no_proxy", "localhost, *.example"),
    ],
)
def test_settings_that_pass_as_they_are(name: str, value: str):
    assert package_settings({name: value}) == ({name: value}, ())


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        (
            "PIP_INDEX_URL",
            f"https://me:{TOKEN}@packages.example/simple",
            "https://packages.example/simple",
        ),
        (
            "PIP_INDEX_URL",
            f"https://{TOKEN}@packages.example/simple",
            "https://packages.example/simple",
        ),
        ("PIP_INDEX_URL", f"https://me:{TOKEN}@@packages.example/", "https://packages.example/"),
        (
            "PIP_INDEX_URL",
            f"https://packages.example/x?key={TOKEN}&a=b",
            "https://packages.example/x",
        ),
        ("PIP_INDEX_URL", f"https://packages.example/x#{TOKEN}", "https://packages.example/x"),
        (
            "PIP_EXTRA_INDEX_URL",
            f"https://a:{TOKEN}@a.example/ https://b:{TOKEN}@b.example/",
            "https://a.example/ https://b.example/",
        ),
        (
            "UV_INDEX",
            f"one=https://a:{TOKEN}@a.example/,two=https://b:{TOKEN}@b.example/",
            "one=https://a.example/,two=https://b.example/",
        ),
        ("HTTPS_PROXY", f"me:{TOKEN}@proxy.example:3128", "proxy.example:3128"),
        ("http_proxy", f"socks5://me:{TOKEN}@proxy.example:1080", "socks5://proxy.example:1080"),
        ("NPM_CONFIG_REGISTRY", f"https://me:{TOKEN} x@npm.example/", "https://npm.example/"),
        ("PIP_FIND_LINKS", "/home/me/wheels https://w.example/", "https://w.example/"),
    ],
)
def test_what_is_left_without_its_credentials(name: str, value: str, expected: str):
    assert package_settings({name: value}) == ({name: expected}, ())


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("AWS_SECRET_ACCESS_KEY", TOKEN),
        ("GITHUB_TOKEN", TOKEN),
        ("HOME", "/home/me"),
        ("NETRC", "/home/me/.netrc"),
        ("NODE_AUTH_TOKEN", TOKEN),
        ("NODE_OPTIONS", "--require /home/me/x.js"),
        ("NPM_TOKEN", TOKEN),
        ("NPM_CONFIG__AUTH", TOKEN),
        ("npm_config__authToken", TOKEN),
        ("npm_config_//npm.example/:_authToken", TOKEN),
        ("npm_config__password", TOKEN),
        ("npm_config_username", "me"),
        ("npm_config_key", TOKEN),
        ("npm_config_cert", TOKEN),
        ("npm_config_userconfig", "/home/me/.npmrc"),
        ("NPM_CONFIG_GLOBALCONFIG", "/etc/npmrc"),
        ("npm_config_cache", "/home/me/.npm"),
        ("npm_config_prefix", "/home/me/.local"),
        ("npm_config_script_shell", "/home/me/x.sh"),
        ("npm_config_node_options", "--require x"),
        ("npm_config_git", "/home/me/git"),
        ("PATH", "/home/me/bin"),
        ("PIP_CACHE_DIR", "/home/me/.cache"),
        ("PIP_CLIENT_CERT", "/home/me/client.pem"),
        ("PIP_CONFIG_FILE", "/home/me/pip.conf"),
        ("PIP_CONSTRAINT", "/home/me/constraints.txt"),
        ("PIP_KEYRING_PROVIDER", "subprocess"),
        ("PIP_LOG", "/home/me/pip.log"),
        ("PIP_PREFIX", "/home/me"),
        ("PIP_PYTHON", "/home/me/python"),
        ("PIP_ROOT", "/home/me"),
        ("PIP_SRC", "/home/me"),
        ("PIP_TARGET", "/home/me"),
        ("PIP_USER", "1"),
        ("pip_index_url", "https://packages.example/"),
        ("SSL_CERT_DIR", "/etc/ssl/certs"),
        ("TWINE_PASSWORD", TOKEN),
        ("UV_CACHE_DIR", "/home/me/.cache"),
        ("UV_CONFIG_FILE", "/home/me/uv.toml"),
        ("UV_ENV_FILE", "/home/me/.env"),
        ("UV_INDEX_NAME_PASSWORD", TOKEN),
        ("UV_INDEX_NAME_USERNAME", "me"),
        ("UV_KEYRING_PROVIDER", "subprocess"),
        ("UV_PROJECT_ENVIRONMENT", "/home/me/.venv"),
        ("UV_PUBLISH_TOKEN", TOKEN),
        ("UV_PYTHON", "/home/me/python"),
        ("UV_PYTHON_INSTALL_DIR", "/home/me"),
        ("UV_SYSTEM_PYTHON", "1"),
        ("UV_TOOL_BIN_DIR", "/home/me/bin"),
        ("YARN_NPM_AUTH_TOKEN", TOKEN),
        ("YARN_RC_FILENAME", "/home/me/.yarnrc"),
        ("PIP_INDEX_URL", ""),
        ("PIP_INDEX_URL", "file:///home/me/index"),
        ("UV_INDEX", "own=file:///home/me/index"),
        ("PIP_FIND_LINKS", "/home/me/wheels ~/wheels ./wheels ../wheels"),
        ("PIP_INDEX_URL", f"https://me:{TOKEN}/{TOKEN}@packages.example/"),
        ("PIP_INDEX_URL", f"https://me:{TOKEN}#{TOKEN}@packages.example/"),
        ("PIP_INDEX_URL", f"https://me:{TOKEN}?{TOKEN}@packages.example/"),
        ("SSL_CERT_FILE", "relative.pem"),
    ],
)
def test_what_does_not_pass_at_all(name: str, value: str):
    assert package_settings({name: value}) == NO_PACKAGES


def test_bundles_of_certificates_are_named_with_their_files():
    environ = {
        "SSL_CERT_FILE": "/a/ca.pem",
        "REQUESTS_CA_BUNDLE": "/a/ca.pem",
        "CURL_CA_BUNDLE": "/a/ca.pem",
        "PIP_CERT": "/b/ca.pem",
        "NODE_EXTRA_CA_CERTS": "/c/ca.pem",
        "npm_config_cafile": "/d/ca.pem",
    }

    settings = package_settings(environ)

    assert settings.variables == environ
    assert settings.files == tuple(Path(f"/{folder}/ca.pem") for folder in "abcd")
