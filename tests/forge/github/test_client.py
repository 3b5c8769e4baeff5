"""How GitHub is asked: what is repeated, what is remembered, and what never leaves."""

import asyncio
import gzip
import logging
import subprocess
import sys
import traceback
from collections.abc import AsyncGenerator, Callable
from typing import Any

import pytest
import structlog
from pydantic import SecretStr

from tests.support.fakes import StillClock
from tests.support.forge.github_answers import AnswerServer, Asked, Reply, answering
from yudai.forge.adapters.github.configuration import BOUNDS, Bounds
from yudai.forge.adapters.github.forge import GitHubForge
from yudai.forge.domain.repository import NewPull, RepoRef, repo_ref
from yudai.forge.ports.remote import ANONYMOUS, Credential, CredentialKind, IssueQuery
from yudai.kit.errors import (
    ConflictError,
    ForbiddenError,
    ForgeError,
    LostAnswerError,
    NotFoundError,
    RefusedError,
    UnknownCallerError,
    YudaiError,
)

CANARY = "ghp_canary0123456789abcdef"
BY = Credential(kind=CredentialKind.USER, token=SecretStr(CANARY), login="wim")
USER = {"login": "wim", "id": 7, "type": "User"}
TIME = "2026-01-02T03:04:05Z"
COMMENT = {"id": 5, "body": "hello", "user": USER, "created_at": TIME, "updated_at": TIME}
ISSUE = {"number": 1, "title": "t", "user": USER, "created_at": TIME, "updated_at": TIME}


class Sleeps:
    def __init__(self) -> None:
        self.slept: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.slept.append(seconds)
        await asyncio.sleep(0)


@pytest.fixture
async def server() -> AsyncGenerator[AnswerServer]:
    async with answering() as one:
        yield one


@pytest.fixture
def sleeps() -> Sleeps:
    return Sleeps()


@pytest.fixture
async def forge(server: AnswerServer, sleeps: Sleeps) -> AsyncGenerator[GitHubForge]:
    one = _forge(server, sleeps)
    yield one
    await one.close()


@pytest.fixture
def repo(server: AnswerServer) -> RepoRef:
    return repo_ref(server.url, "ada", "calc")


def _forge(server: AnswerServer, sleeps: Sleeps, bounds: Bounds = BOUNDS) -> GitHubForge:
    return GitHubForge(
        server.url,
        api_url=server.api_url,
        app=None,
        clock=StillClock(),
        sleep=sleeps,
        bounds=bounds,
    )


async def test_every_request_names_the_version_that_tells_the_merge_commit(
    forge: GitHubForge, server: AnswerServer
) -> None:
    server.reply(Reply(USER))
    assert (await forge.whoami(by=BY)).login == "wim"
    headers = server.asked[0].headers
    assert headers["x-github-api-version"] == "2022-11-28"
    assert headers["authorization"] == f"token {CANARY}"
    assert server.asked[0].path == "/api/v3/user"


async def test_an_anonymous_call_has_no_token(
    forge: GitHubForge, server: AnswerServer, repo: RepoRef
) -> None:
    server.reply(Reply(ISSUE))
    await forge.issue(repo, 1, by=ANONYMOUS)
    assert "authorization" not in server.asked[0].headers


@pytest.mark.parametrize("bad", [Reply(status=502), Reply(cut=True)], ids=["502", "cut"])
async def test_reading_is_repeated(
    forge: GitHubForge, server: AnswerServer, repo: RepoRef, sleeps: Sleeps, bad: Reply
) -> None:
    server.reply(bad, bad, bad, Reply(ISSUE))
    assert (await forge.issue(repo, 1, by=BY)).number == 1
    assert sleeps.slept == [0.5, 1.0, 2.0]


@pytest.mark.parametrize("bad", [Reply(status=500), Reply(cut=True)], ids=["500", "cut"])
async def test_reading_is_given_up_after_three_repeats(
    forge: GitHubForge, server: AnswerServer, repo: RepoRef, bad: Reply
) -> None:
    server.reply(bad)
    with pytest.raises(ForgeError) as caught:
        await forge.issue(repo, 1, by=BY)
    assert not isinstance(caught.value, LostAnswerError)
    assert len(server.asked) == 4


