"""Pages for people: what they show is escaped, what their buttons do is allowed."""

from collections.abc import Iterator

import httpx
import pytest

from tests.support.servers.github_server import REPO, GitHubServer

EVIL = '<script>alert(1)</script>"><img src=x onerror=alert(2)>'


@pytest.fixture
def browser(github: GitHubServer) -> Iterator[httpx.Client]:
    headers = {"Origin": github.url, "Sec-Fetch-Site": "same-origin"}
    with httpx.Client(base_url=github.url, headers=headers, trust_env=False) as client:
        yield client


def press(browser: httpx.Client, number: int, act: str, **fields: str) -> httpx.Response:
    kind = fields.pop("kind", "issues")
    who = fields.pop("by", "bob")
    return browser.post(f"/{REPO}/{kind}/{number}", data={"act": act, "as": who} | fields)


def test_everything_is_shown_and_escaped(github: GitHubServer, browser: httpx.Client):
    github.issue(EVIL, EVIL, by="mallory", labels=(EVIL[:50],))
    github.comment(1, EVIL, by="mallory")
    sha = github.commit({"a.txt": EVIL}, branch="fix", message=EVIL)
    github.pull("fix", title=EVIL, body=EVIL)
    paths = ("", f"/{REPO}", f"/{REPO}/issues", f"/{REPO}/pulls", f"/{REPO}/issues/1")
    for path in (*paths, f"/{REPO}/pull/2", f"/{REPO}/commit/{sha}"):
        page = browser.get(path or "/")
        assert page.status_code == 200, path
        assert "<script" not in page.text, path
        assert "<img" not in page.text, path
        assert "default-src 'none'" in page.headers["content-security-policy"]
    assert browser.get(f"/{REPO}/pull/2.diff").text.startswith("diff --git")
    assert browser.get(f"/{REPO}/issues/2").headers["location"] == f"/{REPO}/pull/2"
    for path in (f"/{REPO}/issues/9", f"/{REPO}/commit/zz", "/octo/nothing", f"/{REPO}/x/1"):
        assert browser.get(path, follow_redirects=True).status_code in (200, 404)
    assert browser.get(f"/{REPO}/issues/9").status_code == 404


def test_labels_and_comments_by_buttons(github: GitHubServer, browser: httpx.Client):
    github.issue()
    assert press(browser, 1, "label", label="yudai").status_code == 303
    assert github.items()[1].labels == ["yudai"]
    assert github.items()[1].events[-1].actor == "bob"
    assert press(browser, 1, "unlabel", label="yudai").status_code == 303
    assert github.items()[1].labels == []
    press(browser, 1, "comment", body="/yudai solve\r\n", by="carol")
    assert [(c.author, c.body) for c in github.items()[1].comments] == [("carol", "/yudai solve\n")]
    press(browser, 1, "close")
    assert github.items()[1].state == "closed"
    press(browser, 1, "reopen")
    assert github.items()[1].state == "open"


@pytest.mark.parametrize(
    ("act", "fields", "status"),
    [
        ("label", {"by": "carol", "label": "yudai"}, 403),
        ("label", {"by": "mallory", "label": "yudai"}, 403),
        ("label", {"by": "nobody", "label": "yudai"}, 404),
        ("label", {"by": "", "label": "yudai"}, 404),
        ("label", {"label": " "}, 422),
        ("comment", {"body": " "}, 422),
        ("unlabel", {"label": "x"}, 404),
        ("dance", {}, 422),
        ("merge", {}, 404),
    ],
)
def test_buttons_that_may_not_be_pressed(
    github: GitHubServer, browser: httpx.Client, act: str, fields: dict[str, str], status: int
):
    github.issue()
    assert press(browser, 1, act, **fields).status_code == status
    assert (github.items()[1].labels, github.items()[1].comments) == ([], [])


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": ""},
        {"Sec-Fetch-Site": "cross-site"},
    ],
)
def test_other_sites_press_nothing(
    github: GitHubServer, browser: httpx.Client, headers: dict[str, str]
):
    github.issue()
    fields = {"act": "label", "label": "yudai", "as": "bob"}
    answer = browser.post(f"/{REPO}/issues/1", data=fields, headers=headers)
    assert answer.status_code == 403
    assert github.items()[1].labels == []


@pytest.mark.parametrize("method", ["merge", "squash", "rebase"])
def test_a_pull_request_from_draft_to_reapplied(
    github: GitHubServer, browser: httpx.Client, method: str
):
    github.commit({"a.txt": "one\n"}, branch="fix")
    github.pull("fix", draft=True)
    page = browser.get(f"/{REPO}/pull/1").text
    assert "Ready for review" in page
    assert "Squash and merge" not in page
    assert press(browser, 1, method, kind="pull").status_code == 405
    press(browser, 1, "ready", kind="pull")
    assert "Squash and merge" in browser.get(f"/{REPO}/pull/1").text
    assert press(browser, 1, method, kind="pull").status_code == 303
    merged = browser.get(f"/{REPO}/pull/1").text
    assert "Merged by bob" in merged
    assert ">Revert<" in merged
    press(browser, 1, "revert", kind="pull", by="ada")
    assert github.items()[2].title == 'Revert "Mend it"'
    assert ">Re-apply<" in browser.get(f"/{REPO}/pull/2").text
    press(browser, 2, "revert", kind="pull", by="ada")
    assert github.items()[3].title == 'Revert "Revert "Mend it""'
    assert press(browser, 9, "revert", kind="pull").status_code == 404


def test_a_pull_request_that_is_closed(github: GitHubServer, browser: httpx.Client):
    github.commit({"a.txt": "one\n"}, branch="fix")
    github.pull("fix")
    assert press(browser, 1, "close", kind="pull").status_code == 303
    assert ">Merge<" not in browser.get(f"/{REPO}/pull/1").text
    assert press(browser, 1, "reopen", kind="pull").status_code == 303
    assert github.items()[1].state == "open"
