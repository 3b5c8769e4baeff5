"""Determines the kind of proof that each new test of a patch gives, by running it."""

import doctest
import hashlib
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from yudai.patches.patch import Patch
from yudai.testing.domain.report import Failure, Outcome, TestPlan, TestReport
from yudai.testing.domain.runners import TestRunner
from yudai.testing.run import place_of
from yudai.verification.additions import Laid, is_in_laid
from yudai.verification.base_names import known_to_base
from yudai.verification.case import Parts, Readings, Texts, VerificationCase
from yudai.verification.domain.facts import BaseProof, is_of_base
from yudai.verification.domain.proof import OwnTest, ProofKind, Subject
from yudai.verification.domain.symbols import (
    Symbol,
    SymbolKind,
    introduced,
    kept_texts,
    named_by,
    said_in,
    used,
)
from yudai.verification.domain.test_sources import normalised, source_of
from yudai.verification.domain.test_subjects import subjects
from yudai.verification.domain.tie import is_file_tied, is_tied
from yudai.verification.executions import Execution
from yudai.verification.stages import StageResults, own_paths, steady_proofs

_NO_CODE = frozenset({Subject.SOURCE_TEXT, Subject.DOCUMENT, Subject.DATA_FILE})
_COPIES = frozenset({SymbolKind.FUNCTION, SymbolKind.CLASS, SymbolKind.VALUE})


class ReadTest(NamedTuple):
    """One test, with what its source shows."""

    id: str
    path: str
    text: str
    symbols: tuple[Symbol, ...]
    """New definitions of the patch that it uses."""
    loads: tuple[Symbol, ...]
    """New definitions that only its file needs, to be loaded."""

    @property
    def can_be_kept(self) -> bool:
        return all(symbol.top_level for symbol in (*self.symbols, *self.loads))


class Weighed(NamedTuple):
    tests: tuple[OwnTest, ...]
    unsteady: tuple[str, ...] = ()


async def weigh_own_tests(
    case: VerificationCase, parts: Parts, readings: Readings, results: StageResults
) -> Weighed:
    """All own tests that fail on base and pass on the patch, with their kinds."""
    found, unsteady = steady_proofs(results)
    # A base test with a changed expectation convicts no other answer.
    own = frozenset(results.own_tests.new(case.baseline))
    steady = [test for test in found if test in own]
    if not steady:
        return Weighed((), tuple(unsteady))
    if case.plan.runner is TestRunner.COMMAND:
        return Weighed(tuple(_command(case, readings, test) for test in steady))
    symbols = introduced(readings.sources_before, readings.sources_after)
    read = [read_test(case.plan, readings, symbols, test) for test in steady]
    kept = await _on_kept_tree(case, parts, readings, read)
    on_patch, on_base = (stage.run.report for stage in results.own[:2])
    reports = _Reports(on_patch, on_base, kept, await _copied(case, readings, read))
    tests = tuple(_weighed(case, parts, readings, one, reports) for one in read)
    return Weighed(tests, tuple(unsteady))


def weigh_review(
    case: VerificationCase,
    parts: Parts,
    readings: Readings,
    on_base: TestReport,
    red: Iterable[str],
) -> tuple[OwnTest, ...]:
    """Tests without a patch that fail on base every time, with their kinds."""
    reports = _Reports(on_base, on_base, None, frozenset())
    read = (read_test(case.plan, readings, (), test) for test in red if test in on_base.outcomes)
    return tuple(_weighed(case, parts, readings, one, reports) for one in read)


def weigh_fixed(
    case: VerificationCase, readings: Readings, fixed: Iterable[str], texts: Texts
) -> tuple[BaseProof, ...]:
    """Base's own failing tests that pass with the patch."""
    symbols = introduced(readings.sources_before, readings.sources_after)
    sources = frozenset(readings.sources_after)
    proofs = (_fixed(case, symbols, test, texts, sources) for test in fixed)
    return tuple(proof for proof in proofs if not _has_edited(readings, proof.test))


def _has_edited(readings: Readings, test: str) -> bool:
    """Whether the patch edits the examples of a doctest, which is part of the source."""
    path = test.partition("::")[0]
    before, after = readings.sources_before.get(path), readings.sources_after.get(path)
    return before is not None and not _examples(before) <= _examples(after or "")


def _examples(text: str) -> set[tuple[str, str]]:
    try:
        found = doctest.DocTestParser().get_examples(text)
    except ValueError:
        return set()
    # The quotes that end the docstring are no output.
    return {(one.source, re.sub(r"\"{3}|'{3}", "", one.want).strip()) for one in found}


