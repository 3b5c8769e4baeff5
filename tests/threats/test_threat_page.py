"""What a browser or a terminal would do with words of others, and files that a path would name.

A real browser with all payloads is in tests/e2e/page/test_page_hostile.py.
"""

import re
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from markdown_it import MarkdownIt
from starlette.types import Message

from tests.support.api_client import Place, RecordingEngine, client_of, open_place
from tests.support.solve_rows import Ring, passed, run_id
from yudai.api import downloads, page
from yudai.api.app import create_app
from yudai.api.page import Page
from yudai.api.security import request_guards
from yudai.artifacts.adapters.locations import Folder
from yudai.artifacts.adapters.object_store import ObjectStoreArtifacts
from yudai.artifacts.port import ArtifactError, ArtifactKind, ArtifactRef
from yudai.cli import text as terminal
from yudai.forge.domain import markdown
from yudai.kit.errors import NotFoundError

SECRET = b"the host's own"
HOSTILE = {
    "<script>alert(1)</script>": "<script",
    "<img src=x onerror=alert(1)>": "<img",
    "![x](https://evil.org/x.png)": "<img",
    "[y](javascript:alert(1) 'z')": "<a ",
    "[y](https://evil.org)": "<a ",
    "@octocat": "@octocat",
    "fixes #99": "fixes #99",
    "<!-- yudai:solve=x -->": "<!-- yudai:",
}
"""Words of a model, and by what a forge would be seen to heed them."""


@pytest.fixture
async def place(tmp_path: Path, database_url: str) -> AsyncGenerator[Place]:
    async with open_place(tmp_path / "home", database_url, RecordingEngine()) as opened:
        yield opened


@pytest.fixture
def built(tmp_path: Path) -> Path:
    folder = tmp_path / "page"
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text("<!doctype html><title>Yudai</title>")
    (folder / "assets/index-a1.js").write_text("1\n")
    (tmp_path / "secret.txt").write_bytes(SECRET)
    return folder


async def run_script(app: FastAPI) -> set[str]:
    """What a page that shows hostile markup would let it do, by the policy that comes with it."""
    async with client_of(app) as client:
        policy = (await client.get("/")).headers.get("content-security-policy", "")
    told = dict(part.strip().partition(" ")[::2] for part in policy.split(";") if part.strip())
    default = told.get("default-src", "*")
    wanted = {
        "inline script": ("script-src", "'unsafe-inline'"),
        "foreign script": ("script-src", "https:"),
        "foreign image": ("img-src", "https:"),
        "send elsewhere": ("connect-src", "https:"),
        "be framed": ("frame-ancestors", "https:"),
    }
    fallback = {"frame-ancestors": "*"}
    return {
        name
        for name, (directive, source) in wanted.items()
        if {"*", source} & set(told.get(directive, fallback.get(directive, default)).split())
        or not policy
    }


@pytest.mark.parametrize("left", ["both", "the page's", "every answer's"])
async def test_the_page_forbids_what_markup_would_do_and_each_of_two_policies_suffices(
    place: Place, built: Path, monkeypatch: pytest.MonkeyPatch, left: str
):
    if left == "every answer's":
        monkeypatch.delitem(page._PAGE_HEADERS, "Content-Security-Policy")
    if left == "the page's":
        monkeypatch.delitem(request_guards._HEADERS, "content-security-policy")
    assert await run_script(create_app(place, page_folder=built)) == set()


