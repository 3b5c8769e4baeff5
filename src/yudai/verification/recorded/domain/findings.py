"""Evaluates recorded values: finds values that hold only inside a runner, and differences."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from yudai.kit.ids import RunId
from yudai.verification.domain.expected.issue_values import is_given
from yudai.verification.domain.facts import Difference
from yudai.verification.recorded.domain.probe import Language, Probe, Relation
from yudai.verification.recorded.domain.shown_input import shown_input
from yudai.verification.recorded.domain.values import Recorded, holds, same, shown, written
from yudai.verification.recorded.domain.vary import Variant

_MOST_PAIRS = 300
_LEAST_TELLING = 3
"""Shorter values occur in many issues for other reasons."""

Records = Mapping[Probe, Recorded]


class Recording(NamedTuple):
    """The values of all probes on one answer."""

    run_id: RunId
    seeds: Records
    variants: Records


def suspects(seeds: Collection[Probe], green: Collection[str], found: Records) -> list[Probe]:
    """Assertions of tests that pass in the runner but do not hold outside."""
    return [
        seed
        for seed in seeds
        if seed.test in green
        and seed.expected.relation is not Relation.OPEN
        and holds(seed.expected, found[seed]) is not True
        and (not found[seed].other or found[seed].equals_anything)
    ]


def is_only_inside(probe: Probe, outside: Recorded, inside: Recorded) -> bool:
    """Whether a value is wrong again outside, but right in a process that imitates the runner.

    A value that is wrong in both shows nothing: its statements alone cannot repeat the test. A
    value that equals anything is never right.
    """
    if outside.equals_anything:
        return True
    is_wrong = holds(probe.expected, outside) is False or bool(outside.lost)
    return is_wrong and holds(probe.expected, inside) is True


def differing(
    variants: Sequence[Variant], recordings: Sequence[Recording], stable: Collection[Probe] | None
) -> Iterator[tuple[Recording, Recording, Variant]]:
    """For each two answers, the smallest input on which they differ; `variants` sorted by size."""
    for one, other in list(combinations(recordings, 2))[:_MOST_PAIRS]:
        for variant in variants:
            if stable is not None and variant.probe not in stable:
                continue
            is_same = same(one.variants[variant.probe], other.variants[variant.probe])
            if is_same is False and _agree_on_seed(variant.seed, one, other):
                yield one, other, variant
                break


def telling(variants: Sequence[Variant], recordings: Sequence[Recording]) -> list[Probe]:
    """All inputs on which any two answers differ."""
    return [
        variant.probe
        for variant in variants
        if any(
            same(one.variants[variant.probe], other.variants[variant.probe]) is False
            for one, other in combinations(recordings, 2)
        )
    ]


def _agree_on_seed(seed: Probe, one: Recording, other: Recording) -> bool:
    """Whether both pass the test itself. If not, the test already distinguishes them."""
    if seed.expected.relation is Relation.OPEN:
        return same(one.seeds[seed], other.seeds[seed]) is True
    return all(holds(seed.expected, found.seeds[seed]) is True for found in (one, other))


def difference(
    one: Recording, other: Recording, variant: Variant, *, base: Records, issue: str
) -> Difference:
    probe = variant.probe
    language, records = probe.language, (one.variants[probe], other.variants[probe])
    text = shown_input(probe)
    return Difference(
        one=one.run_id,
        other=other.run_id,
        input=text.short,
        code=text.whole,
        one_gives=shown(records[0], language),
        other_gives=shown(records[1], language),
        given=_given(variant, (one, other), base, issue),
    )


def _given(
    variant: Variant, sides: tuple[Recording, Recording], base: Records, issue: str
) -> RunId | None:
    """The answer whose value the issue gives, if it names this input and not the other value.

    The values of base and of the unchanged test do not count: an issue can quote the first as
    wrong, and the second belongs to another input.
    """
    probe = variant.probe
    text = shown_input(probe)
    if text.whole or _plain(text.short) not in _plain(issue):
        return None
    said = [s for s in sides if _is_said(s.variants[probe], probe.language, issue)]
    if len(said) != 1:
        return None
    found = said[0].variants[probe]
    others = (base[probe], said[0].seeds[variant.seed])
    return None if any(same(found, one) is not False for one in others) else said[0].run_id


def _plain(text: str) -> str:
    return "".join(text.split()).replace('"', "'")


def _is_said(recorded: Recorded, language: Language, issue: str) -> bool:
    if recorded.value is None or recorded.value[0] in {"none", "truth", "undefined", "nan"}:
        return False
    text = written(recorded.value, language)
    return len(text) >= _LEAST_TELLING and is_given(issue, text)


def no_ops(
    variants: Sequence[Variant], base: Records, recordings: Sequence[Recording]
) -> list[RunId]:
    """Answers that equal base on every input on which another answer differs from it."""
    found: list[RunId] = []
    for own in recordings:
        moved = [
            v.probe
            for v in variants
            if any(
                same(base[v.probe], other.variants[v.probe]) is False
                for other in recordings
                if other.run_id != own.run_id
            )
        ]
        if moved and all(same(base[p], own.variants[p]) is True for p in moved):
            found.append(own.run_id)
    return found
