"""Finds orphaned machines by comparing the provider's list with the register's rows."""

import asyncio
import secrets
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

from yudai.kit.concurrency import gather
from yudai.kit.errors import SandboxError
from yudai.sandboxes.backends.remote.cloud import INSTALLATION, SANDBOX_TAG, Cloud, Found, Local
from yudai.sandboxes.port import Fate, Leftover
from yudai.sandboxes.register import Register, SandboxEntry

GRACE_S = 300.0
"""Seconds that an unknown machine is observed before it is removed."""
CREATION_S = 300.0
"""Seconds after which a requested machine can no longer appear."""
ELSEWHERE_S = 86_400.0
"""Seconds that a row waits for its own host to look for the machine."""
ENDED = "its run has ended"
DEAD = "its process is dead"
UNKNOWN = "it is not in the database"
_WATCHED = "a worker removes it after 5 minutes of observation"
_AT_ONCE = 8

Now = Callable[[], float]
Holds = Callable[[], Mapping[str, str]]
"""Of this process: its machine by each row, "" where it is not known."""


class Orphan(NamedTuple):
    id: str
    sandbox: str
    """Its row; "" when there is none."""
    leftover: Leftover


class Sweep(NamedTuple):
    machines: tuple[Orphan, ...]
    rows: tuple[SandboxEntry, ...]
    """Open ones of dead processes whose machine is gone for good."""
    waiting: tuple[Leftover, ...] = ()

    @property
    def leftovers(self) -> tuple[Leftover, ...]:
        return (*(orphan.leftover for orphan in self.machines), *self.waiting)


class _Case(NamedTuple):
    machine: Found
    why: str
    row: SandboxEntry | None


class OrphanTracker:
    """Tracks since when each unknown machine has been seen, by our own clock."""

    def __init__(self, *, now: Now = time.monotonic, wall: Now = time.time) -> None:
        self._now = now
        self._wall = wall
        self._seen: dict[str, float] = {}

    def look(
        self,
        backend: str,
        found: Sequence[Found],
        rows: Sequence[SandboxEntry],
        known: Collection[str],
        *,
        dry_run: bool = False,
    ) -> Sweep:
        """`found` is to be read before `rows` (the open ones) and `known` (those ever opened).

        A row is there before its machine is: so no machine is without one that had one.
        """
        by_external = {row.external: row for row in rows if row.external}
        by_id = {row.id: row for row in rows}
        cases: list[_Case] = []
        for one in found:
            row = by_external.get(one.id) or by_id.get(one.tags.get(SANDBOX_TAG, ""))
            if case := _judge(one, row, known):
                cases.append(case)
        now = self._now()
        unknown = [case.machine.id for case in cases if case.why == UNKNOWN]
        self._seen = {name: self._seen.get(name, now) for name in unknown}
        due: list[_Case] = []
        early: list[_Case] = []
        for case in cases:
            (due if self._is_due(case, now, dry_run=dry_run) else early).append(case)
        return Sweep(
            machines=tuple(self._doomed(backend, case) for case in due),
            rows=tuple(row for row in rows if self._is_over(row, found)),
            waiting=tuple(self._waiting(backend, case) for case in early),
        )

    async def reap(
        self,
        cloud: Cloud,
        register: Register,
        *,
        dry_run: bool = False,
        holds: Holds = dict[str, str],
    ) -> Sequence[Leftover]:
        """One sweep over this installation's machines at a provider, except those in `holds`.

        Other processes may have closed their rows after they lost contact with us.
        """
        installation = await register.installation()
        listed = await cloud.list(installation)
        ours = [one for one in listed if one.tags.get(INSTALLATION) == installation]
        rows = await register.sandboxes(cloud.name)
        known = await register.known(
            {one.tags[SANDBOX_TAG] for one in ours if SANDBOX_TAG in one.tags}
        )
        held = holds()
        found = [one for one in ours if not _is_held(one, held)]
        sweep = self.look(cloud.name, found, rows, known, dry_run=dry_run)
        if isinstance(cloud, Local):
            sweep = sweep._replace(rows=tuple(row for row in sweep.rows if self._is_near(row)))
        return sweep.leftovers if dry_run else await clear(sweep, cloud, register)

    def _is_near(self, row: SandboxEntry) -> bool:
        """Whether we can tell what became of its machine; a host may never come back, too."""
        return row.is_here or self._wall() - row.created_at >= ELSEWHERE_S

    def _is_due(self, case: _Case, now: float, *, dry_run: bool) -> bool:
        if case.why != UNKNOWN or now - self._seen[case.machine.id] >= GRACE_S:
            return True
        # The provider's clock may differ from ours, so its time is only a hint.
        age_s = self._age_s(case)
        return dry_run and (age_s is None or age_s >= GRACE_S)

    def _is_over(self, row: SandboxEntry, found: Sequence[Found]) -> bool:
        if row.is_held or any(_is_of(one, row) for one in found):
            return False
        return bool(row.external) or self._wall() - row.created_at >= CREATION_S

    def _doomed(self, backend: str, case: _Case) -> Orphan:
        sandbox = case.row.id if case.row else case.machine.tags.get(SANDBOX_TAG, "")
        known_sandbox = "" if case.why == UNKNOWN else sandbox
        return Orphan(case.machine.id, known_sandbox, self._leftover(backend, case))

    def _waiting(self, backend: str, case: _Case) -> Leftover:
        reported = self._leftover(backend, case)
        return reported.model_copy(update={"fate": Fate.WAITING, "note": _WATCHED})

    def _leftover(self, backend: str, case: _Case) -> Leftover:
        return Leftover(
            backend=backend,
            id=case.machine.id,
            owner=case.row.owner if case.row else case.machine.tags.get("owner", ""),
            why=case.why,
            age_s=self._age_s(case),
        )

    def _age_s(self, case: _Case) -> float | None:
        began = case.row.created_at if case.row else case.machine.started_at
        return None if began is None else max(0.0, self._wall() - began)