@pytest.mark.parametrize("bad", [Reply(status=502), Reply(cut=True)], ids=["502", "cut"])
@pytest.mark.parametrize("act", ["add_comment", "edit_comment", "open_pull"])
async def test_acting_is_never_repeated(
    forge: GitHubForge, server: AnswerServer, repo: RepoRef, bad: Reply, act: str
) -> None:
    server.reply(bad)
    acts: dict[str, Any] = {
        "add_comment": lambda: forge.add_comment(repo, 1, "x", by=BY),
        "edit_comment": lambda: forge.edit_comment(repo, 1, "x", by=BY),
        "open_pull": lambda: forge.open_pull(repo, _new(), by=BY),
    }
    with pytest.raises(LostAnswerError):
        await acts[act]()
    assert len(server.asked) == 1


async def test_an_answer_that_takes_too_long_is_lost(
    server: AnswerServer, repo: RepoRef, sleeps: Sleeps
) -> None:
    forge = _forge(server, sleeps, BOUNDS._replace(total_s=0.2))
    release = asyncio.Event()
    server.reply(Reply(COMMENT, hold=release))
    with pytest.raises(LostAnswerError):
        await forge.add_comment(repo, 1, "x", by=BY)
    release.set()
    await forge.close()


async def test_acting_that_was_never_sent_is_no_lost_answer(
    server: AnswerServer, sleeps: Sleeps, unused_tcp_port: int
) -> None:
    url = f"http://127.0.0.1:{unused_tcp_port}"
    forge = GitHubForge(url, api_url=f"{url}/api/v3", app=None, clock=StillClock(), sleep=sleeps)
    with pytest.raises(ForgeError) as caught:
        await forge.add_comment(repo_ref(url, "ada", "calc"), 1, "x", by=BY)
    assert not isinstance(caught.value, LostAnswerError)
    await forge.close()


async def test_success_that_cannot_be_read_is_a_lost_answer(
    forge: GitHubForge, server: AnswerServer, repo: RepoRef
) -> None:
    server.reply(Reply(raw=b"<html>", status=201))
    with pytest.raises(LostAnswerError, match="it is not JSON"):
        await forge.add_comment(repo, 1, "x", by=BY)
    server.reply(Reply({"id": "many"}))
    with pytest.raises(ForgeError, match="number"):
        await forge.issue(repo, 1, by=BY)


_LIMITS = {
    "secondary": ({"Retry-After": "7"}, 403, 7.0),
    "primary": (
        {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(1_700_000_009)},
        403,
        9.0,
    ),
    "too many": ({"Retry-After": "2"}, 429, 2.0),
}


@pytest.mark.parametrize("kind", _LIMITS)
async def test_a_limit_is_waited_for_even_where_it_acts(
    forge: GitHubForge, server: AnswerServer, repo: RepoRef, sleeps: Sleeps, kind: str
) -> None:
    headers, status, wait = _LIMITS[kind]
    limited = Reply({"message": "slow"}, status=status, headers=headers)
    server.reply(limited, Reply(COMMENT, status=201))
    assert (await forge.add_comment(repo, 1, "x", by=BY)).id == 5
    assert sleeps.slept == [wait]


async def test_a_long_limit_is_reported_and_not_waited_for(
    forge: GitHubForge, server: AnswerServer, repo: RepoRef, sleeps: Sleeps
) -> None:
    headers = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(1_700_001_800)}
    server.reply(Reply({"message": "API rate limit exceeded"}, status=403, headers=headers))
    with pytest.raises(ForgeError) as caught:
        await forge.issue(repo, 1, by=BY)
    assert caught.value.retry_after_s == 1800
    assert sleeps.slept == []


async def test_waits_together_stay_within_a_minute(
    forge: GitHubForge, server: AnswerServer, repo: RepoRef, sleeps: Sleeps
) -> None:
    server.reply(Reply({"message": "slow"}, status=429, headers={"Retry-After": "25"}))
    with pytest.raises(ForgeError) as caught:
        await forge.issue(repo, 1, by=BY)
    assert sleeps.slept == [25, 25]
    assert caught.value.retry_after_s == 25


async def test_a_limit_without_a_time_is_known_by_its_words(
    forge: GitHubForge, server: AnswerServer, repo: RepoRef, sleeps: Sleeps
) -> None:
    words = {"message": "You have exceeded a secondary rate limit."}
    server.reply(Reply(words, status=403), Reply(ISSUE))
    await forge.issue(repo, 1, by=BY)
    assert sleeps.slept == [60]


