"""What is remembered of GitHub's answers, and how writers wait for each other."""

from tests.support.fakes import StillClock
from yudai.forge.adapters.github.client import Client, Memory
from yudai.forge.adapters.github.configuration import PUBLIC_API
from yudai.forge.adapters.github.messages import Answer, ApiRequest, Identity


def _answer(size: int = 10, **headers: str) -> Answer:
    return Answer(status=200, headers={"etag": '"1"', **headers}, body=b"x" * size)


def test_the_least_recently_used_go_first() -> None:
    memory = Memory()
    for number in range(256):
        memory.keep(str(number), _answer())
    assert memory.recall("0") is not None
    memory.keep("more", _answer())
    assert memory.recall("0") is not None
    assert memory.recall("1") is None
    assert memory.recall("more") is not None


def test_it_holds_no_more_than_so_many_bytes() -> None:
    memory = Memory()
    for number in range(20):
        memory.keep(str(number), _answer(1 << 20))
    assert [number for number in range(20) if memory.recall(str(number))] == list(range(12, 20))
    memory.keep("19", _answer((1 << 20) + 1))
    assert memory.recall("19") is None
    memory.keep("small", _answer())
    assert memory.recall("12") is not None


def test_what_cannot_be_asked_about_again_is_not_kept() -> None:
    memory = Memory()
    memory.keep("a", _answer())
    memory.keep("a", Answer(status=200, headers={}, body=b""))
    assert memory.recall("a") is None


class StubWire:
    def __init__(self) -> None:
        self.sent: list[tuple[ApiRequest, Identity]] = []

    async def send(self, ask: ApiRequest, *, by: Identity) -> Answer:
        self.sent.append((ask, by))
        return _answer()

    async def close(self) -> None:
        pass


async def test_github_itself_has_a_second_between_two_writes_of_one_writer() -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    client = Client(PUBLIC_API, clock=StillClock(), sleep=sleep)
    client._wire = StubWire()  # type: ignore[assignment]
    bot = Identity(remedy="", writer="bot")
    post = ApiRequest("/x", method="POST")
    await client.answer(post, by=bot)
    assert slept == []
    await client.answer(ApiRequest("/x"), by=bot)
    await client.answer(post, by=Identity(remedy=""))
    assert slept == []
    await client.answer(post, by=bot)
    assert slept == [1.0]
