"""Those who wait for machines ask together, each for its own time."""

import asyncio
from collections.abc import Sequence

import pytest

from yudai.kit.errors import SandboxError
from yudai.sandboxes.backends.prime.readiness import AT_ONCE, Patience, Readiness, ReadinessPoll
from yudai.sandboxes.backends.remote.cloud import DeniedError, GoneError

RUNNING, PENDING, BUILDING = (
    Readiness("RUNNING"),
    Readiness("PENDING"),
    Readiness("PENDING", is_building=True),
)


class Scene:
    """Gives the next answer to everybody, the last one for ever."""

    def __init__(self, *answers: Readiness | SandboxError) -> None:
        self.answers = list(answers)
        self.asked: list[list[str]] = []
        self.was_asked = asyncio.Event()

    async def __call__(self, names: Sequence[str]) -> dict[str, Readiness]:
        self.asked.append(list(names))
        self.was_asked.set()
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, SandboxError):
            raise answer
        return dict.fromkeys(names, answer)


async def test_all_who_wait_are_in_one_question() -> None:
    scene = Scene(PENDING, RUNNING)
    arrivals = ReadinessPoll(scene, Patience())
    async with asyncio.TaskGroup() as group:
        for number in range(30):
            group.create_task(arrivals.wait(f"m{number}"))
    assert [len(names) for names in scene.asked] == [30, 30]


async def test_no_question_has_more_than_prime_takes() -> None:
    scene = Scene(RUNNING)
    arrivals = ReadinessPoll(scene, Patience())
    async with asyncio.TaskGroup() as group:
        for number in range(AT_ONCE + 1):
            group.create_task(arrivals.wait(f"m{number}"))
    assert [len(names) for names in scene.asked] == [AT_ONCE, 1]


async def test_no_one_asks_when_no_one_waits() -> None:
    scene = Scene(RUNNING)
    arrivals = ReadinessPoll(scene, Patience())
    await arrivals.wait("first")
    await arrivals.wait("second")
    assert scene.asked == [["first"], ["second"]]
    await arrivals.close()


async def test_one_that_has_ended_says_why() -> None:
    arrivals = ReadinessPoll(Scene(PENDING, Readiness("ERROR", GoneError("it burnt"))), Patience())
    with pytest.raises(GoneError, match="it burnt"):
        await arrivals.wait("m")


async def test_a_refusal_ends_the_waiting_of_all() -> None:
    arrivals = ReadinessPoll(Scene(DeniedError("no key")), Patience())
    first = asyncio.create_task(arrivals.wait("first"))
    with pytest.raises(DeniedError):
        await arrivals.wait("second")
    with pytest.raises(DeniedError):
        await first


async def test_what_went_wrong_last_is_reported_when_time_is_over() -> None:
    arrivals = ReadinessPoll(Scene(SandboxError("a storm")), Patience(ready_s=0.6))
    with pytest.raises(SandboxError, match=r"not ready within 0\.6 s: a storm"):
        await arrivals.wait("m")
    await arrivals.close()


async def test_while_its_image_is_built_its_time_does_not_run() -> None:
    """Four questions take longer than it has."""
    arrivals = ReadinessPoll(Scene(BUILDING, BUILDING, BUILDING, BUILDING, RUNNING), Patience(1.5))
    started = asyncio.get_running_loop().time()
    await arrivals.wait("m")
    assert asyncio.get_running_loop().time() - started > 1.5


async def test_an_image_is_not_waited_for_for_ever() -> None:
    arrivals = ReadinessPoll(Scene(BUILDING), Patience(ready_s=0.6, image_s=0.5))
    with pytest.raises(SandboxError, match="not ready"):
        await arrivals.wait("m")
    await arrivals.close()


async def test_one_that_gives_up_is_not_asked_for_again() -> None:
    scene = Scene(PENDING, PENDING, RUNNING)
    arrivals = ReadinessPoll(scene, Patience())
    stays = asyncio.create_task(arrivals.wait("stays"))
    leaves = asyncio.create_task(arrivals.wait("leaves"))
    await scene.was_asked.wait()
    leaves.cancel()
    await stays
    assert "leaves" not in scene.asked[-1]
