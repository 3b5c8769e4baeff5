"""What is published, in whose name, and what is not."""

import asyncio
import threading
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

from tests.support.forge.forge_in_memory import BOT
from tests.support.forge.mirrors_in_memory import LOCKED, WORKFLOW, Press, server_credential
from tests.support.solve_rows import failed, passed, run_id
from yudai.artifacts import queries as artifacts
from yudai.forge.domain.repository import NewPull, PullRequest, PullState, Role
from yudai.forge.ports.remote import BaseMove
from yudai.kit.errors import ConflictError, ForbiddenError, NotFoundError, RefusedError
from yudai.kit.ids import LOCAL_USER, RunId, SolveId
from yudai.operations.sweep import rounds
from yudai.publishing import context
from yudai.publishing import publisher as publishing
from yudai.publishing.branch import BOT_EMAIL
from yudai.publishing.context import page_of
from yudai.publishing.domain.publication import PublicationState
from yudai.publishing.domain.pull_request import marker
from yudai.publishing.requests import Publications
from yudai.solves import queries as solves
from yudai.solves import timeline as events
from yudai.solves.domain.origin import Origin, OriginKind, PublishMode
from yudai.solves.domain.states import SolveState
from yudai.store.store import Store
from yudai.verification.domain.verdict import Evidence, Verdict, VerdictStatus

# Its queries meet both databases in test_queries.py, and in other tests of this package.
pytestmark = pytest.mark.real_on("postgresql")

UNPROVED = Verdict(
    status=VerdictStatus.UNPROVED, evidence=Evidence(executed=2), summary="nothing was red"
)
UNVERIFIED = Verdict(status=VerdictStatus.UNVERIFIED, summary="there are no tests")
START = 1_700_000_000
LABELLED = Origin(kind=OriginKind.LABEL, login="ada")


@pytest.fixture
async def press(database_url: str, tmp_path: Path) -> AsyncGenerator[Press]:
    async with await Store.open(database_url) as store:
        yield Press(store, tmp_path / "artifacts")


async def _request(press: Press, actor: str = "") -> None:
    publisher = press.publisher()
    await press.publications.request(press.solve_id, actor=actor)
    await publisher.resume(press.solve_id)


async def _abstain(press: Press) -> None:
    async with press.store.change() as db:
        await events.append(db, press.solve_id, kind="solve.abstained", at=1.0)


# What a pull request is.


async def test_it_is_a_draft_by_the_app_with_everything_in_it(press: Press):
    await press.solve(passed(), failed())
    await press.publisher(page="https://yudai.example").auto(press.solve_id)
    [pull] = press.pulls
    assert pull.title == "[AI] Fix: #1 x is wrong"
    assert pull.body.startswith("### Yudai Auto-Fix\n")
    assert "\nFixes #1\n" in pull.body
    assert pull.body.endswith(f"{marker(press.solve_id)}\n")
    assert f"https://yudai.example/solves/{press.solve_id}" in pull.body
    assert (pull.author.login, pull.base_branch, pull.is_draft) == (BOT, "main", True)
    row = await press.row()
    assert row.branch == f"yudai/issue-1-{press.solve_id[-8:]}"
    [text] = press.mirrors.built.values()
    assert text.author == BOT
    assert text.email.endswith("@users.noreply.forge.test")
    assert text.at == START
    [comment] = press.comments
    assert "app" in comment.body
    assert marker(press.solve_id) in comment.body


async def test_without_an_app_the_author_is_our_bot(press: Press):
    press.forge.uninstall(press.repo)
    press.forge.give(press.repo, "robot", Role.WRITE)
    press.credentials.server = server_credential(press.forge, "robot")
    await press.solve(passed())
    await press.publisher().auto(press.solve_id)
    [text] = press.mirrors.built.values()
    assert (text.author, text.email) == ("yudai-bot", BOT_EMAIL)
    assert (await press.row()).head_repo == "acme/demo"


async def test_the_default_branch_is_the_base_where_none_was_named(press: Press):
    held = press.forge.held(press.repo)
    held.default_branch = "trunk"
    held.branches["trunk"] = held.branches.pop("main")
    await press.solve(passed(), base_branch="")
    await press.publisher().auto(press.solve_id)
    assert press.pulls[0].base_branch == "trunk"


