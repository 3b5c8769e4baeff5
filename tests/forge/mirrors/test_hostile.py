"""The threat table of git's side: each name says which defence it is that holds."""

import asyncio
import base64
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import SecretStr

from tests.support.forge.remote_repository import (
    BRANCH,
    BY,
    FIX,
    FULL,
    TEXT,
    TOKEN,
    Scene,
    set_scene,
)
from tests.support.forge.repositories import Repository
from tests.support.resource_bombs import block, delta_bomb, section
from tests.support.servers.git_server import Held, Status, serving
from yudai.forge.adapters.git.command import NOWHERE, Git
from yudai.forge.adapters.mirrors.mirrors import RemoteMirrors
from yudai.forge.adapters.mirrors.remote_git import Address, Network, Wire, address_of
from yudai.forge.domain.repository import RepoRef
from yudai.forge.ports.remote import ANONYMOUS
from yudai.kit.errors import ForgeError, RefusedError, YudaiError
from yudai.patches.inspection import Bounds

ENCODED = base64.b64encode(f"x-access-token:{TOKEN}".encode()).decode()


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    with serving(tmp_path / "server") as server:
        yield set_scene(server, tmp_path / "home")


async def refused(scene: Scene, patch: bytes, *, bounds: Bounds | None = None) -> str:
    """Why it is; nothing of it is in the mirror, or at the forge, afterwards."""
    mirrors = RemoteMirrors(scene.home, allow_http=True, bounds=bounds or Bounds())
    snapshot = await mirrors.fetch(scene.repo, "main", by=BY)
    with pytest.raises(RefusedError) as error:
        await mirrors.build(scene.repo, snapshot.commit, patch, TEXT, by=BY)
    assert not (scene.mirror / "refs/yudai/built").exists()
    assert list((scene.home / "remotes").glob(".*")) == []
    return str(error.value)


def adding(path: str, *, mode: str = "100644", text: str = "x") -> bytes:
    return (
        f"diff --git a/{path} b/{path}\nnew file mode {mode}\nindex {'0' * 40}..{'1' * 40}\n"
        f"--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+{text}\n"
    ).encode()


POLICY = [
    ("symlink", adding("link", mode="120000", text="app.py"), "symbolic link"),
    ("symlink outside", adding("link", mode="120000", text="/etc"), "symbolic link"),
    ("hooks", adding(".git/hooks/pre-push"), "reaches into .git"),
    ("GIT", adding(".GIT/config"), "reaches into .git"),
    ("dot dot", adding("../../x"), "leads outside"),
    ("absolute", adding("/etc/x"), "leads outside"),
    ("submodule", adding("sub", mode="160000"), "submodule"),
    ("gitmodules", adding(".gitmodules"), "where submodules come from"),
    ("workflow", adding(".github/workflows/ci.yml"), "workflows and actions"),
    ("workflow folded", adding(".GitHub/WorkFlows/ci.yml"), "workflows and actions"),
    ("owners", adding(".github/CODEOWNERS"), "who has to review"),
    ("token", adding("a.py", text=f"t = '{TOKEN}'"), "GitHub token ghs_…Hd5S"),
    ("literal bomb", section(block("literal", b"\0" * (30 << 20))), "unpacks to more"),
    ("delta bomb", delta_bomb(), "unpacks to more"),
    ("too long", adding("a.py", text="x" * (6 << 20)), "the patch has 6.0 MB, 5.0 MB are"),
    ("too many", b"".join(adding(f"{n}.py") for n in range(301)), "changes 301 files"),
]


