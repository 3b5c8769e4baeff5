import json

from yudai.projects.domain.detect import node_setup
from yudai.projects.domain.repository_files import RepositoryFiles, Setup

CI = "npm ci --no-audit --no-fund --include=dev"
INSTALL = "npm install --no-audit --no-fund --include=dev"
DEPS = {"name": "x", "devDependencies": {"jest": "^30"}}


def setup(files: dict[str, object], folder: str = "") -> Setup:
    texts = {n: t if isinstance(t, str) else json.dumps(t) for n, t in files.items()}
    return node_setup(RepositoryFiles(frozenset(texts), texts, folder))


def test_nothing_to_install():
    assert setup({"package.json": {"name": "x"}}) == Setup((), "package.json")
    assert setup({"package.json": "not json"}) == Setup((), "package.json")
    assert setup({"index.js": ""}) == Setup()


def test_no_lock():
    assert setup({"package.json": DEPS}).commands == (f"{INSTALL} --no-package-lock",)


def test_npms_lock():
    lock = {"packages": {"": DEPS}}
    said = "echo 'npm ci does not take this lock: npm install instead' >&2"
    for name in ("package-lock.json", "npm-shrinkwrap.json"):
        found = setup({"package.json": DEPS, name: lock})
        assert found == Setup((f"{CI} || {{ {said}; {INSTALL} --no-save; }}",), name)
    old = {"lockfileVersion": 1, "dependencies": {"jest": {"version": "30.0.0"}}}
    assert setup({"package.json": DEPS, "package-lock.json": old}).commands == found.commands
    unread = setup({"package.json": DEPS, "package-lock.json": "not json"})
    assert unread.commands == found.commands


def test_a_lock_that_is_out_of_date():
    for lock in (
        {"packages": {"": {"devDependencies": {"jest": "^29"}}}},
        {"dependencies": {"mocha": {}}},
    ):
        found = setup({"package.json": DEPS, "package-lock.json": lock})
        assert found.commands == (f"{INSTALL} --no-save",)
        assert found.notes == (
            "package-lock.json is out of date (jest): npm install instead of npm ci",
        )


def test_pnpm():
    files: dict[str, object] = {"package.json": DEPS, "pnpm-lock.yaml": "lockfileVersion: '6.0'\n"}
    pnpm = "npm exec --yes pnpm@8 -- install --prod=false"
    assert setup(files).commands == (f"{pnpm} --frozen-lockfile || {pnpm} --no-lockfile",)
    files["package.json"] = {**DEPS, "packageManager": "pnpm@10.2.1+sha512.abc"}
    assert "pnpm@10 " in setup(files).commands[0]
    files["package.json"] = {**DEPS, "packageManager": "pnpm@$(id)"}
    files["pnpm-lock.yaml"] = ""
    assert "pnpm@9 " in setup(files).commands[0]


def test_yarn():
    found = setup({"package.json": DEPS, "yarn.lock": "# yarn lockfile v1\n"})
    yarn = "npm exec --yes yarn@1 -- install --non-interactive"
    assert found.commands == (f"{yarn} --frozen-lockfile || {yarn} --pure-lockfile",)
    berry = setup({"package.json": DEPS, "yarn.lock": "__metadata:\n  version: 8\n"})
    assert berry.commands == (f"{INSTALL} --no-package-lock",)
    assert berry.notes == ("yarn.lock is not read: npm installs what package.json asks for",)


def test_a_workspace_is_installed_from_its_top():
    files: dict[str, object] = {
        "package.json": {"workspaces": ["packages/*"]},
        "package-lock.json": {"packages": {"": {}}},
        "packages/web/package.json": DEPS,
    }
    assert setup(files, "packages/web").commands[0].startswith(f"cd ../.. && {CI} || ")
    assert setup(files).commands[0].startswith(f"{CI} || ")
    files["packages/web/package-lock.json"] = {"packages": {"": DEPS}}
    assert setup(files, "packages/web").commands[0].startswith(f"{CI} || ")


def test_a_folder_without_a_manifest_belongs_to_the_one_above():
    assert setup({"package.json": DEPS, "src/a.js": ""}, "src").commands == (
        f"cd .. && {INSTALL} --no-package-lock",
    )
    alone: dict[str, object] = {"package.json": {}, "tools/x/package.json": DEPS}
    assert setup(alone, "tools/x").commands == (f"{INSTALL} --no-package-lock",)
