"""Rights come from the repository, now; what may not be seen is not there."""

from collections.abc import AsyncGenerator

import pytest

from tests.support.forge.accounts_world import Crowd
from tests.support.solve_rows import Ring, passed, run_id
from yudai.accounts.access import KNOWN_S, Right
from yudai.artifacts.adapters.locations import Folder
from yudai.artifacts.adapters.object_store import ObjectStoreArtifacts
from yudai.artifacts.context import Context
from yudai.conversations import queries as conversations
from yudai.conversations.tables import ConversationRow
from yudai.forge.domain.repository import RepoRef, Role
from yudai.forge.ports.login import SignedOutError
from yudai.kit.errors import ForbiddenError, ForgeError, NotFoundError, RefusedError
from yudai.kit.ids import ConversationId, RunId, SolveId
from yudai.store.store import Store
from yudai.views import solve_queries as pages
from yudai.views.solve_queries import Which

IDS = [SolveId(f"0190a000-0000-7000-8000-0000000000{number:02x}") for number in range(1, 9)]
PRIVATE, FOLDER, PUBLIC, ELSEWHERE = IDS[:4]
TALK = ConversationId("0190a000-0000-7000-8000-00000000cccc")
ROLES = {
    "ada": Role.ADMIN,
    "wim": Role.WRITE,
    "tess": Role.TRIAGE,
    "rita": Role.READ,
}


@pytest.fixture
async def crowd(database_url: str, tmp_path) -> AsyncGenerator[Crowd]:
    async with await Store.open(database_url) as store:
        crowd = Crowd(store)
        secret = crowd.forge.add_repository("ada/calc", roles=ROLES, is_private=True)
        public = crowd.forge.add_repository("ada/open", roles={"wim": Role.WRITE})
        ring = Ring(Context(store, ObjectStoreArtifacts(Folder(tmp_path / "a")), crowd.clock))
        wim = (await crowd.person("wim")).id
        await ring.solve(passed(), id=PRIVATE, user_id=wim, repo_url=secret.url)
        await ring.solve(passed(), id=FOLDER, user_id=wim)
        await ring.solve(passed(), id=PUBLIC, user_id=wim, repo_url=public.url)
        elsewhere = "https://other.example/ada/calc"
        await ring.solve(passed(), id=ELSEWHERE, user_id=wim, repo_url=elsewhere)
        yield crowd


def private(crowd: Crowd) -> RepoRef:
    return RepoRef(forge=crowd.forge.url, owner="ada", name="calc")


@pytest.mark.parametrize(
    ("login", "rights"),
    [
        ("ada", {Right.READ, Right.RUN, Right.PUBLISH, Right.ANSWER, Right.ADMIN}),
        ("wim", {Right.READ, Right.RUN, Right.PUBLISH, Right.ANSWER}),
        ("tess", {Right.READ, Right.RUN}),
        ("rita", {Right.READ}),
        ("eve", set()),
    ],
)
async def test_what_each_role_may(crowd: Crowd, login: str, rights: set[Right]):
    user = await crowd.person(login)
    owner = (await crowd.person("wim")).id
    for right in Right:
        for check, which in (
            (crowd.access.check_solve, PRIVATE),
            (crowd.access.check_run, run_id(0, PRIVATE)),
        ):
            if right in rights:
                assert await check(user.id, which, right) == owner  # type: ignore[operator]
                continue
            kind = ForbiddenError if rights else NotFoundError
            with pytest.raises(kind) as refused:
                await check(user.id, which, right)  # type: ignore[operator]
            assert isinstance(refused.value, NotFoundError) is (not rights)


async def test_what_may_not_be_seen_is_reported_as_what_is_not_there(crowd: Crowd):
    eve = await crowd.person("eve")
    missing = SolveId("0190a000-0000-7000-8000-0000000000ff")
    for known, unknown, check in (
        (PRIVATE, missing, crowd.access.check_solve),
        (run_id(0, PRIVATE), RunId(missing), crowd.access.check_run),
    ):
        said = []
        for which in (known, unknown):
            with pytest.raises(NotFoundError) as refused:
                await check(eve.id, which, Right.READ)  # type: ignore[arg-type]
            said.append(str(refused.value).replace(which, "ID"))
        assert said[0] == said[1]


async def test_a_folder_is_its_owners_alone(crowd: Crowd):
    wim, ada = await crowd.person("wim"), await crowd.person("ada")
    for right in Right:
        assert await crowd.access.check_solve(wim.id, FOLDER, right) == wim.id
        with pytest.raises(NotFoundError):
            await crowd.access.check_solve(ada.id, FOLDER, right)


async def test_a_public_repository_is_read_by_all_and_run_by_few(crowd: Crowd):
    eve = await crowd.person("eve")
    await crowd.access.check_solve(eve.id, PUBLIC, Right.READ)
    with pytest.raises(ForbiddenError, match=r"your role in ada/open is read: this needs triage"):
        await crowd.access.check_solve(eve.id, PUBLIC, Right.RUN)


async def test_another_forge_says_nothing_here(crowd: Crowd):
    wim = await crowd.person("wim")
    with pytest.raises(NotFoundError):
        await crowd.access.check_solve(wim.id, ELSEWHERE, Right.READ)
    with pytest.raises(RefusedError):
        await crowd.access.check_repo(wim.id, "https://other.example/ada/calc", Right.READ)