async def test_without_both_it_does_not(place: Place, built: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delitem(page._PAGE_HEADERS, "Content-Security-Policy")
    monkeypatch.delitem(request_guards._HEADERS, "content-security-policy")
    assert len(await run_script(create_app(place, page_folder=built))) == 5


async def show_artifact(place: Place) -> set[str]:
    """What a browser would do with a log that is a web page."""
    await Ring(place.context).solve(passed())
    async with client_of(create_app(place)) as client:
        answer = await client.get(f"/api/runs/{run_id(0)}/patch")
    assert answer.status_code == 200
    headers = answer.headers
    does: set[str] = set()
    if not headers.get("content-disposition", "").startswith("attachment"):
        does.add("show it")
    if "sandbox" not in headers.get("content-security-policy", ""):
        does.add("run it")
    return does


async def test_an_artifact_is_never_shown_as_a_page(place: Place):
    assert await show_artifact(place) == set()


async def test_without_its_headers_it_is(place: Place, monkeypatch: pytest.MonkeyPatch):
    real = downloads._headers
    monkeypatch.setattr(downloads, "_HEADERS", {})

    def headers(file: Any) -> dict[str, str]:
        named = real(file)
        return {name: named[name] for name in named if name != "Content-Disposition"}

    monkeypatch.setattr(downloads, "_headers", headers)
    assert await show_artifact(place) == {"show it", "run it"}


def publish_words() -> set[str]:
    """The words that do something when they stand in a pull request."""
    reader = MarkdownIt("commonmark", {"html": True})
    # Only what is linked safely is linked by this reader; a forge may know less.
    reader.validateLink = lambda _: True  # type: ignore[method-assign]
    return {
        words for words, sign in HOSTILE.items() if sign in reader.render(markdown.md(f"a {words}"))
    }


def test_words_of_a_model_do_nothing_at_the_forge():
    assert publish_words() == set()


def test_unescaped_they_do(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(markdown, "md", lambda text: text)
    assert publish_words() == set(HOSTILE)


def print_words(text: str) -> str:
    """What moves the cursor, sets a title or turns the direction around."""
    return "".join(re.findall("[\x1b\x07\u202e\u200b]", terminal.safe(text)))


def test_a_terminal_is_not_ordered_about():
    assert print_words("\x1b]0;evil\x07 \x1b[2J \u202eabc") == ""


def test_unescaped_it_is(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(terminal, "_UNSAFE", re.compile("(?!)"))
    assert print_words("\x1b]0;evil\x07 \x1b[2J \u202eabc") == "\x1b\x07\x1b\u202e"


PATHS = ("/../secret.txt", "/assets/../../secret.txt", "{folder}/../secret.txt", "/{root}")


async def take_file(app: FastAPI, built: Path) -> set[str]:
    """The paths that led to a file beside the page; as a socket gives them, not tidied up."""
    found: set[str] = set()
    for pattern in PATHS:
        path = pattern.format(folder=built, root=built.parent / "secret.txt")
        sent: list[Message] = []

        async def receive() -> Message:
            return {"type": "http.request", "body": b""}

        async def send(message: Message, sent: list[Message] = sent) -> None:
            sent.append(message)

        scope = {
            "type": "http", "method": "GET", "path": path, "query_string": b"",
            "headers": [(b"host", b"127.0.0.1")],
        }  # fmt: skip
        await app(scope, receive, send)
        if SECRET in b"".join(message.get("body", b"") for message in sent):
            found.add(pattern)
    return found


async def test_no_path_of_a_request_is_ever_opened(place: Place, built: Path):
    assert await take_file(create_app(place, page_folder=built), built) == set()


class _Joining(dict[str, Any]):
    """Files looked for where the path says, as a careless server does."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder

    def get(self, path: str, default: Any = None) -> Any:
        file = Path(f"{self._folder}{path}") if not path.startswith("//") else Path(path[1:])
        return page._file(file, "x") if file.is_file() else default


async def test_joined_to_a_folder_it_is(place: Place, built: Path, monkeypatch: pytest.MonkeyPatch):
    def look(self: Page) -> None:
        self._files = _Joining(self._folder)

    monkeypatch.setattr(Page, "_look", look)
    got = await take_file(create_app(place, page_folder=built), built)
    assert {"/../secret.txt", "/assets/../../secret.txt"} <= got


async def take_blob(folder: Path, name: str) -> bytes:
    """A blob asked for by a name that leads out of the folder."""
    artifacts = ObjectStoreArtifacts(Folder(folder))
    await artifacts.check()
    ref = ArtifactRef.model_construct(kind=ArtifactKind.PATCH, sha256=name, size=len(SECRET))
    checked = ArtifactRef.model_validate(ref.model_dump())
    return await artifacts.get(checked)


NAMES = ["../../secret", "..%2fsecret", "/etc/passwd", "x/../../secret"]


@pytest.mark.parametrize("name", NAMES)
async def test_a_blob_has_no_other_name_than_its_digest(tmp_path: Path, name: str):
    (tmp_path / "secret").write_bytes(SECRET)
    with pytest.raises(ValueError, match="sha256"):
        await take_blob(tmp_path / "artifacts", name)


@pytest.mark.parametrize("name", NAMES)
async def test_unvalidated_it_is_still_refused_by_the_store(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "secret").write_bytes(SECRET)
    monkeypatch.setattr(ArtifactRef, "model_validate", lambda told: _unchecked(**told))
    with pytest.raises(ValueError, match="Could not parse path"):
        await take_blob(tmp_path / "artifacts", name)


def _unchecked(**columns: Any) -> ArtifactRef:
    return ArtifactRef.model_construct(**columns)


@pytest.mark.parametrize("link", ["../../secret", "{root}/secret"])
async def test_a_link_among_the_blobs_gives_nothing_that_has_not_its_digest(
    tmp_path: Path, link: str
):
    """Whoever can write there names a file of ours by a link: its content has another digest."""
    (tmp_path / "secret").write_bytes(SECRET)
    folder = tmp_path / "artifacts"
    name = "ab" + "0" * 62
    (folder / "ab").mkdir(parents=True)
    (folder / "ab" / name).symlink_to(link.format(root=tmp_path))
    with pytest.raises((ArtifactError, NotFoundError)):
        await take_blob(folder, name)


async def test_unchecked_it_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "secret").write_bytes(SECRET)
    folder = tmp_path / "artifacts"
    (folder / "ab").mkdir(parents=True)
    name = "ab" + "0" * 62
    (folder / "ab" / name).symlink_to(tmp_path / "secret")
    monkeypatch.setattr(ObjectStoreArtifacts, "_check", lambda *_: None)
    assert await take_blob(folder, name) == SECRET