@pytest.mark.parametrize(("patch", "why"), [row[1:] for row in POLICY], ids=[r[0] for r in POLICY])
async def test_policy_refuses_before_git_sees_the_patch(
    scene: Scene, patch: bytes, why: str, monkeypatch: pytest.MonkeyPatch
):
    asked: list[str] = []
    real = Git.run

    async def watched(self: Git, *args: str, **more: object) -> object:
        asked.append(args[0])
        return await real(self, *args, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(Git, "run", watched)
    told = await refused(scene, patch)
    assert why in told
    assert TOKEN not in told
    assert "apply" not in asked


async def test_git_itself_refuses_to_write_through_a_link_of_the_repository(scene: Scene):
    (scene.work.root / "lib").symlink_to("/tmp")  # noqa: S108 - a link to anywhere
    scene.land({})

    assert "beyond a symbolic link" in await refused(scene, adding("lib/evil.py"))


async def test_the_memory_limit_ends_a_delta_bomb_that_policy_let_through(scene: Scene):
    content = os.urandom(1000) * 1000
    scene.land({"f": content})
    bomb = delta_bomb(content, times=900)

    told = await refused(scene, bomb, bounds=Bounds(inflated_bytes=4 << 30))
    assert "the patch does not apply: " in told
    assert "memory" in told.lower()


async def test_sizes_of_what_git_made_are_looked_at_again(scene: Scene):
    lines = [f"line {n}\n" for n in range(2000)]
    scene.land({"long.txt": "".join(lines)})
    patch = scene.work.patch({"long.txt": "".join(["other\n", *lines[1:]])})

    told = await refused(scene, patch, bounds=Bounds(inflated_bytes=1000))
    assert "the changed files are larger" in told


async def test_a_change_of_a_link_is_refused_by_its_old_mode(scene: Scene):
    (scene.work.root / "link").symlink_to("app.py")
    scene.land({})
    (scene.work.root / "link").unlink()
    (scene.work.root / "link").symlink_to("other.py")
    patch = scene.work.take_patch()

    assert "symbolic link" in await refused(scene, patch)


async def test_a_tree_that_would_reach_into_git_directories_is_refused_by_fsck(scene: Scene):
    work = scene.work
    blob = work.git("hash-object", "-w", "--stdin", stdin=b"evil").strip()
    inner = work.git("mktree", stdin=f"100644 blob {blob}\tconfig\n".encode()).strip()
    tree = work.git("mktree", stdin=f"040000 tree {inner}\t.git\n".encode()).strip()
    commit = work.git("commit-tree", "-m", "x", tree).strip()
    work.git("push", "-q", "-f", "origin", f"{commit}:refs/heads/main")

    with pytest.raises(RefusedError, match=r"objects that git does not trust: hasDotgit"):
        await scene.mirrors.fetch(scene.repo, "main", by=BY)


async def test_no_configuration_hook_filter_or_driver_of_anybody_runs(
    scene: Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    mark = tmp_path / "ran"
    touch = f"touch {mark}"
    person = tmp_path / "person"
    hooks = person / "hooks"
    hooks.mkdir(parents=True)
    for name in ("pre-push", "post-checkout", "reference-transaction", "post-index-change"):
        (hooks / name).write_text(f"#!/bin/sh\n{touch}\n")
        (hooks / name).chmod(0o755)
    (person / ".gitconfig").write_text(
        f"[core]\n\thooksPath = {hooks}\n\tfsmonitor = {touch}\n\tsshCommand = {touch}\n"
        f"[credential]\n\thelper = !{touch}\n"
        f'[filter "evil"]\n\tsmudge = {touch}\n\tclean = {touch}\n\trequired = true\n'
        f'[diff "evil"]\n\ttextconv = {touch}\n\tcommand = {touch}\n'
        f'[merge "evil"]\n\tdriver = {touch}\n'
        f"[uploadpack]\n\tpackObjectsHook = {touch}\n"
        f'[url "http://127.0.0.1:9/"]\n\tinsteadOf = {scene.server.url}/\n'
    )
    monkeypatch.setenv("HOME", str(person))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(person / ".gitconfig"))
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", touch)
    monkeypatch.setenv("GIT_ASKPASS", touch)
    monkeypatch.setenv("GIT_SSH_COMMAND", touch)
    scene.land(
        {
            ".gitattributes": "* filter=evil diff=evil merge=evil export-subst\n",
            ".lfsconfig": f"[lfs]\n\turl = ext::{touch}\n",
            "hooks/post-checkout": touch,
            "config": f"[core]\n\tfsmonitor = {touch}\n",
            "version.txt": "$Format:%H$\n",
        }
    )

    built = await scene.build()
    scene.land({"app.py": "def add(a, b):\n    return a - b\n\n\nX = 1\n" + "\n" * 9})
    await scene.mirrors.base_move(scene.repo, "main", built.commit, by=BY)
    await scene.mirrors.landed_since(scene.repo, "main", built.commit, by=BY)
    await scene.mirrors.push(scene.repo, built.commit, BRANCH, by=BY)
    snapshot = await scene.mirrors.fetch(scene.repo, "main", by=BY)
    with pytest.raises(YudaiError):
        await scene.mirrors.fetch(scene.repo, "main", by=ANONYMOUS)
    assert not mark.exists()
    assert await scene.mirrors.read(snapshot, "version.txt") == b"$Format:%H$\n"


FORGES = [
    "ext::sh -c 'touch /tmp/x'", "file:///etc", "ssh://github.com", "git://github.com", "/etc",
    "--upload-pack=touch x", "http://github.com", "https://user@github.com", "https://a/b",
    "https://github.com?x", "https://github.com#x", "https://", "github.com", "https://a b",
    "http://127.0.0.1.evil.org", "http://2130706433", "https://x:0", "https://x:99999", "",
    "https://github.com\n", "ftp://127.0.0.1", "http://[::1].evil.org", "https://github.com\\@x",
]  # fmt: skip


@pytest.mark.parametrize("forge", FORGES)
async def test_addresses_are_https_or_loopback_or_refused(scene: Scene, forge: str):
    repo = RepoRef(forge=forge, owner="ada", name="sample")
    for ask in (scene.mirrors.fetch, scene.mirrors.branch_head):
        with pytest.raises(RefusedError, match="is not a forge"):
            await ask(repo, "main", by=BY)
    assert not (scene.home / "remotes").exists()


@pytest.mark.parametrize(
    ("owner", "name"),
    [("..", "x"), ("-x", "y"), ("a/b", "c"), ("a", "b c"), ("a", "--upload-pack=x"), ("a", "")],
)
async def test_names_of_repositories_are_checked_again(scene: Scene, owner: str, name: str):
    repo = RepoRef(forge=scene.server.url, owner=owner, name=name)

    with pytest.raises(RefusedError, match="is not a valid owner or repository name"):
        await scene.mirrors.fetch(repo, "main", by=BY)


async def test_plain_http_is_refused_unless_it_is_allowed(scene: Scene):
    with pytest.raises(RefusedError, match="is not a forge"):
        await RemoteMirrors(scene.home).fetch(scene.repo, "main", by=BY)
    assert scene.server.asked == []


def test_a_loopback_forge_and_a_real_one():
    loopback = RepoRef(forge="http://[::1]:8000", owner="a", name="b")
    real = RepoRef(forge="https://github.com", owner="a", name="b")

    assert address_of(loopback, allow_http=True).is_loopback
    assert address_of(real) == (
        "https://github.com/a/b.git", "https://github.com", "https", False
    )  # fmt: skip


@pytest.mark.parametrize(
    "url", ["ext::sh -c 'touch %s'", "file://%s", "%s", "ssh://localhost%s", "git://localhost%s"]
)
async def test_git_s_protocol_list_refuses_what_an_address_would_let_through(
    scene: Scene, tmp_path: Path, url: str
):
    target = tmp_path / "touched" if url.startswith("ext") else scene.server.bare(FULL)
    address = Address(url % target, scene.server.url, "http", is_loopback=True)
    wire = Wire(Network(ask_s=10), allow_http=True)

    with pytest.raises(RefusedError, match="not allowed"):
        await wire.branch_head(Git(NOWHERE), address, "main", by=BY)
    assert not (tmp_path / "touched").exists()


async def test_an_option_is_no_url_after_two_dashes(scene: Scene, tmp_path: Path):
    mark = tmp_path / "ran"
    option = f"--upload-pack=touch {mark}"
    wire = Wire(Network(ask_s=10), allow_http=True)
    address = Address(option, "x", "file", is_loopback=True)

    with pytest.raises(YudaiError):
        await wire.branch_head(Git(NOWHERE), address, "m", by=ANONYMOUS)
    assert not mark.exists()


async def test_redirects_are_not_followed_and_take_no_token_along(scene: Scene, tmp_path: Path):
    with serving(tmp_path / "elsewhere") as elsewhere:
        elsewhere.create(FULL, {"evil.py": "x\n"})
        for code in (301, 302, 307, 308):
            scene.server.answer(
                lambda asked, code=code: Status(
                    code, {"Location": f"{elsewhere.url}{asked.path}?{asked.query}"}
                )
            )
            for ask in (scene.mirrors.fetch, scene.mirrors.branch_head):
                with pytest.raises(RefusedError, match="redirects are not followed"):
                    await ask(scene.repo, "main", by=BY)
        assert elsewhere.asked == []


async def test_the_token_is_in_no_argument_of_any_process_while_it_is_used(scene: Scene):
    reached, until = threading.Event(), threading.Event()
    scene.server.answer(lambda asked: Held(reached, until) if asked.is_fetch else None)
    task = asyncio.create_task(scene.mirrors.fetch(scene.repo, "main", by=BY))
    try:
        assert await asyncio.to_thread(reached.wait, 30)
        seen = [_arguments(folder) for folder in Path("/proc").glob("[0-9]*")]
    finally:
        until.set()
    await task

    assert any(b"git-remote-http" in arguments for arguments in seen)
    for secret in (TOKEN, ENCODED):
        assert not any(secret.encode() in arguments for arguments in seen)


def _arguments(folder: Path) -> bytes:
    try:
        return (folder / "cmdline").read_bytes()
    except OSError:
        return b""


async def test_the_token_is_on_no_disk(
    scene: Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    for name in ("GIT_TRACE", "GIT_TRACE_CURL", "GIT_CURL_VERBOSE", "GIT_TRACE2_EVENT"):
        monkeypatch.setenv(name, str(tmp_path / "trace"))
    built = await scene.build()
    await scene.mirrors.push(scene.repo, built.commit, BRANCH, by=BY)

    files = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert len(files) > 20
    assert not (tmp_path / "trace").exists()
    for file in files:
        content = file.read_bytes()
        assert TOKEN.encode() not in content, file
        assert ENCODED.encode() not in content, file


async def test_the_token_is_hidden_in_what_the_forge_says_back(scene: Scene):
    told = f"denied: {TOKEN} as {ENCODED}\n".encode()
    scene.server.answer(lambda _: Status(403, {"Content-Type": "text/plain"}, told))

    with pytest.raises(RefusedError, match=r"denied: \[hidden\] as \[hidden\]") as error:
        await scene.mirrors.fetch(scene.repo, "main", by=BY)
    assert TOKEN not in repr(error.value)


async def test_secrets_are_hidden_in_git_s_own_words_and_in_ours(scene: Scene):
    wire = Wire(Network(), allow_http=True)
    git = wire.git(Git(scene.work.root / ".git"), wire.address(scene.repo), by=BY)

    ran = await git.run("rev-parse", "--verify", f"{TOKEN}-{ENCODED}")
    assert ran.exit_code != 0
    for text in (ran.error, ran.errors, repr(git), repr(wire)):
        assert TOKEN not in text
        assert ENCODED not in text
    assert (await git.ask("config", f"http.{scene.server.url}/.extraHeader")).decode().strip() == (
        f"Authorization: Basic {ENCODED}"
    )


async def test_the_token_goes_to_its_forge_alone(scene: Scene):
    wire = Wire(Network(), allow_http=True)
    git = wire.git(Git(NOWHERE), wire.address(scene.repo), by=BY)

    for other in ("https://evil.org/x", f"{scene.server.url}0/x"):
        ran = await git.run("config", "--get-urlmatch", "http.extraHeader", other)
        assert ran.output == b""


async def test_the_surroundings_proxy_is_not_asked(scene: Scene, monkeypatch: pytest.MonkeyPatch):
    for name in ("http_proxy", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    mirrors = RemoteMirrors(
        scene.home, allow_http=True, network=Network(proxy=SecretStr("http://127.0.0.1:9"))
    )

    assert (await mirrors.fetch(scene.repo, "main", by=BY)).commit == scene.work.head


async def test_the_configured_proxy_is_asked_for_others_and_never_gets_the_token(tmp_path: Path):
    heard: list[bytes] = []

    async def hear(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(b"HTTP/1.1 502 No\r\nContent-Length: 0\r\n\r\n")
        await writer.drain()
        writer.close()

    proxy = await asyncio.start_server(hear, "127.0.0.1", 0)
    async with proxy:
        port = proxy.sockets[0].getsockname()[1]
        network = Network(proxy=SecretStr(f"http://me:proxypassword@127.0.0.1:{port}"))
        repo = RepoRef(forge="https://forge.invalid", owner="a", name="b")
        with pytest.raises(ForgeError) as error:
            await RemoteMirrors(tmp_path, network=network).branch_head(repo, "main", by=BY)

    assert heard[0].startswith(b"CONNECT forge.invalid:443 ")
    assert ENCODED.encode() not in heard[0]
    assert "proxypassword" not in str(error.value)


async def test_a_sandbox_s_archive_has_neither_history_nor_remote(scene: Scene):
    scene.land({"later.py": "secret = 'later'\n"})
    scene.work.git("rm", "-q", "later.py")
    scene.land({})
    snapshot = await scene.mirrors.fetch(scene.repo, "main", by=BY)

    content = snapshot.source.read_bytes()
    assert b"later" not in content
    assert scene.server.url.encode() not in content
    assert b".git/" not in content


async def test_the_mirror_s_own_files_name_no_remote(scene: Scene):
    built = await scene.build()
    await scene.mirrors.push(scene.repo, built.commit, BRANCH, by=BY)

    assert scene.server.url not in (scene.mirror / "config").read_text()
    assert not (scene.mirror / "FETCH_HEAD").exists()
    assert not (scene.mirror / "hooks").exists()
    assert Repository(scene.mirror).git("show", f"{built.commit}:app.py") == FIX["app.py"]