def _judge(machine: Found, row: SandboxEntry | None, known: Collection[str]) -> _Case | None:
    """None: it belongs to a live process."""
    if row is None:
        is_ours = machine.tags.get(SANDBOX_TAG, "") in known
        return _Case(machine, ENDED if is_ours else UNKNOWN, None)
    if not row.is_held:
        return _Case(machine, ENDED if row.is_ended else DEAD, row)
    # A copied machine has the tags of its original; it is unknown until a row names it.
    is_copy = row.external not in ("", machine.id)
    return _Case(machine, UNKNOWN, None) if is_copy else None


def _is_held(machine: Found, held: Mapping[str, str]) -> bool:
    """By its id, or by the row in its tags while no id is known; copies have another id."""
    return machine.id in held.values() or held.get(machine.tags.get(SANDBOX_TAG, "")) == ""


def _is_of(machine: Found, row: SandboxEntry) -> bool:
    return machine.id == row.external or machine.tags.get(SANDBOX_TAG) == row.id


async def clear(sweep: Sweep, cloud: Cloud, register: Register) -> Sequence[Leftover]:
    """Remove all of it; a refused removal does not stop the others."""
    slots = asyncio.Semaphore(_AT_ONCE)

    async def remove(orphan: Orphan) -> Leftover | None:
        async with slots:
            return await _remove(orphan, cloud, register)

    removed = await gather(remove(orphan) for orphan in sweep.machines)
    for row in sweep.rows:
        await register.close_sandbox(row.id)
    return [*filter(None, removed), *sweep.waiting]


async def _remove(orphan: Orphan, cloud: Cloud, register: Register) -> Leftover | None:
    """None: another process has removed it meanwhile."""
    try:
        is_removed = await cloud.kill(orphan.id)
    except SandboxError as error:
        return orphan.leftover.refused(str(error))
    if not is_removed:
        return None
    await register.close_sandbox(orphan.sandbox or await _noted(orphan, register), reaped=True)
    return orphan.leftover


async def _noted(orphan: Orphan, register: Register) -> str:
    """Add a row for an unknown machine, because removals are counted by rows."""
    backend, owner = orphan.leftover.backend, orphan.leftover.owner
    sandbox_id = secrets.token_hex(8)
    await register.open_sandboxes(
        [SandboxEntry(id=sandbox_id, backend=backend, owner=owner, external=orphan.id)]
    )
    return sandbox_id
