"""Test executions in clean sandboxes, cached by content, so that equal work is done once."""

import hashlib
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple

from yudai.kit.concurrency import SingleFlight, gather
from yudai.patches.patch import Patch
from yudai.sandboxes.port import WORKSPACE, Sandbox
from yudai.testing.domain.report import TestPlan
from yudai.testing.run import TestRun, run_tests
from yudai.verification.clean_sandboxes import CleanSandboxes, apply_patch

_MOST_KEPT = 256


class Execution(NamedTuple):
    """The changes to apply to base, and the tests to run there."""

    patches: tuple[Patch, ...] = ()
    files: Mapping[str, str] = MappingProxyType({})
    """Texts to write over base before the patches are applied."""
    additions: Mapping[str, str] = MappingProxyType({})
    """Texts to write after the first patch is applied."""
    ids: frozenset[str] | None = None
    """None runs all tests, or those in `paths`."""
    paths: tuple[str, ...] = ()
    limit_s: float = 60.0
    round: int = 0
    """Distinguishes repeated runs of the same tests."""

    def key(self, base: str, plan: TestPlan) -> str:
        """The cache key. It leaves out the time limit: a result within it holds for any limit."""
        made = hashlib.sha256(f"{base}\n{plan.model_dump_json()}\n{self.round}".encode())
        parts = [*(patch.text for patch in self.patches), *sorted(self.ids or ("*",)), *self.paths]
        for texts in (self.files, self.additions):
            parts += [f"{len(texts)}", *(text for file in sorted(texts.items()) for text in file)]
        for part in parts:
            content = part.encode("utf-8", "surrogateescape")
            made.update(f"{len(content)}:".encode())
            made.update(content)
        return made.hexdigest()


class Executed(NamedTuple):
    run: TestRun
    changed: tuple[str, ...] = ()
    """Files that differ from base after the tests."""


@dataclass(frozen=True)
class Results:
    """The newest results of this process, shared by all its solves."""

    kept: OrderedDict[str, Executed] = field(default_factory=OrderedDict[str, Executed])
    under_way: SingleFlight[Executed] = field(default_factory=SingleFlight[Executed])

    def known(self, key: str) -> Executed | None:
        if key in self.kept:
            self.kept.move_to_end(key)
        return self.kept.get(key)

    def keep(self, key: str, executed: Executed) -> None:
        self.kept[key] = executed
        self.kept.move_to_end(key)
        while len(self.kept) > _MOST_KEPT:
            self.kept.popitem(last=False)


@dataclass(frozen=True)
class Executions:
    sandboxes: CleanSandboxes
    plan: TestPlan
    results: Results

    async def run(self, execution: Execution) -> Executed:
        [executed] = await self.run_all([execution])
        return executed

    async def run_all(self, executions: Sequence[Execution]) -> list[Executed]:
        """Run uncached executions in parallel; their sandboxes are requested together."""
        keys = [execution.key(self.sandboxes.base.key, self.plan) for execution in executions]
        found = {key: one for key in keys if (one := self.results.known(key)) is not None}
        wanted = {k: e for k, e in zip(keys, executions, strict=True) if k not in found}
        if wanted:
            async with self.sandboxes.open_many(len(wanted)) as sandboxes:
                work = (
                    self.results.under_way.join(key, lambda e=execution, s=sandbox: self._do(e, s))
                    for (key, execution), sandbox in zip(wanted.items(), sandboxes, strict=True)
                )
                done = await gather(work)
            for key, executed in zip(wanted, done, strict=True):
                if not executed.run.report.timed_out:
                    self.results.keep(key, executed)
            found.update(zip(wanted, done, strict=True))
        return [found[key] for key in keys]

    async def _do(self, execution: Execution, sandbox: Sandbox) -> Executed:
        await _write(sandbox, execution.files)
        for number, patch in enumerate(execution.patches):
            await apply_patch(sandbox, patch)
            if number == 0:
                await _write(sandbox, execution.additions)
        run = await run_tests(
            sandbox,
            self.plan,
            timeout_s=execution.limit_s,
            ids=execution.ids,
            paths=execution.paths,
        )
        changed = (await sandbox.tree()).changed
        # Other tasks may be waiting for a free sandbox.
        await sandbox.destroy()
        return Executed(run, changed)


async def _write(sandbox: Sandbox, texts: Mapping[str, str]) -> None:
    for path, text in texts.items():
        await sandbox.write(f"{WORKSPACE}/{path}", text.encode("utf-8", "surrogateescape"))
