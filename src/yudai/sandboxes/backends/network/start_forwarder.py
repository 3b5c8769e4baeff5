"""Starting the forwarder in a sandbox, and telling its programs that there is a proxy."""

import shlex
from importlib import resources
from pathlib import Path

PORT = 3128
SOCKET = "/run/doors/proxy"
"""Where a machine of its own sees the proxy's socket."""
FORWARDER = "forward"
_URL = f"http://127.0.0.1:{PORT}"
_URLS = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "YARN_HTTP_PROXY", "YARN_HTTPS_PROXY")
_NPM = ("npm_config_proxy", "npm_config_https_proxy")
_NOBODY = ("NO_PROXY", "no_proxy", "npm_config_noproxy")
_NO_SSH = (
    "echo 'yudai: git over ssh does not go through the proxy: use an https URL' >&2; exit 128; :"
)


def forward_line(python: str = "python3", *, socket: str = SOCKET) -> str:
    """A line of shell that brings the forwarder along; it ends once that listens."""
    return _line(python, "-c", _source(), socket)


def forward_by_file(python: str, folder: str, *, socket: str) -> str:
    """The same with the file of `write_forwarder`: short, for shells quote the line of a mistake.

    Without the way a command still runs, and says so.
    """
    line = _line(python, f"{folder}/{FORWARDER}", socket)
    return f"{line} </dev/null || echo 'yudai: there is no way to the proxy' >&2;"


def write_forwarder(folder: Path) -> None:
    file = folder / FORWARDER
    file.write_text(_source())
    file.chmod(0o644)


def proxy_variables() -> dict[str, str]:
    """For programs that ask for a proxy, each in its own way; git cannot use one for ssh."""
    names = [*_URLS, *(name.lower() for name in _URLS if not name.startswith("YARN_")), *_NPM]
    return {
        **dict.fromkeys(names, _URL),
        **dict.fromkeys(_NOBODY, ""),
        "GIT_SSH_COMMAND": _NO_SSH,
        "GIT_SSH_VARIANT": "ssh",
        "NODE_USE_ENV_PROXY": "1",
    }


def _line(python: str, *words: str) -> str:
    return shlex.join([python, "-I", "-S", *words, str(PORT)])


def _source() -> str:
    return (resources.files("yudai.sandboxes.backends.network") / "forwarder.py").read_text()
