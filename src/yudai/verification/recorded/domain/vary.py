"""Makes other inputs for a probe: changes one literal at a time, always in the same way."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice, zip_longest
from typing import NamedTuple, TypeVar

from yudai.verification.recorded.domain.probe import OPEN, Language, Probe
from yudai.verification.recorded.domain.python_spots import python_spots
from yudai.verification.recorded.domain.script_spots import script_spots
from yudai.verification.recorded.domain.spots import Spot, replacements

_MOST_SPOTS = 40
_MOST_OF_PROBE = 200

T = TypeVar("T")


class Variant(NamedTuple):
    probe: Probe
    """The probe with one literal changed; its expected value is not known."""
    seed: Probe
    now: str
    """The text that replaces the literal."""


_SPOTS: Mapping[Language, Callable[[str], list[Spot]]] = {
    Language.PYTHON: python_spots,
    Language.NODE: script_spots,
}


def vary(probe: Probe) -> Iterator[Variant]:
    """Variants of a probe: first one change of each literal, then a second of each, and so on."""
    texts = [*probe.code, probe.expression]
    changes: list[Iterator[tuple[int, Spot, bytes]]] = []
    for at, text in enumerate(texts):
        spots = _SPOTS[probe.language](text)
        changes += [_changes(at, spot, probe.language) for spot in spots]
    seen = {tuple(texts)}
    for at, spot, new in islice(in_turn(changes[:_MOST_SPOTS]), _MOST_OF_PROBE):
        encoded = texts[at].encode("utf-8", "surrogatepass")
        changed = encoded[: spot.start] + new + encoded[spot.end :]
        made = [*texts[:at], changed.decode("utf-8", "surrogatepass"), *texts[at + 1 :]]
        if tuple(made) not in seen:
            seen.add(tuple(made))
            varied = probe._replace(code=tuple(made[:-1]), expression=made[-1], expected=OPEN)
            yield Variant(varied, probe, new.decode("utf-8", "surrogatepass"))


def _changes(at: int, spot: Spot, language: Language) -> Iterator[tuple[int, Spot, bytes]]:
    is_python = language is Language.PYTHON
    for new in replacements(spot, is_python=is_python):
        yield at, spot, new


def choose(first: Sequence[Probe], then: Sequence[Probe], most: int) -> list[Variant]:
    """At most `most` variants: of each probe in turn, half of them from `first`."""
    found: dict[tuple[object, ...], Variant] = {}
    early, late = in_turn(map(vary, first)), in_turn(map(vary, then))
    for variant in in_turn([early, late]):
        if len(found) >= most:
            break
        key = (variant.probe.imports, variant.probe.code, variant.probe.expression)
        found.setdefault(key, variant)
    return sorted(found.values(), key=lambda variant: (variant.probe.size, variant.probe))


def in_turn(many: Iterable[Iterator[T]]) -> Iterator[T]:
    """One item of each iterator in turn, until all are exhausted."""
    nothing = object()
    for row in zip_longest(*many, fillvalue=nothing):
        for item in row:
            if item is not nothing:
                yield item  # pyright: ignore[reportReturnType] - the filler is left out


def related(probes: Sequence[Probe], words: frozenset[str]) -> list[Probe]:
    """The probes, sorted by the number of words that they share with the patches."""

    def shared(probe: Probe) -> int:
        return len(words.intersection(words_of("\n".join([*probe.code, probe.expression]))))

    return sorted(probes, key=lambda probe: -shared(probe))


def words_of(text: str) -> frozenset[str]:
    kept = "".join(c if c.isalnum() or c == "_" else " " for c in text)
    return frozenset(word for word in kept.split() if len(word) > 2 and not word.isdigit())