def file_of(test: str, plan: TestPlan, paths: Iterable[str]) -> str:
    """The file of a test id; unittest's ids name modules."""
    if plan.runner is not TestRunner.UNITTEST:
        return test.partition("::")[0]
    inside = place_of(plan)
    module = f"{test.removeprefix(inside)}."
    by_length = sorted(paths, key=len, reverse=True)
    return next((path for path in by_length if _is_in(module, path.removeprefix(inside))), "")


def _is_in(test: str, path: str) -> bool:
    """Whether the dotted test is in this file; discovery may start in any folder above it."""
    parts = path.removesuffix(".py").split("/")
    return any(test.startswith(f"{'.'.join(parts[n:])}.") for n in range(len(parts)))


class _Reports(NamedTuple):
    on_patch: TestReport
    on_base: TestReport
    kept: TestReport | None
    """Results on base with only the patch's new definitions."""
    copied: frozenset[str]
    """Names in the patch's new files that base defines elsewhere."""


def _command(case: VerificationCase, readings: Readings, test: str) -> OwnTest:
    texts = {path: text for path, text in readings.tests_after.items() if text}
    tied = any(
        is_file_tied(path, readings.tests_before.get(path), text, issue=case.issue)
        for path, text in texts.items()
    )
    symbols = introduced(readings.sources_before, readings.sources_after)
    found = said_in(symbols, texts.values())
    unnamed = tuple(dict.fromkeys(s.name for s in found if not named_by(case.issue, s)))
    kind = ProofKind.INTERFACE if unnamed else ProofKind.COMMAND
    whole = _hashed("\0".join(text for _, text in sorted(texts.items())))
    return OwnTest(id=test, kind=kind, symbols=unnamed, tied=tied, text=whole)


def read_test(plan: TestPlan, readings: Readings, symbols: Sequence[Symbol], test: str) -> ReadTest:
    path = file_of(test, plan, readings.tests_after)
    text = readings.tests_after.get(path) or ""
    files = readings.tests_after
    own = used(symbols, path=path, text=text, test=test, files=files, loads=False)
    every = used(symbols, path=path, text=text, test=test, files=files)
    return ReadTest(test, path, text, own, tuple(symbol for symbol in every if symbol not in own))


async def _on_kept_tree(
    case: VerificationCase, parts: Parts, readings: Readings, read: Sequence[ReadTest]
) -> TestReport | None:
    """Run tests of new definitions on base with only these definitions."""
    chances = [one.id for one in read if (one.symbols or one.loads) and one.can_be_kept]
    if not chances:
        return None
    execution = Execution(
        files=_kept(readings),
        patches=(parts.tests,),
        ids=frozenset(chances),
        paths=own_paths(case, parts),
        limit_s=case.enough(case.usual_s),
    )
    return (await case.executions.run(execution)).run.report


async def _copied(
    case: VerificationCase, readings: Readings, read: Sequence[ReadTest]
) -> frozenset[str]:
    """Names of base's definitions that a new file copies: the issue does not ask for a copy."""
    names = {
        s.name
        for one in read
        for s in one.symbols
        if s.kind in _COPIES
        and readings.sources_before.get(s.path) is None
        and named_by(case.issue, s)
    }
    return await known_to_base(case.executions.sandboxes, names)


def _kept(readings: Readings) -> dict[str, str]:
    return kept_texts(readings.sources_before, readings.sources_after)


def _weighed(
    case: VerificationCase, parts: Parts, readings: Readings, one: ReadTest, reports: _Reports
) -> OwnTest:
    red = failure_of(reports.on_base, one.id)
    unnamed = [s for s in one.symbols if not _is_named(case, readings, s, reports.copied)]
    symbols = [s for s in unnamed if s.kind is not SymbolKind.MODULE]
    loads = [s for s in one.loads if not named_by(case.issue, s)]
    about = subjects_of(case, readings, one)
    other = subjects_of(case, readings, one, asks_words=False)
    strict = subjects_of(case, readings._replace(sources_before={}), one)
    is_about_words = case.is_wording(red, parts.tests)
    return OwnTest(
        id=one.id,
        kind=_kind(case, parts, readings, one, reports),
        named=bool(one.symbols) and not symbols and len(unnamed) < len(one.symbols),
        symbols=tuple(dict.fromkeys(s.name for s in (symbols or unnamed))),
        loads=tuple(dict.fromkeys(s.name for s in loads)),
        subjects=about if is_about_words else other,
        # If the issue asks for other words, each answer may choose them.
        is_worded=strict != other,
        tied=_is_tied(case, readings, one),
        seconds=reports.on_patch.durations.get(one.id, reports.on_patch.duration_s),
        red=red,
        text=_digest(one),
    )


