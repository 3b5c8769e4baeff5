"""The template that sandboxes at E2B are made of, from code: `yudai sandbox build-template`."""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from yudai.sandboxes.port import ENV, WORKSPACE, SandboxLimits

if TYPE_CHECKING:
    from e2b.template.main import TemplateBuilder  # pyright: ignore[reportMissingTypeStubs] - it has types, but no stubs

    from yudai.sandboxes.backends.e2b.account import Account

PYTHON = "3.12-bookworm"
PACKAGES = ("bash", "build-essential", "ca-certificates", "git", "nodejs", "npm", "procps", "tar")
_FOLDERS = (WORKSPACE, "/var/lib/yudai")
_BUILD_S = 1800.0
_CALL_S = 60.0
_MIB = 1 << 20


class BuiltTemplate(NamedTuple):
    name: str
    template_id: str
    build_id: str


async def build_template(
    account: "Account", name: str, limits: SandboxLimits, on_log: Callable[[str], None]
) -> BuiltTemplate:
    """Processors, memory and free disk are those of every sandbox that is made of it."""
    from e2b import AsyncTemplate, LogEntry, LogEntryEnd  # noqa: PLC0415 - with the SDK

    def tell(entry: LogEntry) -> None:
        # It says "Build finished" of one that failed, too.
        if not isinstance(entry, LogEntryEnd):
            on_log(entry.message)

    async with account.asking("building a template", _BUILD_S) as options:
        options["request_timeout"] = _CALL_S
        built = await AsyncTemplate.build(
            recipe(),
            name,
            cpu_count=math.ceil(limits.processors),
            # It takes even numbers alone.
            memory_mb=math.ceil(limits.memory_bytes / _MIB / 2) * 2,
            min_free_disk_mb=math.ceil(limits.disk_bytes / _MIB),
            on_build_logs=tell,
            **options,
        )
    return BuiltTemplate(name, built.template_id, built.build_id)


def recipe() -> "TemplateBuilder":
    """What a sandbox needs: Python for the warden, git, tar, bash; and pytest, uv, Node in /env."""
    from e2b import AsyncTemplate  # noqa: PLC0415 - with the SDK

    return (
        AsyncTemplate()
        .from_python_image(PYTHON)
        .apt_install(list(PACKAGES), no_install_recommends=True)
        .run_cmd(
            [
                "pip install --no-cache-dir uv",
                f"uv venv {ENV}",
                f"uv pip install --no-cache --python {ENV}/bin/python pytest",
                f"mkdir -p {' '.join(_FOLDERS)}",
            ],
            user="root",
        )
    )