async def test_flags_are_reported_in_the_pull_request(press: Press):
    await press.solve(passed())
    await press.keep_patch(run_id(0), LOCKED)
    await press.publisher().auto(press.solve_id)
    assert "#### Look at this first" in press.pulls[0].body
    assert "pins what is installed" in press.pulls[0].body


async def test_an_unproved_champion_is_published_on_a_persons_word_and_closes_nothing(
    press: Press,
):
    await press.solve(UNPROVED, require_proof=False, publish=PublishMode.ASK)
    await _request(press)
    [pull] = press.pulls
    assert "\nRefs #1\n" in pull.body
    assert "Fixes" not in pull.body
    assert "**Unproved**" in pull.body
    [text] = press.mirrors.built.values()
    assert "Refs #1" in text.message


# By itself, and when not.


@pytest.mark.parametrize(
    ("verdict", "changes", "pulls", "comments"),
    [
        (passed(), {}, 1, 1),
        (passed(), {"publish": PublishMode.ASK}, 0, 0),
        (passed(), {"publish": PublishMode.NEVER}, 0, 0),
        (passed(), {"publish": None}, 0, 0),
        (passed(), {"publish": PublishMode.ASK, "origin": LABELLED}, 0, 1),
        (passed(), {"publish": PublishMode.NEVER, "origin": LABELLED}, 0, 0),
        (UNPROVED, {"require_proof": False}, 0, 1),
        (UNVERIFIED, {}, 0, 1),
        (failed(), {"state": SolveState.COMPLETED, "reason": "no champion: all failed"}, 0, 1),
        (failed(), {"state": SolveState.CANCELLED}, 0, 0),
        (failed(), {"state": SolveState.RUNNING}, 0, 0),
        (failed(), {"state": SolveState.FAILED, "error": "/home/us broke"}, 0, 1),
        (passed(), {"issue_number": None}, 1, 0),
    ],
)
async def test_what_happens_by_itself(
    press: Press, verdict: Verdict, changes: dict[str, Any], pulls: int, comments: int
):
    await press.solve(verdict, **changes)
    await press.publisher().auto(press.solve_id)
    assert (len(press.pulls), len(press.comments)) == (pulls, comments)
    assert all("/home/us" not in comment.body for comment in press.comments)
    # Once more changes nothing.
    await press.publisher().auto(press.solve_id)
    assert (len(press.pulls), len(press.comments)) == (pulls, comments)


async def test_no_champion_is_reported_with_its_reason(press: Press):
    await press.solve(failed(), state=SolveState.COMPLETED, reason="no champion: all failed")
    await press.publisher().auto(press.solve_id)
    [comment] = press.comments
    assert "There is no champion." in comment.body
    assert "all failed" in comment.body
    row = await press.row()
    assert (row.state, row.run_id, row.branch) == (PublicationState.DONE, None, None)
    assert await press.timeline() == ["publication.requested", "publication.commented"]


async def test_comments_can_be_switched_off(press: Press):
    await press.solve(passed())
    await press.publisher(comments=False).auto(press.solve_id)
    assert len(press.pulls) == 1
    assert press.comments == []
    assert (await press.row()).state is PublicationState.DONE
    assert (await press.timeline())[-1] == "publication.done"


async def test_what_a_dead_flow_left_untold_is_remembered(press: Press):
    await press.solve(passed())
    publisher = press.publisher()
    assert await publisher.remember() == 0
    press.clock.time += 60
    assert await publisher.remember() == 1
    assert len(press.pulls) == 1
    assert await publisher.remember() == 0
    press.clock.time += 7 * 24 * 3600
    assert await publisher.remember() == 0


# When a person asks.


@pytest.mark.parametrize(
    ("verdict", "changes", "words"),
    [
        (failed(), {"state": SolveState.COMPLETED}, "no champion"),
        (UNVERIFIED, {}, "only what was verified"),
        (failed(), {}, "only what was verified"),
        (passed(), {"publish": PublishMode.NEVER}, "publish: never"),
        (passed(), {"publish": None}, "not at a forge"),
        (passed(), {"repo_url": ""}, "not at a forge"),
        (
            passed(),
            {"state": SolveState.COMPLETED, "champion_run_id": run_id(0)},
            "only what is awaiting review",
        ),
    ],
)
async def test_what_no_one_can_ask_for(
    press: Press, verdict: Verdict, changes: dict[str, Any], words: str
):
    await press.solve(verdict, **changes)
    with pytest.raises(ConflictError, match=words):
        await press.publications.request(press.solve_id, actor="")