_REFUSALS: dict[int, tuple[type[YudaiError], str]] = {
    400: (RefusedError, "status 400: no"),
    401: (UnknownCallerError, "log in again"),
    403: (ForbiddenError, "no"),
    404: (NotFoundError, "there is no ada/calc"),
    409: (ConflictError, "no"),
    410: (RefusedError, "switched off"),
    422: (RefusedError, "no: title is bad: PullRequest head invalid"),
    451: (ForbiddenError, "legal"),
}


@pytest.mark.parametrize("status", _REFUSALS)
async def test_refusals_are_ours(
    forge: GitHubForge, server: AnswerServer, repo: RepoRef, status: int
) -> None:
    error, words = _REFUSALS[status]
    details = [
        {"message": "title is bad"},
        {"resource": "PullRequest", "field": "head", "code": "invalid"},
    ]
    server.reply(Reply({"message": "no", "errors": details}, status=status))
    with pytest.raises(error, match=words) as caught:
        await forge.open_pull(repo, _new(), by=BY)
    assert type(caught.value) is error
    assert len(server.asked) == 1


@pytest.mark.parametrize("body", [b"", b"<html>", b"[1]", b'{"message": null, "errors": "x"}'])
async def test_a_refusal_that_says_nothing_is_still_one(
    forge: GitHubForge, server: AnswerServer, repo: RepoRef, body: bytes
) -> None:
    server.reply(Reply(raw=body, status=422))
    with pytest.raises(RefusedError, match="does not say why"):
        await forge.issue(repo, 1, by=BY)


async def test_a_refusal_is_one_short_line(
    forge: GitHubForge, server: AnswerServer, repo: RepoRef
) -> None:
    message = "a\nb\x1b[31m\ud800" + "c" * 5000
    server.reply(Reply({"message": message}, status=422))
    with pytest.raises(RefusedError) as caught:
        await forge.issue(repo, 1, by=BY)
    text = str(caught.value)
    assert text.isprintable()
    assert len(text) < 350
    text.encode()


async def test_an_unchanged_answer_is_not_sent_twice(
    forge: GitHubForge, server: AnswerServer, repo: RepoRef
) -> None:
    server.play(_tagged)
    for _ in range(3):
        assert (await forge.issue(repo, 1, by=BY)).title == "t"
    assert [asked.headers.get("if-none-match") for asked in server.asked] == [None, '"1"', '"1"']


async def test_what_is_remembered_is_the_asker_s_own(
    forge: GitHubForge, server: AnswerServer, repo: RepoRef
) -> None:
    server.play(_tagged)
    await forge.issue(repo, 1, by=BY)
    await forge.issue(repo, 1, by=ANONYMOUS)
    await forge.issue(repo, 1, by=BY.model_copy(update={"token": SecretStr("other")}))
    assert [asked.headers.get("if-none-match") for asked in server.asked] == [None] * 3


async def test_look_ups_before_an_act_are_never_remembered(
    forge: GitHubForge, server: AnswerServer, repo: RepoRef
) -> None:
    server.reply(Reply([], headers={"ETag": '"1"'}))
    for _ in range(2):
        await forge.pulls_of(repo, "ada:b", "main", by=BY)
        await forge.comments(repo, 1, by=BY)
        await forge.comments_since(repo, 0, by=BY)
        await forge.labellings(repo, 1, by=BY)
    assert len(server.asked) == 8
    assert not any("if-none-match" in asked.headers for asked in server.asked)


async def test_a_renamed_repository_is_followed_even_by_an_act(
    forge: GitHubForge, server: AnswerServer, repo: RepoRef
) -> None:
    def play(asked: Asked) -> Reply:
        if asked.path.startswith("/api/v3/repos/"):
            rest = asked.path.removeprefix("/api/v3/repos/ada/calc")
            place = f"{server.api_url}/repositories/9{rest}"
            return Reply({"message": "Moved"}, status=301, headers={"Location": place})
        return Reply(COMMENT, status=201)

    server.play(play)
    await forge.add_comment(repo, 1, "hello", by=BY)
    second = server.asked[1]
    assert (second.method, second.path) == ("POST", "/api/v3/repositories/9/issues/1/comments")
    assert second.json == {"body": "hello"}
    assert second.headers["authorization"] == f"token {CANARY}"