def _is_named(
    case: VerificationCase, readings: Readings, symbol: Symbol, copied: frozenset[str]
) -> bool:
    is_copy = symbol.name in copied and readings.sources_before.get(symbol.path) is None
    return not is_copy and named_by(case.issue, symbol)


def _kind(
    case: VerificationCase, parts: Parts, readings: Readings, one: ReadTest, reports: _Reports
) -> ProofKind:
    if not one.symbols and not one.loads:
        failure = failure_of(reports.on_base, one.id)
        is_behaviour = case.is_behaviour(failure, parts.tests) or is_of_base(failure)
        return ProofKind.BEHAVIOUR if is_behaviour else ProofKind.NONE
    is_interface = one.symbols or not one.can_be_kept
    otherwise = ProofKind.INTERFACE if is_interface else ProofKind.NONE
    kept = reports.kept
    if kept is None or not one.can_be_kept or not kept.is_red(one.id):
        return otherwise
    failure = failure_of(kept, one.id)
    laid = Laid(_kept(readings), readings.sources_before)
    still_shows = case.is_behaviour(failure, parts.tests) and not is_in_laid(failure, laid)
    is_about_itself = bool(one.symbols) and not _is_tied(case, readings, one)
    return ProofKind.BEHAVIOUR if still_shows and not is_about_itself else otherwise


def _is_tied(case: VerificationCase, readings: Readings, one: ReadTest) -> bool:
    return is_tied(one.path, one.text, one.id, issue=case.issue, files=readings.tests_after)


def subjects_of(
    case: VerificationCase, readings: Readings, one: ReadTest, *, asks_words: bool = True
) -> tuple[Subject, ...]:
    """The test's subjects; `asks_words`: the message of a caught exception counts, too."""
    return subjects(
        one.path,
        one.text,
        one.id,
        issue=case.issue,
        source_paths=frozenset(readings.sources_after),
        private=[s.name for s in one.symbols if s.name.startswith("_")],
        files=readings.tests_after,
        sources=readings.sources_after,
        asks_words=asks_words,
        base=readings.sources_before,
    )


def failure_of(report: TestReport, test: str) -> Failure | None:
    """The test's failure, or its file's load error."""
    if found := report.failures.get(test):
        return found
    if report.outcomes.get(test) is not None:
        return None
    files = (file for file in report.collection_errors if report.hides(test))
    return next((report.failures[file] for file in files if file in report.failures), None)


def _digest(one: ReadTest) -> str:
    source = source_of(one.path, one.text, one.id)
    return _hashed(one.id if source is None else normalised(source))


def _hashed(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:24]


def _fixed(
    case: VerificationCase,
    symbols: Sequence[Symbol],
    test: str,
    texts: Texts,
    sources: frozenset[str],
) -> BaseProof:
    path = file_of(test, case.plan, texts)
    text = texts.get(path) or ""
    tied = is_tied(path, text, test, issue=case.issue, files=texts)
    read = ReadTest(test, path, text, tuple(symbols), ())
    kind = _fixed_kind(case, read, tied=tied)
    about = subjects(path, text, test, issue=case.issue, source_paths=sources, files=texts)
    found = tuple(subject for subject in about if subject in _NO_CODE)
    return BaseProof(test=test, kind=kind, tied=tied, subjects=found)


def _fixed_kind(case: VerificationCase, one: ReadTest, *, tied: bool) -> ProofKind:
    """The kind of a fixed base test; an expected failure counts only if the issue is about it."""
    test, path, text, symbols, _ = one
    if case.plan.runner is TestRunner.COMMAND:
        return ProofKind.COMMAND
    first = case.baseline.first
    was_expected = first.outcomes.get(test) is Outcome.XFAILED
    if (was_expected and tied) or case.is_behaviour(failure_of(first, test), Patch(files=())):
        return ProofKind.BEHAVIOUR
    found = used(symbols, path=path, text=text, test=test, files={})
    if not found and is_of_base(failure_of(first, test)):
        return ProofKind.BEHAVIOUR
    asked = [s for s in found if s.kind is not SymbolKind.MODULE] or found
    is_named = bool(asked) and all(named_by(case.issue, s) for s in asked)
    return ProofKind.INTERFACE if is_named else ProofKind.NONE