async def test_of_another_forge_nothing_is_published(press: Press):
    await press.solve(passed(), repo_url="https://elsewhere.test/acme/demo")
    with pytest.raises(RefusedError, match="not this one"):
        await press.publications.request(press.solve_id, actor="")


async def test_of_another_forge_nothing_happens_by_itself(press: Press):
    await press.solve(passed(), repo_url="https://elsewhere.test/acme/demo")
    await press.publisher().auto(press.solve_id)
    press.clock.time += 60
    assert await press.publisher().remember() == 0
    assert (press.pulls, press.comments, await press.timeline()) == ([], [], [])


async def test_a_publication_of_another_forge_is_left_alone(press: Press):
    """The forge was changed since, and has a repository of the same name."""
    await press.solve(passed(), publish=PublishMode.ASK)
    publisher = press.publisher()
    await press.publications.request(press.solve_id, actor="")
    async with press.store.change() as db:
        row = await db.merge(await press.row())
        row.repo_url = "https://forge.test.elsewhere.test/acme/demo"
    assert await publisher.sweep() == 0
    await publisher.resume(press.solve_id)
    assert (press.pulls, press.comments, press.branches) == ([], [], [])
    row = await press.row()
    assert (row.state, row.tries, row.holder) == (PublicationState.REQUESTED, 0, "")
    with pytest.raises(RefusedError, match="not this one"):
        await publisher.publishing.work(row)


async def test_one_that_cannot_be_remembered_holds_up_no_other(
    press: Press, monkeypatch: pytest.MonkeyPatch
):
    second = SolveId("0190a000-0000-7000-8000-00000000bbbb")
    await press.solve(passed(), finished_at=START - 5.0)
    await press.solve(passed(), id=second, finished_at=START - 1.0)
    ask = publishing.request_automatically

    async def broken(db: Any, solve_id: SolveId, **how: Any) -> Any:
        if solve_id == second:
            raise ValueError("broken")
        return await ask(db, solve_id, **how)

    monkeypatch.setattr(publishing, "request_automatically", broken)
    press.clock.time += 60
    assert await press.publisher().remember() == 2
    assert len(press.pulls) == 1


async def test_two_solves_of_an_issue_have_one_comment(press: Press):
    await press.solve(failed(), state=SolveState.COMPLETED, reason="no champion")
    await press.publisher().auto(press.solve_id)
    [first] = press.comments
    answer = press.forge.say(press.repo, press.number, "<!-- yudai:trigger=1 -->\nok", by=BOT)
    second = SolveId("0190a000-0000-7000-8000-00000000bbbb")
    await press.solve(passed(), id=second)
    await press.publisher().auto(second)
    assert [one.id for one in press.comments] == [first.id, answer.id]
    assert marker(second) in press.comments[0].body
    assert f"#{press.pulls[0].number}" in press.comments[0].body
    assert press.comments[1].body == answer.body
    assert (await press.row()).comment_id == first.id


async def test_a_comment_of_ours_that_no_row_knows_is_edited(press: Press):
    other = SolveId("0190a000-0000-7000-8000-0000000000ff")
    ours = press.forge.say(press.repo, press.number, f"x\n{marker(other)}", by=BOT)
    await press.solve(passed())
    await press.publisher().auto(press.solve_id)
    [comment] = press.comments
    assert (comment.id, marker(press.solve_id) in comment.body) == (ours.id, True)


async def test_a_big_patch_is_read_beside_the_event_loop(
    press: Press, monkeypatch: pytest.MonkeyPatch
):
    threads: list[str] = []
    inspect = context.inspect

    def watched(*args: Any, **how: Any) -> Any:
        threads.append(threading.current_thread().name)
        return inspect(*args, **how)

    monkeypatch.setattr(context, "inspect", watched)
    await press.solve(passed())
    await press.publisher().auto(press.solve_id)
    # Once for each of: commit, push, pull request, comment.
    assert len(threads) == 4
    assert threading.main_thread().name not in threads


