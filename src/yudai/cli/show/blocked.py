"""What sandboxes tried to reach and may not, in a line each."""

from collections.abc import Iterable, Mapping

from yudai.arena.blocked_hosts import KINDS, blocked_entry
from yudai.cli.records.source import Moment
from yudai.cli.text import one_line
from yudai.kit.ids import RunId
from yudai.sandboxes.domain.allowed_hosts import authority
from yudai.solves.domain.blocked import BlockedEntry

_HOST_WIDTH = 80


def is_blocked(moment: Moment) -> bool:
    return moment.kind in KINDS


def blocked_of(moments: Iterable[Moment]) -> tuple[BlockedEntry, ...]:
    return tuple(
        blocked_entry(moment.kind, moment.run_id, moment.facts)
        for moment in moments
        if is_blocked(moment)
    )


def blocked_line(entry: BlockedEntry, handles: Mapping[RunId, str]) -> str:
    run_id = entry.run_id
    who = "" if run_id is None else f" by {one_line(handles.get(run_id, run_id))}"
    phase = one_line(entry.phase)
    if entry.host is None:
        return f"blocked: and more than is told here, in the {phase} phase{who}"
    host = one_line(entry.host, width=_HOST_WIDTH)
    place = host if entry.port is None else authority(host, entry.port)
    return f"blocked: {place}, in the {phase} phase{who}"
