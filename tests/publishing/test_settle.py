"""What becomes of pull requests: a forge in memory, a real database, both kinds."""

from collections.abc import AsyncGenerator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.support.fakes import StillClock
from tests.support.forge.forge_in_memory import MemoryForge
from tests.support.solve_rows import SOLVE, Ring, passed, run_id
from yudai.accounts.queries import login_of
from yudai.accounts.tables import UserRow
from yudai.artifacts import queries as artifacts
from yudai.artifacts.adapters.object_store import make_artifacts
from yudai.artifacts.context import Context
from yudai.artifacts.port import ArtifactKind
from yudai.forge.domain.repository import NewPull, PullRequest, PullState, RepoRef, Role
from yudai.forge.ports.remote import ANONYMOUS, Credential, CredentialKind, Landed
from yudai.kit.errors import ConflictError, ForbiddenError, ForgeError, NotFoundError, RefusedError
from yudai.kit.ids import LOCAL_USER, SolveId
from yudai.publishing import outcome_queries as outcomes
from yudai.publishing import queries as publications
from yudai.publishing.confirm_revert import RevertConfirmation
from yudai.publishing.domain.publication import OutcomeKind, PublicationState
from yudai.publishing.settle import Settler
from yudai.publishing.tables import OutcomeRow, PublicationRow
from yudai.solves import queries as solves
from yudai.solves import timeline as events
from yudai.solves.domain.origin import Origin, OriginKind
from yudai.solves.domain.states import SolveState
from yudai.solves.tables import EventRow, SolveRow
from yudai.store.store import Store
from yudai.views.decisions import decisions_of

# Its queries meet both databases in test_queries.py, and in other tests of this package.
pytestmark = pytest.mark.real_on("postgresql")

TITLE = "[AI] Fix: #1 It adds wrongly"
BRANCH = "yudai/issue-1-0000aaaa"
OTHER = SolveId("0190a000-0000-7000-8000-00000000bbbb")
HOUR, DAY = 3600.0, 86_400.0
PATCH = (
    "diff --git a/app.py b/app.py\n"
    "index 2bdd9ad..c8f1dd0 100644\n"
    "--- a/app.py\n"
    "+++ b/app.py\n"
    "@@ -1 +1,3 @@\n"
    "-x = 1\n"
    "+total = 1\n"
    "+total += 1\n"
    "+print(total)\n"
)


class MovingClock(StillClock):
    at = 1_800_000_000.0

    def now(self) -> float:
        return self.at


class MemoryMirrors:
    """What git would say of the forge's branches; patch ids and lines to order."""

    def __init__(self, forge: MemoryForge) -> None:
        self.forge = forge
        self.patch_ids: dict[str, str] = {}
        self.left = 1.0
        self.asked: list[Mapping[str, tuple[str, ...]]] = []
        self.fetched = 0

    async def landed_since(
        self, repo: RepoRef, base: str, commit: str, *, by: Credential
    ) -> tuple[Landed, ...]:
        assert by.token.get_secret_value()
        self.fetched += 1
        commits = self.forge.held(repo).branches[base]
        shas = [one.sha for one in commits]
        if commit not in shas:
            raise NotFoundError("it is not in our copy")
        return tuple(
            Landed(
                sha=one.sha,
                at=one.at,
                message=one.message,
                patch_id=self.patch_ids.get(one.sha, ""),
            )
            for one in commits[shas.index(commit) + 1 :]
        )

    async def lines_left(
        self, repo: RepoRef, base: str, added: Mapping[str, tuple[str, ...]], *, by: Credential
    ) -> float:
        assert (repo.full, base) == ("ada/calc", "main")
        assert by.token.get_secret_value()
        self.asked.append(added)
        return self.left