async def test_it_is_asked_for_once(press: Press):
    await press.solve(passed(), publish=PublishMode.ASK)
    publications = Publications(press.store, press.clock, press.forge.url)
    with pytest.raises(NotFoundError):
        await publications.view(press.solve_id)
    asked = await publications.request(press.solve_id, actor="")
    assert (asked.state, asked.pull_number) == (PublicationState.REQUESTED, None)
    with pytest.raises(ConflictError, match="already: watch it"):
        await publications.request(press.solve_id, actor="")
    await press.publisher().sweep()
    shown = await publications.view(press.solve_id)
    assert (shown.state, shown.pull_url) == (PublicationState.DONE, press.pulls[0].url)
    with pytest.raises(ConflictError, match=press.pulls[0].url):
        await publications.request(press.solve_id, actor="")


async def test_a_champion_that_was_chosen_after_none_was_found(press: Press):
    """The comment that said so is the one that says otherwise."""
    await press.solve(UNPROVED, state=SolveState.COMPLETED, reason="no champion")
    await press.publisher().auto(press.solve_id)
    [first] = press.comments
    await _abstain(press)
    async with press.store.change() as db:
        await solves.change(db, press.solve_id, champion_run_id=run_id(0), reason="chosen")
    await _request(press)
    [pull] = press.pulls
    [second] = press.comments
    assert second.id == first.id
    assert f"#{pull.number}" in second.body


async def test_refused_by_policy_told_why_and_asked_again(press: Press):
    await press.solve(passed(), failed())
    await press.keep_patch(run_id(0), WORKFLOW)
    await press.publisher().auto(press.solve_id)
    row = await press.row()
    assert row.state is PublicationState.REFUSED
    assert "workflows and actions" in row.reason
    assert press.branches == []
    [comment] = press.comments
    assert "no pull request was opened" in comment.body
    assert "workflows and actions" in comment.body
    assert "patch is kept" in comment.body
    assert row.due_at == 0.0
    assert row.comment_id == comment.id
    assert (await press.timeline())[1:] == ["publication.refused", "publication.commented"]
    await press.keep_patch(run_id(0), LOCKED)
    await _request(press)
    assert (await press.row()).state is PublicationState.DONE
    assert len(press.pulls) == 1
    [again] = press.comments
    assert again.id == comment.id
    assert "no pull request" not in again.body


async def test_refused_by_git_with_its_reason(press: Press):
    press.mirrors.refusal = RefusedError("not published: it inflates to 300 MB")
    await press.solve(passed())
    await press.publisher().auto(press.solve_id)
    row = await press.row()
    assert (row.state, row.reason) == (
        PublicationState.REFUSED,
        "not published: it inflates to 300 MB",
    )
    assert "300 MB" in press.comments[0].body


async def test_a_run_without_a_patch(press: Press):
    await press.solve(passed())
    async with press.store.change() as db:
        await artifacts.take_away(db, run_id(0))
    await press.publisher().auto(press.solve_id)
    row = await press.row()
    assert (row.state, "has no patch" in row.reason) == (PublicationState.REFUSED, True)
    assert "has no patch" in press.comments[0].body


@pytest.mark.parametrize(("patch", "words"), [("x" * (6 << 20), "6.0 MB"), ("no diff\n", "")])
async def test_a_patch_that_no_one_can_read(press: Press, patch: str, words: str):
    await press.solve(passed())
    await press.keep_patch(run_id(0), patch)
    await press.publisher().auto(press.solve_id)
    row = await press.row()
    assert row.state is PublicationState.REFUSED
    assert row.reason
    assert words in row.reason
    assert "no pull request was opened" in press.comments[0].body


async def test_protected_paths_of_the_repository_itself(press: Press):
    await press.solve(passed())
    async with press.store.change() as db:
        solve = await solves.get(db, press.solve_id)
        await solves.change(
            db,
            press.solve_id,
            project=solve.project.model_copy(update={"protected": ("app.py",)}),
        )
    await press.publisher().auto(press.solve_id)
    assert (await press.row()).state is PublicationState.REFUSED


# In whose name.


