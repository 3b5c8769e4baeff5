"""Plain processes of the host, no isolation: only for code that you would run yourself."""

import asyncio
import os
import re
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

from yudai.sandboxes.backends.environment import setup_variables, variables
from yudai.sandboxes.backends.local.backend import LocalBackend, Prepared, Start
from yudai.sandboxes.backends.local.base_build import (
    MADE,
    RECORD,
    TREE,
    BuildSandbox,
    OpenBuildSandbox,
)
from yudai.sandboxes.backends.local.commands import DiskWatch
from yudai.sandboxes.backends.local.home import Home, SandboxRecord, find_shell
from yudai.sandboxes.backends.local.processes import kill_and_wait, with_variable
from yudai.sandboxes.backends.process.commands import MARKER, ProcessCommands, ProcessEnvironment
from yudai.sandboxes.backends.sandbox import Places, SandboxHandle
from yudai.sandboxes.backends.toolchain import toolchain
from yudai.sandboxes.backends.toolchain.package_settings import NO_PACKAGES, PackageSettings
from yudai.sandboxes.backends.toolchain.toolchain import Chosen, Toolchain
from yudai.sandboxes.backends.trees import copy_tree
from yudai.sandboxes.backends.workspace.worktree import Worktree, stamps
from yudai.sandboxes.domain.guarantees import GuaranteeKind, Kept, guarantees
from yudai.sandboxes.port import (
    NO_NETWORK,
    BaseSpec,
    Capabilities,
    NetworkPolicy,
    OnBlocked,
    Phase,
    SandboxLimits,
    ignore_blocked,
)

NAME = "process"
VARIABLE = "YUDAI_WORKSPACE"
"""Names a sandbox's workspace to the editable installs of its base."""

_INSTALLS = ("lib/python3*/site-packages/*.pth", "lib/python3*/site-packages/*.py")

_KEPT: dict[GuaranteeKind, Kept] = {
    "files": (False, "commands can read and write everything that you can"),
    "environment": (False, "yours is not passed on, but commands can read that of your processes"),
    "network": (False, "commands have your network"),
    "processes": (False, "found by session, mark and parent; one that hides all three survives"),
    "memory": (False, "no limit"),
    "process count": (False, "no limit"),
    "processors": (False, "no limit"),
    "disk": (False, "only the workspace is measured"),
    "time": (True, "a command is killed with all its known child processes"),
    "output": (True, "capped while it is read; head and tail are kept"),
    "kernel": (False, "the host's own: no protection against its bugs"),
}