@pytest.mark.parametrize(
    "place", ["http://localhost:1/x", "//example.com/api/v3/x", "/elsewhere", "http://[", ""]
)
async def test_a_redirect_elsewhere_is_not_followed(
    forge: GitHubForge, server: AnswerServer, repo: RepoRef, place: str
) -> None:
    server.reply(Reply({}, status=302, headers={"Location": place}))
    with pytest.raises(RefusedError, match="it has moved at GitHub"):
        await forge.issue(repo, 1, by=BY)
    assert all(asked.path.startswith("/api/v3/") for asked in server.asked)


async def test_redirects_in_a_circle_end(
    forge: GitHubForge, server: AnswerServer, repo: RepoRef
) -> None:
    server.reply(Reply({}, status=301, headers={"Location": "/api/v3/round"}))
    with pytest.raises(RefusedError):
        await forge.issue(repo, 1, by=BY)
    assert len(server.asked) == 4


async def test_an_answer_that_is_too_large_is_not_read(
    server: AnswerServer, repo: RepoRef, sleeps: Sleeps
) -> None:
    forge = _forge(server, sleeps, BOUNDS._replace(max_bytes=100_000))
    packed = gzip.compress(b" " * 5_000_000)
    assert len(packed) < 100_000
    server.reply(Reply(raw=packed, headers={"Content-Encoding": "gzip"}))
    with pytest.raises(ForgeError, match="too large"):
        await forge.issue(repo, 1, by=BY)
    assert len(server.asked) == 1
    await forge.close()


async def test_packed_answers_are_read(
    forge: GitHubForge, server: AnswerServer, repo: RepoRef
) -> None:
    packed = gzip.compress(b'{"number": 3, "created_at": 1, "updated_at": 1}')
    server.reply(Reply(raw=packed, headers={"Content-Encoding": "gzip"}))
    assert (await forge.issue(repo, 3, by=BY)).number == 3


async def test_pages_are_bounded_and_that_is_said(
    server: AnswerServer, repo: RepoRef, sleeps: Sleeps
) -> None:
    forge = _forge(server, sleeps, BOUNDS._replace(max_pages=3))

    def play(asked: Asked) -> Reply:
        page = int(asked.query.get("page", ["1"])[0])
        following = f'<{server.api_url}/x?page={page + 1}>; rel="next"'
        return Reply([{**COMMENT, "id": page}], headers={"Link": following})

    server.play(play)
    with structlog.testing.capture_logs() as logs:
        assert len(await forge.comments(repo, 1, by=BY)) == 3
    assert [entry["event"] for entry in logs] == ["github.pages_cut"]
    await forge.close()


async def test_a_next_page_elsewhere_is_not_asked_for(
    forge: GitHubForge, server: AnswerServer, repo: RepoRef
) -> None:
    server.reply(Reply([COMMENT], headers={"Link": '<https://example.com/x>; rel="next"'}))
    assert len(await forge.comments(repo, 1, by=BY)) == 1
    assert len(server.asked) == 1


async def test_no_more_than_so_many_at_once(
    server: AnswerServer, repo: RepoRef, sleeps: Sleeps
) -> None:
    forge = _forge(server, sleeps, BOUNDS._replace(at_once=3))
    release = asyncio.Event()
    server.reply(Reply(ISSUE, hold=release))
    async with asyncio.TaskGroup() as group:
        for number in range(8):
            group.create_task(forge.issue(repo, number + 1, by=BY))
        await server.until_at_once(3)
        release.set()
    assert len(server.asked) == 8
    assert server.most_at_once == 3
    await forge.close()


async def test_writes_of_one_writer_go_one_after_the_other(
    forge: GitHubForge, server: AnswerServer, repo: RepoRef
) -> None:
    server.reply(Reply(COMMENT, status=201))
    async with asyncio.TaskGroup() as group:
        for _ in range(4):
            group.create_task(forge.add_comment(repo, 1, "x", by=BY))
    assert len(server.asked) == 4
    assert server.most_at_once == 1


@pytest.mark.parametrize("owner", ["..", "a/b", "-x", "", "a?b"])
async def test_a_repository_that_is_none_is_never_asked_for(
    forge: GitHubForge, server: AnswerServer, owner: str
) -> None:
    with pytest.raises(RefusedError):
        await forge.repository(RepoRef(forge=server.url, owner=owner, name="x"), by=BY)
    with pytest.raises(RefusedError, match="are supported"):
        await forge.repository(repo_ref("https://example.com", "ada", "calc"), by=BY)
    assert server.asked == []


