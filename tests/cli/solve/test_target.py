"""A folder, or a repository at a forge."""

from pathlib import Path

import pytest

from yudai.cli.solve.request import find_target
from yudai.kit.errors import RefusedError

FORGE = "https://github.com"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "text",
    [
        *(".", "..", "folder", "./owner/repo", "../owner/repo", "/owner/repo", "~/repo", "a/b/c"),
        *("owner/", "owner/repo/", "#12", "", "a b/c", ".config/x", "owner/repo#x", "x" * 5000),
    ],
)
def test_what_is_a_folder(text: str) -> None:
    assert find_target(text, forge=FORGE) is None
    assert find_target(text) is None


@pytest.mark.parametrize(
    ("text", "full", "number"),
    [
        ("owner/repo", "owner/repo", None),
        ("owner/repo#12", "owner/repo", 12),
        (f"{FORGE}/owner/repo/issues/12", "owner/repo", 12),
        (f"{FORGE}/owner/repo.git", "owner/repo", None),
    ],
)
def test_what_is_at_a_forge(text: str, full: str, number: int | None) -> None:
    found = find_target(text, forge=FORGE)
    assert found is not None
    assert (found.repo.full, found.repo.forge, found.number) == (full, FORGE, number)
    # A server is told the forge only where the person names it.
    named = find_target(text)
    assert named is not None
    assert named.repo.forge == (FORGE if "://" in text else "")


@pytest.mark.parametrize("text", ["owner/repo", "owner/repo#12"])
def test_a_folder_that_exists_is_a_folder(text: str, here: Path) -> None:
    (here / text).mkdir(parents=True)
    assert find_target(text, forge=FORGE) is None


@pytest.mark.parametrize(
    "text",
    [
        "https://elsewhere.test/owner/repo",
        "file:///owner/repo",
        "ssh://git@github.com/owner/repo",
        "https://[::1/owner/repo",
        "https://github.com/owner",
        "owner/repo#0",
        "owner/..",
        "-x/repo",
    ],
)
def test_what_is_neither_is_refused(text: str) -> None:
    with pytest.raises(RefusedError):
        find_target(text, forge=FORGE)


@pytest.mark.parametrize("text", ["file:///x/y", "https://u:secret@h.test/o/r", "https://[::1/o/r"])
def test_no_address_of_an_issue_is_sent_to_a_server(text: str) -> None:
    with pytest.raises(RefusedError, match="this is not an issue") as refused:
        find_target(text)
    assert "secret" not in str(refused.value)