class SettleWorld:
    """Solves that are published, and the one who looks after them."""

    def __init__(self, store: Store, home: Path) -> None:
        self.store = store
        self.clock = MovingClock()
        self.forge = MemoryForge(clock=self.clock)
        self.mirrors = MemoryMirrors(self.forge)
        self.context = Context(store, make_artifacts(None, home=home), self.clock)
        self.asked_for: list[str] = []
        self.kind = CredentialKind.USER
        self.is_named = True
        self.repo = self.forge.add_repository(
            "ada/calc", roles={"ada": Role.ADMIN, "wim": Role.WRITE}
        )
        self.base_commit = self.forge.held(self.repo).branches["main"][-1].sha
        mirrors: Any = self.mirrors
        self.confirmer = RevertConfirmation(store, self.clock)
        self.settler = Settler(
            context=self.context,
            forge=self.forge,
            mirrors=mirrors,
            credentials=self,
            login_of=login_of,
        )

    async def reading(self, repo: RepoRef, *, user_id: str) -> Credential:
        assert repo == self.repo
        self.asked_for.append(user_id)
        if self.kind is CredentialKind.ANONYMOUS:
            return ANONYMOUS
        known = self.forge.credential("wim", kind=self.kind)
        return known if self.is_named else known.model_copy(update={"login": ""})

    async def writing(self, repo: RepoRef, *, user_id: str) -> Credential:
        raise AssertionError(f"looking never writes: {repo} {user_id}")

    async def publish(self, solve_id: SolveId = SOLVE, **changes: Any) -> PullRequest:
        origin = changes.pop("origin", None)
        await Ring(self.context).solve(
            passed(), id=solve_id, repo_url=self.repo.url, repo="ada/calc", origin=origin
        )
        run = run_id(0, solve_id)
        ref = await self.context.artifacts.put(ArtifactKind.PATCH, PATCH.encode())
        branch = f"{BRANCH}-{solve_id[-4:]}"
        head = self.forge.push(self.repo, branch, "Fix it")
        new = NewPull(title=TITLE, body="", head=f"ada:{branch}", base="main")
        pull = self.forge.add_pull(self.repo, new, by="wim")
        columns: dict[str, Any] = {
            "run_id": run,
            "actor": LOCAL_USER,
            "repo_url": self.repo.url,
            "branch": branch,
            "base_branch": "main",
            "base_commit": self.base_commit,
            "state": PublicationState.DONE,
            "commit": head,
            "patch_id": "p" * 40,
            "inverse_patch_id": "q" * 40,
            "pull_number": pull.number,
            "pull_url": pull.url,
            "pull_title": pull.title,
            "pull_state": PullState.OPEN,
            "created_at": self.clock.now(),
            "updated_at": self.clock.now(),
        }
        async with self.store.change() as db:
            await artifacts.add(db, solve_id, run, ref, at=0.0)
            row = PublicationRow(solve_id=solve_id, **(columns | changes))
            await publications.add(db, row, data={})
        return pull

    async def look(self, *, after: float = 0.0) -> int:
        self.clock.at += after
        return await self.settler.check_due()

    async def merged(self, solve_id: SolveId = SOLVE) -> PullRequest:
        """Published, merged and seen."""
        pull = await self.publish(solve_id)
        self.clock.at += 10
        merged = self.forge.merge(self.repo, pull.number, by="ada")
        assert await self.look(after=10) == 1
        return merged

    async def solve(self, solve_id: SolveId = SOLVE) -> SolveRow:
        async with self.store.read() as db:
            return await solves.get(db, solve_id)

    async def row(self, solve_id: SolveId = SOLVE) -> PublicationRow:
        async with self.store.read() as db:
            return await publications.get(db, solve_id)

    async def kept(self, solve_id: SolveId = SOLVE) -> list[OutcomeRow]:
        async with self.store.read() as db:
            return await outcomes.of_solve(db, solve_id)

    async def kinds(self, solve_id: SolveId = SOLVE) -> list[OutcomeKind]:
        return [row.kind for row in await self.kept(solve_id)]

    async def told(self, solve_id: SolveId = SOLVE) -> list[EventRow]:
        async with self.store.read() as db:
            rows = await events.after(db, solve_id)
        return [row for row in rows if not row.kind.startswith("publication.")]


@pytest.fixture
async def world(database_url: str, tmp_path: Path) -> AsyncGenerator[SettleWorld]:
    async with await Store.open(database_url) as store:
        yield SettleWorld(store, tmp_path / "home")