_CANARY_REPLIES: dict[str, Callable[[str], Reply]] = {
    "401": lambda token: Reply({"message": f"bad {token} there"}, status=401),
    "422": lambda token: Reply({"message": f"bad {token} there"}, status=422),
    "502": lambda _: Reply(status=502),
    "cut": lambda _: Reply(cut=True),
    "raw": lambda token: Reply(raw=token.encode()),
    "shape": lambda token: Reply({"number": token}),
}


@pytest.mark.parametrize("token", [CANARY, f"{CANARY}\n", f"{CANARY}\x00", f"{CANARY}é"])
@pytest.mark.parametrize("kind", _CANARY_REPLIES)
async def test_a_token_is_in_no_log_and_no_error(
    server: AnswerServer,
    repo: RepoRef,
    sleeps: Sleeps,
    caplog: pytest.LogCaptureFixture,
    token: str,
    kind: str,
) -> None:
    forge = _forge(server, sleeps)
    by = Credential(kind=CredentialKind.USER, token=SecretStr(token))
    server.reply(_CANARY_REPLIES[kind](token))
    with caplog.at_level(logging.DEBUG), structlog.testing.capture_logs() as logs:
        with pytest.raises(YudaiError) as caught:
            await forge.issue(repo, 1, by=by)
        with pytest.raises(YudaiError) as acted:
            await forge.add_comment(repo, 1, "x", by=by)
    await forge.close()
    for error in (caught.value, acted.value):
        assert error.__traceback__ is not None
        # Without this test's own frame, which has the token.
        ours = traceback.StackSummary.extract(
            traceback.walk_tb(error.__traceback__.tb_next), capture_locals=True
        )
        assert ours
        assert CANARY not in "".join(ours.format())
        assert CANARY not in repr(error) + str(error)
        assert error.__context__ is None
    assert CANARY not in caplog.text + repr(logs) + repr(by) + repr(forge.__dict__)


