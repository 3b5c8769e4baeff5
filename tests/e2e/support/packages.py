"""What the loopback registries serve: tiny packages of our own, and pytest as it is installed."""

import base64
import gzip
import hashlib
import io
import json
import tarfile
import zipfile
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import Distribution, distribution
from pathlib import PurePosixPath
from typing import NamedTuple

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

# Zip archives know no earlier moment; equal contents have to give equal hashes.
_LONG_AGO = (1980, 1, 1, 0, 0, 0)
_NOT_OF_THE_WHEEL = frozenset({"RECORD", "INSTALLER", "REQUESTED", "direct_url.json"})


class Wheel(NamedTuple):
    name: str
    version: str
    filename: str
    content: bytes
    metadata: bytes
    requires: tuple[str, ...]
    """Names of what it needs here and now."""

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.content).hexdigest()


class Tarball(NamedTuple):
    """One version of an npm package."""

    name: str
    manifest: dict[str, object]
    content: bytes

    @property
    def version(self) -> str:
        return str(self.manifest["version"])

    @property
    def filename(self) -> str:
        return f"{self.name.rpartition('/')[2]}-{self.version}.tgz"

    @property
    def integrity(self) -> str:
        return f"sha512-{base64.b64encode(hashlib.sha512(self.content).digest()).decode()}"


@cache
def wheels() -> tuple[Wheel, ...]:
    """Every Python package that is served."""
    own = [_own_wheel(name, version, files) for (name, version), files in _PYTHON.items()]
    return (*own, *_installed("pytest"))


@cache
def tarballs() -> tuple[Tarball, ...]:
    """Every npm package that is served."""
    return tuple(_tarball(name, version, js) for (name, version), js in _NODE.items())


def wheel(name: str) -> Wheel:
    """The newest version of it."""
    return [found for found in wheels() if found.name == name][-1]


def tarball(name: str) -> Tarball:
    return [found for found in tarballs() if found.name == name][-1]


def _own_wheel(name: str, version: str, files: Mapping[str, str]) -> Wheel:
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\nRequires-Python: >=3.8\n"
    tag = "Wheel-Version: 1.0\nGenerator: yudai-tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    stem = f"{name.replace('-', '_')}-{version}"
    members = {path: text.encode() for path, text in files.items()}
    members |= {
        f"{stem}.dist-info/METADATA": metadata.encode(),
        f"{stem}.dist-info/WHEEL": tag.encode(),
    }
    return Wheel(
        name, version, f"{stem}-py3-none-any.whl", _zipped(stem, members), metadata.encode(), ()
    )


def _installed(name: str) -> list[Wheel]:
    """It and all that it needs, repacked from where this very test runs."""
    found: dict[str, Wheel] = {}
    waiting = [name]
    while waiting:
        wanted = canonicalize_name(waiting.pop())
        if wanted not in found:
            found[wanted] = _repacked(wanted, distribution(wanted))
            waiting += found[wanted].requires
    return [*found.values()]


def _repacked(name: str, dist: Distribution) -> Wheel:
    stem = f"{name.replace('-', '_')}-{dist.version}"
    members: dict[str, bytes] = {}
    for file in sorted(dist.files or (), key=str):
        path = PurePosixPath(file)
        is_own = path.parts[0] != ".." and path.suffix != ".pyc"
        if is_own and path.name not in _NOT_OF_THE_WHEEL:
            members[str(path)] = file.read_binary()
    requirements = [Requirement(line) for line in dist.requires or ()]
    needed = tuple(r.name for r in requirements if not r.marker or r.marker.evaluate({"extra": ""}))
    metadata = members[f"{stem}.dist-info/METADATA"]
    filename = f"{stem}-py3-none-any.whl"
    return Wheel(name, dist.version, filename, _zipped(stem, members), metadata, needed)


def _zipped(stem: str, members: Mapping[str, bytes]) -> bytes:
    record = f"{stem}.dist-info/RECORD"
    lines = [f"{path},sha256={_digest(data)},{len(data)}" for path, data in members.items()]
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for path, data in {**members, record: "\n".join([*lines, f"{record},,", ""])}.items():
            archive.writestr(zipfile.ZipInfo(path, _LONG_AGO), data)
    return content.getvalue()


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def _tarball(name: str, version: str, script: str) -> Tarball:
    manifest: dict[str, object] = {
        "name": name,
        "version": version,
        "main": "index.js",
        "license": "MIT",
    }
    content = io.BytesIO()
    with (
        gzip.GzipFile(fileobj=content, mode="wb", mtime=0) as zipped,
        tarfile.open(fileobj=zipped, mode="w", format=tarfile.USTAR_FORMAT) as tar,
    ):
        for entry, data in _members(manifest, script):
            tar.addfile(entry, io.BytesIO(data))
    return Tarball(name, manifest, content.getvalue())


def _members(
    manifest: Mapping[str, object], script: str
) -> Iterator[tuple[tarfile.TarInfo, bytes]]:
    for path, text in (("package.json", json.dumps(manifest)), ("index.js", script)):
        entry, data = tarfile.TarInfo(f"package/{path}"), text.encode()
        entry.size, entry.mode = len(data), 0o644
        yield entry, data


