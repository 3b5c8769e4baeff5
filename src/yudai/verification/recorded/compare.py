"""Compares answers by the values that they compute without a test runner."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import structlog

from yudai.kit.concurrency import gather
from yudai.kit.errors import RefusedError, SandboxError
from yudai.kit.ids import RunId
from yudai.patches.patch import Patch
from yudai.sandboxes.port import Sandbox
from yudai.testing.domain.report import TestPlan
from yudai.testing.domain.runners import TestRunner
from yudai.testing.run import place_of
from yudai.verification.case import Texts, VerificationCase
from yudai.verification.domain.facts import NOT_RECORDED, OnlyInside, RecordedValues
from yudai.verification.look import read_existing
from yudai.verification.own_tests import file_of
from yudai.verification.recorded.domain import python_tests, script_tests
from yudai.verification.recorded.domain.findings import (
    Recording,
    difference,
    differing,
    is_only_inside,
    no_ops,
    suspects,
    telling,
)
from yudai.verification.recorded.domain.probe import Language, Probe, Relation, TakenApart
from yudai.verification.recorded.domain.shown_input import shown_input
from yudai.verification.recorded.domain.values import Recorded, holds, same, shown
from yudai.verification.recorded.domain.vary import Variant, choose, related, words_of
from yudai.verification.recorded.record import (
    LANGUAGES,
    NEUTRAL,
    PATIENT,
    USUAL,
    Guise,
    record,
    runner_guise,
)

log = structlog.get_logger()

MOST_INPUTS = 100
_MOST_SEEDS = 60
_MOST_TESTS = 200
_MOST_FILES = 60
_LONGEST_S = 0.2
"""Slower tests of base would be executed again for each answer and input."""


class Answer(NamedTuple):
    run_id: RunId
    source: Patch
    tests: Patch
    own: frozenset[str]
    """Its own tests that may convict others."""
    green: frozenset[str]
    """Tests of base, its own and others' that pass on it in the runner, by `key_of`."""


def key_of(author: RunId | None, test: str) -> str:
    """A key for a test: tests of different authors can have one id. Base's have no author."""
    return f"{author or ''}\0{test}"


class _Seeds(NamedTuple):
    own: list[Probe]
    base: list[Probe]
    not_repeated: tuple[tuple[RunId, str, str], ...]

    @property
    def all(self) -> list[Probe]:
        return [*self.own, *self.base]


async def compare_values(
    case: VerificationCase,
    answers: Sequence[Answer],
    lanes: asyncio.Semaphore,
    *,
    most: int = MOST_INPUTS,
) -> RecordedValues:
    """The recorded values; none if tests of this runner cannot be taken apart or need a build."""
    if case.plan.runner not in LANGUAGES or case.plan.before or not answers:
        return NOT_RECORDED
    try:
        return await _Comparison(case, answers, lanes, most).run()
    except (RefusedError, SandboxError) as error:
        log.warning("values.not_recorded", error=str(error))
        return NOT_RECORDED