async def test_anyone_who_lost_the_right_to_push_publishes_nothing_there(press: Press):
    """Nor with the App's right, which is not theirs; a fork in their own name is."""
    press.credentials.people["ada-id"] = press.forge.credential("ada")
    await press.solve(passed(), publish=PublishMode.ASK, user_id="ada-id")
    publisher = press.publisher()
    await press.publications.request(press.solve_id, actor="ada-id")
    press.forge.give(press.repo, "ada", Role.READ)
    await publisher.resume(press.solve_id)
    row = await press.row()
    assert (row.actor, row.head_repo) == ("ada-id", "ada/demo")
    assert press.pulls[0].author.login == "ada"


async def test_anyone_who_is_signed_out_publishes_nothing(press: Press):
    press.credentials.server = server_credential(press.forge, "robot")
    await press.solve(passed(), publish=PublishMode.ASK)
    await _request(press, actor="somebody")
    row = await press.row()
    assert row.state is PublicationState.REFUSED
    assert "log in again" in row.reason
    assert (press.pulls, press.comments, press.branches) == ([], [], [])
    assert row.due_at == 0.0


async def test_the_local_person_uses_the_servers_token_from_a_fork(press: Press):
    press.forge.uninstall(press.repo)
    press.credentials.server = server_credential(press.forge, "me")

    async def writing(*_args: Any, **_kwargs: Any) -> Any:
        raise ForbiddenError("may not push")

    press.credentials.writing = writing  # type: ignore[method-assign]
    await press.solve(passed(), publish=PublishMode.ASK)
    await _request(press, actor=LOCAL_USER)
    assert (await press.row()).head_repo == "me/demo"


async def test_the_forge_forbids_it_and_says_what_to_do(press: Press):
    await press.solve(passed())
    press.mirrors.faults.before("push", error=ForbiddenError("grant the App `contents: write`"))
    await press.publisher().auto(press.solve_id)
    row = await press.row()
    assert (row.state, row.reason) == (PublicationState.REFUSED, "grant the App `contents: write`")


async def test_an_issue_that_may_not_be_commented_on(press: Press):
    await press.solve(passed())
    press.forge.faults.before("add_comment", error=ForbiddenError("the issue is locked"))
    await press.publisher().auto(press.solve_id)
    row = await press.row()
    assert (row.state, row.error) == (PublicationState.DONE, "the issue is locked")
    assert len(press.pulls) == 1


async def test_secrets_are_taken_out_of_what_is_said(press: Press):
    await press.solve(passed(), issue_title="my-secret-value is wrong")
    publisher = press.publisher()
    publish_context = publisher.publishing
    object.__setattr__(
        publish_context, "redact", lambda text: text.replace("my-secret-value", "[redacted]")
    )
    await publisher.auto(press.solve_id)
    [text] = press.mirrors.built.values()
    said = (press.pulls[0].title, press.pulls[0].body, press.comments[0].body, text.message)
    assert all("my-secret-value" not in words for words in said)


# A base that has moved.


@pytest.mark.parametrize("move", [BaseMove.NONE, BaseMove.APART])
async def test_a_base_that_moved_elsewhere_does_not_matter(press: Press, move: BaseMove):
    press.mirrors.move = move
    await press.solve(passed())
    await press.publisher().auto(press.solve_id)
    assert len(press.pulls) == 1


@pytest.mark.parametrize("move", [BaseMove.NEAR, BaseMove.CONFLICT])
async def test_a_base_that_moved_there_makes_it_stale(press: Press, move: BaseMove):
    press.mirrors.move = move
    await press.solve(passed())
    await press.publisher().auto(press.solve_id)
    row = await press.row()
    assert row.state is PublicationState.STALE
    assert "solve the issue again" in row.reason
    assert (press.pulls, press.branches) == ([], [])
    assert "solve the issue again" in press.comments[0].body
    assert "publication.stale" in await press.timeline()


