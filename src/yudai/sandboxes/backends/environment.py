"""The environment variables of commands; none of the host's."""

from collections.abc import Mapping

SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

_FIXED = {
    "DEBIAN_FRONTEND": "noninteractive",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
    "LANG": "C.UTF-8",
    "LOGNAME": "agent",
    "MANPAGER": "cat",
    "NPM_CONFIG_AUDIT": "false",
    "NPM_CONFIG_FUND": "false",
    "NPM_CONFIG_UPDATE_NOTIFIER": "false",
    "PAGER": "cat",
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "PIP_NO_INPUT": "1",
    "PIP_PROGRESS_BAR": "off",
    "PYTHONDONTWRITEBYTECODE": "1",
    "TERM": "dumb",
    "TQDM_DISABLE": "1",
    "USER": "agent",
}

_FOR_SETUP = {
    # Later sandboxes cannot write it, and would compile everything again and again.
    "UV_COMPILE_BYTECODE": "1",
    "UV_LINK_MODE": "copy",
    "UV_NO_PROGRESS": "1",
    # A Python that is downloaded into the sandbox would be removed with it.
    "UV_PYTHON_DOWNLOADS": "never",
}

GIT_ALONE = {
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_DEFAULT_HASH": "sha1",
    "HOME": "/nonexistent",
    "PATH": SYSTEM_PATH,
}
"""For our own git: only the repository's configuration and the system's programs."""


def variables(
    *, home: str, path: tuple[str, ...], env: str | None, virtual: bool = True
) -> dict[str, str]:
    """`path` comes before the system's folders; `env` is the base's environment in the sandbox.

    `virtual` says whether that is a Python environment.
    """
    more = {"HOME": home, "PATH": ":".join([*path, SYSTEM_PATH])}
    if env is not None:
        more["YUDAI_ENV"] = env
    if env is not None and virtual:
        more["VIRTUAL_ENV"] = env
    return _FIXED | more


def setup_variables(env: str, packages: Mapping[str, str]) -> dict[str, str]:
    """Further variables for set-up commands; `env` is the folder for dependencies."""
    return {**_FOR_SETUP, **packages, "UV_PROJECT_ENVIRONMENT": env, "VIRTUAL_ENV": env}
