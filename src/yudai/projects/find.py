"""Finds set-up and test command of a repository: given, from `.yudai.yml`, or detected."""

import hashlib
import sys
from pathlib import Path
from typing import Protocol

from yudai.forge.ports.folder import Snapshot
from yudai.kit.errors import RefusedError
from yudai.kit.yaml_files import MAX_BYTES
from yudai.projects.domain.detect import (
    FoundTests,
    choose_language,
    find_setup,
    find_tests,
    uses_pytest,
    wanted_files,
)
from yudai.projects.domain.project import (
    NAMES,
    Given,
    Project,
    ProjectFile,
    read_project_file,
)
from yudai.projects.domain.pyproject import is_allowed, python_pin
from yudai.projects.domain.repository_files import RepositoryFiles, Setup
from yudai.sandboxes.port import BaseSpec

__all__ = ["Given", "SnapshotFiles", "base_of", "find_project"]

_MAX_FILE = 16 << 20
_MAX_TEST = 1 << 20
_TESTS_READ = 40
_OWN_PYTHON = "{}.{}.{}".format(*sys.version_info)
_NOTHING_GIVEN = Given()


class SnapshotFiles(Protocol):
    """The Protocol for reading a snapshot's files."""

    async def paths(self, snapshot: Snapshot) -> tuple[str, ...]: ...

    async def read(self, snapshot: Snapshot, path: str, *, max_bytes: int = 1 << 20) -> bytes: ...


async def find_project(
    files: SnapshotFiles, snapshot: Snapshot, given: Given = _NOTHING_GIVEN
) -> Project:
    """The command line takes precedence over `.yudai.yml`, and that over detection."""
    paths = frozenset(await files.paths(snapshot))
    file, name = await _project_file(files, snapshot, paths)
    folder = snapshot.folder or file.folder
    if folder and not any(path.startswith(f"{folder}/") for path in paths):
        raise RefusedError(f"{name}: `folder`: there is no folder {folder} in this repository")
    repository = await _read_more(files, snapshot, RepositoryFiles(paths, {}, folder))
    tests = find_tests(repository)
    command = given.test or file.test
    language = choose_language(repository, tests, test_command=command)
    python = given.python or file.python or python_pin(repository)
    setup = _given_setup(given, file, name)
    if setup is None and given.has_env and not language.is_node:
        setup = Setup((), "--env")
    if setup is None:
        setup = find_setup(
            repository,
            is_node=language.is_node,
            tests_use_pytest=await _use_pytest(files, snapshot, tests),
            own_python_fits=is_allowed(python, _OWN_PYTHON),
        )
    limits = {f"{key}_timeout_s": value for key, value in file.timeouts if value is not None}
    return Project(
        folder=folder,
        setup=setup.commands,
        setup_from=setup.source,
        test=command,
        test_from="--test" if given.test else name if command else "",
        python=python,
        node=language.is_node,
        protected=_protected(file, name),
        notes=(*language.notes, *setup.notes),
        **limits,
    )


def base_of(snapshot: Snapshot, project: Project, env: Path | None = None) -> BaseSpec:
    """The base of all sandboxes. Equal contents and set-ups share one base."""
    facts = (snapshot.tree, project.setup, project.folder, env, project.python, project.node)
    return BaseSpec(
        key=hashlib.sha256(repr(facts).encode()).hexdigest()[:32],
        source=snapshot.source,
        setup=project.setup,
        folder=project.folder,
        setup_timeout_s=project.setup_timeout_s,
        env=env,
        python=project.python,
        node=project.node,
    )


async def _project_file(
    files: SnapshotFiles, snapshot: Snapshot, paths: frozenset[str]
) -> tuple[ProjectFile, str]:
    """The file in the target's folder, else the one at the root."""
    for folder in dict.fromkeys((snapshot.folder, "")):
        place = RepositoryFiles(paths, {}, folder)
        for path in (place.at(name) for name in NAMES if place.has(name)):
            try:
                content = await files.read(snapshot, path, max_bytes=MAX_BYTES)
            except OSError:
                raise RefusedError(f"{path} is not a plain file below {MAX_BYTES} bytes") from None
            return read_project_file(content, name=path), path
    return ProjectFile(), NAMES[0]


def _protected(file: ProjectFile, name: str) -> tuple[str, ...]:
    """Globs with a slash are relative to their file."""
    folder, slash, _ = name.rpartition("/")
    return tuple(
        f"{folder}{slash}{glob.lstrip('/')}" if "/" in glob.rstrip("/") else glob
        for glob in file.protected
    )


def _given_setup(given: Given, file: ProjectFile, name: str) -> Setup | None:
    if given.setup is not None:
        return Setup(given.setup, "--setup")
    return None if file.setup is None else Setup(file.setup, name)


async def _read_more(
    files: SnapshotFiles, snapshot: Snapshot, repository: RepositoryFiles
) -> RepositoryFiles:
    texts = {
        path: await _text(files, snapshot, path, max_bytes=_MAX_FILE)
        for path in wanted_files(repository)
    }
    return repository._replace(texts=texts)


async def _use_pytest(files: SnapshotFiles, snapshot: Snapshot, tests: FoundTests) -> bool:
    """Read a few files, which is enough for detection."""
    for path in tests.python[:_TESTS_READ]:
        if uses_pytest(await _text(files, snapshot, path, max_bytes=_MAX_TEST)):
            return True
    return False


async def _text(files: SnapshotFiles, snapshot: Snapshot, path: str, *, max_bytes: int) -> str:
    """The text; empty if it is not a plain file of reasonable size."""
    try:
        content = await files.read(snapshot, path, max_bytes=max_bytes)
    except OSError:
        return ""
    return content.decode("utf-8", "replace")


def given_of(project: Project) -> Given:
    """The options that the solve was opened with."""
    return Given(setup=project.setup if project.setup_from else None, test=project.test)