@pytest.mark.parametrize("passes", [True, False])
async def test_what_was_validated_again_is_published(press: Press, passes: bool):  # noqa: FBT001
    asked: list[tuple[SolveId, RunId, str]] = []

    async def revalidate(*facts: Any) -> bool:
        asked.append(facts)
        return passes

    press.mirrors.move = BaseMove.NEAR
    await press.solve(passed())
    await press.publisher(revalidate=revalidate).auto(press.solve_id)
    [(solve_id, run, commit)] = asked
    assert (solve_id, run, commit in press.mirrors.built) == (press.solve_id, run_id(0), True)
    assert len(press.pulls) == passes
    press.mirrors.move = BaseMove.CONFLICT
    await _again_if(press, asked=not passes)
    assert len(asked) == 1


async def _again_if(press: Press, *, asked: bool) -> None:
    if asked:
        await _request(press)
        assert (await press.row()).state is PublicationState.STALE


# What others do there.


async def test_a_branch_of_that_name_is_never_overwritten(press: Press):
    await press.solve(passed())
    branch = f"yudai/issue-1-{press.solve_id[-8:]}"
    theirs = press.forge.push(press.repo, branch, "a person's")
    await press.publisher().auto(press.solve_id)
    row = await press.row()
    assert row.state is PublicationState.REFUSED
    assert "never overwritten" in row.reason
    assert press.forge.held(press.repo).branches[branch][-1].sha == theirs


async def test_a_commit_upon_ours_before_the_pull_request_is_kept(press: Press):
    await press.solve(passed())
    press.mirrors.faults.after("push")
    await press.publisher().auto(press.solve_id)
    [branch] = press.forge.held(press.repo).branches.keys() - {"main"}
    theirs = press.forge.push(press.repo, branch, "a person's")
    await press.finish()
    assert (await press.row()).state is PublicationState.REFUSED
    assert press.forge.held(press.repo).branches[branch][-1].sha == theirs


async def test_the_app_was_installed_between_commit_and_push(press: Press):
    """Another author is another commit: nothing was pushed yet, so that is no harm."""
    press.forge.uninstall(press.repo)
    press.forge.give(press.repo, "robot", Role.WRITE)
    press.credentials.server = server_credential(press.forge, "robot")
    await press.solve(passed())
    press.mirrors.faults.before("branch_head")
    await press.publisher().auto(press.solve_id)
    before = (await press.row()).commit
    press.forge.install(press.repo)
    await press.finish()
    row = await press.row()
    assert row.state is PublicationState.DONE
    assert row.commit != before
    assert press.pulls[0].head_commit == row.commit


def _pull(press: Press, **changes: Any) -> PullRequest:
    branch = f"yudai/issue-1-{press.solve_id[-8:]}"
    new = NewPull(title="theirs", body=marker(press.solve_id), head=f"acme:{branch}", base="main")
    return press.forge.add_pull(press.repo, new.model_copy(update=changes), by="mallory")


async def _forget_pull(press: Press) -> None:
    """As if we had died between its opening and writing that down."""
    async with press.store.change() as db:
        row = await db.merge(await press.row())
        row.state, row.pull_number, row.pull_state = PublicationState.PUSHED, None, None


async def test_a_closed_pull_request_is_a_no(press: Press):
    await press.solve(passed())
    await press.publisher().auto(press.solve_id)
    [pull] = press.pulls
    press.forge.close_pull(press.repo, pull.number)
    await _forget_pull(press)
    await press.finish()
    row = await press.row()
    assert row.state is PublicationState.REFUSED
    assert "closed by a person" in row.reason
    # That it ended is for the lifecycle to see.
    assert (row.pull_number, row.pull_state) == (pull.number, None)
    await _request(press)
    assert (await press.row()).state is PublicationState.REFUSED
    assert [(one.number, one.state) for one in press.pulls] == [(pull.number, PullState.CLOSED)]


async def test_one_that_was_merged_meanwhile_is_found_and_reported(press: Press):
    await press.solve(passed())
    await press.publisher().auto(press.solve_id)
    [pull] = press.pulls
    press.forge.merge(press.repo, pull.number)
    await _forget_pull(press)
    await press.finish()
    row = await press.row()
    assert (row.state, row.pull_number) == (PublicationState.DONE, pull.number)
    assert len(press.pulls) == 1
    assert len(press.comments) == 1