async def test_a_merge_completes_the_solve(world: SettleWorld) -> None:
    merged = await world.merged()
    solve, row = await world.solve(), await world.row()
    assert solve.state is SolveState.COMPLETED
    assert (row.pull_state, row.merge_commit) == (PullState.MERGED, merged.merge_commit)
    assert (row.merged_at, row.looked_at) == (merged.merged_at, world.clock.now())
    [outcome] = await world.kept()
    assert (outcome.kind, outcome.by, outcome.at) == (OutcomeKind.MERGED, "ada", merged.merged_at)
    assert outcome.evidence["self_merge"] is False
    assert outcome.evidence["as_published"] is True
    told = await world.told()
    assert [event.kind for event in told] == ["outcome.merged", "solve.settled"]
    assert told[0].data["outcome"] == outcome.id
    # That is no answer which somebody took into a folder.
    assert decisions_of(solve, told).applied is None
    assert world.asked_for == [LOCAL_USER]


async def test_a_close_completes_it_too_and_nothing_is_credited(world: SettleWorld) -> None:
    pull = await world.publish()
    world.forge.close_pull(world.repo, pull.number)
    await world.look()
    assert (await world.solve()).state is SolveState.COMPLETED
    assert (await world.row()).pull_state is PullState.CLOSED
    assert await world.kinds() == [OutcomeKind.CLOSED]


async def test_an_open_one_is_asked_for_at_most_every_ten_minutes(world: SettleWorld) -> None:
    await world.publish()
    assert await world.look() == 1
    assert await world.look(after=599) == 0
    assert await world.look(after=1) == 1
    assert world.forge.calls.count("pull") == 2
    assert await world.told() == []
    assert (await world.solve()).state is SolveState.AWAITING_REVIEW


async def test_history_is_read_every_hour_for_thirty_days(world: SettleWorld) -> None:
    await world.merged()
    calls = len(world.forge.calls)
    assert await world.look(after=HOUR - 1) == 0
    assert await world.look(after=1) == 1
    # Nothing came after it: git is not asked for what it changes.
    assert world.forge.calls[calls:] == ["commits", "merged_since"]
    assert world.mirrors.fetched == 0
    assert await world.look(after=30 * DAY) == 0


async def test_two_who_look_at_once_look_once(world: SettleWorld) -> None:
    await world.publish()
    async with world.store.read() as db:
        seen = await publications.get(db, SOLVE)
    assert await world.look() == 1
    assert not await world.settler._take(seen)


async def test_draft_and_ready_are_noted(world: SettleWorld) -> None:
    pull = await world.publish()
    world.forge.change_pull(world.repo, pull.number, is_draft=False, title="Better words")
    await world.look()
    row = await world.row()
    assert (row.is_draft, row.pull_title) == (False, "Better words")
    world.forge.change_pull(world.repo, pull.number, is_draft=True)
    await world.look(after=HOUR)
    await world.look(after=HOUR)
    assert [event.kind for event in await world.told()] == ["pull.ready", "pull.drafted"]


async def test_a_reopened_one_is_open_and_its_merge_is_an_outcome_still(world: SettleWorld) -> None:
    pull = await world.publish()
    world.forge.close_pull(world.repo, pull.number)
    await world.look()
    back = {"state": PullState.OPEN, "closed_at": None, "is_draft": True}
    world.forge.change_pull(world.repo, pull.number, **back)
    await world.look(after=HOUR)
    assert (await world.row()).pull_state is PullState.OPEN
    assert (await world.solve()).state is SolveState.COMPLETED
    world.forge.merge(world.repo, pull.number)
    await world.look(after=HOUR)
    assert await world.kinds() == [OutcomeKind.CLOSED, OutcomeKind.MERGED]
    kinds = [event.kind for event in await world.told()]
    assert kinds == ["outcome.closed", "solve.settled", "pull.reopened", "outcome.merged"]


async def test_each_closing_is_an_outcome_of_its_own(world: SettleWorld) -> None:
    pull = await world.publish()
    for _ in range(2):
        world.forge.close_pull(world.repo, pull.number)
        await world.look(after=HOUR)
        await world.look(after=HOUR)
        world.forge.change_pull(world.repo, pull.number, state=PullState.OPEN, closed_at=None)
        await world.look(after=HOUR)
    assert await world.kinds() == [OutcomeKind.CLOSED, OutcomeKind.CLOSED]


