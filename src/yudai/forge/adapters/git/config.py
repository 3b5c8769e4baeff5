"""Reads the few harmless git settings that affect how a person's files are read."""

import asyncio
import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from yudai.forge.adapters.git.command import NOWHERE, Git
from yudai.forge.adapters.git.find_repository import Place
from yudai.kit.errors import RefusedError
from yudai.patches.patch import readable

_READING = (
    "core.autocrlf",
    "core.checkstat",
    "core.eol",
    "core.filemode",
    "core.ignorecase",
    "core.sparsecheckout",
    "core.sparsecheckoutcone",
    "core.symlinks",
    "core.trustctime",
)
_FILES = {"core.excludesfile": "ignore", "core.attributesfile": "attributes"}
_EXTENSIONS = frozenset(
    {
        "noop",
        "objectformat",
        "partialclone",
        "preciousobjects",
        "refstorage",
        "relativeworktrees",
        "worktreeconfig",
    }
)
_TRUE = frozenset({"true", "yes", "on", "1"})


class Person(NamedTuple):
    """Where a person's own git configuration is."""

    home: Path
    config: Path


class GitConfig(NamedTuple):
    object_format: str
    reading: Mapping[str, str]
    """How files are compared and converted; nothing in it names a program."""
    shared: str
    """`core.sharedRepository`, as written."""

    @property
    def heeds_mode(self) -> bool:
        return self.reading.get("core.filemode", "true").lower() in _TRUE


async def read_config(place: Place, person: Person) -> GitConfig:
    """RefusedError for a repository of a kind that is not supported."""
    own = await _of_file(place.common / "config")
    if _is_true(own, "extensions.worktreeconfig"):
        own |= await _of_file(place.git_dir / "config.worktree")
    _check(place, own)
    merged = await _of_person(person) | own
    reading = {key: merged[key] for key in _READING if key in merged}
    for key, name in _FILES.items():
        file = _expanded(merged.get(key), person) or person.config / "git" / name
        if file.is_file():
            reading[key] = str(file)
    return GitConfig(
        object_format=own.get("extensions.objectformat", "sha1").lower(),
        reading=reading,
        shared=own.get("core.sharedrepository", ""),
    )


async def _of_file(file: Path) -> dict[str, str]:
    if not await asyncio.to_thread(file.is_file):
        return {}
    listing = await Git(NOWHERE).ask(
        "config", "--file", str(file), "--no-includes", "--null", "--list"
    )
    return dict(_pair(item) for item in listing.split(b"\0") if item)


async def _of_person(person: Person) -> dict[str, str]:
    """The user's and the machine's configuration, which are trusted."""
    env = {
        "HOME": str(person.home),
        "XDG_CONFIG_HOME": str(person.config),
        "GIT_CONFIG_GLOBAL": None,
        "GIT_CONFIG_NOSYSTEM": None,
    }
    listing = await Git(NOWHERE, env=env).ask(
        "config", "--list", "--null", "--includes", "--show-scope"
    )
    words = listing.split(b"\0")
    pairs = zip(words[::2], words[1::2], strict=False)
    return dict(_pair(item) for scope, item in pairs if scope in (b"system", b"global"))


def _pair(item: bytes) -> tuple[str, str]:
    key, written, value = os.fsdecode(item).partition("\n")
    return key, value if written else "true"


def _check(place: Place, own: Mapping[str, str]) -> None:
    root = readable(str(place.root))
    if _is_true(own, "core.bare") and place.git_dir == place.common:
        raise RefusedError(f"{root} is a bare repository (core.bare): name one with a work tree")
    if own.get("extensions.refstorage", "files") != "files" or (place.common / "reftable").exists():
        raise RefusedError(
            f"{root} keeps its branches as reftable, which is not supported: "
            "run `git refs migrate --ref-format=files`"
        )
    asked = {key.removeprefix("extensions.") for key in own if key.startswith("extensions.")}
    if own.get("core.repositoryformatversion", "0") != "0" and asked - _EXTENSIONS:
        named = ", ".join(sorted(asked - _EXTENSIONS))
        raise RefusedError(f"{root} uses a git extension that is not supported: {readable(named)}")
    if own.get("extensions.objectformat", "sha1").lower() not in ("sha1", "sha256"):
        raise RefusedError(f"{root} uses an object format that is not supported")


def _is_true(own: Mapping[str, str], key: str) -> bool:
    return own.get(key, "false").lower() in _TRUE


def _expanded(path: str | None, person: Person) -> Path | None:
    if path is None:
        return None
    return person.home / path.removeprefix("~/") if path.startswith("~/") else Path(path)
