"""Machines at E2B, or at a control plane of your own; its SDK is loaded when they are asked for."""

import math
from collections.abc import Callable, Sequence
from functools import cached_property
from importlib import metadata
from typing import TYPE_CHECKING, NamedTuple, cast

from yudai.kit.errors import SandboxError
from yudai.sandboxes.backends.remote.cloud import (
    INSTALLATION,
    DeniedError,
    Found,
    Machine,
    MachineSpec,
    vm_capabilities,
)
from yudai.sandboxes.port import ENV, WORKSPACE, Capabilities, SandboxLimits

if TYPE_CHECKING:
    from e2b.template.main import TemplateBuilder  # pyright: ignore[reportMissingTypeStubs] - it has types, but no stubs

    from yudai.sandboxes.backends.e2b.account import Account, Timings
    from yudai.sandboxes.backends.e2b.create import Maker
    from yudai.sandboxes.backends.e2b.machine import E2BMachine

NO_SDK = "E2B's SDK is missing: pip install 'yudai[e2b]'"
_FORKS_AT_ONCE = 20
_SIZE = "the size of the VM, set when its template was built"
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


class E2BCloud:
    name = "e2b"
    own_kernels = True

    def __init__(
        self,
        *,
        api_key: str,
        template: str,
        domain: str | None = None,
        api_url: str | None = None,
        sandbox_url: str | None = None,
        timings: "Timings | None" = None,
    ) -> None:
        self._api_key = api_key
        self._template = template
        self._address = (domain, api_url, sandbox_url)
        self._timings = timings

    @cached_property
    def _maker(self) -> "Maker":
        try:
            from yudai.sandboxes.backends.e2b import account as e2b_account  # noqa: PLC0415 - loaded when used
            from yudai.sandboxes.backends.e2b import create as e2b_making  # noqa: PLC0415 - likewise
        except ImportError as error:
            raise DeniedError(NO_SDK) from error
        timings = self._timings or e2b_account.Timings()
        address = e2b_account.Address(*self._address)
        account = e2b_account.Account(self._api_key, address, timings)
        return e2b_making.Maker(account, self._template)

    @property
    def _account(self) -> "Account":
        return self._maker.account

    async def examine(self) -> Capabilities:
        await self._account.look()
        version = f"e2b {metadata.version('e2b')}"
        return vm_capabilities(self.name, version=version, size=_SIZE)

    async def create(self, machine_spec: MachineSpec) -> Machine:
        maker = self._maker
        whole = maker.account.chores.whole
        return await whole(maker.create(machine_spec), lambda made: maker.discard(made.id))

    async def fork(
        self, source: Machine, machine_specs: Sequence[MachineSpec]
    ) -> Sequence[Machine | SandboxError]:
        """Forks have the tags of their source: E2B has no way to give them others."""
        forked: list[Machine | SandboxError] = []
        for start in range(0, len(machine_specs), _FORKS_AT_ONCE):
            batch = machine_specs[start : start + _FORKS_AT_ONCE]
            work = self._maker.fork(cast("E2BMachine", source), batch)
            try:
                forked += await self._account.chores.whole(work, self._maker.discard_all)
            except BaseException:
                self._account.chores.begin(self._maker.discard_all(forked))
                raise
        return forked

    async def snapshot(self, machine: Machine, name: str) -> str:
        keeping = self._account.snapshot(machine.id, name)
        return await self._account.chores.whole(keeping, self._maker.drop_snapshot)

    async def remove_snapshot(self, image: str) -> bool:
        return await self._account.remove_snapshot(image)

    async def has_snapshot(self, image: str) -> bool:
        return await self._account.has_snapshot(image)

    async def list(self, installation: str) -> Sequence[Found]:
        return await self._account.find({INSTALLATION: installation})

    async def kill(self, machine_id: str) -> bool:
        return await self._account.kill(machine_id)

    async def build_template(
        self, name: str, limits: SandboxLimits, on_log: Callable[[str], None]
    ) -> BuiltTemplate:
        return await build_template(self._account, name, limits, on_log)

    async def close(self) -> None:
        if "_maker" in self.__dict__:
            await self._account.chores.close()


async def build_template(
    account: "Account", name: str, limits: SandboxLimits, on_log: Callable[[str], None]
) -> BuiltTemplate:
    """Processors, memory and free disk are those of every sandbox that is made of it."""
    from e2b import AsyncTemplate, LogEntry, LogEntryEnd  # noqa: PLC0415 - with the SDK

    def tell(entry: LogEntry) -> None:
        # It also says "Build finished" after a failed build.
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
