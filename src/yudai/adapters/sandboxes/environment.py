"""The variables that commands see: these and nothing of the host's."""

SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

_FIXED = {
    "DEBIAN_FRONTEND": "noninteractive",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
    "LANG": "C.UTF-8",
    "LOGNAME": "agent",
    "MANPAGER": "cat",
    "PAGER": "cat",
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "PIP_NO_INPUT": "1",
    "PIP_PROGRESS_BAR": "off",
    "PYTHONDONTWRITEBYTECODE": "1",
    "TERM": "dumb",
    "TQDM_DISABLE": "1",
    "USER": "agent",
}

GIT_ALONE = {
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_DEFAULT_HASH": "sha1",
    "HOME": "/nonexistent",
    "PATH": SYSTEM_PATH,
}
"""For our own git: no configuration but the repository's own, no program but the system's."""


def variables(*, home: str, path: tuple[str, ...], env: str | None) -> dict[str, str]:
    """`path` comes before the system's folders; `env` is a Python environment in the box."""
    more = {"HOME": home, "PATH": ":".join([*path, SYSTEM_PATH])}
    if env is not None:
        more["VIRTUAL_ENV"] = env
    return _FIXED | more