@dataclass(frozen=True)
class _Comparison:
    case: VerificationCase
    answers: Sequence[Answer]
    lanes: asyncio.Semaphore
    most: int

    async def run(self) -> RecordedValues:
        found = await self._seeds()
        if not found.all:
            return RecordedValues(not_repeated=found.not_repeated)
        nothing = Patch(files=())
        usual = await self._on(nothing, found.base)
        seeds = found._replace(base=_repeatable(found.base, usual))
        # Varied inputs only serve to find differences between answers.
        most = self.most if len(self.answers) > 1 else 0
        variants = choose(seeds.own, seeds.base, most)
        varied = [variant.probe for variant in variants]
        recordings = await gather(self._recording(answer, seeds, varied) for answer in self.answers)
        apart = telling(variants, recordings)
        base = await self._on(nothing, varied) if apart else {}
        outcomes = await gather(
            self._again(answer, recording, seeds, apart)
            for answer, recording in zip(self.answers, recordings, strict=True)
        )
        stable = set(kept_by_all(variants, [again.stable for again in outcomes]))
        pairs = differing(variants, recordings, stable)
        return RecordedValues(
            only_inside=tuple(one for again in outcomes for one in again.only_inside),
            differences=tuple(
                difference(*pair, base=base, issue=self.case.issue) for pair in pairs
            ),
            no_ops=tuple(no_ops(variants, base, recordings)) if apart else (),
            not_repeated=(*found.not_repeated, *_not_repeated(self.answers, outcomes)),
            inputs=len(variants),
        )

    async def _seeds(self) -> _Seeds:
        """The assertions of base's tests and of tests that may convict, as probes."""
        base_texts = await self._texts(Patch(files=()), self._base_files())
        took = self.case.baseline.first.durations
        quick = (t for t in self.case.baseline.passing if took.get(t, 0.0) <= _LONGEST_S)
        tests = sorted(quick)[: _MOST_TESTS * 5]
        words = words_of("\n".join(answer.source.text for answer in self.answers))
        base = [p for test in tests for p in self._apart(test, base_texts, None).probes]
        own: list[Probe] = []
        not_repeated: list[tuple[RunId, str, str]] = []
        for answer in self.answers:
            if not answer.own:
                continue
            texts = {**base_texts, **await self._texts_of(answer.tests)}
            for test in sorted(answer.own)[:_MOST_TESTS]:
                taken = self._apart(test, texts, answer.run_id)
                own += taken.probes
                if taken.reason:
                    not_repeated.append((answer.run_id, test, taken.reason))
        return _Seeds(own[:_MOST_SEEDS], related(base, words)[:_MOST_SEEDS], tuple(not_repeated))

    async def _texts_of(self, tests: Patch) -> Texts:
        """Texts of a patch's test files; a new file's text is read from the patch itself."""
        new = {c.path: "\n".join([*c.added_lines, ""]) for c in tests.files if c.is_new}
        changed = sorted(tests.paths - new.keys())
        return {**new, **await self._texts(tests, changed)}

    def _base_files(self) -> list[str]:
        """Files of base's tests, and the conftest files in their folder and above."""
        passing = self.case.baseline.passing
        if self.case.plan.runner is TestRunner.UNITTEST:
            found = {path for test in passing for path in self._modules(test)}
            return sorted(found)[:_MOST_FILES]
        files = sorted({test.partition("::")[0] for test in passing})[:_MOST_FILES]
        above = {f"{folder}conftest.py" for file in files for folder in _folders(file)}
        return [*files, *sorted(above)]

    def _modules(self, test: str) -> list[str]:
        """Files in which unittest may have found the test, below each of its start folders."""
        inside = place_of(self.case.plan)
        path = "/".join(test.removeprefix(inside).split(".")[:-2])
        starts = ("" if start == "." else f"{start}/" for start in self.case.plan.args[1:])
        return [f"{inside}{start}{path}.py" for start in starts]

    async def _texts(self, patch: Patch, paths: Sequence[str]) -> Texts:
        """Read the texts in a sandbox where nothing else runs."""
        if not paths:
            return {}
        async with self.lanes, self.case.executions.sandboxes.open(patch) as sandbox:
            found = await sandbox.exec(f"ls -d -- {' '.join(map(_quoted, paths))} 2>/dev/null")
            there = set(found.text.splitlines())
            return await read_existing(sandbox, [path for path in paths if path in there])

    def _apart(self, test: str, texts: Texts, author: RunId | None) -> TakenApart:
        path = file_of(test, self.case.plan, texts)
        text = texts.get(path)
        if not text:
            return TakenApart(reason="its file cannot be read")
        if LANGUAGES[self.case.plan.runner] is Language.NODE:
            taken = script_tests.take_apart(path, text, test)
        else:
            around = [texts.get(f"{folder}conftest.py") or "" for folder in _folders(path)]
            taken = python_tests.take_apart(path, text, test, around=around)
        key = key_of(author, test)
        return taken._replace(probes=tuple(p._replace(test=key) for p in taken.probes))

    async def _recording(self, answer: Answer, seeds: _Seeds, varied: Sequence[Probe]) -> Recording:
        """Record in a separate sandbox, without any new tests."""
        records = await self._on(answer.source, [*seeds.all, *varied])
        return Recording(answer.run_id, records, records)

    async def _on(self, source: Patch, probes: Sequence[Probe]) -> dict[Probe, Recorded]:
        if not probes:
            return {}
        async with self.lanes, self.case.executions.sandboxes.open(source) as sandbox:
            return await _recorded(sandbox, self.case.plan, probes)

    async def _again(
        self, answer: Answer, recording: Recording, seeds: _Seeds, telling: Sequence[Probe]
    ) -> "_Again":
        """Record values that count against an answer again, with and without a runner's guise."""
        doubtful = suspects(seeds.all, answer.green, recording.seeds)
        if not doubtful and not telling:
            return _Again(frozenset())
        plan = self.case.plan
        async with self.lanes, self.case.executions.sandboxes.open(answer.source) as sandbox:
            outside = await _recorded(sandbox, plan, [*telling, *doubtful], NEUTRAL)
            inside = await _recorded(sandbox, plan, doubtful, runner_guise(plan))
        wrong = [p for p in doubtful if is_only_inside(p, outside[p], inside[p])]
        lost = {
            p.test for p in doubtful if p not in wrong and holds(p.expected, inside[p]) is not True
        }
        return _Again(
            frozenset(p for p in telling if same(outside[p], recording.variants[p]) is True),
            tuple(_only_inside(answer, probe, outside[probe]) for probe in wrong),
            tuple(test for test in sorted(answer.own) if key_of(answer.run_id, test) in lost),
        )