async def test_a_right_that_was_taken_away_is_gone_within_minutes(crowd: Crowd):
    rita = await crowd.person("rita")
    await crowd.access.check_solve(rita.id, PRIVATE, Right.READ)
    asked = crowd.forge.calls.count("repository")
    crowd.forge.give(private(crowd), "rita", Role.NONE)
    crowd.clock.time += KNOWN_S - 1
    await crowd.access.check_solve(rita.id, PRIVATE, Right.READ)
    assert crowd.forge.calls.count("repository") == asked, "it was known"
    crowd.clock.time += 1
    with pytest.raises(NotFoundError):
        await crowd.access.check_solve(rita.id, PRIVATE, Right.READ)


async def test_owners_may_end_what_they_began_while_they_may_read_it(crowd: Crowd):
    wim = await crowd.person("wim")
    crowd.forge.give(private(crowd), "wim", Role.READ)
    assert await crowd.access.check_solve(wim.id, PRIVATE, Right.RUN) == wim.id
    with pytest.raises(ForbiddenError):
        await crowd.access.check_solve(wim.id, PRIVATE, Right.PUBLISH)
    crowd.forge.give(private(crowd), "wim", Role.NONE)
    crowd.access.forget(wim.id)
    with pytest.raises(NotFoundError):
        await crowd.access.check_solve(wim.id, PRIVATE, Right.READ)


async def test_one_persons_rights_are_not_anothers(crowd: Crowd):
    ada, eve = await crowd.person("ada"), await crowd.person("eve")
    await crowd.access.check_solve(ada.id, PRIVATE, Right.ADMIN)
    with pytest.raises(NotFoundError):
        await crowd.access.check_solve(eve.id, PRIVATE, Right.READ)
    await crowd.access.check_solve(ada.id, PRIVATE, Right.ADMIN)


async def test_a_token_that_the_forge_does_not_take_any_more_signs_out(crowd: Crowd):
    ada = await crowd.person("ada")
    crowd.forge._tokens.clear()
    with pytest.raises(SignedOutError):
        await crowd.access.check_solve(ada.id, PRIVATE, Right.READ)
    assert await crowd.keyring.own(ada.id) is None


async def test_a_forge_that_is_away_gives_no_right(crowd: Crowd):
    ada = await crowd.person("ada")
    crowd.forge.faults.before("repository")
    with pytest.raises(ForgeError):
        await crowd.access.check_solve(ada.id, PRIVATE, Right.READ)
    assert await crowd.access.check_solve(ada.id, PRIVATE, Right.READ)


async def test_repositories_that_may_not_be_seen_are_not_there(crowd: Crowd):
    eve, rita = await crowd.person("eve"), await crowd.person("rita")
    url = private(crowd).url
    with pytest.raises(NotFoundError):
        await crowd.access.check_repo(eve.id, url, Right.READ)
    assert (await crowd.access.check_repo(rita.id, "ada/calc", Right.READ)).url == url
    with pytest.raises(ForbiddenError, match="this needs triage"):
        await crowd.access.check_repo(rita.id, url, Right.RUN)


async def test_lists_show_what_may_be_read_and_ones_own(crowd: Crowd):
    shown = {
        "ada": {PRIVATE, PUBLIC},
        "wim": {PRIVATE, PUBLIC, FOLDER},
        "rita": {PRIVATE, PUBLIC},
        "eve": {PUBLIC},
    }
    for login, expected in shown.items():
        user = await crowd.person(login)
        which = Which(user.id, repo_urls=await crowd.access.visible(user.id))
        async with crowd.store.read() as db:
            rows = await pages.page(db, which, limit=10)
        assert {row.id for row in rows} == expected, login


async def test_a_list_leaves_out_what_cannot_be_asked_about(crowd: Crowd):
    eve = await crowd.person("eve")
    crowd.forge.faults.before("repository", times=9)
    assert await crowd.access.visible(eve.id) == frozenset()
    crowd.forge.faults.clear()
    assert await crowd.access.visible(eve.id) == {f"{crowd.forge.url}/ada/open"}


async def test_who_is_signed_out_sees_no_list(crowd: Crowd):
    ada = await crowd.person("ada")
    await crowd.keyring.sign_out(ada.id)
    with pytest.raises(SignedOutError):
        await crowd.access.visible(ada.id)


async def test_a_conversation_is_its_owners_and_of_a_repository_that_they_see(crowd: Crowd):
    wim, ada = await crowd.person("wim"), await crowd.person("ada")
    row = ConversationRow(
        id=TALK, user_id=wim.id, repo_url=private(crowd).url, created_at=crowd.clock.now()
    )
    async with crowd.store.change() as db:
        await conversations.add(db, row)
    assert await crowd.access.check_conversation(wim.id, TALK, Right.RUN) == ""
    with pytest.raises(NotFoundError):
        await crowd.access.check_conversation(ada.id, TALK, Right.READ)
    crowd.forge.give(private(crowd), "wim", Role.NONE)
    crowd.access.forget(wim.id)
    with pytest.raises(NotFoundError):
        await crowd.access.check_conversation(wim.id, TALK, Right.READ)
