"""The REST side as a client sees it: who may see and do what, pages, tags, faults."""

import time

import httpx
import pytest

from tests.support.servers.github_server import REPO, GitHubServer
from yudai.dev.fake_github.faults import Fault

AT = f"/repos/{REPO}"


def messages(answer: httpx.Response) -> list[str]:
    return [error.get("message", error["code"]) for error in answer.json()["errors"]]


def test_who_asks(github: GitHubServer):
    assert github.client(github.token("bob")).get("/user").json()["login"] == "bob"
    nobody = github.client().get("/user")
    assert (nobody.status_code, nobody.json()["message"]) == (401, "Requires authentication")
    wrong = github.client("ghp_wrong").get(AT)
    assert (wrong.status_code, wrong.json()["message"]) == (401, "Bad credentials")
    assert github.client().get("/users/ADA").json()["login"] == "ada"
    assert github.client().get("/users/nobody").status_code == 404


@pytest.mark.parametrize(
    ("login", "permissions"),
    [
        ("ada", "admin maintain push triage pull"),
        ("bob", "push triage pull"),
        ("carol", "pull"),
        ("mallory", ""),
        ("", ""),
    ],
)
def test_a_private_repository_is_there_for_those_who_may_see_it(
    bare: GitHubServer, login: str, permissions: str
):
    bare.repository(private=True)
    client = bare.client(bare.token(login) if login else "")
    answer = client.get(AT)
    assert answer.status_code == (200 if permissions else 404)
    if permissions:
        told = answer.json()["permissions"]
        assert " ".join(name for name, holds in told.items() if holds) == permissions
    else:
        assert answer.json()["message"] == "Not Found"
    for path in ("/issues", "/pulls", "/commits", "/branches/main"):
        assert client.get(AT + path).status_code == answer.status_code, path
    if login:
        listed = client.get("/user/repos").json()
        assert [repo["full_name"] for repo in listed] == ([REPO] if permissions else [])
    assert (client.post(f"{AT}/forks").status_code < 300) is bool(permissions)


def test_what_a_reader_may_not_do(github: GitHubServer):
    github.issue(by="bob")
    carol = github.client(github.token("carol"))
    assert carol.post(f"{AT}/issues/1/comments", json={"body": "hello"}).status_code == 201
    refused = carol.post(f"{AT}/issues/1/labels", json={"labels": ["yudai"]})
    assert refused.status_code == 403
    assert carol.patch(f"{AT}/issues/1", json={"state": "closed"}).status_code == 403
    assert carol.get(f"{AT}/collaborators/bob/permission").status_code == 403
    mine = carol.post(f"{AT}/issues", json={"title": "x", "labels": ["yudai"]})
    assert (mine.status_code, mine.json()["labels"]) == (201, [])
    assert carol.patch(f"{AT}/issues/2", json={"state": "closed"}).status_code == 200
    nobody = github.client()
    assert nobody.post(f"{AT}/issues/1/comments", json={"body": "x"}).status_code == 401


def test_roles_of_others(github: GitHubServer):
    ada = github.client(github.token("ada"))
    roles = {
        login: ada.get(f"{AT}/collaborators/{login}/permission").json()["permission"]
        for login in ("ada", "bob", "carol", "mallory")
    }
    assert roles == {"ada": "admin", "bob": "write", "carol": "read", "mallory": "read"}
    assert ada.get(f"{AT}/collaborators/nobody/permission").status_code == 404


def test_an_archived_repository_takes_nothing(github: GitHubServer):
    github.state.repo(REPO).archived = True
    ada = github.client(github.token("ada"))
    assert ada.get(AT).json()["archived"] is True
    assert ada.post(f"{AT}/issues", json={"title": "x"}).status_code == 403


def test_pages_of_comments_with_links(github: GitHubServer):
    github.issue()
    for number in range(35):
        github.comment(1, f"comment {number}", by="bob")
    client = github.client(github.token("bob"))
    first = client.get(f"{AT}/issues/1/comments", params={"per_page": 10})
    assert set(first.links) == {"next", "last"}
    assert "page=4" in first.links["last"]["url"]
    page, told = first, [c["body"] for c in first.json()]
    while "next" in page.links:
        page = client.get(page.links["next"]["url"])
        told += [c["body"] for c in page.json()]
    assert told == [f"comment {number}" for number in range(35)]
    assert set(page.links) == {"prev", "first"}
    assert client.get(f"{AT}/issues/1/comments", params={"page": 99}).json() == []


