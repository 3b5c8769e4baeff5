"""The bundled demo: a sample repository, its issue and scripted contestants.

This module turns them into values that a solve needs; `contestants/` holds the scripts and
`sample/` the repository. The demo needs no model key and no network.
"""

import hashlib
import io
import sys
import tarfile
import tempfile
from pathlib import Path

from yudai.forge.domain.issue import Issue, from_markdown
from yudai.gateway.domain.models import BUNDLED_SCRIPTS, SCRIPTED_PREFIX, Model, scripted
from yudai.sandboxes.port import BaseSpec
from yudai.solves.domain.matrix import Matrix
from yudai.solves.domain.strategies import Strategy

ROOT = Path(__file__).parent
CONTESTANTS = ROOT / "contestants"
REPO = "yudai/demo"
MAX_STEPS = 12

# A fixed time makes the archive, and with it the base's key, the same on every machine.
_MTIME = 1_750_000_000


def issue() -> Issue:
    return from_markdown((ROOT / "issue.md").read_text(encoding="utf-8"))


def matrix() -> Matrix:
    return Matrix(
        models=tuple(f"{SCRIPTED_PREFIX}{name}" for name in _names()),
        temperatures=(0.2,),
        max_edits=(6,),
        strategies=(Strategy.TEST_FIRST,),
    )


def models() -> tuple[Model, ...]:
    """Models of the matrix, each answered by its bundled script."""
    return tuple(
        scripted(f"{SCRIPTED_PREFIX}{name}").model_copy(
            update={"model_id": f"{SCRIPTED_PREFIX}{BUNDLED_SCRIPTS}{name}"}
        )
        for name in _names()
    )


def scripts() -> dict[str, Path]:
    """Bundled scripts by model id."""
    return {f"{BUNDLED_SCRIPTS}{name}": CONTESTANTS / f"{name}.yaml" for name in _names()}


def base(home: Path, env: Path | None) -> BaseSpec:
    """Archive the sample repository under `home` and describe the base made from it.

    `env` is a Python environment that has pytest.
    """
    archive = _archive(ROOT / "sample")
    digest = hashlib.sha256(archive).hexdigest()
    source = home / "sources" / f"{digest}.tar"
    if not source.exists():
        source.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=source.parent, delete=False) as part:
            part.write(archive)
        Path(part.name).replace(source)
    # Unused archives are removed by age.
    source.touch()
    key = hashlib.sha256(f"{digest}\n{env}\n{sys.version}".encode()).hexdigest()[:32]
    return BaseSpec(key=key, source=source, env=env)


def _names() -> list[str]:
    return sorted(script.stem for script in CONTESTANTS.glob("*.yaml"))


def _archive(folder: Path) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for file in sorted(folder.rglob("*")):
            if file.is_file() and "__pycache__" not in file.parts:
                info = tar.gettarinfo(file, arcname=str(file.relative_to(folder)))
                info.mtime, info.mode = _MTIME, 0o644
                info.uid = info.gid = 0
                info.uname = info.gname = ""
                with file.open("rb") as content:
                    tar.addfile(info, content)
    return buffer.getvalue()
