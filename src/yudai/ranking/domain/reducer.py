"""Orders the runs of a solve and names the champion, with one line of why for each."""

from collections.abc import Iterable, Sequence

from yudai.kit.causes import POLICIES
from yudai.kit.errors import RefusedError
from yudai.kit.ids import RunId
from yudai.kit.text import nearest
from yudai.ranking.domain.reducers import REDUCERS, Criterion, count
from yudai.ranking.domain.scorecard import Place, Ranking, Scorecard
from yudai.verification.domain.verdict import VerdictStatus

STATUS_ORDER = (
    VerdictStatus.PASSED,
    VerdictStatus.UNPROVED,
    VerdictStatus.UNVERIFIED,
    VerdictStatus.FAILED,
    VerdictStatus.NONE,
)
_MAX_ERROR = 300
_CLOSEST = 3

Key = tuple[float, ...]


def check_reducer(name: str) -> None:
    if name not in REDUCERS:
        raise RefusedError(
            f"there is no reducer {name!r}: {nearest(name, REDUCERS)}", field="reducer"
        )


def rank(scorecards: Iterable[Scorecard], *, reducer: str, require_proof: bool) -> Ranking:
    """Verdict first, then the reducer's criteria; the handle and the id settle what is equal."""
    check_reducer(reducer)
    criteria = REDUCERS[reducer].criteria
    ordered = sorted(scorecards, key=lambda card: _key(card, criteria))
    champion = _champion(ordered, require_proof=require_proof)
    places = tuple(
        Place(rank=number, scorecard=card, why=_why(card, champion, criteria))
        for number, card in enumerate(ordered, start=1)
    )
    chosen = None if champion is None else champion.run_id
    return Ranking(places=places, champion=chosen, reason=_reason(places, chosen))


def _key(card: Scorecard, criteria: Sequence[Criterion]) -> tuple[Key, str, str]:
    standing = STATUS_ORDER.index(card.verdict.status)
    values = (standing, *(criterion.key(card) for criterion in criteria))
    return values, card.contestant.handle, card.run_id


def _champion(ordered: Sequence[Scorecard], *, require_proof: bool) -> Scorecard | None:
    accepted = {VerdictStatus.PASSED} if require_proof else {*STATUS_ORDER[:2]}
    return next((card for card in ordered[:1] if card.verdict.status in accepted), None)


def _why(card: Scorecard, champion: Scorecard | None, criteria: Sequence[Criterion]) -> str:
    if champion is None or card.verdict.status is not champion.verdict.status:
        return _standing(card)
    if card.run_id == champion.run_id:
        size = f"{count(card.files_changed, 'file')}, {count(card.lines_changed, 'line')}"
        return f"{_standing(card)}; {size}"
    decisive = (c for c in criteria if c.key(card) != c.key(champion))
    return next((c.says(card, champion) for c in decisive), "equal in everything that counts")


def _standing(card: Scorecard) -> str:
    """A run's verdict in words; without one, what ended the run."""
    status, summary = card.verdict.status, card.verdict.summary
    if status is not VerdictStatus.NONE:
        return f"{status}: {summary}"
    if card.cause is None:
        return summary
    cause, error = POLICIES[card.cause].message, " ".join(card.error.split())[:_MAX_ERROR]
    return f"{cause}: {error}" if error and error != cause else cause


def _reason(places: Sequence[Place], champion: RunId | None) -> str:
    best = next((place.scorecard for place in places if place.scorecard.run_id == champion), None)
    if best is None:
        return f"no champion: {_shortfall(places)}"
    handle, rivals = best.contestant.handle, len(places) - 1
    if best.verdict.status is VerdictStatus.UNPROVED:
        return f"{handle}, although unproved: {best.verdict.summary}"
    ahead = f"; ahead of {count(rivals, 'other run')}" if rivals else ""
    return f"{handle}: {best.verdict.summary}{ahead}"


def _shortfall(places: Sequence[Place]) -> str:
    answers = [p for p in places if p.scorecard.verdict.status is not VerdictStatus.NONE]
    if not answers:
        return "no run produced a patch that could be verified"
    closest = (f"{p.scorecard.contestant.handle} ({p.why})" for p in answers[:_CLOSEST])
    return f"no run passed; closest: {', '.join(closest)}"