def test_an_answer_that_has_not_changed_is_not_sent_again(github: GitHubServer):
    github.issue()
    client = github.client(github.token("bob"))
    first = client.get(f"{AT}/issues/1")
    left = int(first.headers["x-ratelimit-remaining"])
    again = client.get(f"{AT}/issues/1", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert int(again.headers["x-ratelimit-remaining"]) == left
    github.comment(1, "new", by="ada")
    changed = client.get(f"{AT}/issues/1", headers={"If-None-Match": first.headers["etag"]})
    assert changed.status_code == 200
    assert changed.headers["etag"] != first.headers["etag"]


def test_issues_by_label_time_and_state(github: GitHubServer):
    github.issue("one", labels=("bug",))
    github.issue("two", labels=("bug", "yudai"))
    github.issue("three")
    github.close(3)
    client = github.client()

    def titles(**query: str) -> list[str]:
        return [i["title"] for i in client.get(f"{AT}/issues", params=query).json()]

    assert titles() == ["two", "one"]
    assert titles(direction="asc") == ["one", "two"]
    assert titles(labels="bug,YUDAI") == ["two"]
    assert titles(state="closed") == ["three"]
    assert titles(state="all", sort="updated")[0] == "three"
    assert titles(state="all", since="2100-01-01T00:00:00Z") == []
    assert client.get(f"{AT}/issues", params={"since": "yesterday"}).status_code == 422


def test_who_labelled_what(github: GitHubServer):
    github.issue()
    github.label(1, by="bob")
    github.unlabel(1, by="ada")
    github.label(1, by="ada")
    github.close(1, by="bob")
    events = github.client().get(f"{AT}/issues/1/events").json()
    told = [(e["event"], e["actor"]["login"], e.get("label", {}).get("name")) for e in events]
    assert told == [
        ("labeled", "bob", "yudai"),
        ("unlabeled", "ada", "yudai"),
        ("labeled", "ada", "yudai"),
        ("closed", "bob", None),
    ]
    assert len({e["id"] for e in events}) == 4


def test_labels_by_rest(github: GitHubServer):
    github.issue()
    bob = github.client(github.token("bob"))
    added = bob.post(f"{AT}/issues/1/labels", json=["a b/c", "yudai"])
    assert [label["name"] for label in added.json()] == ["a b/c", "yudai"]
    assert bob.delete(f"{AT}/issues/1/labels/yudai").status_code == 200
    gone = bob.delete(f"{AT}/issues/1/labels/yudai")
    assert (gone.status_code, gone.json()["message"]) == (404, "Label does not exist")
    bad = bob.post(f"{AT}/issues/1/labels", json={"labels": [""]})
    assert bad.status_code == 422
    assert [label["name"] for label in bob.get(f"{AT}/labels").json()] == ["a b/c", "yudai"]


def test_comments_are_edited_in_place_and_found_by_time(github: GitHubServer):
    github.issue()
    said = github.comment(1, "first", by="bob")
    github.comment(1, "second", by="carol")
    bob = github.client(github.token("bob"))
    edited = bob.patch(f"{AT}/issues/comments/{said.id}", json={"body": "changed"})
    assert (edited.status_code, edited.json()["id"]) == (200, said.id)
    assert bob.get(f"{AT}/issues/comments/{said.id}").json()["body"] == "changed"
    carol = github.client(github.token("carol"))
    assert carol.patch(f"{AT}/issues/comments/{said.id}", json={"body": "x"}).status_code == 403
    query = {"sort": "updated", "since": "2001-01-01T00:00:00Z"}
    found = bob.get(f"{AT}/issues/comments", params=query).json()
    assert [c["body"] for c in found] == ["second", "changed"]
    assert {c["issue_url"].rpartition("/")[2] for c in found} == {"1"}
    query["since"] = "2100-01-01T00:00:00Z"
    assert bob.get(f"{AT}/issues/comments", params=query).json() == []


def test_text_that_is_refused(github: GitHubServer):
    github.issue()
    bob = github.client(github.token("bob"))
    long = bob.post(f"{AT}/issues/1/comments", json={"body": "x" * 65_537})
    assert long.status_code == 422
    assert messages(long) == ["body is too long (maximum is 65536 characters)"]
    assert messages(bob.post(f"{AT}/issues/1/comments", json={})) == ["missing_field"]
    assert messages(bob.post(f"{AT}/issues", json={"title": " "})) == ["invalid"]
    broken = bob.post(f"{AT}/issues", content=b"{")
    assert (broken.status_code, broken.json()["message"]) == (400, "Problems parsing JSON")
    assert bob.post(f"{AT}/issues", content=b"x" * (3 << 20)).status_code == 413


def test_search(github: GitHubServer):
    github.issue("Tickets are lost", "two of them")
    github.issue("Something else", "tickets", labels=("bug",))
    github.issue("Tickets, closed")
    github.close(3)
    client = github.client()

    def found(q: str) -> list[int]:
        return [i["number"] for i in client.get("/search/issues", params={"q": q}).json()["items"]]

    assert found(f"repo:{REPO} is:issue state:open tickets") == [2, 1]
    assert found(f'repo:{REPO} is:open "two of"') == [1]
    assert found(f"repo:{REPO} label:bug") == [2]
    assert found(f"repo:{REPO} is:pr") == []
    elsewhere = client.get("/search/issues", params={"q": "repo:octo/secret x"})
    assert elsewhere.status_code == 422


def test_who_wrote_it_seen_from_the_repository(github: GitHubServer):
    github.issue(by="mallory")
    for login in ("ada", "bob", "mallory"):
        github.comment(1, "hello", by=login)
    told = github.client().get(f"{AT}/issues/1/comments").json()
    associations = {c["user"]["login"]: c["author_association"] for c in told}
    assert associations == {"ada": "MEMBER", "bob": "COLLABORATOR", "mallory": "NONE"}


def test_commits_since_and_in_pages(github: GitHubServer):
    for number in range(5):
        github.commit({"n.txt": str(number)}, message=f"Change {number}\n\nBecause.")
    client = github.client()
    first = client.get(f"{AT}/commits", params={"sha": "main", "per_page": 4})
    assert first.json()[0]["commit"]["message"] == "Change 4\n\nBecause."
    assert first.json()[0]["author"]["login"] == "bob"
    second = client.get(first.links["next"]["url"])
    assert second.json()[-1]["commit"]["message"] == "First commit"
    assert "next" not in second.links
    assert client.get(f"{AT}/commits", params={"sha": "no"}).status_code == 404
    later = client.get(f"{AT}/commits", params={"since": "2100-01-01T00:00:00Z"})
    assert later.json() == []
    branch = client.get(f"{AT}/branches/main").json()
    assert branch["commit"]["sha"] == github.head() == first.json()[0]["sha"]
    assert client.get(f"{AT}/branches/no").status_code == 404
    assert client.get(f"{AT}/git/ref/heads/main").json()["object"]["sha"] == github.head()


def test_the_newer_version_tells_no_merge_commit(github: GitHubServer):
    github.commit({"a.txt": "a"}, branch="fix")
    github.pull("fix")
    sha = github.merge(1)
    old = github.client()
    new = github.client(headers={"X-GitHub-Api-Version": "2026-03-10"})
    assert old.get(f"{AT}/pulls/1").json()["merge_commit_sha"] == sha
    for path in ("/pulls/1", "/pulls?state=all"):
        assert "merge_commit_sha" not in new.get(AT + path).text
    unknown = github.client(headers={"X-GitHub-Api-Version": "1999-01-01"})
    assert unknown.get(AT).status_code == 400


def test_a_fault_before_and_one_after(github: GitHubServer):
    github.issue()
    bob = github.client(github.token("bob"))
    github.fail("/comments$", status=502, method="POST")
    assert bob.post(f"{AT}/issues/1/comments", json={"body": "x"}).status_code == 502
    assert github.items()[1].comments == []
    github.fail("/comments$", status=502, after=True)
    assert bob.post(f"{AT}/issues/1/comments", json={"body": "x"}).status_code == 502
    assert len(github.items()[1].comments) == 1
    assert bob.post(f"{AT}/issues/1/comments", json={"body": "y"}).status_code == 201


@pytest.mark.parametrize(("when", "comments"), [("before", 0), ("after", 1)])
def test_a_lost_connection(github: GitHubServer, when: str, comments: int):
    github.issue()
    github.fail("/comments$", skip=1, after=when == "after")
    bob = github.client(github.token("bob"))
    assert bob.get(f"{AT}/issues/1/comments").json() == []
    with pytest.raises(httpx.TransportError):
        bob.post(f"{AT}/issues/1/comments", json={"body": "x"})
    assert len(bob.get(f"{AT}/issues/1/comments").json()) == comments


def test_both_rate_limits(github: GitHubServer):
    client = github.client()
    told = "You have exceeded a secondary rate limit."
    github.state.faults.add(Fault("/repos", 429, headers={"Retry-After": "7"}, message=told))
    reset = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(int(time.time()) + 60)}
    github.state.faults.add(Fault("/repos", 403, headers=reset))
    second, first = client.get(AT), client.get(AT)
    assert (second.status_code, second.headers["retry-after"]) == (429, "7")
    assert "secondary rate limit" in second.json()["message"]
    assert (first.status_code, first.headers["x-ratelimit-remaining"]) == (403, "0")
    assert client.get(AT).status_code == 200


def test_the_log_has_no_tokens(github: GitHubServer):
    github.issue()
    token = github.token("bob")
    github.client(token).post(f"{AT}/issues/1/comments", json={"body": "x"})
    github.client().get(f"{AT}/issues", params={"labels": "a"})
    posted, asked = github.requests()
    assert (posted.method, posted.login, posted.body, posted.status) == (
        "POST",
        "bob",
        {"body": "x"},
        201,
    )
    assert (asked.login, asked.query) == ("", "labels=a")
    assert token not in repr(github.requests())
    assert github.requests("POST", "/comments") == [posted]


def test_another_name_for_this_machine_is_refused(github: GitHubServer):
    answer = github.client().get(AT, headers={"Host": "evil.example"})
    assert answer.status_code == 421


def test_what_is_not_there(github: GitHubServer):
    client = github.client(github.token("ada"))
    for method, path in (("GET", "/nothing"), ("POST", f"{AT}/nothing"), ("PUT", AT)):
        answer = client.request(method, path)
        assert (answer.status_code, answer.json()["message"]) == (404, "Not Found")
