"""The poller: complete by itself, and no busier than it has to be."""

from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.api_client import RecordingEngine, open_place
from tests.support.forge.trigger_world import Post
from tests.support.servers.databases import Kind
from yudai.arena.submit import SolveAsk
from yudai.forge.domain.repository import RepoRef, Role
from yudai.kit.errors import ForbiddenError, ForgeError
from yudai.triggers import queries
from yudai.triggers.open_solves import watch_key
from yudai.triggers.poll import MOST_OPENED, Poller
from yudai.triggers.tables import WatchRow

POLL_S = 60.0


class Tower:
    def __init__(self, post: Post) -> None:
        self.post, self.forge, self.repo, self.clock = post, post.forge, post.repo, post.clock
        self.poller = Poller(
            triggers=post.triggers,
            watched=("Ada/Calc", "no/such/thing", "https://elsewhere.org/o/r"),
            poll_s=POLL_S,
        )

    async def look(self) -> int:
        """A minute later."""
        self.clock.later(POLL_S)
        return await self.poller.poll()

    async def watch(self, repo: RepoRef | None = None) -> WatchRow:
        async with self.post.place.context.store.read() as db:
            row = await queries.find_watch(db, watch_key(repo or self.repo))
        assert row is not None
        return row

    async def calls(self) -> list[str]:
        """Of one look."""
        before = len(self.forge.calls)
        await self.look()
        return self.forge.calls[before:]


@pytest.fixture
def database_kind() -> Kind:
    return "sqlite"


@pytest.fixture
async def tower(tmp_path: Path, database_url: str) -> AsyncGenerator[Tower]:
    async with open_place(tmp_path / "home", database_url, RecordingEngine()) as place:
        yield Tower(Post(place))


async def test_labels_that_are_there_count_once_and_old_commands_do_not(tower: Tower):
    post = tower.post
    post.label()
    other = tower.forge.add_issue(tower.repo, "Another")
    tower.forge.say(tower.repo, other, "/yudai solve", by="wim")
    tower.clock.later(60)
    assert await tower.look() == 1
    assert await tower.look() == 0
    [row] = await post.solves()
    assert row.issue_number == post.number


async def test_whatever_comes_afterwards_is_found_once(tower: Tower):
    post = tower.post
    await tower.look()
    post.say("/yudai solve")
    second = tower.forge.add_issue(tower.repo, "Another")
    tower.forge.add_label(tower.repo, second, "yudai", by="wim")
    assert await tower.look() == 2
    for _ in range(3):
        assert await tower.look() == 0
    assert len(await post.solves()) == 2


async def test_nothing_is_missed_that_the_forge_shows_late(tower: Tower):
    post = tower.post
    await tower.look()
    early = post.say("/yudai solve", by="rob")
    post.say("just words", by="ada")
    late = tower.forge.held(tower.repo).comments.pop(early)
    await tower.look()
    tower.forge.held(tower.repo).comments[early] = late
    await tower.look()
    assert await post.noted() == [("rob", "ignored")]


async def test_a_quiet_repository_costs_two_requests(tower: Tower):
    await tower.look()
    tower.post.label()
    tower.post.say("/yudai solve", by="rob")
    for _ in range(3):
        await tower.look()
    assert await tower.calls() == ["comments_since", "issues"]


async def test_it_is_looked_at_no_oftener_than_asked(tower: Tower):
    await tower.look()
    before = len(tower.forge.calls)
    tower.clock.later(POLL_S - 1)
    await tower.poller.poll()
    assert len(tower.forge.calls) == before
    tower.clock.later(1)
    await tower.poller.poll()
    assert len(tower.forge.calls) > before


async def test_two_workers_share_the_looking(tower: Tower):
    tower.clock.later(POLL_S)
    await tower.poller.poll()
    await replace(tower.poller).poll()
    assert tower.forge.calls.count("comments_since") == 1


async def test_what_fails_is_noted_and_tried_again(tower: Tower):
    await tower.look()
    tower.post.say("/yudai solve")
    for call in ("comments_since", "issues", "issue", "comments", "role"):
        tower.forge.faults.before(call)
        assert await tower.look() == 0
        assert "does not answer" in (await tower.watch()).error
    assert await tower.look() == 1
    assert (await tower.watch()).error == ""


async def test_one_issue_does_not_stand_in_the_way_of_the_others(tower: Tower):
    await tower.look()
    tower.post.say("/yudai solve")
    second = tower.forge.add_issue(tower.repo, "Another")
    tower.forge.add_label(tower.repo, second, "yudai", by="wim")
    tower.forge.faults.before("comments")
    await tower.look()
    assert [row.issue_number for row in await tower.post.solves()] == [second]
    assert (await tower.watch()).error
    assert await tower.look() == 1