BACKEND = '''\
"""Builds wheels of pure Python projects, flat or below src: PEP 517 and PEP 660, no more."""

import base64
import hashlib
import sys
import tomllib
import zipfile
from configparser import ConfigParser
from pathlib import Path

__legacy__ = sys.modules[__name__]


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    root = Path("src" if Path("src").is_dir() else ".")
    files = {
        str(path.relative_to(root)): path.read_bytes()
        for package in root.glob("*/__init__.py")
        if package.parent.name not in ("tests", "test")
        for path in package.parent.rglob("*.py")
    }
    return _write(Path(wheel_directory), files)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    root = Path("src" if Path("src").is_dir() else ".").resolve()
    link = f"__editable__{_project()[0]}.pth"
    return _write(Path(wheel_directory), {link: f"{root}\\n".encode()})


def _project():
    """Name, version, dependencies and extras, whoever holds them."""
    toml = Path("pyproject.toml")
    table = tomllib.loads(toml.read_text()) if toml.exists() else {}
    if "project" in table:
        of = table["project"]
        extras = of.get("optional-dependencies", {})
        return of["name"], of["version"], of.get("dependencies", []), extras
    if "poetry" in table.get("tool", {}):
        of = table["tool"]["poetry"]
        wanted = {k: v for k, v in of.get("dependencies", {}).items() if k != "python"}
        needs = [f"{name}{spec.replace('^', '>=')}" for name, spec in wanted.items()]
        return of["name"], of["version"], needs, {}
    config = ConfigParser()
    config.read("setup.cfg")
    needs = config.get("options", "install_requires", fallback="").split("\\n")
    extras = config["options.extras_require"] if "options.extras_require" in config else {}
    return (
        config["metadata"]["name"],
        config["metadata"]["version"],
        [line for line in needs if line],
        {name: [line for line in lines.split("\\n") if line] for name, lines in extras.items()},
    )


def _write(folder, files):
    name, version, needs, extras = _project()
    stem = f"{name.replace('-', '_')}-{version}"
    lines = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}"]
    lines += [f"Requires-Dist: {need}" for need in needs]
    for extra, wanted in extras.items():
        lines.append(f"Provides-Extra: {extra}")
        lines += [f"Requires-Dist: {need}; extra == '{extra}'" for need in wanted]
    tag = "Wheel-Version: 1.0\\nGenerator: tiny\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n"
    files[f"{stem}.dist-info/METADATA"] = ("\\n".join(lines) + "\\n").encode()
    files[f"{stem}.dist-info/WHEEL"] = tag.encode()
    record = [f"{path},sha256={_digest(data)},{len(data)}" for path, data in files.items()]
    record.append(f"{stem}.dist-info/RECORD,,")
    files[f"{stem}.dist-info/RECORD"] = ("\\n".join(record) + "\\n").encode()
    with zipfile.ZipFile(folder / f"{stem}-py3-none-any.whl", "w") as archive:
        for path, data in files.items():
            archive.writestr(path, data)
    return f"{stem}-py3-none-any.whl"


def _digest(data):
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
'''

_ROUNDHALF = '''\
"""Rounding as people do it on paper."""


def round_half_up(numerator, denominator):
    return (2 * numerator + denominator) // (2 * denominator)
'''
_UNITNAMES = '''\
"""Names of units."""

SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
'''
_SLUGKIT = '''\
"""Text for addresses."""


def slug(text):
    return "-".join("".join(c if c.isalnum() else " " for c in text.lower()).split())
'''

# The three backends are stand-ins, with one text: the tests need no more than it does.
_PYTHON: dict[tuple[str, str], dict[str, str]] = {
    ("roundhalf", "1.1.0"): {"roundhalf.py": _ROUNDHALF},
    ("unitnames", "2.0.1"): {"unitnames.py": _UNITNAMES},
    ("slugkit", "0.2.0"): {"slugkit.py": _SLUGKIT},
    ("slugkit", "0.3.1"): {"slugkit.py": _SLUGKIT},
    ("tinybuild", "1.0.0"): {"tinybuild.py": BACKEND},
    ("setuptools", "80.0.0"): {"setuptools/__init__.py": "", "setuptools/build_meta.py": BACKEND},
    ("wheel", "0.45.0"): {"wheel/__init__.py": ""},
    # Needed elsewhere only, but a lock for every platform and Python has to find them.
    ("colorama", "0.4.6"): {},
    ("exceptiongroup", "1.3.0"): {},
    ("tomli", "2.2.1"): {},
    ("poetry-core", "2.1.0"): {
        "poetry/core/__init__.py": "",
        "poetry/core/masonry/__init__.py": "",
        "poetry/core/masonry/api.py": BACKEND,
    },
}

_NODE = {
    ("tiny-decode", "1.0.2"): (
        "module.exports = (text) => decodeURIComponent(text.replace(/\\+/g, ' '));\n"
    ),
    ("tiny-columns", "0.4.0"): (
        "module.exports = (cells, width) => cells.map((c) => String(c).padEnd(width)).join(' ');\n"
    ),
    ("tiny-sorted", "1.0.0"): "module.exports = (list, compare) => [...list].sort(compare);\n",
    ("tiny-sorted", "2.1.0"): "module.exports = (list, by) => [...list].sort(by);\n",
    ("tiny-assert-all", "1.3.0"): (
        "module.exports = (checks) => checks.filter((check) => !check());\n"
    ),
}