async def test_what_is_gone_is_closed_with_that_reason(world: SettleWorld) -> None:
    pull = await world.publish()
    del world.forge.held(world.repo).pulls[pull.number]
    await world.look()
    [outcome] = await world.kept()
    assert outcome.kind is OutcomeKind.CLOSED
    assert "gone" in str(outcome.evidence["reason"])
    assert (await world.row()).pull_state is PullState.CLOSED
    assert (await world.solve()).state is SolveState.COMPLETED
    await world.look(after=HOUR)
    assert len(await world.kept()) == 1


@pytest.mark.parametrize("how", ["hidden", "forbidden", "anonymous"])
async def test_what_is_out_of_sight_is_no_outcome(world: SettleWorld, how: str) -> None:
    pull = await world.publish()
    held = world.forge.held(world.repo)
    if how == "hidden":
        held.is_private = True
        held.roles.clear()
    elif how == "forbidden":
        del held.pulls[pull.number]
        world.forge.faults.before("repository", error=ForbiddenError("the App is suspended"))
    else:
        world.kind = CredentialKind.ANONYMOUS
        del held.pulls[pull.number]
    assert await world.look() == 0
    row = await world.row()
    assert (row.pull_state, row.looked_at) == (PullState.OPEN, world.clock.now())
    assert row.error.startswith(f"cannot look at pull request #{pull.number}: ")
    assert await world.kept() == []
    assert (await world.solve()).state is SolveState.AWAITING_REVIEW


async def test_what_was_out_of_sight_is_settled_when_it_is_seen(world: SettleWorld) -> None:
    pull = await world.publish()
    world.forge.held(world.repo).is_private = True
    world.forge.held(world.repo).roles.clear()
    assert await world.look() == 0
    assert await world.settler.check_pull(world.repo, pull.number) == 0
    assert await world.look(after=599) == 0
    world.forge.give(world.repo, "wim", Role.WRITE)
    world.forge.merge(world.repo, pull.number)
    assert await world.look(after=1) == 1
    assert (await world.row()).error == ""
    assert await world.kinds() == [OutcomeKind.MERGED]


async def test_what_the_publisher_said_is_not_written_over(world: SettleWorld) -> None:
    await world.publish(error="the comment could not be written")
    world.forge.held(world.repo).is_private = True
    world.forge.held(world.repo).roles.clear()
    assert await world.look() == 0
    assert (await world.row()).error == "the comment could not be written"


async def test_one_that_cannot_be_seen_does_not_hide_the_others_from_a_hint(
    world: SettleWorld,
) -> None:
    await world.publish()
    second = await world.publish(OTHER)
    world.forge.merge(world.repo, second.number)
    world.forge.faults.before("pull", error=ForbiddenError("the token is over"))
    assert await world.settler.check_pull(world.repo, None) == 1
    assert await world.kinds() == []
    assert "the token is over" in (await world.row()).error
    assert await world.kinds(OTHER) == [OutcomeKind.MERGED]


async def test_changes_from_one_commit_are_one_fetch(world: SettleWorld) -> None:
    pulls = [await world.publish(), await world.publish(OTHER)]
    world.clock.at += 10
    world.forge.push(world.repo, "main", "Something else")
    for pull in pulls:
        world.forge.close_pull(world.repo, pull.number)
    assert await world.settler.check_pull(world.repo, None) == 2
    assert world.mirrors.fetched == 1


@pytest.mark.parametrize(
    "message",
    [
        "Fix add\n\n(cherry picked from commit {head})",
        "Fix add (#{number})",
        "Fix add\n\nPR-URL: https://forge.test/ada/calc/pull/{number}",
        "same change",
    ],
)
async def test_one_that_was_brought_by_hand_has_landed(world: SettleWorld, message: str) -> None:
    pull = await world.publish()
    world.clock.at += 10
    text = message.format(head=(await world.row()).commit, number=pull.number)
    sha = world.forge.push(world.repo, "main", text)
    if message == "same change":
        world.mirrors.patch_ids[sha] = "p" * 40
    world.forge.close_pull(world.repo, pull.number)
    await world.look(after=10)
    kept = await world.kept()
    assert [row.kind for row in kept] == [OutcomeKind.CLOSED, OutcomeKind.LANDED]
    assert (kept[1].key, kept[1].evidence["commit"]) == (sha, sha)
    # From then on it is as if it had been merged.
    revert = world.forge.push(world.repo, "main", f"Undo\n\nThis reverts commit {sha}.")
    await world.look(after=HOUR)
    assert (await world.kinds())[2:] == [OutcomeKind.REVERTED]
    assert (await world.kept())[2].key == revert


