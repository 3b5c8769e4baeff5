"""`yudai doctor`: what this machine can do, and what to mend."""

import shutil
import sys

from rich.console import Console
from rich.text import Text

from yudai import __version__
from yudai.cli import consoles
from yudai.cli.exits import OK, REFUSED
from yudai.cli.text import print_json
from yudai.domain.errors import RefusedError, SandboxError
from yudai.domain.value import Value
from yudai.ports.artifacts import ArtifactError
from yudai.ports.sandbox import Guarantee
from yudai.settings import Settings
from yudai.wiring import BACKENDS, DEFAULT_BACKEND, make_backend, open_library
from yudai.wiring.parts import make_artifacts


class Finding(Value):
    name: str
    ok: bool
    detail: str


class BackendFinding(Value):
    name: str
    usable: bool
    isolated: bool
    detail: str
    guarantees: tuple[Guarantee, ...] = ()


async def run_doctor(settings: Settings, *, json: bool) -> int:
    findings = [_python(), _git(), await _home(settings), await _artifacts(settings)]
    backends = [await _backend(settings, name) for name in BACKENDS]
    ready = all(finding.ok for finding in findings) and any(
        backend.usable and backend.name == DEFAULT_BACKEND for backend in backends
    )
    if json:
        print_json(
            {
                "version": __version__,
                "ready": ready,
                "findings": [finding.model_dump() for finding in findings],
                "sandboxes": [backend.model_dump() for backend in backends],
            }
        )
    else:
        _print(findings, backends, consoles.result())
    return OK if ready else REFUSED


async def _artifacts(settings: Settings) -> Finding:
    try:
        await make_artifacts(settings).check()
    except (ArtifactError, RefusedError) as error:
        return Finding(name="artifacts", ok=False, detail=str(error))
    return Finding(name="artifacts", ok=True, detail=settings.artifacts_url or "in YUDAI_HOME")


def _python() -> Finding:
    version = ".".join(str(part) for part in sys.version_info[:3])
    return Finding(name="python", ok=sys.version_info >= (3, 11), detail=version)


def _git() -> Finding:
    path = shutil.which("git")
    return Finding(name="git", ok=path is not None, detail=path or "not found: install git")


async def _home(settings: Settings) -> Finding:
    try:
        async with open_library(settings):
            pass
    except Exception as error:  # noqa: BLE001 doctor reports whatever is wrong
        return Finding(name="home", ok=False, detail=f"{settings.home}: {error}")
    return Finding(name="home", ok=True, detail=str(settings.home))


async def _backend(settings: Settings, name: str) -> BackendFinding:
    try:
        backend = make_backend(settings, name)
        try:
            capabilities = await backend.capabilities()
        finally:
            await backend.close()
    except (SandboxError, RefusedError, OSError) as error:
        return BackendFinding(name=name, usable=False, isolated=False, detail=str(error))
    return BackendFinding(
        name=name,
        usable=True,
        isolated=capabilities.isolated,
        detail="isolated" if capabilities.isolated else "NO isolation: only for code you trust",
        guarantees=capabilities.guarantees,
    )


def _print(findings: list[Finding], backends: list[BackendFinding], console: Console) -> None:
    for finding in findings:
        console.print(_mark(finding.name, finding.detail, ok=finding.ok))
    for backend in backends:
        default = " (default)" if backend.name == DEFAULT_BACKEND else ""
        name = f"sandbox {backend.name}{default}"
        console.print(_mark(name, backend.detail, ok=backend.usable))
        for guarantee in backend.guarantees:
            console.print(
                _mark(guarantee.name, guarantee.how, ok=guarantee.holds, indent=4), soft_wrap=True
            )


def _mark(name: str, detail: str, *, ok: bool, indent: int = 0) -> Text:
    sign, style = ("✓", "green") if ok else ("✗", "red")
    return Text.assemble(" " * indent, (sign, style), f" {name}: ", (detail, "dim" if ok else ""))
