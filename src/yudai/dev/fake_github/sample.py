"""Sample data: one repository, three issues, four people, an App."""

import secrets
from pathlib import Path

from yudai import demo
from yudai.dev.fake_github import authenticate, issues
from yudai.dev.fake_github.records import Hook
from yudai.dev.fake_github.state import State
from yudai.forge.domain.repository import Role

REPO = "octo/passbook"
ISSUE = 1
MODEL = "scripted/yudai-demo/surgeon"
"""One of the demo's contestants: it needs no key."""
KEY_FILE = "app-key.pem"
PEOPLE = {"ada": Role.ADMIN, "bob": Role.WRITE, "carol": Role.READ, "mallory": Role.NONE}
_LABELS = {"yudai": "fbca04", "bug": "d73a4a", "enhancement": "a2eeef"}
_SMALL = (
    (
        "bob",
        "A payee with a comma loses what follows it",
        'My bank writes `"Smith, Jones & Co"`. After the import the ledger says `Smith`.\n',
        "bug",
    ),
    (
        "mallory",
        "Say how many transactions a report covers",
        "`python -m passbook report` lists sums by month. The number of transactions beside each"
        " sum would tell me at a glance whether a statement is missing.\n",
        "enhancement",
    ),
)


def prepare(state: State) -> None:
    """Create the sample data in an empty folder."""
    if state.world.people:
        return
    for login in PEOPLE:
        state.add_user(login, name=login.title())
    state.add_organisation("octo", members=("ada",))
    roles = {login: role for login, role in PEOPLE.items() if role != Role.NONE}
    repo = state.add_repo(REPO, roles=roles, protected=("main",))
    repo.description = "Keeps a ledger of what the bank says."
    repo.labels = dict(_LABELS)
    state.commit(REPO, _files(demo.ROOT / "sample"), message="Keep a ledger", by="ada")
    first = demo.issue()
    issues.open_issue(state, REPO, title=first.title, body=first.body, by="carol", labels=["bug"])
    for author, title, body, label in _SMALL:
        issues.open_issue(state, REPO, title=title, body=body, by=author, labels=[label])
    private, public = authenticate.new_key()
    write_private(state.folder / KEY_FILE, private)
    state.add_app("yudai", public, owner="ada")
    state.install("octo")
    for login in PEOPLE:
        state.token(login)
    state.world.hook = Hook(secret=secrets.token_hex(20))
    state.world.deliveries.clear()
    state.save()


def tokens(state: State) -> dict[str, str]:
    """Each person's own."""
    return {token.login: text for text, token in state.world.tokens.items() if token.kind == "pat"}


def environment(state: State) -> dict[str, str]:
    """With which `yudai serve` works here: contestants are scripted, so no model needs a key."""
    app = state.the_app()
    models = ",".join(f"scripted/{name}" for name in demo.scripts())
    return {
        "GITHUB_URL": state.url,
        "GITHUB_APP_ID": str(app.id),
        "GITHUB_APP_PRIVATE_KEY_PATH": str(state.folder / KEY_FILE),
        "GITHUB_APP_CLIENT_ID": app.client_id,
        "GITHUB_APP_CLIENT_SECRET": app.client_secret,
        "GITHUB_WEBHOOK_SECRET": state.world.hook.secret,
        "GITHUB_WATCH": REPO,
        "GITHUB_POLL_SECONDS": "5",
        "GITHUB_MATRIX": f"model={models} temp=0.2 edits=6 strategy=test-first",
    }


def _files(folder: Path) -> dict[str, bytes | str | None]:
    return {
        file.relative_to(folder).as_posix(): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file() and "__pycache__" not in file.parts
    }


def write_private(file: Path, content: bytes) -> None:
    """Write a file that only its owner can read."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.touch(mode=0o600)
    file.chmod(0o600)
    file.write_bytes(content)
