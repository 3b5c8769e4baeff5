"""Orders the runs of a solve and names the champion, with one line of why for each."""

from collections.abc import Iterable, Sequence

from yudai.kit.causes import POLICIES
from yudai.kit.errors import RefusedError
from yudai.kit.ids import RunId
from yudai.kit.text import nearest
from yudai.ranking.domain.reducers import REDUCERS, Criterion, count
from yudai.ranking.domain.scorecard import Place, Ranking, Scorecard
from yudai.verification.domain.question import Question, QuestionKind
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
_MOST_ASKED = 3

Key = tuple[float, ...]


def check_reducer(name: str) -> None:
    if name not in REDUCERS:
        raise RefusedError(
            f"there is no reducer {name!r}: {nearest(name, REDUCERS)}", field="reducer"
        )


def rank(
    scorecards: Iterable[Scorecard],
    *,
    reducer: str,
    require_proof: bool,
    questions: Sequence[Question] = (),
) -> Ranking:
    """Verdict first, then the reducer's criteria; the handle and the id settle what is equal.

    A run that an open question is about is no champion before a person has answered.
    """
    check_reducer(reducer)
    criteria = REDUCERS[reducer].criteria
    ordered = sorted(scorecards, key=lambda card: _key(card, criteria))
    first = _champion(ordered, require_proof=require_proof)
    open_ones = [q for q in questions if _matters(q, reducer)]
    asked = _asked(ordered, first, open_ones)
    champion = None if asked else first
    places = tuple(
        Place(rank=number, scorecard=card, why=_why(card, champion, criteria))
        for number, card in enumerate(ordered, start=1)
    )
    chosen = None if champion is None else champion.run_id
    reason = f"needs an answer: {asked[0].text}" if asked else _reason(places, chosen)
    return Ranking(places=places, champion=chosen, reason=reason, asked=asked)


def _matters(question: Question, reducer: str) -> bool:
    """A reducer that orders by size needs no person to choose between behaviours."""
    return question.kind is not QuestionKind.BEHAVIOURS or REDUCERS[reducer].asks


def _asked(
    ordered: Sequence[Scorecard], champion: Scorecard | None, questions: Sequence[Question]
) -> tuple[Question, ...]:
    """About the champion to be; without one about the best runs that an answer could help."""
    if champion is not None:
        return tuple(q for q in questions if champion.run_id in q.runs)
    places = {card.run_id: place for place, card in enumerate(ordered)}

    def best(question: Question) -> int:
        return min((places.get(run_id, len(places)) for run_id in question.runs), default=0)

    return tuple(sorted(questions, key=best)[:_MOST_ASKED])


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