async def test_a_forge_that_wants_rest_gets_it(tower: Tower):
    tower.forge.faults.before("comments_since", error=ForgeError("too often", retry_after_s=600))
    await tower.look()
    assert await tower.calls() == []
    tower.clock.later(600)
    assert "comments_since" in await tower.calls()


async def test_a_repository_that_cannot_be_seen_does_not_hide_the_others(tower: Tower):
    secret = tower.forge.add_repository("eve/secret", is_private=True)
    tower.poller = replace(tower.poller, watched=("eve/secret", "ada/calc"))
    tower.post.label()
    assert await tower.look() == 1
    assert "may not see it" in (await tower.watch(secret)).error


async def test_where_the_app_is_installed_is_watched(tower: Tower):
    tower.poller = replace(tower.poller, watched=(), has_app=True)
    assert await tower.look() == 0
    tower.forge.install(tower.repo)
    tower.post.label()
    assert await tower.look() == 1
    tower.forge.faults.before("repositories", error=ForbiddenError("no"))
    tower.post.say("just words")
    assert "comments_since" in await tower.calls()
    before = tower.forge.calls.count("repositories")
    await tower.poller.poll()
    assert tower.forge.calls.count("repositories") == before


async def solved(tower: Tower, repo: RepoRef) -> None:
    number = tower.forge.add_issue(repo, "Solved before")
    ask = {"repo_url": repo.url, "issue_number": number, "matrix": {"models": ["o3"]}}
    submitter = tower.post.triggers.submitter
    await submitter.submit(SolveAsk.model_validate(ask), user_id="ada")


async def test_a_repository_that_merely_had_a_solve_is_not_watched(tower: Tower):
    other = tower.forge.add_repository("ada/other", roles={"ada": Role.WRITE, "wim": Role.WRITE})
    tower.poller = replace(tower.poller, watched=())
    await solved(tower, other)
    number = tower.forge.add_issue(other, "New")
    tower.forge.add_label(other, number, "yudai", by="wim")
    assert await tower.calls() == []
    assert len(await tower.post.solves()) == 1


@pytest.mark.parametrize("us", ["ada", "yudai[bot]"])
async def test_a_new_database_does_not_solve_again_what_we_have_answered(tower: Tower, us: str):
    post = tower.post
    post.label()
    post.say("<!-- yudai:solve=x -->\nOpened a pull request.", by=us)
    tower.clock.later(60)
    assert await tower.look() == 0
    assert await post.noted() == [("wim", "ignored")]
    # Neither when somebody says something there later.
    post.say("thank you")
    assert await tower.look() == 0
    post.forge.remove_label(post.repo, post.number, "yudai")
    post.label()
    assert await tower.look() == 1


async def test_another_persons_mark_does_not_hide_a_label(tower: Tower):
    tower.post.label()
    tower.post.say("<!-- yudai:solve=x -->\nNothing to see", by="mallory")
    tower.clock.later(60)
    assert await tower.look() == 1


async def test_a_token_of_no_one_does_not_hold_the_first_look_up(tower: Tower):
    tower.post.label()
    tower.post.say("<!-- yudai:solve=x -->", by="mallory")
    tower.clock.later(60)
    tower.forge.faults.before("whoami", error=ForbiddenError("no person"))
    everybody = tower.post.credentials.everybody
    tower.post.credentials.everybody = everybody.model_copy(update={"login": ""})
    assert await tower.look() == 1


async def test_a_label_put_on_since_we_know_the_repository_counts_before_the_first_look(
    tower: Tower,
):
    post = tower.post
    post.say("<!-- yudai:solve=x -->\nOpened a pull request.", by="ada")
    assert await post.check_issue() == 0
    post.label()
    assert await post.check_issue() == 1


async def test_one_look_opens_a_few_and_the_next_the_others(tower: Tower):
    answered = tower.forge.add_issue(tower.repo, "Answered")
    tower.forge.say(tower.repo, answered, "<!-- yudai:solve=x -->\nDone", by="ada")
    more = [tower.forge.add_issue(tower.repo, "Another") for _ in range(2 * MOST_OPENED + 1)]
    for number in (answered, *more):
        tower.forge.add_label(tower.repo, number, "yudai", by="wim")
    tower.clock.later(60)
    assert [await tower.look() for _ in range(4)] == [MOST_OPENED, MOST_OPENED, 1, 0]
    assert {row.issue_number for row in await tower.post.solves()} == set(more)
    assert (await tower.watch()).error == ""


async def test_commands_beyond_the_most_are_not_lost(tower: Tower):
    await tower.look()
    numbers = [tower.forge.add_issue(tower.repo, "Another") for _ in range(MOST_OPENED + 2)]
    for number in numbers:
        tower.forge.say(tower.repo, number, "/yudai solve", by="wim")
    assert [await tower.look() for _ in range(3)] == [MOST_OPENED, 2, 0]