async def test_another_change_is_no_landing(world: SettleWorld) -> None:
    pull = await world.publish()
    world.forge.push(world.repo, "main", f"Better than #{pull.number}")
    world.forge.close_pull(world.repo, pull.number)
    await world.look()
    await world.look(after=HOUR)
    assert await world.kinds() == [OutcomeKind.CLOSED]


async def test_a_revert_by_the_forges_button_is_seen_once(world: SettleWorld) -> None:
    merged = await world.merged()
    world.clock.at += 100
    revert = world.forge.revert(world.repo, merged.number, by="ada")
    await world.look(after=HOUR)
    await world.look(after=HOUR)
    kept = await world.kept()
    assert [row.kind for row in kept] == [OutcomeKind.MERGED, OutcomeKind.REVERTED]
    assert (kept[1].key, kept[1].by) == (revert.merge_commit, "ada")
    assert kept[1].evidence["by_pull"] == revert.number
    assert (await world.told())[-1].kind == "outcome.reverted"
    assert (await world.solve()).state is SolveState.COMPLETED


async def test_a_revert_of_the_revert_restores(world: SettleWorld) -> None:
    merged = await world.merged()
    world.clock.at += 100
    revert = world.forge.revert(world.repo, merged.number)
    await world.look(after=HOUR)
    again = world.forge.revert(world.repo, revert.number)
    await world.look(after=HOUR)
    world.forge.revert(world.repo, again.number)
    await world.look(after=HOUR)
    assert (await world.kinds())[1:] == [
        OutcomeKind.REVERTED,
        OutcomeKind.REAPPLIED,
        OutcomeKind.REVERTED,
    ]


async def test_all_that_happened_while_no_one_looked_is_seen_in_one_look(
    world: SettleWorld,
) -> None:
    pull = await world.publish()
    world.clock.at += 10
    world.forge.merge(world.repo, pull.number)
    revert = world.forge.revert(world.repo, pull.number)
    world.forge.revert(world.repo, revert.number)
    await world.look(after=DAY)
    assert await world.kinds() == [
        OutcomeKind.MERGED,
        OutcomeKind.REVERTED,
        OutcomeKind.REAPPLIED,
    ]


async def test_what_is_not_merged_or_goes_elsewhere_reverts_nothing(world: SettleWorld) -> None:
    merged = await world.merged()
    world.clock.at += 100
    world.forge.revert(world.repo, merged.number, merged=False)
    text = f"Undo\n\nThis reverts commit {merged.merge_commit}."
    world.forge.push(world.repo, "release", text)
    new = NewPull(title="Undo", body=f"Reverts #{merged.number}", head="ada:x", base="release")
    other = world.forge.add_pull(world.repo, new, by="eve")
    world.forge.merge(world.repo, other.number)
    await world.look(after=HOUR)
    assert await world.kinds() == [OutcomeKind.MERGED]


async def test_a_commit_with_a_wrong_clock_counts_by_its_place(world: SettleWorld) -> None:
    merged = await world.merged()
    now, world.clock.at = world.clock.at, 1_000_000_000.0
    text = f"Undo\n\nThis reverts commit {merged.merge_commit}."
    world.forge.push(world.repo, "main", text)
    world.clock.at = now
    world.forge.push(world.repo, "main", "something later")
    await world.look(after=HOUR)
    assert (await world.kinds())[1:] == [OutcomeKind.REVERTED]


