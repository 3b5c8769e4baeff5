"""A git server, mirrors of ours and who asks: what tests of the remote side begin with."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import SecretStr

from tests.support.forge.repositories import Repository
from tests.support.servers.git_server import GitServer
from yudai.forge.adapters.mirrors.mirrors import RemoteMirrors
from yudai.forge.domain.repository import RepoRef
from yudai.forge.ports.remote import Built, CommitText, Credential, CredentialKind

TOKEN = "ghs_canaryQ8Zr2Lx9Vb4Tn7Kc3Wm6Yp1Hd5S"  # noqa: S105 - it was never one
BY = Credential(kind=CredentialKind.APP, token=SecretStr(TOKEN))
TEXT = CommitText(
    message="[AI] Fix: #1 it", author="yudai-bot", email="bot@yudai.app", at=1_700_000_000
)
FULL = "ada/sample"
FILES = {
    "app.py": "def add(a, b):\n    return a - b\n",
    "docs/guide.md": "".join(f"line {n}\n" for n in range(40)),
    "other.py": "OTHER = 1\n",
}
FIX = {"app.py": "def add(a, b):\n    return a + b\n"}
BRANCH = "yudai/issue-1-abcdef01"


@dataclass
class Scene:
    server: GitServer
    work: Repository
    """Where its owner works."""
    home: Path

    @property
    def repo(self) -> RepoRef:
        return self.server.ref(FULL)

    @property
    def mirrors(self) -> RemoteMirrors:
        return RemoteMirrors(self.home, allow_http=True)

    @property
    def mirror(self) -> Path:
        [folder] = (path for path in (self.home / "remotes").iterdir() if path.is_dir())
        return folder

    def land(self, files: Mapping[str, str | bytes], message: str = "more") -> str:
        """On the base branch, by somebody else."""
        self.work.write(files)
        self.work.commit(message)
        return self.server.publish(self.work)

    async def build(self, files: Mapping[str, str | bytes | None] = FIX) -> Built:
        snapshot = await self.mirrors.fetch(self.repo, "main", by=BY)
        patch = self.work.patch(files)
        return await self.mirrors.build(self.repo, snapshot.commit, patch, TEXT, by=BY)


def set_scene(server: GitServer, home: Path) -> Scene:
    work = server.create(FULL, FILES)
    server.tokens = {TOKEN: {FULL, "bot/sample"}, "reader": set()}
    return Scene(server, work, home)
