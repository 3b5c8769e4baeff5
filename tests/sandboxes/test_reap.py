"""Sweeps over several backends, and what is noted of them."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import cast

import pytest
from structlog.testing import capture_logs

from yudai.kit.errors import RefusedError, SandboxError
from yudai.sandboxes.port import Backend, Fate, Leftover
from yudai.sandboxes.reap import Reaper, Unswept


def left(name: str, fate: Fate = Fate.REAPED, backend: str = "e2b") -> Leftover:
    return Leftover(backend=backend, id=name, why="its process is dead", fate=fate, note="denied")


@dataclass
class SweptBackend:
    """Only what a reaper asks of a backend."""

    leftovers: list[Leftover] = field(default_factory=list)
    error: Exception | None = None
    hangs: bool = False
    asked: list[bool] = field(default_factory=list)

    async def reap(self, *, dry_run: bool = False) -> Sequence[Leftover]:
        self.asked.append(dry_run)
        if self.hangs:
            await asyncio.Event().wait()
        if self.error is not None:
            raise self.error
        return self.leftovers


def reaper_of(**backends: SweptBackend) -> Reaper:
    given = cast("dict[str, Backend]", backends)
    return Reaper(given, patience_s=0.5)


async def test_all_are_swept():
    one = SweptBackend([left("a"), left("b", Fate.REFUSED), left("c", Fate.WAITING)])
    two = SweptBackend([left("d", backend="prime")])
    reaper = reaper_of(e2b=one, prime=two)
    swept = await reaper.sweep()
    assert [leftover.id for leftover in swept.leftovers] == ["a", "b", "c", "d"]
    assert [leftover.id for leftover in swept.of(Fate.WAITING)] == ["c"]
    assert one.asked == two.asked == [False]


async def test_a_dry_run_is_asked_for_everywhere():
    one = SweptBackend([left("a"), left("b", Fate.REFUSED)])
    reaper = reaper_of(e2b=one)
    swept = await reaper.sweep(dry_run=True)
    assert swept.dry_run
    assert len(swept.leftovers) == 2
    assert one.asked == [True]


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        (SweptBackend(error=SandboxError("the key\nis wrong")), "the key is wrong"),
        (SweptBackend(error=PermissionError(13, "Denied", "/x")), "[Errno 13] Denied: '/x'"),
        (SweptBackend(error=ValueError("sk-canary")), "our fault: ValueError"),
        (SweptBackend(hangs=True), "it did not answer within 0.5 s"),
    ],
    ids=["refused", "denied", "broken", "silent"],
)
async def test_one_that_fails_holds_no_one_else_up(broken: SweptBackend, words: str):
    reaper = reaper_of(e2b=broken, prime=SweptBackend([left("d", backend="prime")]))
    swept = await reaper.sweep()
    assert [leftover.id for leftover in swept.leftovers] == ["d"]
    assert swept.failures == (Unswept(backend="e2b", error=words),)


async def test_one_alone_can_be_swept_and_one_that_is_not_set_up_is_refused():
    one, two = SweptBackend(), SweptBackend()
    reaper = reaper_of(e2b=one, prime=two)
    await reaper.sweep(only="prime")
    assert (one.asked, two.asked) == ([], [False])
    with pytest.raises(RefusedError, match="did you mean e2b"):
        await reaper.sweep(only="e2")


async def test_one_that_could_not_be_made_is_a_failure_of_every_sweep():
    missing = Unswept(backend="prime", error="install yudai[prime]")
    reaper = Reaper(cast("dict[str, Backend]", {"e2b": SweptBackend()}), (missing,))
    assert (await reaper.sweep()).failures == (missing,)
    assert (await reaper.sweep(only="prime")).failures == (missing,)
    assert (await reaper.sweep(only="e2b")).failures == ()


async def test_a_worker_and_a_server_log_what_became_of_it():
    one = SweptBackend([left("a"), left("b", Fate.REFUSED), left("c", Fate.WAITING)])
    reaper = reaper_of(e2b=one, prime=SweptBackend(error=SandboxError("the key is wrong")))
    with capture_logs() as logs:
        swept = await reaper.tend()
    assert len(swept.leftovers) == 3
    assert [(line["event"], line.get("sandbox_id"), line.get("error")) for line in logs] == [
        ("sandboxes.not_swept", None, "the key is wrong"),
        ("sandbox.reaped", "a", None),
        ("sandbox.not_reaped", "b", "denied"),
    ]
    with capture_logs() as logs:
        await reaper.tend(dry_run=True)
    assert [line["event"] for line in logs] == ["sandboxes.not_swept"]


async def test_a_sweep_can_be_cancelled():
    reaper = reaper_of(e2b=SweptBackend(hangs=True))
    task = asyncio.create_task(reaper.sweep())
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