async def test_a_silent_undoing_waits_for_a_person(world: SettleWorld) -> None:
    await world.merged()
    sha = world.forge.push(world.repo, "main", "Tidy up")
    world.mirrors.patch_ids[sha] = "q" * 40
    await world.look(after=HOUR)
    await world.look(after=HOUR)
    kept = await world.kept()
    assert [row.kind for row in kept][1:] == [OutcomeKind.SUSPECTED_REVERT]
    assert kept[1].confirmed is None
    await world.confirmer.confirm(kept[1].id, is_revert=True, user_id="ada")
    await world.confirmer.confirm(kept[1].id, is_revert=True, user_id="ada")
    kept = await world.kept()
    assert [row.kind for row in kept][1:] == [OutcomeKind.SUSPECTED_REVERT, OutcomeKind.REVERTED]
    assert (kept[1].confirmed, kept[1].confirmed_by, kept[2].key) == (True, "ada", sha)
    with pytest.raises(ConflictError, match="already has another answer"):
        await world.confirmer.confirm(kept[1].id, is_revert=False, user_id="ada")
    # It is a revert like any other: what takes it back restores.
    world.forge.push(world.repo, "main", f"Oh\n\nThis reverts commit {sha}.")
    await world.look(after=HOUR)
    assert (await world.kinds())[-1] is OutcomeKind.REAPPLIED


async def test_a_denied_suspicion_has_no_consequence_and_is_not_raised_again(
    world: SettleWorld,
) -> None:
    await world.merged()
    world.forge.push(world.repo, "main", "Move everything")
    world.mirrors.left = 0.1
    await world.look(after=HOUR)
    suspicion = (await world.kept())[1]
    assert (suspicion.kind, suspicion.key) == (OutcomeKind.SUSPECTED_REVERT, "lines-0")
    assert world.mirrors.asked == [{"app.py": ("total = 1", "total += 1", "print(total)")}]
    await world.confirmer.confirm(suspicion.id, is_revert=False, user_id="ada")
    await world.look(after=HOUR)
    assert await world.kinds() == [OutcomeKind.MERGED, OutcomeKind.SUSPECTED_REVERT]
    assert (await world.told())[-1].data["is_revert"] is False


async def test_a_base_that_was_rewritten_without_our_change_is_suspected(
    world: SettleWorld,
) -> None:
    await world.merged()
    world.forge.held(world.repo).branches["main"].pop()
    world.mirrors.left = 0.0
    await world.look(after=HOUR)
    assert (await world.kinds())[1:] == [OutcomeKind.SUSPECTED_REVERT]


async def test_lines_are_not_missed_where_a_person_changed_them_before_the_merge(
    world: SettleWorld,
) -> None:
    pull = await world.publish()
    world.forge.change_pull(world.repo, pull.number, head_commit="f" * 40)
    world.clock.at += 10
    world.forge.merge(world.repo, pull.number)
    world.forge.push(world.repo, "main", "later")
    world.mirrors.left = 0.0
    await world.look(after=HOUR)
    assert await world.kinds() == [OutcomeKind.MERGED]


async def test_most_lines_still_there_is_nothing(world: SettleWorld) -> None:
    await world.merged()
    world.forge.push(world.repo, "main", "Polish it")
    world.mirrors.left = 0.5
    await world.look(after=HOUR)
    assert await world.kinds() == [OutcomeKind.MERGED]


async def test_only_a_suspicion_can_be_answered(world: SettleWorld) -> None:
    await world.merged()
    [merged] = await world.kept()
    with pytest.raises(RefusedError, match="not a suspected revert"):
        await world.confirmer.confirm(merged.id, is_revert=True, user_id="ada")
    with pytest.raises(NotFoundError):
        await world.confirmer.confirm(10**30, is_revert=True, user_id="ada")


async def test_a_suspicion_confirmed_after_a_said_revert_adds_no_second_one(
    world: SettleWorld,
) -> None:
    merged = await world.merged()
    sha = world.forge.push(world.repo, "main", "Tidy up")
    world.mirrors.patch_ids[sha] = "q" * 40
    await world.look(after=HOUR)
    text = f"Yes\n\nThis reverts commit {merged.merge_commit}."
    world.forge.push(world.repo, "main", text)
    await world.look(after=HOUR)
    suspicion = (await world.kept())[1]
    await world.confirmer.confirm(suspicion.id, is_revert=True, user_id="ada")
    assert (await world.kinds())[1:] == [OutcomeKind.SUSPECTED_REVERT, OutcomeKind.REVERTED]


