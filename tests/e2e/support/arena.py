"""`yudai` as a person starts it: a process with a home of its own and nothing of ours around it.

Its modules are loaded and its database has its schema already (warm.py).
Only test_demo.py starts from nothing.
"""

import hashlib
import json
import os
import stat
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tests.e2e.support.leftovers import NOTHING, leftovers
from tests.support.servers.databases import _migrated_file
from tests.support.servers.preforked import YUDAI, run_warm

Result = subprocess.CompletedProcess[str]


class Arena:
    def __init__(self, root: Path, **variables: str) -> None:
        self.home = root / "home" / "yudai"
        self.root = root
        self.variables = {
            "PATH": os.environ["PATH"],
            "HOME": str(root / "home"),
            "YUDAI_HOME": str(self.home),
            **variables,
        }

    def __call__(self, *arguments: str, stdin: str | None = None, **variables: str) -> Result:
        """Run it in `root`, where scripts of contestants are; nobody is there to be asked."""
        migrate(self.home)
        return run_warm(
            [str(YUDAI), *arguments],
            cwd=self.root,
            env=self.variables | variables,
            input=stdin or "",
            encoding="utf-8",
            errors="surrogateescape",
            timeout=110,
        )

    def script(self, name: str, *replies: Mapping[str, Any], repeat_last: bool = False) -> str:
        """A contestant that plays these replies; returns its model's name."""
        document = {"replies": replies, "repeat_last": repeat_last}
        (self.root / f"{name}.json").write_text(json.dumps(document))
        return f"scripted/{name}"

    def leaves_nothing(self) -> bool:
        return leftovers(self.home) == NOTHING


def migrate(home: Path) -> None:
    """What the first process would do to a home, at a tenth of the price."""
    if not home.exists():
        home.mkdir(parents=True)
        (home / "yudai.db").touch(mode=0o600)
        (home / "yudai.db").write_bytes(_migrated_file())


class Entry(NamedTuple):
    mode: int
    modified_ns: int
    content: str
    """A file's digest or a link's target."""


def fingerprint(folder: Path) -> dict[str, Entry]:
    """Every byte, mode and time below a folder, `.git` included."""
    found: dict[str, Entry] = {}
    for parent, folders, files in os.walk(os.fsencode(folder)):
        for name in (b".", *folders, *files):
            path = Path(os.fsdecode(os.path.join(parent, name)))  # noqa: PTH118 - bytes
            found[str(path.relative_to(folder))] = _entry(path)
    return found


def changed(before: Mapping[str, Entry], after: Mapping[str, Entry]) -> set[str]:
    """Files that came, went or have another mode or content; times do not matter."""
    return {
        path
        for path in before.keys() | after.keys()
        if _lasting(before.get(path)) != _lasting(after.get(path))
    }


def document(result: Result) -> dict[str, Any]:
    """The one document on standard output."""
    assert "Traceback" not in result.stderr, result.stderr
    return json.loads(result.stdout)


def refusal(result: Result) -> str:
    """The one line that says what is wrong: exit code 4, nothing on standard output."""
    assert "Traceback" not in result.stderr
    assert result.returncode == 4, (result.returncode, result.stderr)
    assert result.stdout == ""
    lines = [line for line in result.stderr.splitlines() if line.startswith("yudai: ")]
    assert result.stderr.splitlines()[-1:] == lines
    return lines[0]


def by_model(found: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Places of the ranking by the last part of their model's name."""
    return {place["handle"].partition("-t0.")[0]: place for place in found["ranking"]}


def models(*names: str) -> Sequence[str]:
    return [word for name in names for word in ("--model", name)]


def _entry(path: Path) -> Entry:
    status = path.lstat()
    if stat.S_ISLNK(status.st_mode):
        content = os.fsdecode(path.readlink())
    elif stat.S_ISREG(status.st_mode):
        content = hashlib.sha256(path.read_bytes()).hexdigest()
    else:
        content = ""
    return Entry(status.st_mode, status.st_mtime_ns, content)


def _lasting(entry: Entry | None) -> Entry | None:
    return None if entry is None else entry._replace(modified_ns=0)
