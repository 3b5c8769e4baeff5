"""Where a forge's name leads, and words of others among the words of a command."""

import shlex
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.support.forge.remote_repository import BY, FULL, TOKEN, Scene
from tests.support.servers.git_server import Status, serving
from yudai.forge.adapters.git import command as our_git
from yudai.forge.adapters.git.command import NOWHERE, Git
from yudai.forge.adapters.mirrors import remote_git
from yudai.forge.adapters.mirrors.remote_git import Address, Network, Wire
from yudai.forge.domain import repository as forges
from yudai.forge.domain.repository import RepoRef, parse_target
from yudai.forge.ports.remote import ANONYMOUS
from yudai.kit.errors import RefusedError, YudaiError

FORGE = "https://github.com"
ELSEWHERE = [
    "http://127.0.0.1:8000/ada/sample", "https://127.0.0.1/a/b", "http://169.254.169.254/latest/meta",
    "http://2130706433/a/b", "https://[::1]/a/b", "https://user@github.com/a/b",
    "https://github.com:8443/a/b", "https://github.com@evil.org/a/b", "https://github.com.evil.org/a/b",
    "file:///etc/passwd", "file://github.com/a/b", "ssh://git@github.com/a/b", "git://github.com/a/b",
    "ext::sh -c id", "http://github.com/a/b", "https://evil.org/a/b#https://github.com",
    "https://github.com\\@evil.org/a/b", "//evil.org/a/b", "https://GITHUB.com.:443/a/b",
]  # fmt: skip


@pytest.mark.parametrize("text", ELSEWHERE)
def test_a_url_of_somewhere_else_is_no_repository(text: str):
    with pytest.raises(RefusedError):
        parse_target(text, forge=FORGE)


@pytest.mark.parametrize("text", ELSEWHERE[:6])
def test_even_where_its_host_is_not_compared_it_leads_to_our_forge(
    text: str, monkeypatch: pytest.MonkeyPatch
):
    """The address is built anew from checked parts: a second defence."""
    monkeypatch.setattr(forges, "_path", lambda *_: forges._PATH.fullmatch("/ada/sample"))
    assert parse_target(text, forge=FORGE).repo.url == f"{FORGE}/ada/sample"


async def reach_inside(scene: Scene) -> bool:
    """A forge that is named by a number, which is this machine: whether it was asked."""
    port = scene.server.url.rpartition(":")[2]
    repo = RepoRef(forge=f"http://2130706433:{port}", owner="ada", name="sample")
    with pytest.raises(YudaiError):
        await Wire(Network(ask_s=20)).branch_head(
            Git(NOWHERE), remote_git.address_of(repo), "main", by=ANONYMOUS
        )
    return bool(scene.server.asked)


async def test_an_address_in_disguise_is_not_asked(scene: Scene):
    assert not await reach_inside(scene)


async def test_without_the_check_of_addresses_it_is(scene: Scene, monkeypatch: pytest.MonkeyPatch):
    def unchecked(repo: RepoRef, **_: object) -> Address:
        return Address(f"{repo.url}.git", repo.forge, "http", is_loopback=False)

    monkeypatch.setattr(remote_git, "address_of", unchecked)
    assert await reach_inside(scene)


async def redirect(scene: Scene, folder: Path) -> tuple[bool, bool]:
    """A forge that sends us to a server of the inside: whether it was asked, and with our token."""
    with serving(folder) as inside:
        inside.create(FULL, {"evil.py": "x\n"})
        scene.server.answer(
            lambda asked: Status(302, {"Location": f"{inside.url}{asked.path}?{asked.query}"})
        )
        with suppress(RefusedError):
            await scene.mirrors.branch_head(scene.repo, "main", by=BY)
        return bool(inside.asked), any(asked.token == TOKEN for asked in inside.asked)


async def test_a_redirect_leads_nowhere(scene: Scene, tmp_path: Path):
    assert await redirect(scene, tmp_path / "inside") == (False, False)