class _Again(NamedTuple):
    stable: frozenset[Probe]
    only_inside: tuple[OnlyInside, ...] = ()
    not_repeated: tuple[str, ...] = ()
    """Own tests whose assertions do not hold when their statements run alone, in any guise."""


def _not_repeated(
    answers: Sequence[Answer], outcomes: Sequence[_Again]
) -> list[tuple[RunId, str, str]]:
    why = "its statements alone give something else"
    pairs = zip(answers, outcomes, strict=True)
    return [(answer.run_id, test, why) for answer, again in pairs for test in again.not_repeated]


def kept_by_all(variants: Sequence[Variant], stable: Sequence[frozenset[Probe]]) -> list[Probe]:
    """The inputs that gave the same value twice on every answer."""
    return [v.probe for v in variants if all(v.probe in probes for probes in stable)]


def _only_inside(answer: Answer, probe: Probe, outside: Recorded) -> OnlyInside:
    return OnlyInside(
        run_id=answer.run_id,
        test=probe.test.partition("\0")[2],
        input=shown_input(probe).short,
        gives=shown(outside, probe.language),
    )


def _repeatable(seeds: Sequence[Probe], found: Mapping[Probe, Recorded]) -> list[Probe]:
    """Those of base's assertions that hold on base itself without a runner."""
    return [
        seed
        for seed in seeds
        if found[seed].is_known
        and (seed.expected.relation is Relation.OPEN or holds(seed.expected, found[seed]) is True)
    ]


async def _recorded(
    sandbox: Sandbox, plan: TestPlan, probes: Sequence[Probe], guise: Guise | None = None
) -> dict[Probe, Recorded]:
    """The value of each probe. With a guise it can count against an answer: limits are longer."""
    unique = list(dict.fromkeys(probes))
    limits = USUAL if guise is None else PATIENT
    found = await record(sandbox, plan, unique, guise or NEUTRAL, limits)
    return dict(zip(unique, found, strict=True))


def _folders(path: str) -> list[str]:
    parts = path.split("/")[:-1]
    return ["".join(f"{part}/" for part in parts[:n]) for n in range(len(parts) + 1)]


def _quoted(path: str) -> str:
    return "'" + path.replace("'", "'\\''") + "'"
