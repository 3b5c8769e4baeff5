"""What sandboxes tried to reach and may not, among the moments of a race."""

from collections.abc import Iterable, Mapping

from yudai.cli.following import Moment
from yudai.cli.text import one_line
from yudai.domain.hosts import authority
from yudai.domain.ids import RunId
from yudai.domain.value import Value
from yudai.services.blocking import BLOCKED, MORE

_HOST_WIDTH = 80


class BlockedEntry(Value):
    """One as `show --json` prints it."""

    run_id: RunId | None
    """null: of the solve itself, as in its set-up."""
    phase: str
    host: str | None
    """Hostile text. null: more were blocked than are told."""
    port: int | None
    """null: its name was looked up, and nothing else."""


def is_blocked(moment: Moment) -> bool:
    return moment.kind in (BLOCKED, MORE)


def blocked_of(moments: Iterable[Moment]) -> tuple[BlockedEntry, ...]:
    return tuple(_entry(moment) for moment in moments if is_blocked(moment))


def blocked_line(entry: BlockedEntry, handles: Mapping[RunId, str]) -> str:
    run_id = entry.run_id
    who = "" if run_id is None else f" by {one_line(handles.get(run_id, run_id))}"
    phase = one_line(entry.phase)
    if entry.host is None:
        return f"blocked: and more than is told here, in the {phase} phase{who}"
    host = one_line(entry.host, width=_HOST_WIDTH)
    place = host if entry.port is None else authority(host, entry.port)
    return f"blocked: {place}, in the {phase} phase{who}"


def _entry(moment: Moment) -> BlockedEntry:
    host, port = moment.facts.get("host"), moment.facts.get("port")
    return BlockedEntry(
        run_id=moment.run_id,
        phase=str(moment.facts.get("phase", "")),
        host=str(host) if moment.kind == BLOCKED else None,
        port=port if isinstance(port, int) else None,
    )