async def test_where_redirects_are_followed_it_leads_inside_and_takes_the_token_along(
    scene: Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """That the token is bound to its forge is no help here: this setting alone keeps it."""
    monkeypatch.setitem(remote_git._SETTINGS, "http.followRedirects", "true")
    assert await redirect(scene, tmp_path / "inside") == (True, True)


async def lead_astray(scene: Scene, folder: Path) -> bool:
    """Git is brought to ask another server than the token's: whether that one was told it."""
    with serving(folder) as elsewhere:
        elsewhere.create(FULL, {"evil.py": "x\n"})
        address = Address(f"{elsewhere.url}/{FULL}.git", scene.server.url, "http", is_loopback=True)
        await Wire(Network(ask_s=20)).branch_head(Git(NOWHERE), address, "main", by=BY)
        assert elsewhere.asked
        return any(asked.token == TOKEN for asked in elsewhere.asked)


async def test_a_token_is_bound_to_its_forge(scene: Scene, tmp_path: Path):
    assert not await lead_astray(scene, tmp_path / "elsewhere")


async def test_an_unbound_one_is_reported_to_the_asked_program(
    scene: Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    real = Wire.git

    def unbound(self: Wire, git: Git, address: Address, **by: Any) -> Git:
        made = real(self, git, address, **by)
        [header] = made.secrets.values()
        return replace(made, secrets={"http.extraHeader": header})

    monkeypatch.setattr(Wire, "git", unbound)
    assert await lead_astray(scene, tmp_path / "elsewhere")


async def read_by_protocol(scene: Scene) -> bool:
    """Whether an address that slipped through reads a repository of this machine's own files."""
    url = f"file://{scene.server.bare(FULL)}"
    address = Address(url, scene.server.url, "http", is_loopback=True)
    try:
        head = await Wire(Network(ask_s=20)).branch_head(
            Git(NOWHERE), address, "main", by=ANONYMOUS
        )
    except RefusedError:
        return False
    return head == scene.work.head


@pytest.mark.parametrize("left", ["both", "protocol.allow", "GIT_ALLOW_PROTOCOL"])
async def test_other_protocols_are_refused_by_git_too_and_each_of_two_defences_suffices(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, left: str
):
    if left == "protocol.allow":
        _without_variable(monkeypatch)
    if left == "GIT_ALLOW_PROTOCOL":
        monkeypatch.delitem(our_git._OURS, "protocol.allow")
    assert not await read_by_protocol(scene)


async def test_without_both_they_are_not(scene: Scene, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delitem(our_git._OURS, "protocol.allow")
    _without_variable(monkeypatch)
    assert await read_by_protocol(scene)


def _without_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    real = Git._environment

    def environment(self: Git) -> dict[str, str]:
        env = real(self)
        env.pop("GIT_ALLOW_PROTOCOL", None)
        return env

    monkeypatch.setattr(Git, "_environment", environment)


async def inject_option(mark: Path) -> bool:
    """An address that is an option which names a program: whether git ran it."""
    option = f"--upload-pack=touch {mark};"
    address = Address(option, "x", "file", is_loopback=True)
    with pytest.raises(YudaiError):
        await Wire(Network(ask_s=20)).branch_head(Git(NOWHERE), address, "m", by=ANONYMOUS)
    return mark.exists()


async def test_an_option_in_place_of_an_address_is_none(tmp_path: Path):
    assert not await inject_option(tmp_path / "ran")


async def test_without_the_two_dashes_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    _change_arguments(monkeypatch, lambda argv: [word for word in argv if word != "--"])
    assert await inject_option(tmp_path / "ran")


@pytest.mark.parametrize(("owner", "name"), [("-x", "y"), ("a", "--upload-pack=x"), ("..", "x")])
def test_names_that_are_options_or_paths_are_refused(owner: str, name: str):
    with pytest.raises(RefusedError):
        forges.repo_ref(FORGE, owner, name)


def test_without_their_pattern_they_are_taken(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(forges, "_NAME", _Anything())
    assert forges.repo_ref(FORGE, "a", "b c;--x").url == f"{FORGE}/a/b c;--x"


class _Anything:
    def fullmatch(self, text: str) -> str:
        return text or "-"


async def inject_shell(scene: Scene, mark: Path) -> bool:
    """A branch whose name git takes, and which is a command to a shell: whether it ran."""
    branch = f"main;touch${{IFS}}{mark}"
    scene.work.git("branch", branch)
    scene.server.publish(scene.work, branch)
    try:
        snapshot = await scene.mirrors.fetch(scene.repo, branch, by=BY)
    except YudaiError:
        return mark.exists()
    assert snapshot.commit == scene.work.head
    return mark.exists()


async def test_a_branch_that_is_a_command_is_only_a_branch(scene: Scene, tmp_path: Path):
    assert not await inject_shell(scene, tmp_path / "ran")


async def test_through_a_shell_it_is_a_command(
    scene: Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    # Every word but one is quoted, as where one was forgotten.
    def line(argv: list[str]) -> list[str]:
        words = [word if ";" in word else shlex.quote(word) for word in argv]
        return ["/bin/sh", "-c", " ".join(words)]

    _change_arguments(monkeypatch, line)
    assert await inject_shell(scene, tmp_path / "ran")


def _change_arguments(
    monkeypatch: pytest.MonkeyPatch, how: Callable[[list[str]], list[str]]
) -> None:
    real = our_git._start

    async def start(argv: list[str], **more: Any) -> Any:
        return await real(how(argv), **more)

    monkeypatch.setattr(our_git, "_start", start)