class ProcessBackend(LocalBackend):
    def __init__(  # noqa: PLR0913 - made like the other local backend
        self,
        home: Path,
        *,
        limits: SandboxLimits | None = None,
        installation: str = "local",
        packages: PackageSettings = NO_PACKAGES,
        path: Sequence[Path] = (),
        network: NetworkPolicy = NO_NETWORK,
        on_blocked: OnBlocked = ignore_blocked,
    ) -> None:
        """`packages` are for set-up commands; `path` is where a person's programs are.

        A network policy cannot be kept here: nothing is ever blocked.
        """
        del network, on_blocked
        self._limits = limits or SandboxLimits()
        self._installation = installation
        self._packages = packages
        super().__init__(
            NAME,
            Home(home.absolute() / NAME),
            path=path,
            lifetime_s=self._limits.lifetime_s,
        )

    async def capabilities(self) -> Capabilities:
        return Capabilities(backend=NAME, guarantees=guarantees(_KEPT))

    async def _uid(self) -> int:
        return os.getuid()

    async def _starter(self, base: Prepared, owner: str, phase: Phase) -> Start:
        del phase

        async def start() -> SandboxHandle:
            record = self._home.new_sandbox(owner, base=base.key)
            folder = self._home.sandbox(record.id)
            try:
                copy = folder / "workspace"
                await copy_tree(base.folder / TREE, copy)
                pristine = await asyncio.to_thread(stamps, copy)
                commands = self._commands(record, copy, base.tools)
            except BaseException:
                await self._remove(record)
                raise
            git = base.folder / RECORD / "git"
            places = Places(git=git, workspace=copy, scratch=folder / "scratch")
            tree = Worktree(copy, base.tracked, pristine=pristine)
            return self._sandbox(record, commands, tree, places)

        return start

    def _commands(
        self, record: SandboxRecord, workspace: Path, programs: Toolchain
    ) -> ProcessCommands:
        folder = self._home.sandbox(record.id)
        for name in ("home", "tmp"):
            (folder / name).mkdir()
        around = ProcessEnvironment(
            folder=folder,
            workspace=workspace,
            env=programs.env,
            variables=self._variables(folder, workspace, programs),
            shell=find_shell(),
            mark=self._mark(record),
        )
        return ProcessCommands(around, disk=DiskWatch(workspace, self._limits.disk_bytes))

    def _variables(self, folder: Path, workspace: Path, programs: Toolchain) -> dict[str, str]:
        programs = toolchain.furnish(programs, self._home.tools)
        env = [programs.env / "bin"] if programs.env else []
        scripts = [programs.tools] if programs.tools else []
        words = variables(
            home=str(folder / "home"),
            path=tuple(map(str, [*env, *scripts, *programs.path])),
            env=str(programs.env) if programs.env else None,
            virtual=programs.virtual,
        )
        return words | {"TMPDIR": str(folder / "tmp"), VARIABLE: str(workspace)}

    async def _kill(self, record: SandboxRecord) -> None:
        await kill_and_wait(with_variable(f"{MARKER}={self._mark(record)}-".encode()))

    def _mark(self, record: SandboxRecord) -> str:
        return f"{self._installation}-{record.id}"

    async def _remove(self, record: SandboxRecord) -> bool:
        return await asyncio.to_thread(self._home.remove_sandbox, record.id)

    def _opener(self, spec: BaseSpec, owner: str, chosen: Chosen) -> OpenBuildSandbox:
        del owner
        return partial(self._site, spec, chosen)

    @asynccontextmanager
    async def _site(
        self, spec: BaseSpec, chosen: Chosen, base: Path, *, setup: bool
    ) -> AsyncGenerator[BuildSandbox]:
        """Without isolation, set-up commands can see the source and the record."""
        record = self._home.new_sandbox(NAME)
        made = base / MADE if setup and spec.env is None else None
        programs = toolchain.find(spec.env, chosen, made=made)
        if setup:
            programs = _with_uv(programs, self._home.sandbox(record.id) / "setup")
        commands = self._commands(record, base / TREE, programs)
        given = setup_variables(str(programs.env), self._packages.variables) if setup else {}
        try:
            yield BuildSandbox(commands, str(spec.source.absolute()), str(base / RECORD), given)
            if made is not None:
                await asyncio.to_thread(follow_workspace, made, base / TREE)
        finally:
            await commands.end()
            await self._remove(record)


def _with_uv(programs: Toolchain, folder: Path) -> Toolchain:
    uv = toolchain.own_uv()
    if uv is None:
        return programs
    folder.mkdir()
    (folder / "uv").symlink_to(uv)
    return programs._replace(path=(folder, *programs.path))


def follow_workspace(env: Path, tree: Path) -> None:
    """Let editable installs of the base's tree resolve to the workspace of each sandbox."""
    for file in [file for place in _INSTALLS for file in env.glob(place)]:
        lines = before = file.read_text(errors="surrogateescape").split("\n")
        for name in {str(tree), str(tree.resolve())}:
            lines = [_rewritten(line, name) for line in lines]
        if lines != before:
            file.write_text("\n".join(lines), errors="surrogateescape")


def _rewritten(line: str, tree: str) -> str:
    """A folder's name in a `.pth` file becomes code; in code, as of an import hook, a literal."""
    if line == tree or line.startswith(f"{tree}/"):
        return f"import sys; sys.path.append({_place(tree, line.removeprefix(tree))})"
    literal = re.compile(rf"(['\"]){re.escape(tree)}((?:/[^'\"]*)?)\1")
    return literal.sub(lambda m: _place(tree, m[2]), line)


def _place(tree: str, rest: str) -> str:
    return f"(__import__('os').environ.get('{VARIABLE}', {tree!r}) + {rest!r})"