def test_nothing_of_github_is_imported_before_it_is_asked() -> None:
    code = (
        "import sys\n"
        "from yudai.forge.adapters.github.forge import GitHubForge\n"
        "from yudai.forge.adapters.github.oauth import GitHubOAuth\n"
        "from yudai.kit.clock import SystemClock\n"
        "GitHubForge('https://github.com', api_url='https://api.github.com', app=None,"
        " clock=SystemClock())\n"
        "assert not {'githubkit', 'httpx', 'jwt'} & set(sys.modules)\n"
        "from yudai.forge.adapters.github.transport import Wire\n"
        "assert not any('schemas.' in name and 'models' in name for name in sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


async def test_words_are_never_qualifiers(
    forge: GitHubForge, server: AnswerServer, repo: RepoRef
) -> None:
    server.reply(Reply({"items": []}))
    words = 'crash repo:secret/other OR ) "is:pr" label:"x\\" ' + "y" * 500
    await forge.issues(repo, IssueQuery(words=words, label='a"b', since=0), by=BY)
    asked = server.asked[0]
    assert asked.path == "/api/v3/search/issues"
    assert asked.query["q"] == [
        'repo:ada/calc is:issue state:open label:"ab" updated:>=1970-01-01T00:00:00Z'
        ' "crash" "repo:secret/other" "OR" "is:pr" "label:x"'
    ]


async def test_a_search_shows_nothing_of_other_repositories(
    forge: GitHubForge, server: AnswerServer, repo: RepoRef
) -> None:
    here = {**ISSUE, "repository_url": f"{server.api_url}/repos/ADA/calc"}
    there = {**ISSUE, "number": 2, "repository_url": f"{server.api_url}/repos/eve/calc"}
    pull = {**ISSUE, "number": 3, "pull_request": {"url": "x"}}
    server.reply(Reply({"items": [here, there, pull]}))
    page = await forge.issues(repo, IssueQuery(words="crash"), by=BY)
    assert [issue.number for issue in page.issues] == [1]


@pytest.mark.parametrize(
    ("status", "message", "error"),
    [
        (422, "The listed users and repositories cannot be searched", NotFoundError),
        (422, "The search is longer than 256 characters.", RefusedError),
        (404, "Not Found", NotFoundError),
    ],
)
async def test_a_search_that_is_refused(
    forge: GitHubForge,
    server: AnswerServer,
    repo: RepoRef,
    status: int,
    message: str,
    error: type[YudaiError],
) -> None:
    server.reply(Reply({"message": message}, status=status))
    with pytest.raises(error) as caught:
        await forge.issues(repo, IssueQuery(words="crash"), by=BY)
    assert type(caught.value) is error


async def test_pull_requests_of_others_are_not_ours(
    forge: GitHubForge, server: AnswerServer, repo: RepoRef
) -> None:
    """What GitHub answers to a head that it does not understand: all of them."""

    def pull(number: int, label: str, base: str = "main") -> dict[str, Any]:
        side = {"ref": label.partition(":")[2], "sha": "1" * 40, "label": label, "repo": None}
        times = {"created_at": TIME, "updated_at": TIME}
        return {"number": number, "head": side, "base": {"ref": base}, **times}

    server.reply(Reply([pull(1, "eve:b"), pull(2, "Ada:b"), pull(3, "ada:b", "old")]))
    found = await forge.pulls_of(repo, "ada:b", "main", by=BY)
    assert [one.number for one in found] == [2]


async def test_a_repository_without_drafts_refuses_in_words_that_name_them(
    forge: GitHubForge, server: AnswerServer, repo: RepoRef
) -> None:
    words = "Draft pull requests are not supported in this repository."
    server.reply(
        Reply({"message": "Validation Failed", "errors": [{"message": words}]}, status=422)
    )
    with pytest.raises(RefusedError, match=words):
        await forge.open_pull(repo, _new(), by=BY)
    # The publisher asks again, in its turn to write.
    assert [asked.json["draft"] for asked in server.asked] == [True]


async def test_an_edited_comment_hides_no_other(
    forge: GitHubForge, server: AnswerServer, repo: RepoRef
) -> None:
    """While a page is read, its first comment is edited and moves to the end."""
    comments = {number: 1_000 + number for number in range(1, 121)}

    def play(asked: Asked) -> Reply:
        since = asked.query["since"][0]
        ordered = sorted(comments, key=lambda number: (comments[number], number))
        found = [n for n in ordered if _stamp(comments[n]) >= since]
        first = (int(asked.query["page"][0]) - 1) * 50
        page = [_comment(number, comments[number]) for number in found[first : first + 50]]
        comments[found[0]] = 5_000
        more = {"Link": f'<{server.api_url}/x>; rel="next"'} if len(found) > first + 50 else {}
        return Reply(page, headers=more)

    server.play(play)
    found = await forge.comments_since(repo, 0, by=BY)
    assert {one.id for one in found} == set(range(1, 121))


async def test_many_comments_of_one_second_are_all_found(
    forge: GitHubForge, server: AnswerServer, repo: RepoRef
) -> None:
    def play(asked: Asked) -> Reply:
        first = (int(asked.query["page"][0]) - 1) * 50
        page = [_comment(number, 1_000) for number in range(first + 1, min(first + 51, 131))]
        more = {"Link": f'<{server.api_url}/x>; rel="next"'} if first < 100 else {}
        return Reply(page, headers=more)

    server.play(play)
    assert len(await forge.comments_since(repo, 0, by=BY)) == 130


async def test_texts_are_fit_to_be_stored(
    forge: GitHubForge, server: AnswerServer, repo: RepoRef
) -> None:
    hostile = {**ISSUE, "title": "a\x00b", "body": "\ud800x", "user": None, "labels": ["l"]}
    server.reply(Reply({**hostile, "html_url": "javascript:alert(1)"}))
    issue = await forge.issue(repo, 1, by=BY)
    assert issue.title == "a\ufffdb"
    issue.body.encode()
    assert issue.author.login == "ghost"
    assert issue.labels == ("l",)
    assert issue.url == f"{server.url}/ada/calc/issues/1"


@pytest.mark.parametrize("login", ["..", "a/b", "", "a?b", "x" * 200])
async def test_a_login_that_is_none_may_nothing(
    forge: GitHubForge, server: AnswerServer, repo: RepoRef, login: str
) -> None:
    assert await forge.role(repo, login, by=BY) == "none"
    assert server.asked == []


def _new() -> NewPull:
    return NewPull(title="t", body="b", head="ada:b", base="main")


def _tagged(asked: Asked) -> Reply:
    is_known = asked.headers.get("if-none-match") == '"1"'
    return Reply(ISSUE, status=304 if is_known else 200, headers={"ETag": '"1"'})


def _stamp(seconds: int) -> str:
    return f"1970-01-01T{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}Z"


def _comment(number: int, seconds: int) -> dict[str, Any]:
    return {**COMMENT, "id": number, "updated_at": _stamp(seconds)}