async def test_a_hint_asks_now(world: SettleWorld) -> None:
    pull = await world.publish()
    await world.look()
    world.forge.merge(world.repo, pull.number)
    assert await world.look() == 0
    assert await world.settler.check_pull(world.repo, pull.number) == 1
    assert (await world.row()).pull_state is PullState.MERGED
    # Of another's pull request, of a push, and of a repository that is written otherwise.
    revert = world.forge.revert(world.repo, pull.number)
    assert await world.settler.check_pull(world.repo, revert.number) == 1
    assert (await world.kinds())[1:] == [OutcomeKind.REVERTED]
    loud = world.repo.model_copy(update={"owner": "Ada"})
    world.clock.at += 60 * DAY
    assert await world.settler.check_pull(loud, None) == 0
    assert await world.settler.check_pull(loud, pull.number) == 1


async def test_a_hint_that_no_one_could_follow_is_an_error(world: SettleWorld) -> None:
    pull = await world.publish()
    world.forge.faults.before("pull")
    with pytest.raises(ForgeError):
        await world.settler.check_pull(world.repo, pull.number)


async def test_a_forge_that_is_away_is_asked_again_soon(world: SettleWorld) -> None:
    pull = await world.publish()
    world.forge.merge(world.repo, pull.number)
    world.forge.faults.before("pull")
    assert await world.look() == 0
    assert await world.look(after=59) == 0
    assert await world.look(after=1) == 1
    assert await world.kinds() == [OutcomeKind.MERGED]


async def test_what_was_merged_is_kept_when_its_history_cannot_be_read(world: SettleWorld) -> None:
    pull = await world.publish()
    world.forge.merge(world.repo, pull.number)
    world.forge.revert(world.repo, pull.number)
    world.forge.faults.before("merged_since")
    assert await world.look() == 0
    assert await world.kinds() == [OutcomeKind.MERGED]
    await world.look(after=HOUR)
    assert (await world.kinds())[1:] == [OutcomeKind.REVERTED]


async def test_a_forge_that_wants_to_be_left_alone_is(world: SettleWorld) -> None:
    await world.publish()
    await world.publish(OTHER)
    world.forge.faults.before("pull", error=ForgeError("slower", retry_after_s=300))
    assert await world.look() == 0
    assert world.forge.calls.count("pull") == 1
    assert await world.look(after=299) == 1
    assert await world.look(after=1) == 1


async def test_a_branch_is_asked_for_once_for_all_its_changes(world: SettleWorld) -> None:
    first = await world.merged()
    second = await world.merged(OTHER)
    world.clock.at += 100
    world.forge.revert(world.repo, second.number)
    calls = len(world.forge.calls)
    assert await world.look(after=HOUR) == 2
    assert world.forge.calls[calls:].count("commits") == 1
    assert await world.kinds() == [OutcomeKind.MERGED]
    assert await world.kinds(OTHER) == [OutcomeKind.MERGED, OutcomeKind.REVERTED]
    assert first.title == second.title


async def test_of_another_forge_nothing_is_asked(world: SettleWorld) -> None:
    await world.publish(repo_url="https://elsewhere.test/ada/calc")
    assert await world.look() == 0
    assert world.forge.calls == []


@pytest.mark.parametrize("how", ["origin", "user", "token", "nameless", "stranger"])
async def test_who_merges_what_they_asked_for_is_noted(world: SettleWorld, how: str) -> None:
    origin = Origin(kind=OriginKind.LABEL, login="Wim") if how == "origin" else None
    user = "0190a000-0000-7000-8000-0000000000ff"
    if how == "user":
        async with world.store.change() as db:
            db.add(
                UserRow(id=user, forge="f", forge_id=1, login="wim", created_at=0.0, seen_at=0.0)
            )
    world.kind = CredentialKind.SERVER
    world.is_named = how != "nameless"
    actor = {"user": user, "token": LOCAL_USER, "nameless": LOCAL_USER}.get(how, "")
    pull = await world.publish(origin=origin, actor=actor)
    world.forge.merge(world.repo, pull.number, by="wim")
    await world.look()
    outcome = (await world.kept())[0]
    assert outcome.evidence["self_merge"] is (how != "stranger")