async def test_another_repositorys_pull_request_with_our_mark_is_not_ours(press: Press):
    """A copy of it under the same owner, whose closing would be a no for ours."""
    await press.solve(passed())
    theirs = _pull(press)
    press.forge.change_pull(press.repo, theirs.number, head_repo="acme/copy")
    press.forge.close_pull(press.repo, theirs.number)
    await press.publisher().auto(press.solve_id)
    row = await press.row()
    assert row.state is PublicationState.DONE
    assert row.pull_number not in (None, theirs.number)


async def test_a_list_that_lags_behind_opens_no_second_one(press: Press):
    await press.solve(passed())
    await press.publisher().auto(press.solve_id)
    await _forget_pull(press)
    look = press.forge.pulls_of

    async def lagging(*_args: Any, **_kwargs: Any) -> tuple[PullRequest, ...]:
        press.forge.pulls_of = look  # type: ignore[method-assign]
        return ()

    press.forge.pulls_of = lagging  # type: ignore[method-assign]
    await press.finish()
    row = await press.row()
    assert (row.state, [pull.number for pull in press.pulls]) == (
        PublicationState.DONE,
        [row.pull_number],
    )


async def test_a_pull_request_from_our_branch_without_our_mark(press: Press):
    """The forge takes no second one, and somebody else's is not taken for ours."""
    await press.solve(passed())
    press.mirrors.faults.after("push")
    await press.publisher().auto(press.solve_id)
    theirs = _pull(press, body="mine")
    await press.finish()
    row = await press.row()
    assert row.state is PublicationState.REFUSED
    assert "already exists" in row.reason
    assert [pull.number for pull in press.pulls] == [theirs.number]


async def test_somebodys_comment_with_our_mark_is_not_edited(press: Press):
    await press.solve(passed())
    theirs = press.forge.say(press.repo, press.number, marker(press.solve_id), by="mallory")
    await press.publisher().auto(press.solve_id)
    bodies = {comment.id: comment.body for comment in press.comments}
    assert bodies.pop(theirs.id) == marker(press.solve_id)
    assert len(bodies) == 1


async def test_a_mark_within_hostile_words_is_not_taken_for_one(press: Press):
    """Our own comment for another solve quotes it, in code and in text."""
    other = f"x {marker(SolveId('0190a000-0000-7000-8000-0000000000ff'))}"
    await press.solve(passed(), issue_title=other, reason=other, test_command=other)
    await press.publisher().auto(press.solve_id)
    assert "<!-- yudai:solve=0190a000-0000-7000-8000-0000000000ff" not in press.comments[0].body
    assert "<!-- yudai:solve=0190a000-0000-7000-8000-0000000000ff" not in press.pulls[0].body


async def test_where_there_are_no_drafts_it_is_ready(press: Press):
    await press.solve(passed())
    refusal = RefusedError("Draft pull requests are not supported in this repository.")
    press.forge.faults.before("open_pull", error=refusal)
    await press.publisher().auto(press.solve_id)
    assert [pull.is_draft for pull in press.pulls] == [False]
    assert (await press.row()).is_draft is False


async def test_a_sweep_goes_on_with_all_of_them(press: Press):
    await press.solve(passed(), publish=PublishMode.ASK)
    first = press.solve_id
    second = SolveId("0190a000-0000-7000-8000-00000000bbbb")
    await press.solve(passed(), publish=PublishMode.ASK, id=second)
    publisher = press.publisher()
    for solve_id in (first, second):
        await press.publications.request(solve_id, actor="")
    assert await publisher.sweep() == 2
    assert len(press.pulls) == 2
    assert len(press.comments) == 1
    assert await publisher.sweep() == 0


async def test_sweeping_goes_on_after_a_failure(press: Press):
    await press.solve(passed(), publish=PublishMode.ASK)
    publisher = press.publisher()
    await press.publications.request(press.solve_id, actor="")
    async with rounds("publisher", publisher.remember, publisher.sweep, every_s=0.01):
        for _ in range(1000):
            if press.comments:
                break
            await asyncio.sleep(0.01)
    assert len(press.pulls) == 1


@pytest.mark.parametrize(
    ("frontend", "backend", "page"),
    [
        ("https://x.example/", "https://y.example/api", "https://x.example"),
        (None, "https://y.example/api", "https://y.example"),
        (None, None, ""),
    ],
)
def test_where_solves_are_shown(frontend: str | None, backend: str | None, page: str):
    assert page_of(frontend, backend) == page
